"""Which language model is used, whose key, what came of trying it, and what it costs."""

from __future__ import annotations

from gear_app.llm.prices import Price
from gear_app.ui.settings.model_words import (
    missing_prices,
    price_edits,
    price_rows,
)
from gear_app.views.labels import dollars

ROWS = price_rows({"b": Price(1.0, 2.0), "a": Price(0.1, 0.4)}, {"c", "a"})


def test_every_price_has_a_row_and_so_has_a_model_without_one() -> None:
    assert [(row["model"], row["input"], row["output"]) for row in ROWS] == [
        ("a", 0.1, 0.4),
        ("b", 1.0, 2.0),
        ("c", None, None),
    ]
    assert missing_prices(ROWS, {}) == "What c costs is not known. Fill in both prices."
    assert missing_prices(ROWS[:2], {}) == ""
    assert "Add a row" in missing_prices(price_rows({}, ()), {})
    assert "once it has a model's name and both prices" in missing_prices(
        ROWS, {"added_rows": [{"input": 3}]}
    )


def test_a_price_counts_once_both_its_numbers_are_there() -> None:
    half = price_edits(
        ROWS,
        {"edited_rows": {2: {"input": 3.0}}, "added_rows": [{"model": "d"}], "deleted_rows": []},
    )
    assert half == ({}, [], True)
    whole = price_edits(
        ROWS, {"edited_rows": {2: {"input": 3, "output": 0}, 0: {"output": 9.0}}, "added_rows": []}
    )
    assert whole == ({"c": Price(3.0, 0.0), "a": Price(0.1, 9.0)}, [], False)
    added = price_edits(ROWS, {"added_rows": [{"model": " d ", "input": 1.0, "output": 2.0}]})
    assert added.written == {"d": Price(1.0, 2.0)}


def test_a_row_taken_out_or_renamed_takes_its_price_off_the_table() -> None:
    assert price_edits(ROWS, {"deleted_rows": [1, 2]}).gone == ["b"]  # c had none
    renamed = price_edits(ROWS, {"edited_rows": {0: {"model": "z"}}})
    assert (renamed.written, renamed.gone) == ({"z": Price(0.1, 0.4)}, ["a"])
    assert price_edits(ROWS, {"edited_rows": {0: {"model": None}}}) == ({}, [], True)


def test_dollars_are_shown_as_far_as_they_matter() -> None:
    assert [dollars(cost) for cost in (0.0, 0.00001, 0.0123, 12.5, None)] == [
        "$0.00",
        "under $0.0001",
        "$0.0123",
        "$12.50",
        "price not known",
    ]
