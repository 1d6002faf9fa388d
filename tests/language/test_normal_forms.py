"""Numbers, days and letters: one mention however they are written."""

from __future__ import annotations

import pytest

from gear_app.language.mentions import mentions, read


def names(text: str) -> set[str]:
    return {name for name, _, _ in mentions(text)}


def test_a_number_with_its_thousands_set_apart_is_one() -> None:
    assert names("1,200") == names("1'200") == names("1200") == {"1200"}
    assert names("1.234.567") == {"1234567"}
    assert names("1.5 or 2,5") == set()


@pytest.mark.parametrize("text", ["12.05.2024", "12 May 2024", "2024-05-12"])
def test_a_day_in_figures_with_stops_has_the_day_first(text: str) -> None:
    assert {"@5-12", "@2024-5"} <= names(text)


def test_a_day_with_strokes_is_one_where_it_can_only_be_read_one_way() -> None:
    assert "@5-25" in names("05/25/2024") & names("25/05/2024")
    assert not any(name.startswith("@") for name in names("05/04/2024 or 1/2"))


def test_other_days_of_the_text_settle_the_order() -> None:
    def days(text: str) -> set[str]:
        return {one.name for one in read("", text).mentions if one.name.startswith("@")}

    assert "@4-5" in days("Seen 25/05/2024. Paid 05/04/2024.")
    assert "@5-4" in days("Seen 05/25/2024. Paid 05/04/2024.")
    assert days("Seen 05/25 and 25/05. Paid 05/04.") == {"@5-25"}
    assert days("2/5 lorry. 6/5 noise. 12/5 bakery.") == {"@5-2", "@5-6", "@5-12"}
    assert days("2/3 of 3/4 are 1/2") == set()
    assert days("10/11 Feb") == {"@2-10", "@2-11"}


def test_words_keep_the_marks_that_combine_with_their_letters() -> None:
    assert names("अर्जुन") == {"अर्जुन"}
    assert names("Cafe\u0301 Mu\u0308ller") == names("Café Müller") != set()
    assert "café müller" in names("Cafe\u0301 Mu\u0308ller")
