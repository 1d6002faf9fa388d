"""Beam searches over triples: cards, lines, and every score as arithmetic."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from gear_app.display import markup
from gear_app.display.labels import MOST, exact, fine, number
from gear_app.display.telling import (
    FACT,
    Card,
    Column,
    Detail,
    Link,
    Message,
    Scene,
    Table,
    Telling,
    fact_card,
    names_of,
    teller,
    titles,
)
from gear_app.language.dates import ORDINALS
from gear_app.trace.events import BeamCandidate, BeamStep, Expanded
from gear_app.trace.paths import beam_of, on_gold_path

PRUNED_SHOWN = 3
LEGEND = (
    ("gold", "kept, on the gold path"),
    ("kept", "kept in a beam"),
    ("pruned", "pruned"),
    ("star", "gold passage"),
    ("", "underlined: the name by which the beam goes on"),
    ("", "line width = score"),
)


@teller("expand", Expanded, "Where do these facts lead?")
def expansion(scene: Scene, event: Expanded) -> Telling:
    """The beams of a search, and every candidate as a table."""
    if not event.steps:
        nothing = "There was no triple to begin with, so the base ranking stands."
        return Telling(headline="There is no fact to begin with", messages=(Message(nothing),))
    columns = tuple(_column(scene, event, number) for number in range(len(event.steps)))
    candidates = dict(pair for at, step in enumerate(event.steps) for pair in _numbered(at, step))
    gamma = gamma_of(scene.trace.start.settings if scene.trace.start else ())
    rows_of = partial(rows, event, scene.gold, gamma)
    return Telling(
        headline=_headline(scene, event),
        columns=columns,
        links=tuple(_lines(event, columns)),
        opens=_first_card(scene, event, candidates),
        detail=lambda card: _detail(candidates.get(card), scene.gold, gamma),
        legend=LEGEND,
        tables=(Table("beams", "All candidates as a table", rows_of),),
    )


def _headline(scene: Scene, event: Expanded) -> str:
    """The gold passages that it leads to and the searches before miss; else its end."""
    if new := scene.new_gold(event.passages):
        return f"The facts lead to {titles(new)}, which the search missed"
    last = len(event.steps) - 1
    if not event.steps[last].kept:
        return "No fact leads any further"
    triple = beam_of(event, last, event.steps[last].kept[0])[-1].triple
    return f"The best beam ends with: {triple.text}"


def _first_card(scene: Scene, event: Expanded, candidates: dict[str, BeamCandidate]) -> str:
    """The wanted beam's card, else the last kept card on the gold path, else the best of the last
    step.
    """
    last = len(event.steps) - 1
    opening = [id_ for id_, beam in candidates.items() if scene.opens == beam.path != ()]
    golden = [
        _id(at, "k", place)
        for at in reversed(range(len(event.steps)))
        for place, candidate in enumerate(event.steps[at].kept)
        if on_gold_path(event, at, candidate, scene.gold)
    ]
    best = [_id(last, "k", 0)] if event.steps[last].kept else []
    return next(iter([*reversed(opening), *golden, *best]), "")


def _numbered(at: int, step: BeamStep) -> Iterator[tuple[str, BeamCandidate]]:
    """The candidates of a step with the ids of their cards, kept ones first."""
    for kind, candidates in (("k", step.kept), ("p", step.pruned)):
        for place, candidate in enumerate(candidates):
            yield _id(at, kind, place), candidate


def _id(at: int, kind: str, place: int) -> str:
    return f"{at}.{kind}.{place}"


def _column(scene: Scene, event: Expanded, at: int) -> Column:
    """The kept candidates of a step in order, then the best pruned ones."""
    step = event.steps[at]
    pruned = step.pruned[:PRUNED_SHOWN]
    cards = tuple(
        _card(scene, event, at, id_, candidate)
        for id_, candidate in _numbered(at, replace(step, pruned=pruned))
    )
    name = f"{ORDINALS[at]} fact" if at < len(ORDINALS) else f"fact {at + 1}"
    return Column(name, cards, FACT, len(step.pruned) - len(pruned) + len(step.others))


def _card(scene: Scene, event: Expanded, at: int, id_: str, candidate: BeamCandidate) -> Card:
    """A candidate; names by which its beam came to it and goes on from it are marked."""
    key, state = candidate.triple.passage_key, "kept" if candidate.kept else "pruned"
    new = candidate.kept and not candidate.carried and scene.is_new(key)
    golden = on_gold_path(event, at, candidate, scene.gold)
    carried = "no neighbour left · " if candidate.carried else ""
    missed = ", which the base search misses" if new else ""
    before = (_id(at - 1, "k", candidate.parent or 0),)
    score, kind = number(candidate.score, 2), "gold" if golden else state
    return replace(
        fact_card(id_, candidate.triple, kind, score, _shared(event, at, candidate)),
        star=key in scene.gold,
        parents=before if at and candidate.parent is not None else (),
        weight=2.0 * new + golden,
        source=f"{carried}in {candidate.triple.passage_name}{missed}",
    )


def _shared(event: Expanded, at: int, candidate: BeamCandidate) -> set[str]:
    shared = set() if candidate.carried else names_before(event, at, candidate)
    beams_kept = dict(enumerate(event.steps[at].kept))
    for later in event.steps[at + 1 : at + 2]:
        for after in (*later.kept, *later.pruned[:PRUNED_SHOWN]):
            if not after.carried and beams_kept.get(after.parent or 0) is candidate:
                shared |= names_before(event, at + 1, after)
    return shared


def names_before(event: Expanded, at: int, candidate: BeamCandidate) -> set[str]:
    """The entities, by normal form, by which a candidate goes on from its beam: those it shares
    with the triple before it, else with an earlier one.
    """
    names = names_of(candidate.triple)
    for before in reversed(beam_of(event, at, candidate)[:-1]):
        if shared := names & names_of(before.triple):
            return shared
    return set()


def _lines(event: Expanded, columns: Sequence[Column]) -> Iterator[Link]:
    """A line to each card from the beam that it extends, as wide as its score is high among those
    of its column.
    """
    for at, column in enumerate(columns):
        step = event.steps[at]
        scores = [candidate.score for candidate in (*step.kept, *step.pruned[:PRUNED_SHOWN])]
        low, span = min(scores, default=0.0), max(scores, default=0.0) - min(scores, default=0.0)
        for card, score in zip(column.cards, scores, strict=True):
            strength = (score - low) / span if span else 1.0
            for parent in card.parents:
                pruned = card.kind == "pruned"
                yield Link(parent, card.id, 0.5 * strength, "", card.kind, dashed=pruned)


def _detail(candidate: BeamCandidate | None, gold: Sequence[str], gamma: int | None) -> Detail:
    if candidate is None:
        return Detail()
    html = markup.triple(candidate.triple, gold)
    terms = tuple(arithmetic(candidate, gamma))
    return Detail("Selected triple", state_words(candidate), html, terms, triple=candidate.triple)


def state_words(candidate: BeamCandidate) -> str:
    """Whether a candidate went on, in words."""
    if candidate.carried:
        return "no neighbour left, kept"
    if candidate.kept:
        return "kept"
    return "pruned" if candidate.encoded else "pruned by the screen's estimate"


def arithmetic(candidate: BeamCandidate, gamma: int | None) -> list[tuple[str, str]]:
    """How a candidate's score came about, as (term, value) lines in Algorithm 1's order.

    `gamma` None: the diversity weighting was off.
    """
    if candidate.carried:
        return [("no neighbour left: score unchanged", exact(candidate.score))]
    cosine = "cosine to the query" + ("" if candidate.encoded else ", estimated by the screen")
    if candidate.parent is None:
        return [(cosine, exact(candidate.cosine)), ("= score", exact(candidate.score))]
    power = "no diversity weighting"
    if gamma is not None:
        exponent = f"× e^(−min({candidate.position}, {gamma})/{gamma})"
        weighted = candidate.total > 0 or not candidate.position
        power = exponent if weighted else "× 1, a sum of 0 or less is not weighted"
        power += f", place {candidate.position + 1} in its beam"
    return [
        ("beam so far", exact(candidate.previous)),
        (f"+ {cosine}", exact(candidate.cosine)),
        ("= sum", exact(candidate.total)),
        (power, fine(_factor(candidate, gamma))),
        ("= score", exact(candidate.score)),
    ]


def _factor(candidate: BeamCandidate, gamma: int | None) -> float:
    """The diversity weight, finer than the event has it, so that the product comes out."""
    if gamma and candidate.weight != 1.0:
        return math.exp(-min(candidate.position, gamma) / gamma)
    return candidate.weight


def rows(event: Expanded, gold: Sequence[str], gamma: int | None = None) -> list[dict[str, Any]]:
    """All candidates as table rows, step by step, kept ones first."""
    table: list[dict[str, Any]] = []
    for at, step in enumerate(event.steps, start=1):
        table += [
            {
                "triple": at,
                "state": state_words(candidate),
                "subject": candidate.triple.subject,
                "predicate": candidate.triple.predicate,
                "object": candidate.triple.object,
                "previous": candidate.previous,
                "cosine": candidate.cosine,
                "sum": candidate.total,
                "weight": round(_factor(candidate, gamma), MOST),
                "score": candidate.score,
                "passage": candidate.triple.passage_name,
                "gold": candidate.triple.passage_key in gold,
            }
            for _, candidate in _numbered(at, step)
        ]
        table += [
            {"triple": at, "state": "pruned", "subject": f"triple {id_}", "score": score}
            for id_, score in step.others
        ]
    return table


def gamma_of(settings: Sequence[tuple[str, str]]) -> int | None:
    """Alg. 1's γ from a run's settings: 2 × width for "auto", None for "none"."""
    named = {name.split(".")[-1]: value for name, value in settings}
    gamma = named.get("gamma", "auto")
    if gamma == "none":
        return None
    return 2 * int(named.get("width", "10")) if gamma == "auto" else int(gamma)
