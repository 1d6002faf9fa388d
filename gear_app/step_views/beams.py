"""The beam search as cards and lines, as a table, and every score as arithmetic."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from gear_app.analysis.metrics import Gold, document_key
from gear_app.analysis.paths import beam_of, on_gold_path
from gear_app.analysis.rankings import keys, rank_of
from gear_app.events import BeamCandidate, BeamStep, Expanded
from gear_app.language.numbers import ORDINALS
from gear_app.step_views.blocks import (
    FACT,
    Block,
    Card,
    Choice,
    Column,
    MarkupBlock,
    PictureBlock,
    SentenceBlock,
    TableBlock,
)
from gear_app.step_views.view import K, StepView, titles
from gear_app.text import count, normalise_entity
from gear_app.views import markup
from gear_app.views.decimals import MOST, exact, fine, number
from gear_app.views.labels import search_name

PRUNED_SHOWN = 3


class ExpandView(
    StepView[Expanded], verb="expand", kind=Expanded, asks="Where do these facts lead?"
):
    """A beam search over triples."""

    def headline_of(self, event: Expanded) -> str:
        """The gold passages that it leads to and the search before it misses; else its end."""
        if not event.steps:
            return "There is no fact to begin with"
        gold, search = self.scene.gold, self.scene.search
        there = [key for key in gold if rank_of(key, search.listed[:K])] if search else list(gold)
        new = self.gold_of(event.passages, there)
        if new and search:
            return f"The facts lead to {titles(new)}, which {search_name(search.base)} missed"
        last = len(event.steps) - 1
        if not event.steps[last].kept:
            return "No fact leads any further"
        triple = beam_of(event, last, event.steps[last].kept[0])[-1].triple
        return f"The best beam ends with: {triple.text}"

    @property
    def blocks(self) -> list[Block]:
        """The beams of the step's first search; a step has one."""
        return [*self.failures, *(self.card_of(self.events[0]) if self.events else [])]

    def card_of(self, event: Expanded) -> list[Block]:
        """The beams, and every candidate as a table."""
        scene = self.scene
        if not event.steps:
            return [SentenceBlock("There was no triple to begin with, so the base ranking stands.")]
        base = keys(scene.search.listed) if scene.search else ()
        data = graph(event, scene.gold, base=base)
        opens = card_of(event, scene.opens) or best_card(event, scene.gold)
        lines = partial(rows, event, scene.gold, gamma_of(scene.settings))

        def choose(card: str) -> Choice:
            return Choice(candidate=candidate(event, card))

        def more(column: int) -> list[dict[str, Any]]:
            return [row for row in lines() if row["triple"] == column + 1]

        drawn: list[Block] = [
            PictureBlock("beams", "beam", data, opens, choose, more),
            MarkupBlock(markup.legend(legend(data, event.starts))),
        ]
        if len(event.steps) < length_of(scene.settings):
            drawn.append(SentenceBlock("No beam could be extended further."))
        return [*drawn, TableBlock("beams", "All candidates as a table", lines)]

    def columns_of(self, event: Expanded) -> tuple[Column, ...]:
        """A column for every triple of a beam; beams that lead to gold passages go first."""
        search = self.scene.search
        base = keys(search.listed[:K]) if search else None
        columns = graph(event, self.scene.gold, base=base)["columns"]
        onward: dict[str, set[str]] = {}  # the entities by which the next column goes on
        for card in (card for column in columns for card in column["cards"] if card["parent"]):
            onward.setdefault(card["parent"], set()).update(_joining(card))
        return tuple(
            Column(
                f"{ORDINALS[n]} fact" if n < len(ORDINALS) else f"fact {n + 1}",
                tuple(_beam_card(card, onward.get(card["id"], set())) for card in column["cards"]),
                FACT,
                column["more"],
            )
            for n, column in enumerate(columns)
        )


def _joining(card: Mapping[str, Any]) -> set[str]:
    """The entities, by normal form, that a card of the beams shares with the one before it."""
    pieces = (*card["subject"], *card["relation"])
    return {piece["entity"] for piece in pieces if piece["shared"]}


def _beam_card(card: Mapping[str, Any], onward: Collection[str]) -> Card:
    """`onward` are the entities by which the cards that extend it go on."""
    joining = _joining(card).union(onward)
    return Card(
        card["id"],
        "".join(piece["text"] for piece in card["subject"]),
        kind=card["state"],
        star=card["star"],
        note=card["score"],
        pieces=tuple(
            (piece["text"], "mark" if piece["entity"] in joining else "")
            for piece in card["relation"]
        ),
        marked=any(piece["entity"] in joining for piece in card["subject"]),
        parents=(card["parent"],) if card["parent"] else (),
        weight=2.0 * card["fresh"] + (card["state"] == "gold"),
    )


