"""The first caption: what one search ranks, and which gold passages it misses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gear_app.analysis import timeline
from gear_app.analysis.gold import GoldPassage, title_is_absent
from gear_app.analysis.metrics import Gold
from gear_app.analysis.rankings import within
from gear_app.events import Event, RankedPassage
from gear_app.views.labels import METHOD_NAMES, absent_from, base_name_capital
from gear_app.views.start.caption import SEEN, SIMPLE, Caption, CaptionItem, StoryPiece, name_piece

BELOW = 2  # lines shown under these, beside the gold ones


def first_search(
    ranking: Sequence[RankedPassage],
    by: str,
    question: str,
    way: Sequence[GoldPassage],
    marks: Mapping[str, int],
    events: Sequence[Event],
) -> Caption:
    """The ranking that everything else is measured against, and the gold passages it misses."""
    missed = [one for one in way if not within(one.first, SEEN)]
    title = "One search"
    if way:
        title = "One search fails" if missed else "One search finds them"
    step = timeline.step_number(events, "retrieve", 1) or 0
    gold = Gold(one.key for one in way)
    lines = [
        CaptionItem(
            "passage",
            (name_piece(one.name, marks),),
            (StoryPiece(str(rank)),),
            star,
            step=step,
        )
        for rank, one in enumerate(ranking, start=1)
        for star in [one.key in gold]
        if rank <= SEEN + BELOW or star
    ]
    if len(ranking) > SEEN:
        lines.insert(SEEN, CaptionItem("cut", note="what a reader sees ends here"))
    lost = [
        CaptionItem(
            "missed",
            (name_piece(one.title, marks),),
            star=True,
            note=absent_from(ranking),
            step=step,
        )
        for one in way
        if one.first is None
    ]
    who = "One search"
    if by not in SIMPLE:
        who = base_name_capital(by) if by in METHOD_NAMES else "The first search"
    what = "what sounds like the question" if by in SIMPLE else "passages for the question"
    words = (
        StoryPiece(f"{who} ranks {what}. "),
        *_missed(missed, question, marks, absent_from(ranking)),
    )
    return Caption(title, words, (*lines, *lost))


def _missed(
    missed: Sequence[GoldPassage], question: str, marks: Mapping[str, int], absent: str
) -> tuple[StoryPiece, ...]:
    """Which gold passages are not seen, and why, as far as their titles tell; `absent` says of one
    without a rank that it has none.
    """
    if not missed:
        return ()
    names: list[StoryPiece] = []
    for at, one in enumerate(missed):
        between = "" if not at else (" and " if at == len(missed) - 1 else ", ")
        names += [StoryPiece(between), name_piece(one.title, marks)]
    many = len(missed) > 1
    are, they = ("are", "they") if many else ("is", "it")
    ranks = [str(one.first) for one in missed if one.first is not None]
    if not ranks:
        place = f"{are} {absent}"
    elif len(ranks) == len(missed):
        place = f"come{'' if many else 's'} at rank {' and '.join(ranks)}"
    else:
        place = f"come at rank {' and '.join(ranks)} or {absent}"
    unnamed = all(title_is_absent(question, one.title) for one in missed)
    why = f" {are} not named in it, so {they} {place}." if unnamed else f" {place}."
    return (*names[1:], StoryPiece(why))
