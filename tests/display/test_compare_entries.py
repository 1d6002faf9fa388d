from __future__ import annotations

from gear_app.core.overrides import overridden, settings
from gear_app.display import labels
from gear_app.display import settings as views
from gear_app.display.compare.entries import (
    Entry,
    changed_settings,
    entry_words,
    of_run,
    run_labels,
    settings_words,
)
from gear_app.methods import config_for
from gear_app.store.rows import RunInfo
from tests.display.compared import run


def of(
    id_: str,
    method: str,
    triples: str | None = None,
    k: int = 15,
    reader: str = "local",
    **changes: object,
) -> RunInfo:
    config = settings(
        overridden(config_for(method), {name: str(value) for name, value in changes.items()})
    )
    return run(id_, method, config=config, triple_set=triples, k=k, reader=reader)


def test_two_of_a_method_are_told_apart_by_their_settings() -> None:
    assert run_labels([of("a", "gear"), of("b", "gear", width=5)], None) == [
        "GEAR",
        "GEAR, Width b 5",
    ]


def test_two_runs_of_the_very_same_are_told_apart_by_their_ids() -> None:
    assert run_labels([of("5cba1111", "gear"), of("9aab2222", "gear")], None) == [
        "GEAR, run 5cba1",
        "GEAR, run 9aab2",
    ]


def test_triple_set_k_and_reader_are_told_where_they_differ() -> None:
    runs = [of("a", "hybrid"), of("b", "gear", "curated"), of("c", "gear", "local")]
    assert run_labels(runs, None) == ["Hybrid", "GEAR, triples curated", "GEAR, triples local"]
    assert run_labels([of("a", "hybrid", k=5), of("b", "hybrid")], None) == [
        "Hybrid, k 5",
        "Hybrid, k 15",
    ]
    assert run_labels([of("a", "gear"), of("b", "gear", reader="llm")], None) == [
        "GEAR, local reader",
        "GEAR, language model",
    ]


def test_a_collections_own_iteration_limit_is_nobodys_setting() -> None:
    limited = of("a", "gear", max_iterations=2)
    assert changed_settings(limited, 2) == ()
    assert changed_settings(limited, None) == (("max_iterations", "2"),)
    assert changed_settings(of("b", "gear"), 2) == (("max_iterations", "4"),)


def test_an_entry_asks_for_the_run_it_came_from() -> None:
    made = of("a", "gear:dense", "local", k=10, width=5, gamma="none")
    entry = of_run(made, None)
    assert entry == Entry("gear:dense", (("beam.width", "5"), ("beam.gamma", "none")), "local", 10)
    assert settings(overridden(config_for(entry.method), dict(entry.settings))) == made.config
    assert entry_words(entry) == "GEAR over dense, Width b 5, Diversity γ none, triples local, k 10"


def test_what_is_as_in_its_paper_is_called_so_before_what_else_is_set() -> None:
    paper = {"chance": False}
    runs = [of("a", "hipporag"), of("b", "hipporag", **paper, restart=0.3)]
    assert run_labels(runs, None) == [
        "HippoRAG",
        "HippoRAG, as in the paper, Restart probability 0.3",
    ]
    assert settings_words(runs[1], None) == "as in the paper, Restart probability 0.3"
    assert labels.method_and_model(runs[1]) == "HippoRAG, as in the paper"
    assert views.changed_words("hipporag", runs[1].config).startswith("as in the paper, ")