def graph(
    event: Expanded,
    gold: Collection[str],
    base: Collection[str] | None = None,
) -> dict[str, Any]:
    """Component data: one column a step.

    Its kept cards in order, then the best dropped ones, then "+N more". `base` holds the keys of
    the base ranking beside the beams: a kept card of a gold passage that is not among them is
    `fresh` (never without `base`).

    A card names its triple, in pieces of which an entity's name is one, and its passage; a name is
    `shared` where the beam had it before and goes on from there.

    A card's `state` is "gold" when it was kept and its beam so far consists of gold passages (the
    gold path), else "kept" or "pruned"; `star` says that its own passage is gold; `carried`, that
    its beam had no neighbour left. Gold is given by passage key.
    """
    there = {document_key(key) for key in base or ()}
    new = Gold(key for key in gold if key not in there) if base is not None else Gold()
    columns = [_column(event, number, gold, new) for number in range(len(event.steps))]
    return {"query": event.query, "columns": columns}


LEGEND = (
    ("gold", "gold", "kept, on the gold path"),
    ("kept", "kept", "kept in a beam"),
    ("pruned", "pruned", "pruned"),
    ("star", "star", "gold passage"),
    ("fresh", "star", "new: gold that the base ranking does not have"),
    ("carried", "", "no neighbour left: the beam goes on as it is"),
)


def legend(graph_: Mapping[str, Any], starts: int) -> list[tuple[str, str]]:
    """What the graph's colours and signs mean, as (palette name, words); only what occurs in it."""
    cards = [card for column in graph_["columns"] for card in column["cards"]]
    there = {card["state"] for card in cards} | {
        sign for card in cards for sign in ("star", "fresh", "carried") if card[sign]
    }
    found = [(name, words) for key, name, words in LEGEND if key in there]
    if any(piece["shared"] for card in cards for piece in (*card["subject"], *card["relation"])):
        found.append(("", "dotted line: the name by which the beam goes on"))
    begun = f"{count(starts, 'triple')} to begin with"
    return [*found, ("", "line width = score"), ("", begun)]


def candidate(event: Expanded, card: str) -> BeamCandidate | None:
    """The candidate of a card id, None where there is no such card."""
    for place, step in enumerate(event.steps):
        for id_, found in _cards(place, step):
            if id_ == card:
                return found
    return None


def card_of(event: Expanded, path: Sequence[int]) -> str | None:
    """The id of the card of a beam in the last step; None where it has none."""
    last = len(event.steps) - 1
    for id_, found in _cards(last, event.steps[last]) if event.steps else ():
        if found.path == tuple(path):
            return id_
    return None


def best_card(event: Expanded, gold: Collection[str]) -> str | None:
    """The last kept card on the gold path, else the best of the last step: it is opened first."""
    for place in reversed(range(len(event.steps))):
        for position, found in enumerate(event.steps[place].kept):
            if on_gold_path(event, place, found, gold):
                return _id(place, "k", position)
    last = len(event.steps) - 1
    return _id(last, "k", 0) if last >= 0 and event.steps[last].kept else None


def arithmetic(found: BeamCandidate, gamma: int | None) -> list[tuple[str, str]]:
    """How a candidate's score came about, as (term, value) lines in Algorithm 1's order.

    `gamma` None: the diversity weighting was off.
    """
    if found.carried:
        return [("no neighbour left: score unchanged", exact(found.score))]
    cosine = (
        "cosine to the query" if found.encoded else "cosine to the query, estimated by the screen"
    )
    lines = [
        ("beam so far", exact(found.previous)),
        ("+ " + cosine, exact(found.cosine)),
        ("= sum", exact(found.total)),
    ]
    if found.parent is None:
        return [(cosine, exact(found.cosine)), ("= score", exact(found.score))]
    if gamma is None:
        return [*lines, ("no diversity weighting", "× 1"), ("= score", exact(found.score))]
    weight = f"× e^(−min({found.position}, {gamma})/{gamma})"
    if found.total <= 0 and found.position:
        weight = "× 1, a sum of 0 or less is not weighted"
    by = "" if found.encoded else " by estimate"
    factor = fine(_factor(found, gamma))
    return [
        *lines,
        (f"{weight}, place {found.position + 1} in its beam{by}", factor),
        ("= score", exact(found.score)),
    ]


def _factor(found: BeamCandidate, gamma: int | None) -> float:
    """The diversity weight, finer than the event has it: what it is multiplied with is as large as
    the beam is long, and the product is told to a millionth.
    """
    weighted = gamma is not None and found.position > 0 and found.total > 0
    return math.exp(-min(found.position, gamma) / gamma) if weighted and gamma else found.weight


def rows(event: Expanded, gold: Collection[str], gamma: int | None = None) -> list[dict[str, Any]]:
    """Everything the graph shows and all it leaves out, as table rows: step by step, kept first.
    `gamma` as for `arithmetic`.
    """
    found = []
    for number_, step in enumerate(event.steps):
        found += [_row(number_, candidate_, gold, gamma) for _, candidate_ in _cards(number_, step)]
        found += [_other(number_, id_, score) for id_, score in step.others]
    return found


def _cards(step_number: int, step: BeamStep) -> Iterator[tuple[str, BeamCandidate]]:
    for kind, candidates in (("k", step.kept), ("p", step.pruned)):
        for position, found in enumerate(candidates):
            yield _id(step_number, kind, position), found


