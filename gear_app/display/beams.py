"""Beam searches over triples: cards, lines, and every score as arithmetic."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from gear_app.core.text import count, normalise_entity
from gear_app.core.types import TripleWords
from gear_app.display import markup
from gear_app.display.decimals import MOST, exact, fine
from gear_app.display.labels import search_name
from gear_app.display.telling import (
    FACT,
    Card,
    Column,
    Detail,
    K,
    Link,
    Message,
    Scene,
    Table,
    Telling,
    teller,
    titles,
)
from gear_app.language.numbers import ORDINALS
from gear_app.trace.events import BeamCandidate, BeamStep, Expanded
from gear_app.trace.metrics import document_key
from gear_app.trace.paths import beam_of, on_gold_path
from gear_app.trace.rankings import keys, rank_of

PRUNED_SHOWN = 3
LEGEND = (
    ("gold", "kept, on the gold path"),
    ("kept", "kept in a beam"),
    ("pruned", "pruned"),
)


@teller("expand", Expanded, "Where do these facts lead?")
def expansion(scene: Scene, event: Expanded) -> Telling:
    """The beams of a search, and every candidate as a table."""
    if not event.steps:
        nothing = "There was no triple to begin with, so the base ranking stands."
        return Telling(headline="There is no fact to begin with", messages=(Message(nothing),))
    columns = tuple(_column(scene, event, number) for number in range(len(event.steps)))
    candidates = dict(pair for at, step in enumerate(event.steps) for pair in _numbered(at, step))
    gamma = gamma_of(scene.settings)
    states = {card.kind for column in columns for card in column.cards}
    legend = [entry for entry in LEGEND if entry[0] in states]
    if any(card.star for column in columns for card in column.cards):
        legend.append(("star", "gold passage"))
    legend.append(("", "underlined: the name by which the beam goes on"))
    legend.append(("", f"line width = score; {count(event.starts, 'triple')} to begin with"))
    short = len(event.steps) < length_of(scene.settings)
    rows_of = partial(rows, event, scene.gold, gamma)
    return Telling(
        headline=_headline(scene, event),
        columns=columns,
        links=tuple(_lines(event, columns)),
        opens=_first_card(scene, event, candidates),
        detail=lambda card: _detail(candidates.get(card), scene.gold, gamma),
        legend=tuple(legend),
        notes=("No beam could be extended further.",) if short else (),
        tables=(Table("beams", "All candidates as a table", rows_of),),
    )


def _headline(scene: Scene, event: Expanded) -> str:
    """The gold passages that it leads to and the search before it misses; else its end."""
    search = scene.search
    base = search.listed[:K] if search else ()
    gold = [key for key in scene.gold if rank_of(key, base) or not search]
    new = scene.gold_of(event.passages, gold)
    if new and search:
        return f"The facts lead to {titles(new)}, which {search_name(search.base)} missed"
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
    if scene.opens:
        candidate_ids = (
            id_
            for id_, candidate in candidates.items()
            if candidate.path == tuple(scene.opens) and id_.startswith(f"{last}.")
        )
        return next(candidate_ids, "")
    for at in reversed(range(len(event.steps))):
        for place, candidate in enumerate(event.steps[at].kept):
            if on_gold_path(event, at, candidate, scene.gold):
                return _id(at, "k", place)
    return _id(last, "k", 0) if event.steps[last].kept else ""


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
    triple, star = candidate.triple, candidate.triple.passage_key in scene.gold
    shared = set() if candidate.carried else names_before(event, at, candidate)
    if candidate.kept and at + 1 < len(event.steps):
        place = next(n for n, other in enumerate(event.steps[at].kept) if other is candidate)
        later = event.steps[at + 1]
        for after in (*later.kept, *later.pruned[:PRUNED_SHOWN]):
            if after.parent == place and not after.carried:
                shared |= names_before(event, at + 1, after)
    new = candidate.kept and not candidate.carried and _is_new(scene, triple.passage_key)
    state = "gold" if on_gold_path(event, at, candidate, scene.gold) else "kept"
    mark = "mark" if normalise_entity(triple.object) in shared else ""
    carried = "no neighbour left · " if candidate.carried else ""
    return Card(
        id_,
        triple.subject,
        kind=state if candidate.kept else "pruned",
        star=star,
        note=f"{candidate.score:z.2f}".replace("-", "−"),
        pieces=((f"{carried}{triple.predicate} → ", ""), (triple.object, mark)),
        marked=normalise_entity(triple.subject) in shared,
        parents=(_id(at - 1, "k", candidate.parent),)
        if candidate.parent is not None and at
        else (),
        weight=2.0 * new + (state == "gold" and candidate.kept),
        source=f"in {triple.passage_name}" + (", which the base search misses" if new else ""),
    )


def _is_new(scene: Scene, key: str) -> bool:
    """Whether a passage is gold and not among the first of the search next to the beams."""
    search = scene.search
    base = {document_key(key) for key in keys(search.listed[:K])} if search else set()
    return bool(search) and key in scene.gold and document_key(key) not in base


def names_before(event: Expanded, at: int, candidate: BeamCandidate) -> set[str]:
    """The entities, by normal form, by which a candidate goes on from its beam: those it shares
    with the triple before it, else with an earlier one.
    """
    names = names_of(candidate.triple)
    for before in reversed(beam_of(event, at, candidate)[:-1]):
        if shared := names & names_of(before.triple):
            return shared
    return set()


def names_of(triple: TripleWords) -> set[str]:
    """The normal forms of a triple's subject and object."""
    return {normalise_entity(name) for name in (triple.subject, triple.object)} - {""}


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
        return "no neighbour left: goes on as it is"
    if candidate.kept:
        return "kept in the beam"
    return "pruned" if candidate.encoded else "pruned by the screen's estimate, never encoded"


