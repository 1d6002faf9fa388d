from __future__ import annotations

from gear_app.core.overrides import overridden, settings
from gear_app.display.comparison_tables import (
    run_labels,
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
