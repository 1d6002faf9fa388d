"""Rankings as lines: rank, passage, score, and the parts the score is the sum of."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from gear_app.events import Event, Fused, Part, Ranked, RankedPassage, Remembered, Retrieved

SHOWN = 15


def lines(
    ranking: Sequence[RankedPassage], gold: Collection[str], gist: Sequence[str] = (), shown: int = SHOWN
) -> dict[str, Any]:
    """Component data of a ranking's first `shown` passages, and how many more there are.

    `gist` holds the words of the gist triples in the order they were remembered, to name the lists "gist 1", ….
    """
    top = ranking[:shown]
    best = max((passage.score for passage in top), default=0.0)
    return {
        "lines": [_line(rank, passage, gold, gist, best) for rank, passage in enumerate(top, start=1)],
        "more": max(0, len(ranking) - shown),
    }


def rows(ranking: Sequence[RankedPassage], gold: Collection[str], gist: Sequence[str] = ()) -> list[dict[str, Any]]:
    """The whole ranking as table rows; the parts are written as a sum."""
    return [
        {
            "rank": rank,
            "gold": passage.key in gold,
            "passage": passage.title or passage.key,
            "id": passage.key,
            "score": passage.score,
            "parts": " + ".join(f"{part.value:.6f} ({source(part, gist)})" for part in passage.parts),
        }
        for rank, passage in enumerate(ranking, start=1)
    ]


def of_event(event: Event) -> tuple[RankedPassage, ...]:
    """The ranking an event carries; none for events without one."""
    return event.ranking if isinstance(event, Retrieved | Fused | Ranked) else ()


def explained(ranked: Ranked, events: Sequence[Event]) -> tuple[RankedPassage, ...]:
    """The final ranking with the parts of its scores, from the last fusion or retrieval that has the same order."""
    wanted = [passage.id for passage in ranked.ranking]
    for event in reversed(events):
        found = of_event(event)
        if not isinstance(event, Ranked) and [passage.id for passage in found[: len(wanted)]] == wanted:
            return found[: len(wanted)]
    return ranked.ranking


def rank_of(key: str, ranking: Sequence[RankedPassage]) -> int | None:
    """The rank of a passage, from 1; None where the ranking does not have it."""
    return next((rank for rank, passage in enumerate(ranking, start=1) if passage.key == key), None)


def gist_words(events: Sequence[Event]) -> tuple[str, ...]:
    """The words of the gist triples in the order they were remembered: the lists "gist 1", "gist 2", … of Eq. 9."""
    return tuple(triple.text for event in events if isinstance(event, Remembered) for triple in event.added)


KINDS: Mapping[str, str] = {
    "bm25": "words",
    "dense": "passage",
    "hybrid": "passage",
    "base": "passage",
    "beams": "kept",
    "gist": "gist",
    "iteration": "kept",
}


def kind(part: Part) -> str:
    """The palette's name for what a part is: base retrieval (BM25's apart from the dense), beams or gist."""
    return KINDS.get(part.source.split(" ")[0], "pruned")


def source(part: Part, gist: Sequence[str] = ()) -> str:
    """A part's list and the passage's rank in it, in words."""
    name, _, number = part.source.partition(" ")
    words = gist[int(number) - 1] if name == "gist" and number.isdigit() and int(number) <= len(gist) else ""
    return f"rank {part.rank} in {part.source}" + (f": {words}" if words else "")


def term(part: Part, gist: Sequence[str] = ()) -> str:
    """A part as arithmetic: 1 / (constant + rank) = value, and where the rank is from."""
    constant = round(1 / part.value) - part.rank if part.value else 0
    return f"1/({constant} + {part.rank}) = {part.value:.6f} · {source(part, gist)}"


def _line(rank: int, passage: RankedPassage, gold: Collection[str], gist: Sequence[str], best: float) -> dict[str, Any]:
    return {
        "rank": rank,
        "id": passage.id,
        "key": passage.key,
        "title": passage.title or passage.key,
        "gold": passage.key in gold,
        "score": _score(passage.score),
        "sum": f"{passage.score:.6f}".replace("-", "−"),
        "share": round(passage.score / best, 4) if best > 0 else 0.0,
        "parts": [{"kind": kind(part), "value": part.value, "words": term(part, gist)} for part in passage.parts],
    }


def _score(value: float) -> str:
    return (f"{value:.4f}" if abs(value) < 1 else f"{value:.2f}").replace("-", "−")
