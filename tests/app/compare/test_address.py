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
    assert "nowhere" in sentences(page) and "&lt;script&gt;" in sentences(page)
    assert f"another question or collection, or after 8 runs: {other}" in sentences(page)
    assert runs_of(page) == [one]
