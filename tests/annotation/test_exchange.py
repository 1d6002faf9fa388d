"""Judgements as files."""

from __future__ import annotations

import csv
import json

import pytest

from gear_app.annotation.codebook import Category
from gear_app.annotation.exchange import COLUMNS, json_lines, read, table
from gear_app.core.errors import BadInput
from tests.annotation.make import record

RECORDS = (record("q0", "ann", "too-low", note="=1+1\nA second line\u2028and a third"),)
OWN = Category("too-low", "Ranked too low", "It was found, and others stand above it.")


def test_a_file_is_read_back_with_its_own_categories() -> None:
    lines = list(json_lines(RECORDS, [OWN]))
    assert [json.loads(line)["kind"] for line in lines] == ["category", "annotation"]
    handed = read("".join(lines).split("\n"))
    assert handed.records == RECORDS and handed.categories == (OWN,)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "no JSON object.*CSV"),
        ("[]", "no JSON object"),
        ("[" * 50_000, "no JSON object"),
        ('{"kind": "category"}', "has a key"),
    ],
)
def test_a_line_that_is_no_label_is_named_and_explained(line: str, words: str) -> None:
    good = next(json_lines(RECORDS, []))
    with pytest.raises(BadInput, match=f"Line 2 cannot be imported: .*{words}"):
        read([good, line])


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("at", "yesterday"),
        ("annotator", "ann\x1b[2J"),
        ("method", "<b>gear</b>"),
        ("question", "x" * 2001),
        ("settings", {"width": "x" * 201}),
        ("settings", {str(number): "1" for number in range(201)}),
    ],
)
def test_what_nobody_could_have_judged_is_refused(part: str, value: object) -> None:
    row = json.loads(next(json_lines(RECORDS, [])))
    (row["case"] if part in row["case"] else row)[part] = value
    with pytest.raises(BadInput, match="Line 1 cannot be imported"):
        read([json.dumps(row)])


def test_the_table_opens_in_a_spreadsheet_and_carries_no_formula() -> None:
    text = table(RECORDS, {"too-low": OWN.name}, {RECORDS[0].case.id: (1, 3)})
    assert text.startswith("\ufeff"), "without the mark Excel shows wrong letters"
    (head, row) = csv.reader(text.removeprefix("\ufeff").splitlines(True))
    cells = dict(zip(COLUMNS, row, strict=True))
    assert tuple(head) == COLUMNS
    assert cells["note"].startswith("'=1+1\n") and cells["category"] == "Ranked too low"
    assert (cells["gold_in_first_5"], cells["gold"]) == ("1", "3")