def arithmetic(candidate: BeamCandidate, gamma: int | None) -> list[tuple[str, str]]:
    """How a candidate's score came about, as (term, value) lines in Algorithm 1's order.

    `gamma` None: the diversity weighting was off.
    """
    if candidate.carried:
        return [("no neighbour left: score unchanged", exact(candidate.score))]
    estimated = "" if candidate.encoded else ", estimated by the screen"
    cosine = f"cosine to the query{estimated}"
    if candidate.parent is None:
        return [(cosine, exact(candidate.cosine)), ("= score", exact(candidate.score))]
    weight = "no diversity weighting", "× 1"
    if gamma is not None:
        by = "" if candidate.encoded else " by estimate"
        power = f"× e^(−min({candidate.position}, {gamma})/{gamma})"
        if candidate.total <= 0 and candidate.position:
            power = "× 1, a sum of 0 or less is not weighted"
        place = f"{power}, place {candidate.position + 1} in its beam{by}"
        weight = place, fine(_factor(candidate, gamma))
    return [
        ("beam so far", exact(candidate.previous)),
        (f"+ {cosine}", exact(candidate.cosine)),
        ("= sum", exact(candidate.total)),
        weight,
        ("= score", exact(candidate.score)),
    ]


def _factor(candidate: BeamCandidate, gamma: int | None) -> float:
    """The diversity weight, finer than the event has it, so that the product comes out."""
    weighted = gamma is not None and candidate.position > 0 and candidate.total > 0
    return (
        math.exp(-min(candidate.position, gamma) / gamma)
        if weighted and gamma
        else candidate.weight
    )


def rows(event: Expanded, gold: Sequence[str], gamma: int | None = None) -> list[dict[str, Any]]:
    """All candidates as table rows, step by step, kept ones first."""
    table = []
    for at, step in enumerate(event.steps, start=1):
        table += [_row(at, candidate, gold, gamma) for _, candidate in _numbered(at, step)]
        table += [
            {"triple": at, "state": "pruned", "subject": f"triple {id_}", "score": score}
            for id_, score in step.others
        ]
    return table


def _row(
    at: int, candidate: BeamCandidate, gold: Sequence[str], gamma: int | None
) -> dict[str, Any]:
    state = "kept" if candidate.kept else "pruned"
    return {
        "triple": at,
        "state": "no neighbour left" if candidate.carried else state,
        "subject": candidate.triple.subject,
        "predicate": candidate.triple.predicate,
        "object": candidate.triple.object,
        "previous": candidate.previous,
        "cosine": None if candidate.carried else candidate.cosine,
        "sum": candidate.total,
        "weight": round(1.0 if candidate.carried else _factor(candidate, gamma), MOST),
        "score": candidate.score,
        "encoded": candidate.encoded,
        "passage": candidate.triple.passage_name,
        "gold": candidate.triple.passage_key in gold,
    }


def length_of(settings: Sequence[tuple[str, str]]) -> int:
    """Alg. 1's l, the triples a beam may have, from a run's settings."""
    named = {name.split(".")[-1]: value for name, value in settings}
    return int(named.get("length", "2"))


def gamma_of(settings: Sequence[tuple[str, str]]) -> int | None:
    """Alg. 1's γ from a run's settings: 2 × width for "auto", None for "none"."""
    named = {name.split(".")[-1]: value for name, value in settings}
    gamma = named.get("gamma", "auto")
    if gamma == "none":
        return None
    return 2 * int(named.get("width", "10")) if gamma == "auto" else int(gamma)
