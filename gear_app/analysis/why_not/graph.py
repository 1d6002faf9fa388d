"""NaiveGE, SyncGE and each iteration of GEAR: base retrieval, reading, linking, beams, fusion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from gear_app.analysis.rankings import QuerySearch
from gear_app.analysis.why_not.case import FEW, LossCase
from gear_app.analysis.why_not.model import (
    Cause,
    Change,
    Leading,
    ListPlace,
    Loss,
    Need,
    Neighbours,
    PrunedCandidate,
    StepOutcome,
    TrailStep,
)
from gear_app.events import BeamCandidate, BeamStep, Event, Linked, Read, ShownTriple
from gear_app.text import normalise_entity
from gear_app.types import ProximalTriple


def loss(case: LossCase, search: QuerySearch, cut: int) -> Loss:
    """What lost a passage in one search: fused below the cut, or not in the fusion at all."""
    retrieve, extract = case.retrieve(search), case.extract()
    fused = case.first(search, "fuse")
    if case.rank(search.found) is not None:
        return _below(case, search, fused, cut)
    if extract.outcome is StepOutcome.LOST:
        return Loss(Cause.NO_TRIPLE, (extract,), (), tuple(_deeper(case, search)))
    reads, expanded = case.of(search, Read), case.first(search, "expand")
    trail = [extract, retrieve]
    if reads:
        trail += [_read(case, reads[0]), *(_link(case, one) for one in case.of(search, Linked))]
    leads = _outcome(trail, "read") is StepOutcome.PASSED
    linked = _outcome(trail, "link") is StepOutcome.PASSED
    dropped = beam_loss(case, expanded) if expanded else None
    reached = dropped is not None and dropped.cause is Cause.PRUNED
    if dropped and (reached or linked or not reads or _close(dropped)):
        step = case.lost("expand", expanded, dropped.evidence)
        return Loss(dropped.cause, (*trail, step), dropped.needs, dropped.changes)
    if leads:
        return _lost(Cause.LINKED_ELSEWHERE, trail, "link", ())
    return _lost(
        Cause.READ_GAVE_NOTHING, trail, "read", _base_need(case, search), _deeper(case, search)
    )


def _below(case: LossCase, search: QuerySearch, fused: Event | None, cut: int) -> Loss:
    """It is in the search's last ranking, too low: the trail says how it came there."""
    trail = [*([case.extract()] if case.facts.triples else []), case.retrieve(search)]
    for read in case.of(search, Read):
        trail.append(_read(case, read))
    for linked in case.of(search, Linked):
        trail.append(_link(case, linked))
    if expanded := case.first(search, "expand"):
        there = case.rank(expanded.listed)
        lost = None if there else beam_loss(case, expanded).evidence
        evidence = ListPlace("the beams", there, len(expanded.listed)) if there else lost
        trail.append(case.passed("expand", expanded, evidence, by=there))
    if fused is None:  # nothing to start from: the base ranking is what there is
        margin = case.margin(search.base, search.found, cut)
        event = case.first(search, "retrieve")
        lost_at = case.lost("retrieve", event, margin)
        before = [step for step in trail if step.step == "extract"]
        return Loss(Cause.BELOW_CUT, (*before, lost_at), case.needs(margin))
    margin = case.margin("the fused ranking", fused.listed, cut)
    step = case.lost("fuse", fused, margin)
    return Loss(Cause.FUSED_BELOW, (*trail, step), case.needs(margin), tuple(_beam(case)))


def _read(case: LossCase, event: Read) -> TrailStep:
    """Which proximal triples lead to the passage."""
    leading = tuple(triple.text for triple in event.triples if _leads(case, triple))
    return case.passed("read", event, Leading(len(event.triples), leading), by=leading)


def _leads(case: LossCase, read: ProximalTriple) -> bool:
    """Whether a fact that was read is the passage's, or has a name of it."""
    own = read.triple_id in case.facts.triple_ids
    return own or case.facts.leads(read.subject, read.object)


def _link(case: LossCase, event: Linked) -> TrailStep:
    """Which linked triples are the passage's, or have a name of it."""
    stored = [(link.proximal, link.triple) for link in event.links if link.triple]
    touching = tuple(
        triple.text
        for _, triple in stored
        if triple.id in case.facts.triple_ids or case.facts.leads(triple.subject, triple.object)
    )
    instead = next((triple.text for read, triple in stored if _leads(case, read)), "")
    evidence = Leading(len(event.links), touching, "" if touching else instead)
    return case.passed("link", event, evidence, by=touching)


