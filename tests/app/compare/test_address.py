"""The address of a comparison brings it back."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from gear_app.workspace.workspace import Workspace
from tests import factories
from tests.app.compare.compare_page import (
    asked,
    chosen_methods,
    heads,
    lines,
    open_runs,
    runs_of,
)
from tests.app.conftest import sentences, visit


def test_an_address_restores_the_page_and_runs_nothing(world: Workspace, page: AppTest) -> None:
    ids = asked(world, "naive_ge", "bm25", "hybrid")
    visit(
        page,
        runs=",".join(id_[:6] for id_ in ids),
        **{"compare-baseline": "BM25", "compare-k": "10"},
    )
    assert [head["run"] for head in heads(page)] == ids == runs_of(page)
    assert [head["baseline"] for head in heads(page)] == [False, True, False]
    assert lines(page)["cut"] == 10
    assert chosen_methods(page) == [
        "naive_ge",
        "bm25",
        "hybrid",
    ]
    assert page.text_input(key="compare-question").value == factories.QUESTION
    assert len(world.runs.recent()) == 3


def test_addresses_that_name_what_is_not_there_or_does_not_belong_say_so(
    world: Workspace, page: AppTest
) -> None:
    one = world.ask(factories.QUESTION, "demo", "hybrid").run
    other = world.ask("Another?", "demo", "hybrid").run
    visit(page, runs=f"nowhere,{one},{other},{one},<script>")
    assert "Not in this workspace, so left out: nowhere, &lt;script&gt;" in sentences(page)
    assert f"with another question or collection: {other}" in sentences(page)
    assert runs_of(page) == [one]


def test_baseline_and_cut_off_come_back_with_the_runs(world: Workspace, page: AppTest) -> None:
    ids = asked(world, "bm25", "hybrid")
    open_runs(page, *ids)
    page.selectbox(key="compare-baseline").set_value(ids[1]).run()
    page.segmented_control(key="compare-k").set_value(15).run()
    page.switch_page("explore/page.py").run()
    page.switch_page("compare/page.py").run()
    assert [head["baseline"] for head in heads(page)] == [False, True]
    assert lines(page)["cut"] == 15


def test_a_run_whose_events_cannot_be_read_is_left_out_with_a_sentence(
    world: Workspace, page: AppTest
) -> None:
    ids = asked(world, "bm25", "dense", "hybrid")
    number = world.store.runs.get(ids[1]).number
    world.store.db.execute("UPDATE events SET payload = x'00' WHERE run = ?", [number])
    open_runs(page, *ids)
    assert [head["run"] for head in heads(page)] == [ids[0], ids[2]]
    assert f"{ids[1]} is left out. An event of the run cannot be read" in sentences(page)
