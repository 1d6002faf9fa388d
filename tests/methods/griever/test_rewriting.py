"""What of a query gives way to what a matched triple leads to."""

from __future__ import annotations

from gear_app.trace.events import Matched, Retrieved, Rewrote
from tests.methods.griever.asked import Row, index_of, run
from tests.small import of_kind


def test_only_the_name_gives_way_where_the_relation_was_not_matched() -> None:
    """ "stands beside" answers nothing of "the height of", but with a low threshold it is taken all
    the same.
    """
    rows: list[Row] = [
        (
            "Vane Tower",
            "Vane Tower stands beside Lorn Mill.",
            [("Vane Tower", "beside", "Lorn Mill")],
        ),
        ("Lorn Mill", "Lorn Mill is old.", [("Lorn Mill", "is", "old")]),
    ]
    _, events = run(
        index_of(rows), "What is the approximate measured height of Vane Tower?", sure=0.2
    )
    match = of_kind(events, Matched)[0].matches[0]
    assert (match.taken, match.relation, match.relation_spans) == (True, "", ())
    assert (
        of_kind(events, Rewrote)[0].query == "What is the approximate measured height of Lorn Mill?"
    )


def test_both_sides_of_a_comparison_are_put_in_at_once() -> None:
    rows: list[Row] = [
        ("Harbour Lights", "A film.", [("Harbour Lights", "was directed by", "Ada Quill")]),
        ("Winter Lights", "A film.", [("Winter Lights", "was directed by", "Bo Hale")]),
        ("Ada Quill", "She was born in 1900.", [("Ada Quill", "was born in", "1900")]),
        ("Bo Hale", "He was born in 1910.", [("Bo Hale", "was born in", "1910")]),
        ("Lorn", "Nothing.", [("Lorn", "is", "town")]),
    ]
    question = "Is the director of Harbour Lights older than the director of Winter Lights?"
    _, events = run(index_of(rows), question)
    assert of_kind(events, Rewrote)[0].query == "Is Ada Quill older than Bo Hale?"
    assert [join.entity for join in of_kind(events, Matched)[0].joins] == ["Ada Quill", "Bo Hale"]
    assert {line.id for line in of_kind(events, Retrieved)[1].ranking} == {1, 2, 3, 4}
