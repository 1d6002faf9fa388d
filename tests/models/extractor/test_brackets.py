"""What brackets after a name say."""

from __future__ import annotations

import pytest

from gear_app.models.extractor.brackets import (
    has_life_dates,
    is_abbreviation,
    life_facts,
    makers,
    only_names,
)


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("born 30 July 1970", [("was born on", "30 July 1970")]),
        (
            "2 November 1932 – 21 October 1987",
            [("was born on", "2 November 1932"), ("died on", "21 October 1987")],
        ),
        (
            "November 11, 1890 – July 10, 1958",
            [("was born on", "November 11, 1890"), ("died on", "July 10, 1958")],
        ),
        ("1881- 21 January 1933", [("was born in", "1881"), ("died on", "21 January 1933")]),
        ("c. 1478 – 1545", [("was born in", "1478"), ("died in", "1545")]),
        ("died 928", [("died in", "928")]),
        (
            "13 July 100 BC – 15 March 44 BC",
            [("was born on", "13 July 100 BC"), ("died on", "15 March 44 BC")],
        ),
        (
            "born in Björkhagen, Stockholm, Sweden on 23 March 1945",
            [
                ("was born on", "23 March 1945"),
                ("was born in", "Björkhagen"),
                ("was born in", "Stockholm"),
                ("was born in", "Sweden"),
            ],
        ),
        (
            "1838 or 1839 in Dresden, Saxony – September 23, 1898 in Silverton, Colorado",
            [
                ("was born in", "1839"),
                ("was born in", "Dresden"),
                ("was born in", "Saxony"),
                ("died on", "September 23, 1898"),
                ("died in", "Silverton"),
                ("died in", "Colorado"),
            ],
        ),
        (
            "b. 1127 – d. Leśnica, 7 or 8 December 1201",
            [("was born in", "1127"), ("died on", "8 December 1201"), ("died in", "Leśnica")],
        ),
        (
            "born John Smith; May 1, 1900, London – June 5, 1990",
            [
                ("was born as", "John Smith"),
                ("was born on", "May 1, 1900"),
                ("was born in", "London"),
                ("died on", "June 5, 1990"),
            ],
        ),
        (
            'also known as "The Hunter"; 2 January 1642 – 6 January 1693',
            [
                ("was born on", "2 January 1642"),
                ("died on", "6 January 1693"),
                ("also known as", "The Hunter"),
            ],
        ),
        ("née Hay-Williams", [("also known as", "Hay-Williams")]),
        ("; spelled Cassel until 1928", [("also known as", "Cassel")]),
        ("QEMF", [("also known as", "QEMF")]),
    ],
)
def test_births_deaths_and_other_names_are_read(text: str, facts: list[tuple[str, str]]) -> None:
    assert life_facts(text) == facts


@pytest.mark.parametrize(
    "text", ["", "1998", "reigned 1901-1910", "1998–1999 season", "lead vocals", "2018", "( ) – –"]
)
def test_other_brackets_tell_no_life(text: str) -> None:
    assert life_facts(text) == []
    assert not has_life_dates(text)


def test_a_cast_and_makers() -> None:
    assert only_names("Tom Sizemore, Edward Burns, and Jeremy Davies") == [
        "Tom Sizemore",
        "Edward Burns",
        "Jeremy Davies",
    ]
    assert only_names("Tom Hanks, uncredited") == []
    assert makers("both portrayed by Michael J. Fox") == [("portrayed by", "Michael J. Fox")]
    assert makers("voiced by Andrews and Cleese") == [
        ("voiced by", "Andrews"),
        ("voiced by", "Cleese"),
    ]
    assert makers("pushed by a button") == []


def test_abbreviations_are_capitals() -> None:
    assert is_abbreviation("USGS")
    assert not is_abbreviation("Usgs")
    assert not is_abbreviation("A")
