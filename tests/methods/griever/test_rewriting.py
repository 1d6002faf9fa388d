"""What of a query gives way to what a matched triple leads to."""

from __future__ import annotations

from pathlib import Path

import pytest

from gear_app.trace.events import Matched, Retrieved, Rewrote
from tests.methods.griever.asked import Row, index_of, run
from tests.small import of_kind

ROWS = Path(__file__).with_name("rewritten.tsv").read_text("utf-8").splitlines()[1:]
REWRITTEN = [row.split("\t") for row in ROWS]  # question, triple, query


@pytest.mark.parametrize(("question", "triple", "query"), REWRITTEN)
def test_what_a_triple_answers_gives_way_to_what_it_leads_to(
    question: str, triple: str, query: str
) -> None:
    subject, predicate, object_ = triple.split("|")
    rows: list[Row] = [
        (subject, f"{subject} {predicate} {object_}.", [(subject, predicate, object_)]),
        (object_, f"{object_} is known.", [(object_, "is", "known")]),
        ("More", f"{subject} is known too.", [(subject, "is", "known too")]),
    ]
    _, events = run(index_of(rows), question, sure=0.8)
    rewrote = of_kind(events, Rewrote)[0]
    assert rewrote.query == query
    assert [change.inserted for change in rewrote.substitutions] == [
        name for name in (subject, object_) if name in query
    ]
    for change, match in zip(
        rewrote.substitutions, of_kind(events, Matched)[0].matches, strict=False
    ):
        assert change.removed == question[match.place.start : match.place.end]


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
