"""Numbers of tables add up as they are printed."""

from __future__ import annotations

from gear_app.display import decimals


def test_a_column_shows_all_decimals_of_its_terms() -> None:
    rows = [{"sum": 0.5, "weight": 0.904837418, "at": 1}, {"sum": 1.234567, "weight": 1.0}]
    assert decimals.columns(rows) == {"sum": 6, "weight": 9}


def test_a_short_number_and_one_that_was_never_rounded_are_left_to_the_table() -> None:
    assert decimals.columns([{"recall": 1 / 3, "ms": 12.25, "none": None, "inf": 1e999}]) == {}
