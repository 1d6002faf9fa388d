"""Names, ids and dates by their looks."""

from __future__ import annotations

from functools import partial

import pytest

from gear_app.models.extractor.records import is_id, is_named, names
from tests.waiting import ends


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("T. Wrona, by mail", ["T. Wrona"]),
        ("serum FB-61", ["FB-61"]),
        ("valid to 31 October 2024", ["31 October 2024"]),
        ("Peeters R. and Ada van der Berg", ["Peeters R", "Ada van der Berg"]),
        ("the depot, not the squad", []),
        ("J.Smith of BAe 146", ["J.Smith of BAe"]),
        ("", []),
    ],
)
def test_names_in_a_few_words(text: str, found: list[str]) -> None:
    assert names(text) == found


def test_an_id_is_letters_and_then_digits() -> None:
    assert [
        word for word in ("CHG-7714", "ql-07", "B12", "4th", "2024", "gate", "a.m.") if is_id(word)
    ] == ["CHG-7714", "ql-07", "B12"]


def test_a_name_is_told_from_a_label() -> None:
    assert [
        t for t in ("Ada Bell", "RB-17", "Bank of Ghent", "Owner", "Root cause", "") if is_named(t)
    ] == ["Ada Bell", "RB-17", "Bank of Ghent"]


def test_time_grows_with_the_length_and_not_with_its_square() -> None:
    for piece in ("A", "A.", "A ", "Ab-", "a-b_", "A.b", "1 ", "A of "):
        ends(partial(names, piece * (200_000 // len(piece)) + "!"))
