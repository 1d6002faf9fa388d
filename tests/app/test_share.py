"""Handing on from the screen: what is offered, what the address holds, and pages that come in."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from gear_app.app.shared import elements, share
from gear_app.display import share_pages
from gear_app.workspace.workspace import Workspace
from tests import factories
from tests.app.conftest import sentences, visit
from tests.app.explored import component
from tests.small import QUESTION
from tests.workspaces import filled

TRACE = "As a trace for Langfuse and others"


def offered(app: AppTest) -> list[str]:
    return [button.proto.label for button in app.get("download_button")]


def test_a_finished_run_and_a_comparison_offer_a_page_and_a_trace(
    world: Workspace, app: AppTest
) -> None:
    ids = [world.ask(factories.QUESTION, "demo", method).run for method in ("gear", "hybrid")]
    visit(app, run=ids[0])
    wanted = ["As a page", TRACE]
    assert offered(app) == wanted
    compared = app.switch_page("compare/page.py")
    visit(compared, runs=",".join(ids))
    assert offered(compared) == wanted


def test_a_page_of_a_run_that_is_dropped_with_documents_becomes_that_run(
    world: Workspace, tmp_path: Path
) -> None:
    folder = tmp_path / "films"
    folder.mkdir()
    films = filled(folder)
    run = films.ask(QUESTION, "films", "gear").run
    page = share_pages.page(films, [run]).html.encode()
    notes = ("notes/monday.txt", b"Boats lie in the harbour.")
    assert share.without_runs(world, [("page.html", page), notes]) == [notes]
    assert world.runs.get(run).collection == "films"


def test_a_page_that_was_tampered_with_is_refused_in_words(
    world: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = share_pages.page(world, [world.ask(factories.QUESTION, "demo", "hybrid").run]).html
    at = page.index('id="runs">') + 400
    damaged = (page[:at] + "AAAA" + page[at + 4 :]).encode()
    said: list[tuple[str, str]] = []
    monkeypatch.setattr(elements, "message", lambda *words: said.append(words))
    assert share.without_runs(world, [("page.html", damaged)]) == []
    ((sentence, tone),) = said
    assert sentence.startswith("The runs in this file cannot be read") and tone == "bad"


def test_an_imported_run_is_shown_by_every_page_and_nothing_is_run_over_it(
    world: Workspace, app: AppTest, tmp_path: Path
) -> None:
    (tmp_path / "films").mkdir()
    films = filled(tmp_path / "films")
    ids = [films.ask(QUESTION, "films", method).run for method in ("gear", "hybrid")]
    notes = ("notes/monday.txt", b"Boats lie in the harbour.")
    share.without_runs(world, [("page.html", share_pages.page(films, ids).html.encode()), notes])
    visit(app, run=ids[0])
    assert not app.exception
    assert "This run was imported" in sentences(app)
    labels = {button.label for button in app.button if not button.disabled}
    assert not labels & {"What if", "Run again", "Run", "Try it", "Compare with the language model"}
    assert component(app, "strip")["steps"]
    compared = app.switch_page("compare/page.py")
    visit(compared, runs=",".join(ids))
    assert not compared.exception and component(compared, "aligned")
    for page in ("annotate", "evaluate", "collections", "settings", "start"):
        opened = app.switch_page(f"{page}/page.py").run()
        opened.query_params["collection"] = "films"
        assert not opened.run().exception, page
        if page == "collections":
            assert "has only the passages of an imported run" in sentences(opened)
