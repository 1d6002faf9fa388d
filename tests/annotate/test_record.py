"""Records as JSON, and their names."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from gear_app.annotate.record import JudgedCase, Label, Record, SuggestedCause, from_row, to_row
from gear_app.errors import BadInput

FULL = Record(
    JudgedCase("Where?", "gear:dense", (("beam.width", "5"),), triples="curated", k=10),
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


def test_a_record_comes_back_from_json_as_it_was() -> None:
    again = from_row(json.loads(json.dumps(to_row(FULL))))
    assert again == FULL and again.id == FULL.id == to_row(FULL)["id"]


def test_a_records_name_is_that_of_its_content() -> None:
    assert replace(FULL, annotator="ben").id != FULL.id
    assert replace(FULL, case=replace(FULL.case, k=15)).case.id != FULL.case.id
    assert len(FULL.id) == 24


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"verdict": "maybe"}, "'verdict' is to be one of pass, fail, defer"),
        ({"note": "x" * 10_001}, "'note' is to be text of at most 10,000"),
        ({"category": 3}, "'category' is to be text"),
        ({"case": None}, "no annotation"),
        ({"annotator": ""}, "names its annotator"),
    ],
)
def test_what_a_form_cannot_hold_is_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        from_row(to_row(FULL) | change)
