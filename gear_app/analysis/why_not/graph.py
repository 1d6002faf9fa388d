"""NaiveGE, SyncGE and each iteration of GEAR: base retrieval, reading, linking, beams, fusion."""

from __future__ import annotations

from gear_app.analysis.rankings import QuerySearch
from gear_app.analysis.why_not import beams
from gear_app.analysis.why_not.case import LossCase
from gear_app.analysis.why_not.cause import Cause
from gear_app.analysis.why_not.model import (
    Change,
    Leading,
    ListPlace,
    Loss,
    Need,
    StepOutcome,
    TrailStep,
)
from gear_app.events import Expanded, Fused, Link, Linked, Read, Retrieved
from gear_app.types import ProximalTriple


def loss(case: LossCase, search: QuerySearch, cut: int) -> Loss:
    """What lost a passage in one search: fused below the cut, or not in the fusion at all."""
    retrieve, extract = case.retrieve(search), case.extract()
    fused = next(iter(case.of(search, Fused)), None)
    if case.rank(search.found) is not None:
        return _below(case, search, fused, cut)
    if extract.outcome is StepOutcome.LOST:
        return Loss(Cause.NO_TRIPLE, (extract,), (), tuple(_deeper(case, search)))
    reads, expanded = case.of(search, Read), case.of(search, Expanded)
    trail = [extract, retrieve]
    if reads:
        trail += [_read(case, reads[0]), *(_link(case, one) for one in case.of(search, Linked))]
    leads = _outcome(trail, "read") is StepOutcome.PASSED
    linked = _outcome(trail, "link") is StepOutcome.PASSED
    dropped = beams.loss(case, expanded[0]) if expanded else None
    reached = dropped is not None and dropped.cause is Cause.PRUNED
    if dropped and (reached or linked or not reads or _close(dropped)):
        step = case.step("expand", StepOutcome.LOST, expanded[0], dropped.evidence)
        return Loss(dropped.cause, (*trail, step), dropped.needs, dropped.changes)
    if leads:
        return _lost(Cause.LINKED_ELSEWHERE, trail, "link", ())
    return _lost(
        Cause.READ_GAVE_NOTHING, trail, "read", _base_need(case, search), _deeper(case, search)
    )


def _below(case: LossCase, search: QuerySearch, fused: Fused | None, cut: int) -> Loss:
    """It is in the search's last ranking, too low: the trail says how it came there."""
    trail = [*([case.extract()] if case.facts.triples else []), case.retrieve(search)]
    for read in case.of(search, Read):
        trail.append(_read(case, read))
    for linked in case.of(search, Linked):
        trail.append(_link(case, linked))
    for expanded in case.of(search, Expanded):
        there = case.rank(expanded.passages)
        outcome = StepOutcome.PASSED if there else StepOutcome.SKIPPED
        lost = None if there else beams.loss(case, expanded).evidence
        evidence = ListPlace("the beams", there, len(expanded.passages)) if there else lost
        trail.append(case.step("expand", outcome, expanded, evidence))
    if fused is None:  # nothing to start from: the base ranking is what there is
        margin = case.margin(search.base, search.found, cut)
        event = next(iter(case.of(search, Retrieved)), None)
        lost_at = case.step("retrieve", StepOutcome.LOST, event, margin)
        before = [step for step in trail if step.step == "extract"]
        return Loss(Cause.BELOW_CUT, (*before, lost_at), case.needs(margin))
    margin = case.margin("the fused ranking", fused.ranking, cut)
    step = case.step("fuse", StepOutcome.LOST, fused, margin)
    return Loss(Cause.FUSED_BELOW, (*trail, step), case.needs(margin), tuple(_beam(case)))


def _read(case: LossCase, event: Read) -> TrailStep:
    """Which proximal triples lead to the passage."""
    leading = tuple(triple.text for triple in event.triples if leads(case, triple))
    outcome = StepOutcome.PASSED if leading else StepOutcome.SKIPPED
    return case.step("read", outcome, event, Leading(len(event.triples), leading))


def leads(case: LossCase, triple: ProximalTriple) -> bool:
    """Whether a fact that was read is the passage's, or has a name of it."""
    own = triple.triple_id is not None and triple.triple_id in case.facts.triple_ids
    return own or case.facts.leads(triple.subject, triple.object)


def _link(case: LossCase, event: Linked) -> TrailStep:
    """Which linked triples are the passage's, or have a name of it."""
    touching = tuple(_words(link) for link in event.links if _touches(case, link))
    instead = next(
        (_words(link) for link in event.links if leads(case, link.proximal) and link.triple), ""
    )
    outcome = StepOutcome.PASSED if touching else StepOutcome.SKIPPED
    evidence = Leading(len(event.links), touching, "" if touching else instead)
    return case.step("link", outcome, event, evidence)


def _touches(case: LossCase, link: Link) -> bool:
    found = link.triple
    if found is None:
        return False
    return found.id in case.facts.triple_ids or case.facts.leads(found.subject, found.object)


def _words(link: Link) -> str:
    found = link.triple
    return f"{found.subject} {found.predicate} {found.object}" if found else ""


def _close(dropped: beams.BeamLoss) -> bool:
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
    before, step = trail[:place], trail[place]
    lost = TrailStep(step.step, StepOutcome.LOST, step.evidence, step.iteration, step.number)
    return Loss(cause, (*before, lost), needs, tuple(changes))


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
    width, length = case.setting("beam.width"), case.setting("beam.length")
    wider = case.at_least("beam.width", width.number + 1, "") if width else []
    longer = case.others("beam.length", (length.number + 1,)) if length else []
    return wider + longer