def _close(dropped: BeamLoss) -> bool:
    """Whether a beam ended in a name of the passage, though no fact that was read has one."""
    evidence = dropped.evidence
    return getattr(evidence, "why", "") in ("short", "limit", "same")


def _outcome(trail: list[TrailStep], name: str) -> StepOutcome | None:
    return next((step.outcome for step in trail if step.step == name), None)


def _lost(
    cause: Cause,
    trail: list[TrailStep],
    at: str,
    needs: tuple[Need, ...],
    changes: tuple[Change, ...] | list[Change] = (),
) -> Loss:
    """The trail up to a step, which lost it."""
    place = next(n for n, step in enumerate(trail) if step.step == at)
    lost = replace(trail[place], outcome=StepOutcome.LOST)
    return Loss(cause, (*trail[:place], lost), needs, tuple(changes))


def _base_need(case: LossCase, search: QuerySearch) -> tuple[Need, ...]:
    known = case.deep(search)
    return (Need(f"rank in {search.base}", known.rank, len(search.ranking)),)


def _deeper(case: LossCase, search: QuerySearch) -> list[Change]:
    """So many passages of the base ranking as have it; of the run's own k there is no setting."""
    known = case.deep(search)
    if known.rank is None or known.deeper:
        return []
    if case.setting("round_k"):
        return case.at_least("round_k", known.rank, "enough" if search.iteration == 1 else "")
    if case.setting("pool_k"):
        return case.at_least("pool_k", known.rank)
    values = tuple(str(known.rank + more) for more in range(10))
    return [Change("k", str(len(search.ranking)), values, "enough")]


def _beam(case: LossCase) -> list[Change]:
    """A wider and a longer beam; nothing is known of them without a run."""
    length = case.setting("beam.length")
    longer = case.others("beam.length", (length.number + 1,)) if length else []
    return case.more("beam.width") + longer


class BeamLoss(NamedTuple):
    """What lost a passage in a beam search."""

    cause: Cause
    evidence: PrunedCandidate | Neighbours
    needs: tuple[Need, ...] = ()
    changes: tuple[Change, ...] = ()


def beam_loss(case: LossCase, event: Event) -> BeamLoss:
    """Why no beam of the last step has a triple of the passage.

    A triple of its own that was dropped comes first, of several steps the last one's. Then a beam
    that could have gone on to one; then a dropped triple that has a name of it; then a beam that
    ends next to it, one step too short.
    """
    own = _dropped(case, event)
    if own:
        return _pruned(case, event, own)
    ended = _shared_end(case, event, range(len(event.beams) - 1))
    if ended:
        return _passed_by(case, event, ended)
    leading = _dropped_lead(case, event)
    if leading:
        return _pruned(case, event, leading)
    last = _shared_end(case, event, range(len(event.beams) - 1, len(event.beams)))
    near = Neighbours("far", "", case.facts.nearest.get(event.query_text))
    if last:
        near = Neighbours("short", last)
    longer = case.at_least("beam.length", len(event.beams) + 1, values=FEW)
    changes = (*longer, *case.more("beam.width"))
    return BeamLoss(Cause.NOT_A_NEIGHBOUR, near, (), changes)


def _dropped(case: LossCase, event: Event) -> PrunedCandidate | None:
    """The best of the passage's own candidates in the last step that has any."""
    ids = case.facts.triple_ids
    for number in range(len(event.beams), 0, -1):
        step = event.beams[number - 1]
        if any(ids.intersection(one.path) for one in step.kept):
            # It was kept, yet no beam of the last step has it: its extensions are what was dropped.
            return _cut(event, number + 1, None, None) if number < len(event.beams) else None
        full = [one for one in step.pruned if ids.intersection(one.path)]
        listed = [score for triple, score in step.others if triple in ids]
        best = max(full, key=lambda one: one.score, default=None)
        if best or listed:
            score = max([*listed, *([best.score] if best else [])])
            return _cut(event, number, best if best and best.score == score else None, score)
    return None


