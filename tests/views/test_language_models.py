"""Which language model is used, whose key, what came of trying it, and what it costs."""

from __future__ import annotations

import pytest

from gear_app.llm.connection_test import ConnectionResult
from gear_app.llm.prices import Price
from gear_app.llm.server import Spec
from gear_app.store.rows import Spent
from gear_app.store.spending import CacheSize, Spending
from gear_app.ui.settings.model_words import (
    in_use,
    kept_words,
    key_sentence,
    missing_prices,
    outcome,
    price_edits,
    price_rows,
    spending_rows,
)
from gear_app.views.labels import dollars

SPEC = Spec("http://a/v1", "tiny")


@pytest.mark.parametrize(
    ("key_from", "whose"),
    [
        ("", "without a key"),
        ("environment", "the server's environment"),
        ("session 1 x", "typed in this session"),
    ],
)
def test_what_is_in_use_says_which_model_and_whose_key(key_from: str, whose: str) -> None:
    told = in_use(Spec("http://a/v1", "tiny", key_from=key_from), "llm")
    assert (
        told.startswith("In use: tiny at http://a/v1, ")
        and whose in told
        and "session 1" not in told
    )


def test_a_model_that_is_there_is_not_in_use_until_it_is_chosen() -> None:
    assert in_use(None, "llm").startswith("In use: the local reader")
    told = in_use(SPEC, "local")
    assert (
        told.startswith("In use: the local reader") and "you can choose tiny at http://a/v1" in told
    )


def test_a_key_goes_to_the_server_it_was_typed_for() -> None:
    assert key_sentence("", "").startswith("Give the address first")
    assert "No key is held for http://a/v1" in key_sentence("http://a/v1", "")
    assert "OpenAI wants one" in key_sentence("https://api.openai.com/v1", "")
    assert "environment is used" in key_sentence("http://a/v1", "environment")
    assert "A key for http://a/v1 is held" in key_sentence("http://a/v1", "session 1 x")


@pytest.mark.parametrize(
    ("tried", "told", "tone"),
    [
        (
            ConnectionResult(("tiny", "b"), "tiny", 210.0),
            "It works: tiny replied in 210 ms. The server has 2 models.",
            "good",
        ),
        (
            ConnectionResult(("b",), "tiny", 1210.0),
            (
                "It works: tiny replied in 1.2 s. The server has 1 model. The one asked is not"
                " among those named."
            ),
            "good",
        ),
        (
            ConnectionResult(None, "tiny", 5.0),
            "It works: tiny replied in 5 ms. The server does not say which models it has.",
            "good",
        ),
        (
            ConnectionResult(("a", "b")),
            "The server answers. The server has 2 models. Choose one, then test again.",
            "info",
        ),
        (
            ConnectionResult(()),
            "The server answers, and names no model. Type the name of one, then test again.",
            "info",
        ),
        (
            ConnectionResult(None, failed="The model server at u answered 404: none."),
            (
                "It does not work yet. The model server at u"
                " answered 404: none. Is the model’s name right, and does the server want an"
                " address that ends in /v1?"
            ),
            "bad",
        ),
        (ConnectionResult(None, failed="It stalled"), "It does not work yet. It stalled.", "bad"),
    ],
)
def test_what_came_of_trying_says_what_to_do_next(
    tried: ConnectionResult, told: str, tone: str
) -> None:
    assert outcome(tried) == (told, tone)


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


def test_what_was_spent_says_where_a_price_is_unknown() -> None:
    took = [Spending("http://a/v1", "tiny", 2, 1, Spent(9, 3, 1, 100, 50, None))]
    (row,) = spending_rows(took)
    assert (row["model"], row["runs"], row["extractions"], row["calls"], row["of these kept"]) == (
        "tiny",
        2,
        1,
        9,
        3,
    )
    assert row["cost"] == "price not known"


def test_dollars_are_shown_as_far_as_they_matter() -> None:
    assert [dollars(cost) for cost in (0.0, 0.00001, 0.0123, 12.5, None)] == [
        "$0.00",
        "under $0.0001",
        "$0.0123",
        "$12.50",
        "price not known",
    ]


def test_kept_replies_are_counted() -> None:
    assert kept_words(CacheSize(0, 0)).startswith("None yet.")
    assert kept_words(CacheSize(1, 20)) == "1 reply, 1 kB. Asking the same again costs nothing."
    assert kept_words(CacheSize(1200, 2_500_000)).startswith("1,200 replies, 2.5 MB.")


def test_a_server_without_models_says_how_its_kind_gets_them() -> None:
    told, _ = outcome(ConnectionResult(()), "http://localhost:11434/v1")
    assert told.endswith("Its models come with: ollama pull NAME")


def test_an_address_that_ends_in_v1_is_not_asked_whether_it_does() -> None:
    tried = ConnectionResult(None, failed="The model server at u answered 404: none.")
    told, _ = outcome(tried, "http://localhost:11434/v1/")
    assert told.endswith("Is the model’s name right?")
    assert "/v1" not in told
