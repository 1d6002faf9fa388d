"""Slides of rankings: the first passages, with where other lists have them."""

from __future__ import annotations

from collections.abc import Sequence

from gear_app.analysis.gold import alone, base
from gear_app.analysis.rankings import first_rank, of_event
from gear_app.events import Pooled, Ranked, RankedPassage, Verified
from gear_app.events.base import BY_SCORE
from gear_app.views import presenter
from gear_app.views.labels import absent_from, base_name
from gear_app.views.slides.column import PASSAGE, ROWS, Column, Moment, left_out, passage_card


def first_passages(moment: Moment) -> tuple[Column, ...]:
    """The first passages, with their places in the lists that were put together."""
    event = next((event for event in reversed(moment.step.events) if of_event(event)), None)
    if event is None:
        return ()
    ranking: Sequence[RankedPassage] = of_event(event)
    all_found = isinstance(event, Ranked | Pooled)
    cards = tuple(
        passage_card(
            moment, rank, passage, _at_first(moment, passage) if all_found else _places(passage)
        )
        for rank, passage in enumerate(ranking[:ROWS], start=1)
    )
    name = f"first {len(cards)} of {len(ranking)}"
    return (Column(name, cards, PASSAGE, left_out(ranking)),)


def _at_first(moment: Moment, passage: RankedPassage) -> str:
    """Where the first search had the passage; "" where the run is that search alone."""
    first = base(moment.events)
    if first is None or alone(moment.events):
        return ""
    rank = first_rank(passage.key, first, moment.events)
    name = presenter.search_name(first.base)
    return f"{_place(rank) if rank else absent_from(first.ranking)} by {name} alone"


def _places(passage: RankedPassage) -> str:
    """The lists that have the passage, the ones where it is higher first."""
    listed = sorted((part for part in passage.parts if part.rank), key=lambda part: part.rank)
    return " · ".join(
        f"{_place(part.rank)} {LISTS.get(part.source) or f'in {base_name(part.source)}'}"
        for part in listed[:4]
    )


LISTS = {  # whose place it is, after "1st"
    "dense": "by meaning",
    "bm25": "by words",
    f"dense{BY_SCORE}": "by meaning",
    f"bm25{BY_SCORE}": "by words",
    "hybrid": "by one search",
    "base": "by one search",
}


def _place(rank: int) -> str:
    """A rank as an ordinal: 1st, 2nd, 3rd, 11th."""
    endings = {1: "st", 2: "nd", 3: "rd"}
    ending = "th" if rank % 100 in (11, 12, 13) else endings.get(rank % 10, "th")
    return f"{rank}{ending}"


def verify(moment: Moment) -> tuple[Column, ...]:
    """Passages that bear the reasoning out, each with the reader's words."""
    event = moment.one(Verified)
    if event is None or not event.passages:
        return ()
    reasons = [*event.reasons, *[""] * len(event.passages)]
    cards = tuple(
        passage_card(moment, n, passage, reason)
        for n, (passage, reason) in enumerate(
            zip(event.passages[:ROWS], reasons, strict=False), start=1
        )
    )
    return (Column("passages that bear it out", cards, PASSAGE),)
