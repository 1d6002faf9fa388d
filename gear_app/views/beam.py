"""The beam search as cards and lines, as a table, and every score as arithmetic."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from gear_app.analysis.metrics import Gold, document_key
from gear_app.analysis.paths import on_gold_path
from gear_app.events import BeamStep, Candidate, Expanded
from gear_app.text import count, normalise_entity
from gear_app.views import decimals

PRUNED_SHOWN = 3
DIGITS = decimals.STORED  # of a term
FINE = decimals.MOST  # of a factor


def graph(
    event: Expanded,
    gold: Collection[str],
    pruned: int = PRUNED_SHOWN,
    base: Collection[str] | None = None,
) -> dict[str, Any]:
    """Component data: one column a step.

    Its kept cards in order, then the best `pruned` dropped ones, then "+N more". `base` holds the
    keys of the base ranking beside the beams: a kept card of a gold passage that is not among them
    is `fresh` (never without `base`).

    A card names its triple, in pieces of which an entity's name is one, and its passage; a name is
    `shared` where the beam had it before and goes on from there.

    A card's `state` is "gold" when it was kept and its beam so far consists of gold passages (the
    gold path), else "kept" or "pruned"; `star` says that its own passage is gold; `carried`, that
    its beam had no neighbour left. Gold is given by passage key.
    """
    there = {document_key(key) for key in base or ()}
    new = Gold(key for key in gold if key not in there) if base is not None else Gold()
    columns = [_column(event, number, gold, pruned, new) for number in range(len(event.steps))]
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


def candidate(event: Expanded, card: str) -> Candidate | None:
    """The candidate of a card id, None where there is no such card."""
    for number, step in enumerate(event.steps):
        for id_, found in _cards(number, step):
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
    for number in reversed(range(len(event.steps))):
        for position, found in enumerate(event.steps[number].kept):
            if on_gold_path(event, number, found, gold):
                return _id(number, "k", position)
    last = len(event.steps) - 1
    return _id(last, "k", 0) if last >= 0 and event.steps[last].kept else None


def arithmetic(found: Candidate, gamma: int | None) -> list[tuple[str, str]]:
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


def _factor(found: Candidate, gamma: int | None) -> float:
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


def number(value: float) -> str:
    """A score for the screen: three decimals, a real minus sign, and none before zero."""
    return f"{value:z.3f}".replace("-", "−")


def exact(value: float) -> str:
    """A term of a sum: the six decimals that are stored, so that the terms add up."""
    return f"{value:z.{DIGITS}f}".replace("-", "−")


def fine(value: float) -> str:
    """A factor: so many decimals that what it is multiplied with comes out as printed."""
    more = f"{value:.{FINE}f}"
    return more if more[DIGITS - FINE :].strip("0") else exact(value)


def _cards(step_number: int, step: BeamStep) -> Iterator[tuple[str, Candidate]]:
    for kind, candidates in (("k", step.kept), ("p", step.pruned)):
        for position, found in enumerate(candidates):
            yield _id(step_number, kind, position), found


def _id(step_number: int, kind: str, position: int) -> str:
    return f"{step_number}.{kind}.{position}"


def _column(
    event: Expanded, step_number: int, gold: Collection[str], pruned: int, new: Collection[str]
) -> dict[str, Any]:
    step = event.steps[step_number]
    shown = [*step.kept, *step.pruned[:pruned]]
    scores = [found.score for found in shown]
    span = min(scores, default=0.0), max(scores, default=0.0)
    cards = [
        _card(event, step_number, id_, found, gold, span)
        | {
            "fresh": _fresh(found, new),
            "carried": found.carried,
        }
        for id_, found in _cards(step_number, BeamStep(step.kept, step.pruned[:pruned]))
    ]
    return {
        "name": f"Triple {step_number + 1}",
        "cards": cards,
        "more": len(step.pruned) - len(step.pruned[:pruned]) + len(step.others),
    }


def _fresh(found: Candidate, new: Collection[str]) -> bool:
    return found.kept and not found.carried and found.triple.passage_key in new


def _card(
    event: Expanded,
    step_number: int,
    id_: str,
    found: Candidate,
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


def names_before(event: Expanded, step_number: int, found: Candidate) -> set[str]:
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


def _label(step_number: int, found: Candidate, state: str, star: bool) -> str:
    words = {"gold": "kept, on the gold path", "kept": "kept", "pruned": "pruned"}[state]
    gold = ", from a gold passage" if star and state != "gold" else ""
    carried = ", no neighbour left" if found.carried else ""
    triple = found.triple
    return (
        f"Triple {step_number + 1}: {triple.text}, "
        f"in {triple.passage_name}, "
        f"score {number(found.score)}, {words}{gold}{carried}"
    )


def _row(
    step_number: int, found: Candidate, gold: Collection[str], gamma: int | None
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
        "weight": round(1.0 if found.carried else _factor(found, gamma), FINE),
        "score": found.score,
        "encoded": found.encoded,
        "passage": found.triple.passage_title,
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


def state_words(found: Candidate) -> str:
    """Whether a candidate went on, in words."""
    if found.carried:
        return "no neighbour left: goes on as it is"
    if found.kept:
        return "kept in the beam"
    return "pruned" if found.encoded else "pruned by the screen's estimate, never encoded"
