"""What brackets after a name say of it."""

from __future__ import annotations

import pytest

from gear_app.models.extractor.normalise import bracket_facts


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("NATO", ["also known as NATO"]),
        ("born 4 May 1901", ["was born on 4 May 1901"]),
        ("1843 – 12 June 1901", ["was born in 1843", "died on 12 June 1901"]),
        ("died 1999 in Rome", ["died in 1999", "died in Rome"]),
        (
            "Rome, 1 May 1843 – Port Ely, Kent, 2 June 1901",
            [
                "was born on 1 May 1843",
                "was born in Rome",
                "died on 2 June 1901",
                "died in Port Ely",
                "died in Port Ely Kent",
            ],
        ),
        (
            "15 May 1859, Paris – 19 April 1906",
            ["was born on 15 May 1859", "was born in Paris", "died on 19 April 1906"],
        ),
        ("born Ada Cole; 4 May 1901", ["was born on 4 May 1901"]),
        ("born Ada Cole, 4 May 1901, Ely", ["was born on 4 May 1901", "was born in Ely"]),
        (
            "born in Ely, Kent, 1901",
            ["was born in 1901", "was born in Ely", "was born in Ely Kent"],
        ),
        ("born 4 May 1900, Prime Minister", ["was born on 4 May 1900"]),
        ("born 4 May 1900; Labour Party", ["was born on 4 May 1900"]),
        (
            "Samuel Clemens; November 30, 1835 – April 21, 1910",
            ["was born on November 30, 1835", "died on April 21, 1910"],
        ),
        (
            "Samuel Clemens, 30 November 1835 – 21 April 1910",
            ["was born on 30 November 1835", "died on 21 April 1910"],
        ),
        (
            "Samuel Clemens; 30 November 1835 – Rome, 21 April 1910",
            [
                "was born on 30 November 1835",
                "died on 21 April 1910",
                "died in Rome",
            ],
        ),
        (
            "毛泽东; December 26, 1893 – September 9, 1976",
            ["was born on December 26, 1893", "died on September 9, 1976"],
        ),
        (
            "born 1901 in Ely, died 1950",
            ["was born in 1901", "was born in Ely", "died in 1950"],
        ),
        ("NBC, 1990–1995", []),
        ("1998", []),
        ("reigned 1901 - 1910", []),
        ("", []),
    ],
)
def test_brackets_say_an_abbreviation_or_dates_and_places_of_a_life(
    text: str, facts: list[str]
) -> None:
    assert [f"{fact.predicate} {fact.object}" for fact in bracket_facts(text)] == facts


def test_two_dates_of_what_is_no_person_are_no_life() -> None:
    assert not bracket_facts("8 November 1942 – 16 November 1942", person=False)
    assert bracket_facts("NATO", person=False)
    assert bracket_facts("born 1901 – died 1950", person=False)
