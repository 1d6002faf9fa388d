"""A step says no more of its arithmetic than its event does."""

from __future__ import annotations

from gear_app.display.scores import Arithmetic, constant_note
from gear_app.trace.events import Fused, Ranked, RankedPassage, Retrieved, ScorePart, Started
from tests import factories
from tests.display.told import tellings


def test_a_fusion_by_another_arithmetic_is_told_as_its_event_tells_it() -> None:
    base = factories.ranked(["clifton", "marc"])
    points = (ScorePart("words", 1, 2.0), ScorePart("meaning", 2, 1.0))
    first = RankedPassage(base[0].id, "clifton", base[0].title, 3.0, points)
    rest = RankedPassage(base[1].id, "marc", base[1].title, 0.0)
    fused = Fused("iteration", ("words", "meaning"), (first, rest), "Borda count")
    events = [
        Started(factories.QUESTION, "borda"),
        Retrieved(factories.QUESTION, "other", base),
        fused,
        Ranked(fused.ranking, iteration=0),
    ]
    retrieve, fuse, rank = (told.purpose for told in tellings(events))
    assert retrieve == "Base retrieval ranks passages for the query."
    assert fuse == "Several lists of passages become one."
    assert rank == ("The final ranking: words and meaning, fused by Borda count.")
    assert Arithmetic().term(points[0]) == "2.000000 · rank 1 in words"
    assert constant_note(fused.ranking, "sum") == ""
