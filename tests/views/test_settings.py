from __future__ import annotations

import pytest

from gear_app.config import ENCODER
from gear_app.overrides import settings as fields
from gear_app.retrievers import METHODS, bases, config_for
from gear_app.views import settings
from gear_app.views.labels import method_name


def by_name(method: str) -> dict[str, settings.Setting]:
    """A method's own settings."""
    return {one.name: one for one in settings.form(method) if one.name != ENCODER}


@pytest.mark.parametrize("method", METHODS)
def test_every_setting_has_a_label_its_default_and_its_bounds(method: str) -> None:
    for name, one in by_name(method).items():
        assert one.label
        assert one.default == fields(config_for(method))[name]
        assert one.low is None or one.low <= one.default
        assert one.high is None or one.default <= one.high
        assert one.kind != "choice" or one.default in one.choices


@pytest.mark.parametrize("method", [*METHODS, *(f"{m}:{b}" for m in METHODS for b in bases(m))])
def test_a_label_stands_for_one_setting(method: str) -> None:
    found = [one.label for one in settings.form(method)]
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("method", [*METHODS, *(f"{m}:{b}" for m in METHODS for b in bases(m))])
def test_a_setting_has_the_label_and_help_of_its_own_method(method: str) -> None:
    for one in settings.form(method):
        assert settings.label_and_help(method, one.name) == (one.label, one.help)


def test_what_is_wrong_with_a_setting_is_told_by_its_label() -> None:
    assert settings.in_words("beam.gamma takes a number", "gear") == "Diversity γ takes a number"
    assert (
        settings.in_words("width must be at least 1", "ircot:sync_ge")
        == "Width b must be at least 1"
    )
    assert settings.in_words("The disk is full", "gear") == "The disk is full"
    assert settings.in_words("threshold must be", "gear") == "threshold must be"


def test_only_the_chosen_methods_settings_are_there() -> None:
    assert set(by_name("hybrid")) == {"depth", "constant"}
    assert set(by_name("weighted")) == {"depth", "dense_share"}
    assert {"base.depth", "base.dense_share"} <= set(by_name("chain"))
    assert by_name("bm25") == by_name("dense") == {}
    own = {"max_iterations", "pool_k", "first_k", "later_power", "prompt_k", "unsure_weight"}
    assert set(by_name("ircot:bm25")) == own


def test_a_base_of_bm25_still_fuses_and_has_no_depth() -> None:
    assert "base.constant" in by_name("gear:bm25")
    assert "base.depth" not in by_name("gear:bm25")
    assert "base.depth" in by_name("gear")


@pytest.mark.parametrize(
    ("method", "used"),
    [
        ("chain", {"base.depth", "base.dense_share"}),
        ("griever", {"base.depth", "base.constant"}),
        ("gear", {"base.depth", "base.constant"}),
        ("gear:chain", {"base.depth", "base.constant", "base.dense_share"}),
        ("gear:weighted", {"base.depth", "base.constant", "base.dense_share"}),
        ("ircot:chain", {"base.base.depth", "base.base.dense_share"}),
        ("ircot:weighted", {"base.depth", "base.dense_share"}),
    ],
)
def test_of_a_base_retrievers_settings_those_are_there_that_change_something(
    method: str, used: set[str]
) -> None:
    ends = ("base.depth", "base.constant", "base.dense_share")
    assert {name for name in by_name(method) if name.endswith(ends)} == used


def test_the_parts_are_named() -> None:
    groups = [name for name, _ in settings.groups(settings.form("ircot:sync_ge"))]
    assert groups == ["IRCoT", "SyncGE, base and fusion", "SyncGE, beam search", "Model"]
    assert [name for name, _ in settings.groups(settings.form("bdtr"))] == [
        "BDTR",
        "Hybrid",
        "Model",
    ]


def test_kinds_follow_the_fields() -> None:
    gear = by_name("gear")
    assert (gear["beam.width"].kind, gear["beam.width"].low, gear["beam.width"].high) == (
        "whole",
        1,
        1_000,
    )
    assert (gear["beam.scoring"].kind, gear["beam.scoring"].choices) == (
        "choice",
        ("screened", "exact"),
    )
    assert gear["beam.gamma"].kind == "words"
    assert by_name("bdtr")["calibrate"].kind == "switch"


def test_what_a_run_changed_is_told_in_words() -> None:
    config = fields(config_for("bdtr")) | {"rounds": 1, "calibrate": False}
    assert settings.changed_words("bdtr", config) == "Rounds R 1, Calibrate off"
    assert settings.changed_words("bdtr", fields(config_for("bdtr"))) == ""
    row = next(row for row in settings.rows("bdtr", config) if row["setting"] == "Calibrate")
    assert (row["value"], row["default"], row["changed"], row["part"]) == (
        "off",
        "on",
        "changed",
        "BDTR",
    )


def test_settings_a_method_no_longer_has_are_left_out() -> None:
    assert settings.of_run("hybrid", {"gone": 3}) == []


def test_a_method_that_is_gone_still_tells_its_settings() -> None:
    assert [(row["setting"], row["value"]) for row in settings.rows("gone", {"deep_k": 3})] == [
        ("Deep k", "3")
    ]
    assert settings.changed_words("gone", {"deep_k": 3}) == ""


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("gear:dense", "GEAR over dense"),
        ("gear:weighted", "GEAR over weighted hybrid"),
        ("ircot:hipporag", "IRCoT over HippoRAG"),
        ("bdtr:sync_ge:bm25", "BDTR over SyncGE over BM25"),
        ("mine", "mine"),
    ],
)
def test_composed_names_are_read_aloud(name: str, words: str) -> None:
    assert method_name(name) == words


def test_what_the_paper_has_is_told_of_every_method_and_of_what_is_beneath() -> None:
    assert settings.paper_words("hipporag") == "More than by chance off."
    assert settings.paper_words("ircot:hipporag").endswith("More than by chance off.")
    assert "no paper describes it" in settings.paper_words("chain")
    assert settings.paper_words("gear:chain").endswith("Chain below it is ours and stays as it is.")
    assert settings.paper_words("hybrid") == "Its settings are those of the paper as they are."
