"""A demonstration: nothing of what changes a workspace is offered, and all of it is refused."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient
from streamlit.testing.v1 import AppTest

from gear_app.app.app import answer
from gear_app.app.shared import visitors
from gear_app.core import demonstration
from gear_app.core.errors import GearError, Refused
from gear_app.documents.items import NewTriple
from gear_app.evaluation.definition import Definition, define
from gear_app.evaluation.service import EvaluationService
from gear_app.models.embedders.local import HashingEmbedder
from gear_app.workspace.jobs.imports import Pasted
from gear_app.workspace.runs.request import RunRequest
from gear_app.workspace.runs.rerun import RunChange
from gear_app.workspace.workspace import Workspace
from tests import factories
from tests.app.conftest import PatternExtractor, sentences
from tests.app.explored import asked
from tests.waiting import finish

# Words of buttons that change what is kept.
CHANGES = ("Add the", "Add a", "Close the")
CHANGES += (*"Apply Create Delete Extract Import Pin Remove Rename Save Start Undo".split(),)


@pytest.fixture
def demo(world: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """The workspace of the pages, as a demonstration."""
    world.ask(factories.QUESTION, "demo", "gear")
    world.ask(factories.QUESTION, "demo", "hybrid")
    monkeypatch.setenv(demonstration.VARIABLE, "1")
    return world


def operators(demo: Workspace) -> Workspace:
    """The same file for a worker, whom nothing restricts."""
    return Workspace(demo.path, embedder=HashingEmbedder(), extractor=PatternExtractor())


@pytest.mark.parametrize(
    "name", ["start", "explore", "compare", "evaluate", "collections", "learn"]
)
def test_a_page_offers_nothing_that_changes(name: str, demo: Workspace, start: AppTest) -> None:
    page = start.run().switch_page(f"{name}/page.py").run()
    tabs = ("Documents", "Passages", "Triples", "Entities", "Questions")
    for tab in tabs if name == "collections" else ("",):
        if tab:
            page.session_state["tab"] = tab
            page.run()
        assert not page.exception and not page.get("file_uploader"), tab
        open_ = [one.label for one in page.button if not one.disabled]
        assert not [label for label in open_ if label.startswith(CHANGES)], (tab, open_)
        assert demonstration.CLOSED not in sentences(page), tab  # nothing was tried


@pytest.mark.parametrize("name", ["settings", "annotate"])
def test_pages_of_the_operator_say_that_they_are_closed(
    name: str, demo: Workspace, start: AppTest
) -> None:
    page = start.run().switch_page(f"{name}/page.py").run()
    assert demonstration.CLOSED in sentences(page) and not page.exception
    assert [one.key for one in page.button] == ["keys"]
    assert not [*page.text_input, *page.selectbox]


def test_a_visitor_can_ask_and_is_answered(demo: Workspace, app: AppTest) -> None:
    page = asked(app.run(), "Who opened the harbour?", "hybrid")
    assert not page.exception
    worker = operators(demo)
    finish(worker.worker())
    (run, *_) = demo.runs.recent("demo")
    assert (run.question, run.state) == ("Who opened the harbour?", "done")
    assert demo.reruns.enqueue_draft(run.id, RunChange({"k": 3})) is None
    finish(operators(demo).worker())
    assert demo.reruns.enqueue_draft(run.id, RunChange({"k": 3}))
    demo.runs.cancel(demo.runs.enqueue(RunRequest("Who?", "demo", "bm25")))


CALLS: dict[str, Callable[[Workspace], object]] = {
    "import text": lambda w: w.imports.enqueue(Pasted("t", "words"), "demo"),
    "import files": lambda w: w.imports.enqueue([("a.txt", b"words")], "demo"),
    "create": lambda w: w.store.collections.create("mine"),
    "rename": lambda w: w.store.collections.rename("demo", "mine"),
    "delete": lambda w: w.store.collections.delete("demo"),
    "activate": lambda w: w.collections["demo"].activate("curated"),
    "gold": lambda w: w.collections["demo"].set_gold(factories.QUESTION, []),
    "import": lambda w: w.imports.enqueue(w.path, "demo"),
    "vectors": lambda w: w.store.tasks.ensure("vectors", 1),
    "extract": lambda w: w.jobs.enqueue_extraction("demo", "local"),
    "pin": lambda w: w.runs.pin(w.runs.recent("demo")[0].id),
    "triple": lambda w: (
        w.collections["demo"]
        .curation("curated")
        .change([(None, NewTriple(factories.GOLD[0], "a", "b", "c"))])
    ),
    "price": lambda w: w.store.prices.put("m", 1.0, 1.0),
    "judge": lambda w: w.annotations.add_category("mine", "mine", "x"),
    "evaluate": lambda w: EvaluationService(w).create(
        define(w, Definition("demo", ("hybrid",))), "x"
    ),
    "statement": lambda w: w.store.db.execute("UPDATE passages SET text = ''"),
    "drop": lambda w: w.store.db.execute("DROP TABLE tasks"),
    "forget": lambda w: w.store.db.execute("DELETE FROM tasks"),
    "question": lambda w: w.store.db.execute("UPDATE tasks SET question = 'x'"),
}


@pytest.mark.parametrize("call", CALLS)
def test_what_the_controls_call_refuses(call: str, demo: Workspace) -> None:
    worker = operators(demo)
    before = list(worker.store.db._db.iterdump())
    demo.restrict()
    with pytest.raises(GearError, match="This is a demonstration"):
        CALLS[call](demo)
    assert list(worker.store.db._db.iterdump()) == before
    assert not [*demo.path.parent.glob("*.imports/*")]


def test_runs_have_caps(demo: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    demo.restrict()
    with pytest.raises(Refused, match="k is at most 20"):
        demo.runs.enqueue(RunRequest("Who?", "demo", "bm25", k=21))
    for number in range(demonstration.MOST_OF_ONE):
        demo.runs.enqueue(RunRequest(f"Who {number}?", "demo", "bm25", owner="one"))
    with pytest.raises(Refused, match="Ask again"):
        demo.runs.enqueue(RunRequest("Who?", "demo", "bm25", owner="one"))
    demo.runs.enqueue(RunRequest("Who?", "demo", "bm25", owner="other"))
    monkeypatch.setattr(demonstration, "MOST_OF_ALL", 9)
    with pytest.raises(Refused, match="Ask again"):
        demo.runs.enqueue(RunRequest("Who?", "demo", "bm25", owner="third"))
    monkeypatch.setattr(demonstration, "MOST_OF_ALL", 1)
    done = demo.runs.recent("demo")[-1].id
    assert demo.reruns.enqueue_draft(done, RunChange({"k": 2})) is None
    with pytest.raises(Refused, match="Ask again"):
        demo.reruns.enqueue_draft(done, RunChange({"k": 3}))


def test_visitors_who_ask_at_once_stay_within_the_caps(demo: Workspace) -> None:
    demo.restrict()
    together = threading.Barrier(6)

    def ask(owner: str) -> None:
        together.wait()
        for number in range(demonstration.MOST_OF_ONE):
            with suppress(Refused):
                demo.runs.enqueue(RunRequest(f"Who {number}?", "demo", "bm25", owner=owner))
        demo.close()

    visitors_ = [threading.Thread(target=ask, args=(f"{number}",)) for number in range(6)]
    for one in visitors_:
        one.start()
    for one in visitors_:
        one.join()
    assert demo.store.runs.counts("")[1] == demonstration.MOST_OF_ALL


def test_the_oldest_runs_of_visitors_make_room(
    demo: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = operators(demo)
    before = {run.id for run in demo.runs.recent("demo")}
    demo.restrict()
    monkeypatch.setattr(demonstration, "MOST_KEPT", 3)
    made = []
    for number in range(6):
        made.append(demo.runs.enqueue(RunRequest(f"Who {number}?", "demo", "bm25", owner="one")))
        if number == 0:
            finish(worker.worker())
            worker.runs.pin(made[0])
        elif number != 3:
            finish(worker.worker())
    there = {run.id for run in demo.runs.recent("demo")}
    assert there == before | {made[0], *made[4:]}  # the pinned one, and the newest
    with pytest.raises(GearError, match="This is a demonstration"):
        demo.store.db.execute("DELETE FROM tasks")


def test_only_its_owner_and_the_operator_stop_a_visitors_run(demo: Workspace) -> None:
    ours = operators(demo).runs.enqueue(RunRequest("Whose?", "demo", "bm25", owner="other"))
    demo.restrict()
    run = demo.runs.enqueue(RunRequest("Who?", "demo", "bm25", owner="one"))
    for refused, owner in ((run, "other"), (run, ""), (ours, "other")):
        with pytest.raises(Refused, match="another visitor's"):
            demo.runs.cancel(refused, owner)
    with pytest.raises(Refused, match="This is a demonstration"):
        EvaluationService(demo).stop("any")
    demo.runs.cancel(run, "one")
    operators(demo).runs.cancel(ours)
    assert {demo.runs.get(one).state for one in (run, ours)} == {"cancelled"}


def test_the_run_of_another_visitor_has_no_button_that_stops_it(
    demo: Workspace, app: AppTest
) -> None:
    page = asked(app.run(), "Who opened the harbour?", "hybrid")
    assert page.button(key="cancel-run")
    other = operators(demo).runs.enqueue(RunRequest("Whose?", "demo", "bm25", owner="other"))
    page.query_params["run"] = other
    page.run()
    assert "Whose?" in sentences(page)
    assert "cancel-run" not in [one.key for one in page.button]


def test_no_file_is_taken_and_nobody_sits_at_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    every = Route("/{path:path}", lambda _: PlainTextResponse("taken"), methods=["GET", "PUT"])
    guarded = Middleware(BaseHTTPMiddleware, dispatch=answer)
    client = TestClient(Starlette(routes=[every], middleware=[guarded]))
    assert client.put("/_stcore/upload_file/s/f").text == "taken"
    monkeypatch.setenv(demonstration.VARIABLE, "1")
    assert client.put("/_stcore/upload_file/s/f").status_code == 403
    assert client.get("/explore").text == "taken"
    assert not visitors.is_home()


@pytest.mark.parametrize(("value", "on"), [("1", True), ("yes", True), ("0", False), ("", False)])
def test_what_the_variable_means(value: str, on: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(demonstration.VARIABLE, value)
    assert demonstration.is_on() is on
