from __future__ import annotations

import pytest

from tests.documents.reports import read_files

PROSE = "The keeper wound the clock and wrote down the weather of the day before he went to bed. "


def titles(name: str, text: str) -> list[str]:
    return [passage.title for passage in read_files([(name, text.encode())]).passages]


def test_a_passage_is_called_by_its_document_and_the_heading_above_it() -> None:
    log, oil = f"## The keeper's log\n\n{PROSE * 11}", f"## Oil\n\n{PROSE * 4}"
    assert titles("light.md", f"# Lorn Light\n\n{PROSE * 4}\n\n{log}\n\n{oil}") == [
        "Lorn Light",
        "Lorn Light › The keeper's log",
        "Lorn Light › The keeper's log",
        "Lorn Light › Oil",
    ]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Stores\n\n{}", "x › Stores"),
        ("Part two\n\nOil\n{}", "x › Oil"),
        ("We need:\n\n{}", "x"),
        ("Date: 4 May\n\n{}", "x"),
        ("It was a short sentence.\n\n{}", "x"),
    ],
)
def test_a_heading_of_a_plain_text_names_what_is_below(text: str, title: str) -> None:
    below = f"{PROSE * 5}\n\n{text.format(PROSE * 5)}"
    assert titles("x.txt", below)[-1] == title
