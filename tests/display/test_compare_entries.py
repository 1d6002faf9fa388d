from __future__ import annotations

from dataclasses import replace

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
from gear_app.models.server import Spec
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


def test_language_models_go_by_their_names() -> None:
    tiny, long_ = (Spec("http://a/v1", name).to_json() for name in ("tiny", "long-" * 20))
    runs = [
        replace(of("a", "gear", reader="llm"), model=tiny),
        of("b", "hybrid"),
        replace(of("c", "gear", reader="llm"), model=long_),
        of("d", "gear"),
    ]
    assert run_labels(runs, None) == [
        "GEAR, tiny",
        "Hybrid",
        "GEAR, long-long-long-long-long-long-lo…",
        "GEAR, local reader",
    ]
    assert [settings_words(run, None) for run in runs[:2]] == ["read by tiny", ""]
    assert run_labels([runs[0], of("e", "sync_ge")], None) == [
        "GEAR, tiny",
        "SyncGE, local reader",
    ]
    assert run_labels(runs[:2], None) == [
        "GEAR",
        "Hybrid",
    ]  # Hybrid asks no reader, so there is nothing to tell apart


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


def test_a_limit_of_the_collection_that_is_the_papers_makes_no_difference() -> None:
    """Where a collection has two iterations of its own, nobody changed them."""
    entry = Entry("ircot", (("unsure_weight", "1.0"),))
    assert entry_words(entry, limit=2) == "IRCoT, as in the paper"
    assert entry_words(entry, limit=None) == "IRCoT, An unsure query counts 1.0"
    assert settings_words(of("a", "ircot", unsure_weight=1.0, max_iterations=2), 2) == (
        "as in the paper"
    )
