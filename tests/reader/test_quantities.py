"""Quantities in words and figures, and which of two is larger."""

from __future__ import annotations

import pytest

from gear_app.reader.quantities import Quantity, difference, quantity


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("3.3 km", Quantity(3.3, "km")),
        ("22,513 students", Quantity(22_513, "students")),
        ("40km", Quantity(40, "km")),
        ("four rooms", Quantity(4, "rooms")),
        ("€9", Quantity(9, "EUR")),
        ("EUR 18.400", Quantity(18_400, "EUR")),
        ("12", Quantity(12, "")),
        ("5%", Quantity(5, "%")),
        ("about 5 per cent", Quantity(5, "%")),
        ("5 percent of the fee", Quantity(5, "% of the fee")),
        ("-5 °C", Quantity(-5, "°C")),
        ("−5 m", Quantity(-5, "m")),
        ("1990s", None),
        ("9" * 101, None),
        ("four guest rooms", Quantity(4, "guest rooms")),
        ("Four rooms", Quantity(4, "rooms")),
        ("Twelve angry men", None),
        ("Seven against Thebes", None),
        ("5 day trips", Quantity(5, "day trips")),
        ("5 km and a half", Quantity(5, "km and a half")),
        ("9" * 99, Quantity(float("9" * 99), "")),
        ("-5 EUR", Quantity(-5, "EUR")),
        ("EUR 12 per night", Quantity(12, "EUR per night")),
        ("5 minutes a day", Quantity(5, "minutes a day")),
        ("5 km long", Quantity(5, "km", "long")),
        ("about 5 km", Quantity(5, "km")),
        ("a weight of some 5 kg", Quantity(5, "kg", "weight")),
        ("2 million people", Quantity(2_000_000, "people")),
        ("5 days", Quantity(5, "days")),
        ("100 sq m", Quantity(100, "sq m")),
        ("12.500 inhabitants", None),
        ("more than seven rooms", None),
        ("1e400", None),
        ("Room 5", None),
        ("12th floor", None),
        ("two thirds", None),
        ("ten past nine", None),
        ("ten May 1950", None),
        ("ten Downing Street", None),
        ("two of 7 rooms", None),
        ("4-6 weeks", None),
        ("3 May 1950", None),
        ("one of the founders", None),
        ("Three Rivers", None),
        ("", None),
    ],
)
def test_a_quantity_is_one_number_and_its_unit(text: str, stated: Quantity | None) -> None:
    assert quantity(text) == stated


@pytest.mark.parametrize(
    ("one", "other", "sign"),
    [
        ("3.3 km", "2,467 m", 1),
        ("800 g", "1.2 kilos", -1),
        ("5 MW", "700 kW", 1),
        ("90 minutes", "2 hours", -1),
        ("60 mph", "100 km/h", -1),
        ("1 room", "four rooms", -1),
        ("9 euros", "EUR 12", -1),
        ("1 km", "1000 m", 0),
        ("3", "2", 1),
        ("0 km", "20 m", -1),
        ("9 EUR", "12 USD", None),
        ("9 kg", "12 m", None),
        ("four rooms", "7 beds", None),
        ("-5 °C", "-7 °C", 1),
        ("5 Km", "900 m", 1),
        ("5 km long", "about 900 m", 1),
        ("4 t", "5,000 kg", -1),
        ("5 days", "30 hours", 1),
        ("2 years", "30 months", -1),
        ("20 °C", "60 °F", 1),
        ("30 m²", "30 square metres", 0),
        ("30 m2", "100 sq ft", 1),
        ("40 litres per day", "1 l/h", 1),
        ("2 million people", "3,000 people", 1),
        ("EUR 12 per night", "EUR 60 per week", None),
        ("5 tons", "4 tons", 1),
        ("5 tons", "4 t", None),
        ("5 pints", "4 l", None),
        ("0.7 kg", "700 g", 0),
        ("3 feet", "1 yard", 0),
        ("2 MW", "700 mW", 1),
        ("5 Kilometres", "700 m", 1),
        ("5 °C/h", "9 °F/h", None),
        ("2 decades", "10 years", None),
        ("100 Mb", "50 MB", None),
        ("5 cubic metres", "4,000 litres", 1),
        ("5 am", "4 m", None),
        ("5 points", "4 m", None),
        ("5 nan", "2 m", None),
        ("5 km⁹⁹⁹", "2 m", None),
    ],
)
def test_quantities_are_compared_across_units_of_the_same(
    one: str, other: str, sign: int | None
) -> None:
    left, right = quantity(one), quantity(other)
    assert left
    assert right
    more = difference(left, right)
    assert (more and more / abs(more)) == sign