def _id(step_number: int, kind: str, position: int) -> str:
    return f"{step_number}.{kind}.{position}"


def _column(
    event: Expanded, step_number: int, gold: Collection[str], new: Collection[str]
) -> dict[str, Any]:
    step = event.steps[step_number]
    pruned = step.pruned[:PRUNED_SHOWN]
    shown = [*step.kept, *pruned]
    scores = [found.score for found in shown]
    span = min(scores, default=0.0), max(scores, default=0.0)
    cards = [
        _card(event, step_number, id_, found, gold, span)
        | {
            "fresh": _fresh(found, new),
            "carried": found.carried,
        }
        for id_, found in _cards(step_number, BeamStep(step.kept, pruned))
    ]
    return {
        "name": f"Triple {step_number + 1}",
        "cards": cards,
        "more": len(step.pruned) - len(pruned) + len(step.others),
    }


def _fresh(found: BeamCandidate, new: Collection[str]) -> bool:
    return found.kept and not found.carried and found.triple.passage_key in new


def _card(
    event: Expanded,
    step_number: int,
    id_: str,
    found: BeamCandidate,
    gold: Collection[str],
    span: tuple[float, float],
) -> dict[str, Any]:
    state = "kept" if found.kept else "pruned"
    if on_gold_path(event, step_number, found, gold):
        state = "gold"
    star = found.triple.passage_key in gold
    triple = found.triple
    title = triple.passage_name
    before = set() if found.carried else names_before(event, step_number, found)
    return {
        "id": id_,
        "parent": (
            None
            if found.parent is None or step_number == 0
            else _id(step_number - 1, "k", found.parent)
        ),
        "state": state,
        "star": star,
        "subject": [_name(triple.subject, before)],
        "relation": [
            *([_words("no neighbour left · ")] if found.carried else []),
            _words(f"{triple.predicate} → "),
            _name(triple.object, before),
        ],
        "passage": [_words("in "), _name(title, set())],
        "score": f"{found.score:z.2f}".replace("-", "−"),
        "strength": _strength(found.score, *span),
        "label": _label(step_number, found, state, star),
    }


def names_before(event: Expanded, step_number: int, found: BeamCandidate) -> set[str]:
    """The entities, by normal form, by which a candidate goes on from its beam: those it shares
    with the triple before it, else with the one before that.
    """
    own = {normalise_entity(name) for name in (found.triple.subject, found.triple.object)}
    while found.parent is not None and step_number > 0:
        step_number -= 1
        found = event.steps[step_number].kept[found.parent]
        before = {normalise_entity(name) for name in (found.triple.subject, found.triple.object)}
        if own & before:
            return own & before
    return set()


def _name(name: str, before: Collection[str]) -> dict[str, Any]:
    entity = normalise_entity(name)
    return {"text": name, "entity": entity, "shared": entity in before}


def _words(words: str) -> dict[str, Any]:
    return {"text": words, "entity": "", "shared": False}


def _strength(score: float, lowest: float, best: float) -> float:
    """How strong a line is drawn, from 0 to 1: the score's place among those of its column."""
    return round((score - lowest) / (best - lowest), 3) if best > lowest else 1.0


def _label(step_number: int, found: BeamCandidate, state: str, star: bool) -> str:
    words = {"gold": "kept, on the gold path", "kept": "kept", "pruned": "pruned"}[state]
    gold = ", from a gold passage" if star and state != "gold" else ""
    carried = ", no neighbour left" if found.carried else ""
    triple = found.triple
    return (
        f"Triple {step_number + 1}: {triple.subject} {triple.predicate} {triple.object}, "
        f"in {triple.passage_name}, "
        f"score {number(found.score)}, {words}{gold}{carried}"
    )


def _row(
    step_number: int, found: BeamCandidate, gold: Collection[str], gamma: int | None
) -> dict[str, Any]:
    state = "kept" if found.kept else "pruned"
    return {
        "triple": step_number + 1,
        "state": "no neighbour left" if found.carried else state,
        "subject": found.triple.subject,
        "predicate": found.triple.predicate,
        "object": found.triple.object,
        "previous": found.previous,
        "cosine": None if found.carried else found.cosine,
        "sum": found.total,
        "weight": round(1.0 if found.carried else _factor(found, gamma), MOST),
        "score": found.score,
        "encoded": found.encoded,
        "passage": found.triple.passage_name,
        "gold": found.triple.passage_key in gold,
    }


def _other(step_number: int, triple_id: int, score: float) -> dict[str, Any]:
    return {
        "triple": step_number + 1,
        "state": "pruned",
        "subject": f"triple {triple_id}",
        "score": score,
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


def state_words(found: BeamCandidate) -> str:
    """Whether a candidate went on, in words."""
    if found.carried:
        return "no neighbour left: goes on as it is"
    if found.kept:
        return "kept in the beam"
    return "pruned" if found.encoded else "pruned by the screen's estimate, never encoded"
