"""Amounts, addresses, days and letters: one mention however they are written."""

from __future__ import annotations

import pytest

from gear_app.language.links import is_name
from gear_app.language.mentions import is_compound, mentions, read, shown


def names(text: str) -> set[str]:
    return {name for name, _, _ in mentions(text)}


@pytest.mark.parametrize(
    "text",
    ["EUR 1200", "EUR 1,200", "€1,200", "€ 1.200,00", "1,200 euros", "1 200 €", "1'200.00 EUR"],
)
def test_an_amount_is_the_same_however_it_is_written_and_nothing_else(text: str) -> None:
    assert names(f"at {text}.") == {"#eur1200"}


def test_amounts_differ_by_number_decimals_and_currency() -> None:
    texts = ("EUR 18,400", "EUR 18,950", "USD 18,400", "EUR 18,400.50", "€18k")
    assert [names(text) for text in texts] == [
        {"#eur18400"},
        {"#eur18950"},
        {"#usd18400"},
        {"#eur18400.5"},
        {"#eur18000"},
    ]
    assert names("$1.2 million") == names("$1,200,000") == {"#usd1200000"}
    assert not names("$1,200") & names("Room 200")


def test_an_amount_is_specific_and_can_be_shown() -> None:
    assert is_compound("#eur18400") and is_name("#eur18400", common=False)
    assert (shown("#eur18400"), shown("#usd2.5")) == ("EUR 18,400", "USD 2.50")


def test_a_number_with_its_thousands_set_apart_is_one() -> None:
    assert names("1,200") == names("1'200") == names("1200") == {"1200"}
    assert names("1.234.567") == {"1234567"}
    assert names("1.5 or 2,5") == set()


def test_addresses_are_one_mention_in_lower_case_and_not_their_parts() -> None:
    assert names("<Priya.Raman@Example.com>.") == {"#priya.raman@example.com"}
    assert names("10.0.0.12.") == {"#10.0.0.12"}
    assert names("v8.3.1") == names("8.3.1") == {"#8.3.1"}
    assert names("https://www.Gear.org/manual") == {"#gear.org", "manual"}
    assert shown("#10.0.0.12") == "10.0.0.12" and shown("#a.b@c.de") == "a.b@c.de"


@pytest.mark.parametrize("text", ["12.05.2024", "12 May 2024", "2024-05-12", "12. Mai 2024"])
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
    assert "@5-4" in days("Seen on 2 May 2024. Paid 04/05.")
    assert days("2/5 lorry. 6/5 noise. 12/5 bakery.") == {"@5-2", "@5-6", "@5-12"}
    assert days("2/3 of 3/4 are 1/2") == set()
    assert days("10/11 Feb") == {"@2-10", "@2-11"}


@pytest.mark.parametrize("text", ["am 3. März 1897", "le 3 mars 1897", "el 3 de marzo de 1897"])
def test_months_of_other_languages_name_days(text: str) -> None:
    assert {"@3-3", "@1897-3"} <= names(text)
    assert "märz" not in names(text)


def test_words_keep_the_marks_that_combine_with_their_letters() -> None:
    assert names("अर्जुन") == {"अर्जुन"}
    assert names("Cafe\u0301 Mu\u0308ller") == names("Café Müller") != set()
    assert "café müller" in names("Cafe\u0301 Mu\u0308ller")
