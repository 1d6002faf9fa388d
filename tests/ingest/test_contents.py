from __future__ import annotations

import pytest

from gear_app.ingest.passages import sections
from gear_app.types import Span
from tests.ingest.reports import read_files

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


def test_a_passage_before_the_first_heading_is_under_none() -> None:
    text = f"{PROSE}\n\nStores\n\n{PROSE}"
    inside = text.index("keeper", text.index("Stores"))
    spans = [Span(0, 5), Span(text.index("Stores"), len(text)), Span(inside, len(text))]
    assert sections(text, spans) == ["", "Stores", "Stores"]


@pytest.mark.parametrize(
    "line",
    [
        "12",  # the number of a page
        "We need:",
        "Date: 4 May",
        "- a list's only item",
        "It was a short sentence.",
        "Ann Grey\n\nBo Hale\n\nCy Lane\n\nDi Moor",  # a list, one to a line
    ],
)
def test_what_is_no_heading_names_nothing(line: str) -> None:
    text = f"{line}\n\n{PROSE}"
    assert sections(text, [Span(text.index("The keeper"), len(text))]) == [""]


def test_of_headings_that_follow_each_other_the_nearest_names_what_is_below() -> None:
    text = f"Part two\n\nOil\n{PROSE}\n{PROSE}"
    assert sections(text, [Span(0, len(text))]) == ["Oil"]


def test_what_stands_over_every_page_is_no_heading() -> None:
    pages = [f"Lorn Harbour Trust\n{PROSE * 5}" for _ in range(3)]
    text = "\n\n".join([f"Oil\n\n{PROSE}", *pages])
    assert sections(text, [Span(len(text) - 100, len(text))]) == ["Oil"]
    twice = "\n\n".join([f"Oil\n\n{PROSE}", *pages[:2]])
    assert sections(twice, [Span(len(twice) - 100, len(twice))]) == ["Lorn Harbour Trust"]


def test_a_documents_own_title_is_no_section() -> None:
    assert set(titles("a.txt", f"LORN light\n\n{PROSE * 20}")) == {"LORN light"}


def test_a_passage_of_three_sections_is_called_by_none_of_them() -> None:
    parts = "\n\n".join(f"{name}\n- {PROSE}" for name in ("Good", "Not so good", "To do"))
    assert titles("retro.txt", f"Retro of May\n\n{parts}") == ["Retro of May"]
    two = "\n\n".join(f"{name}\n- {PROSE * 6}" for name in ("Good", "Not so good"))
    assert titles("retro.txt", f"Retro of May\n\n{PROSE * 5}\n\n{two}") == [
        "Retro of May",
        "Retro of May › Good",
        "Retro of May › Not so good",
    ]
