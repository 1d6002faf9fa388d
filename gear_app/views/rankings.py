"""Rankings as lines: rank, passage, score, and the parts the score is the sum of."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from gear_app.analysis.rankings import of_event
from gear_app.events import Event, Part, Pooled, Promoted, Ranked, RankedPassage, Walked
from gear_app.views import terms
from gear_app.views.terms import Way

SHOWN = 15
WAYS: Mapping[type[Event], Way] = {Pooled: "greatest", Promoted: "greatest", Walked: "mean"}


def lines(
    ranking: Sequence[RankedPassage],
    gold: Collection[str],
    gist: Sequence[str] = (),
    shown: int = SHOWN,
    badges: Mapping[int, str] | None = None,
    way: Way = "sum",
) -> dict[str, Any]:
    """Component data of a ranking's first `shown` passages, and how many more there are.

    `gist` holds the words of the gist triples in the order they were remembered, to name the lists
    "gist 1", …. `badges` are words of ours beside a passage's title, by its id. `way` says how
    scores are made of their parts.
    """
    top = ranking[:shown]
    best = terms.longest(top, way)
    return {
        "lines": [
            _line(rank, passage, gold, gist, best, (badges or {}).get(passage.id, ""), way)
            for rank, passage in enumerate(top, start=1)
        ],
        "more": max(0, len(ranking) - shown),
    }


def rows(
    ranking: Sequence[RankedPassage],
    gold: Collection[str],
    gist: Sequence[str] = (),
    way: Way = "sum",
) -> list[dict[str, Any]]:
    """The whole ranking as table rows; the parts are written as a sum."""
    return [
        {
            "rank": rank,
            "gold": passage.key in gold,
            "passage": passage.title or passage.key,
            "id": passage.key,
            "score": passage.score,
            "parts": terms.joined(passage, gist, way),
        }
        for rank, passage in enumerate(ranking, start=1)
    ]


def explained(ranked: Ranked, events: Sequence[Event]) -> tuple[tuple[RankedPassage, ...], Way]:
    """The final ranking with the parts of its scores, from the last ranking before it that has the
    same order.
    """
    wanted = [passage.id for passage in ranked.ranking]
    for event in reversed(events):
        found = of_event(event)
        if (
            not isinstance(event, Ranked)
            and [passage.id for passage in found[: len(wanted)]] == wanted
        ):
            return found[: len(wanted)], way_of(event)
    return ranked.ranking, "sum"


def way_of(event: Event) -> Way:
    """How an event's scores are made of their parts."""
    return WAYS.get(type(event), "sum")


def _line(
    rank: int,
    passage: RankedPassage,
    gold: Collection[str],
    gist: Sequence[str],
    best: float,
    badge: str,
    way: Way,
) -> dict[str, Any]:
    return {
        "rank": rank,
        "id": passage.id,
        "key": passage.key,
        "title": passage.title or passage.key,
        "badge": badge,
        "gold": passage.key in gold,
        "score": _score(passage.score),
        "total": terms.total(passage, way),
        "share": round(min(1.0, passage.score / best), 4) if best > 0 else 0.0,
        "parts": [_part(part, gist, way) for part in passage.parts],
        "bar": [_part(part, gist, way) for part in terms.drawn(passage, way)],
    }


def _part(part: Part, gist: Sequence[str], way: Way) -> dict[str, Any]:
    return {"kind": terms.kind(part), "value": part.value, "words": terms.term(part, gist, way)}


def _score(value: float) -> str:
    return (f"{value:.4f}" if abs(value) < 1 else f"{value:.2f}").replace("-", "−")
