"""BDTR's calibration: the reasoning chain, the passages verified for it, and their promotion."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from gear_app.events import Chained, Promoted, RankedPassage, Verified
from gear_app.text import count, normalise_entity
from gear_app.views.beam import exact
from gear_app.views.gear import fact
from gear_app.views.markup import Html, entity, join, tag

SHOWN = 12


def chain(event: Chained) -> Html:
    """The chain's nodes with arrows between them, and the facts it is made of."""
    if not event.nodes:
        return tag(
            "p",
            "The reader found no chain, so nothing can be verified and nothing moves.",
            class_="gear-note",
        )
    nodes = join(
        (tag("span", entity(node), class_="gear-node", dir="auto") for node in event.nodes), " → "
    )
    return tag(
        "div", tag("p", nodes, class_="gear-chain"), *map(fact, event.because), class_="gear-list"
    )


def verified_passages(event: Verified, gold: Collection[str]) -> Html:
    """The passages picked, strongest first, each with why."""
    of = (
        f"Of the pool's first {count(event.shown, 'passage')}, {len(event.passages)}"
        f" {'supports' if len(event.passages) == 1 else 'support'} the chain; the strongest is"
        " first."
    )
    ignored = ", ".join(map(str, event.ignored))
    notes = [tag("p", of, class_="gear-note")]
    if ignored:
        notes.append(
            tag(
                "p",
                f"Numbers of the reply that name no passage, or one again: {ignored}.",
                class_="gear-note",
            )
        )
    reasons = [*event.reasons, *[""] * len(event.passages)]
    items = [
        _verified_passage(n, p, reason, gold)
        for n, (p, reason) in enumerate(zip(event.passages, reasons, strict=False), 1)
    ]
    return tag("div", *notes, join(items), class_="gear-list")


def _verified_passage(n: int, passage: RankedPassage, reason: str, gold: Collection[str]) -> Html:
    star = "★ " if passage.key in gold else ""
    return tag(
        "div",
        tag("span", f"{n} · {star}", entity(passage.name, "b")),
        tag("span", reason, class_="gear-why"),
        class_="gear-item gear-kept",
        dir="auto",
    )


def slope(event: Promoted, gold: Collection[str], shown: int = SHOWN) -> dict[str, Any]:
    """Component data: the first `shown` passages after the promotion, and by rank before it."""
    before = {move.id: move.before for move in event.moves}
    after = list(enumerate(event.ranking[:shown], start=1))
    earlier = sorted((before.get(p.id, rank), p) for rank, p in after) if after else []
    ranks = {passage.id: rank for rank, passage in after}
    left = [_card("b", rank, passage, event, gold) for rank, passage in earlier]
    right = [_card("a", rank, passage, event, gold) for rank, passage in after]
    return {
        "columns": [
            _column("Rank in the pool", left, 0),
            _column("Rank after promotion", right, max(0, len(event.ranking) - len(right))),
        ],
        "links": [
            {
                "from": f"b{passage.id}",
                "to": f"a{passage.id}",
                "kind": _kind(passage, event, gold),
                "dashed": False,
                "strength": 0.7 if passage.id in event.promoted else 0.1,
                "words": f"{passage.name}: rank {rank} → {ranks[passage.id]}",
            }
            for rank, passage in earlier
        ],
        "label": f"Promotion: {count(len(event.promoted), 'passage')} moved to the top",
    }


def _column(name: str, cards: list[dict[str, Any]], more: int) -> dict[str, Any]:
    return {
        "name": name,
        "cards": cards,
        "more": more,
        "weight": 1,
        "order": [card["id"] for card in cards],
    }


def legend(event: Promoted, gold: Collection[str]) -> list[tuple[str, str]]:
    """What colours and lines mean, as (palette name, words)."""
    there = any(passage.key in gold for passage in event.ranking[:SHOWN])
    star = [("gold", "★ gold passage, promoted or not")] if there else []
    found = [
        ("kept", "promoted"),
        *star,
        ("passage", "found by search, not promoted"),
        ("", "wide line: promoted"),
    ]
    return [*found, ("pruned", "dashed border: not handed to answering")]


def passage_of(event: Promoted, card: str) -> int | None:
    """The passage id of a card id."""
    return next((p.id for p in event.ranking if card in (f"a{p.id}", f"b{p.id}")), None)


def best_card(event: Promoted, gold: Collection[str]) -> str | None:
    """The card to open first: the first promoted gold passage, else the first."""
    first = next((p for p in event.ranking if p.id in event.promoted and p.key in gold), None)
    chosen = first or (event.ranking[0] if event.ranking else None)
    return f"a{chosen.id}" if chosen else None


def arithmetic(event: Promoted) -> list[tuple[str, str]]:
    """The cut, as (term, value)."""
    return [
        (f"mean μ of the first {event.considered} scores", exact(event.mean)),
        ("+ their deviation σ", exact(event.deviation)),
        ("= threshold", exact(event.threshold)),
    ]


def cut_sentence(event: Promoted) -> str:
    """What is handed to answering, in a sentence."""
    others = set(event.kept) - set(event.promoted)
    above = sum(
        passage.id in others and passage.score >= event.threshold for passage in event.ranking
    )
    return (
        f"{count(len(event.kept), 'passage')}"
        f" {'is' if len(event.kept) == 1 else 'are'} handed to answering:"
        f" {len(event.kept) - len(others)} promoted, {above} at or above the threshold,"
        f" {len(others) - above} to make up the least number. The ranking below stays whole."
    )


def rows(event: Promoted, gold: Collection[str]) -> list[dict[str, Any]]:
    """Every passage whose rank changed."""
    return [
        {
            "passage": move.name,
            "gold": move.key in gold,
            "before": move.before,
            "after": move.after,
            "score in the pool": move.score,
            "promoted": move.id in event.promoted,
            "why": move.reason,
        }
        for move in event.moves
    ]


def _card(
    side: str, rank: int, passage: RankedPassage, event: Promoted, gold: Collection[str]
) -> dict[str, Any]:
    title = passage.name
    promoted = " promoted," if passage.id in event.promoted else ""
    answer_passages = (
        "handed to answering" if passage.id in event.kept else "not handed to answering"
    )
    return {
        "id": f"{side}{passage.id}",
        "rank": rank,
        "title": title,
        "entity": normalise_entity(title),
        "score": "",
        "kind": _kind(passage, event, gold),
        "star": passage.key in gold,
        "dashed": passage.id not in event.kept,
        "label": (
            f"Rank {rank}: {title},{promoted} {answer_passages}"
            + (", gold" if passage.key in gold else "")
        ),
    }


def _kind(passage: RankedPassage, event: Promoted, gold: Collection[str]) -> str:
    if passage.key in gold:
        return "gold"
    return "kept" if passage.id in event.promoted else "passage"
