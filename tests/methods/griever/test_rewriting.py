"""What of a query gives way to what a matched triple leads to."""

from __future__ import annotations

from gear_app.trace.events import Matched, Retrieved, Rewrote
from tests.methods.griever.asked import Row, index_of, run
from tests.small import of_kind


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