def _dropped_lead(case: LossCase, event: Event) -> PrunedCandidate | None:
    """The best candidate that was dropped, not in the last step, and ends in a name of it."""
    found = [
        (number, one)
        for number, step in enumerate(event.beams[:-1], start=1)
        for one in step.pruned
        if _ends_at(case, one.triple)
    ]
    if not found and len(event.beams) == 1:
        found = [(1, one) for one in event.beams[0].pruned if _ends_at(case, one.triple)]
    best = max(found, key=lambda pair: pair[1].score, default=None)
    cut = _cut(event, best[0], best[1], best[1].score) if best else None
    return cut._replace(leads=True) if cut else None


def _cut(
    event: Event, number: int, candidate: BeamCandidate | None, score: float | None
) -> PrunedCandidate:
    """Where a candidate stands among all of its step, by score."""
    step = event.beams[number - 1]
    survivor = step.kept[-1] if step.kept else None
    size = len(step.kept) + len(step.pruned) + len(step.others)
    if score is None:
        return PrunedCandidate(number, 0, size, None, survivor, 0.0)
    better = sum(other > score for other in _scores(step))
    place = max(better, len(step.kept)) + 1
    return PrunedCandidate(number, place, size, candidate, survivor, score)


def _scores(step: BeamStep) -> Iterator[float]:
    yield from (one.score for one in (*step.kept, *step.pruned))
    yield from (score for _, score in step.others)


def _pruned(case: LossCase, event: Event, cut: PrunedCandidate) -> BeamLoss:
    """The score that was missing, and a width that keeps it: exact in a search of one step alone,
    for a wider beam brings other candidates to the later ones.
    """
    survivor = cut.survivor
    needs = [
        Need("place among the candidates", cut.place or None, len(event.beams[cut.step - 1].kept))
    ]
    if survivor and cut.place:
        needs.append(Need("score in the beam", cut.score, survivor.score))
    alone = len(event.beams) == 1 and event.iteration <= 1
    changes = case.more("beam.width")
    if alone and cut.candidate and not cut.leads:
        changes = case.at_least("beam.width", cut.place, "exact")
    changes += _penalty(case)
    if cut.candidate and not cut.candidate.encoded:
        changes += case.others("beam.scoring", ("exact",))
    return BeamLoss(Cause.PRUNED, cut, tuple(needs), tuple(changes))


def _passed_by(case: LossCase, event: Event, shared: str) -> BeamLoss:
    """A beam ended in a name of it and had other neighbours: these were nearer to the query, or
    what the passage says was in a beam.
    """
    said = {_fact(one.triple) for step in event.beams for one in step.kept if _fact(one.triple)}
    own = {
        tuple(map(normalise_entity, one.words))
        for one in case.facts.triples or ()
        if shared in map(normalise_entity, (one.subject, one.object))
    }
    if own and own <= said:
        return BeamLoss(Cause.NOT_A_NEIGHBOUR, Neighbours("same", shared))
    limit = case.setting("beam.neighbours")
    changes: list[Change] = []
    if limit:
        values = (limit.number + 1, limit.number * 2, limit.number * 4, limit.number * 8)
        changes = case.others("beam.neighbours", values)
    return BeamLoss(Cause.NOT_A_NEIGHBOUR, Neighbours("limit", shared), (), tuple(changes))


def _shared_end(case: LossCase, event: Event, steps: range) -> str:
    """A name of the passage in which a beam of one of these steps ends; "" for none."""
    for number in steps:
        for one in event.beams[number].kept:
            for name in (one.triple.subject, one.triple.object):
                if case.facts.shares(name):
                    return normalise_entity(name)
    return ""


def _ends_at(case: LossCase, triple: ShownTriple) -> bool:
    return case.facts.shares(triple.subject, triple.object)


def _fact(triple: ShownTriple) -> tuple[str, ...]:
    return tuple(map(normalise_entity, triple.words))


def _penalty(case: LossCase) -> list[Change]:
    """A weaker weighting for diversity."""
    width, gamma = case.setting("beam.width"), case.setting("beam.gamma")
    if width is None or gamma is None or gamma.value == "none":
        return []
    now = 2 * width.number if gamma.value == "auto" else gamma.number
    weaker = (now * 3 // 2, now * 2, now * 3, now * 5, now * 10, "none")
    return case.others("beam.gamma", weaker)
