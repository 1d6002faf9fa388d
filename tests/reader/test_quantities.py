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
        ("-5 °C", Quantity(-5, "°C")),
        ("−5 m", Quantity(-5, "m")),
        ("1990s", None),
        ("9" * 101, None),
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
        ("5 nan", "2 m", None),
        ("5 hour⁹⁹⁹⁹⁹⁹⁹⁹⁹", "2 m", None),
        ("5 km⁹⁹⁹", "2 m", None),
        ("5 ¼", "2 m", None),
        ("3 m__import__", "2 m", None),
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
