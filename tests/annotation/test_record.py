"""Records as JSON, their keys, and which one counts."""

from __future__ import annotations

from typing import Any

import pytest

from gear_app.annotation.record import (
    Case,
    Key,
    Label,
    Record,
    SuggestedCause,
    decisions,
    from_row,
    judged,
    latest,
    to_row,
)
from gear_app.core.errors import BadInput
from tests.annotation.make import labels, record

FULL = Record(
    Case("Where?", "gear:dense", (("beam.width", "5"),), triples="curated", k=10),
    "ann",
    "2026-01-01T00:00:00Z",
    Label(
        "a note",
        "own-one",
        "fail",
        "high",
        "reason 2",
        SuggestedCause("pruned", "after", True),
        True,
    ),
    run="abc",
    corpus="1-2",
    code="0.1.0",
)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"verdict": "maybe"}, "label.verdict: .* '', 'pass', 'fail' or 'defer'"),
        ({"note": "x" * 10_001}, "label.note: .*10000 characters"),
        ({"case": None}, "case: "),
        ({"annotator": " \u200b"}, "needs a name"),
        ({"note": "\ud83d"}, "label.note: "),
    ],
)
def test_what_a_form_cannot_hold_is_refused_in_words(change: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        from_row(to_row(FULL) | change)


@pytest.mark.parametrize("name", ["Änna", " Änna\t", "A\u0308nna", "Än\u200bna", "Änna\u00a0"])
def test_blanks_and_forms_of_letters_do_not_make_another_person(name: str) -> None:
    assert from_row(to_row(FULL) | {"annotator": name}).key == Key(FULL.case.id, "Änna")


def test_the_last_record_of_a_person_counts_whatever_order_and_zone_it_comes_in() -> None:
    first = record("q", "ann", "graph", "2026-01-01T12:00:00Z")
    row = to_row(record("q", "ann", "reader"))
    last, other = from_row(row | {"at": "2026-01-01T12:30:00-01:00"}), record("q", "ben", "graph")
    for records in ([first, last, other], [last, other, first]):
        assert latest(records)[first.key] == last
        assert latest(records)[other.key] == other
    assert last.at == "2026-01-01T13:30:00Z"


def test_a_decision_is_kept_next_to_a_persons_own_label_and_the_last_one_counts() -> None:
    own = record("q", "ann", "graph")
    first = record("q", "ann", "reader", "2026-01-02T00:00:00Z", adjudicates=True)
    last = record("q", "ben", "data-set", "2026-01-03T00:00:00Z", adjudicates=True)
    for records in ((own, first, last), (own, last, first)):
        assert decisions(labels(*records)) == {own.case.id: last}
        assert judged(labels(*records)) == {own.case.id: [own]}
