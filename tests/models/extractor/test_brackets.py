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
        ("born Ada Cole; 4 May 1901", ["was born on 4 May 1901"]),
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
