"""A run in which the model failed is made again with that failure, at the same place and without a
server.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from gear_app.core.errors import GearError, NotReady
from gear_app.display import share_pages
from gear_app.models.server import Patience, Spec
from gear_app.trace.events import Called, Failed, Ranked, Stopped, TreeSearched
from gear_app.workspace.runs.share import to_json
from gear_app.workspace.workspace import Workspace
from tests.models.conftest import Bench, Serve
from tests.models.server import ScriptedReply, ScriptedServer, chat_reply, error
from tests.models.world import by_role, endless
from tests.small import QUESTION, of_kind
from tests.workspaces import filled

CLOSED = error(401, "The account is closed.")
FAILURES = {
    "key refused": CLOSED,
    "no JSON": ScriptedReply(b"<html>Welcome</html>", kind="text/html"),
    "timed out": ScriptedReply(b"", stalls=True),
    "nonsense": chat_reply("Hello! I am happy to help."),
    "cut": chat_reply("Answerable", finish="length"),
}
# A method, and how many calls come before the one that fails: each of its roles fails once.
PLACES = [("sync_ge:bm25", 0), ("gear:bm25", 2), ("hipporag", 0), ("bdtr:bm25", 3)]


@pytest.fixture
def films(tmp_path: Path) -> Workspace:
    return impatient(filled(tmp_path))


def impatient(made: Workspace) -> Workspace:
    made.models.patience = Patience(timeout_s=2.0, retries=0)
    return made


def fails_at(call: int, failure: ScriptedReply) -> Callable[[dict[str, Any]], ScriptedReply]:
    """Replies well to so many calls, and to none after these."""
    numbers, works = itertools.count(), endless()
    return lambda asked: failure if next(numbers) >= call else works(asked)


def run_of(films: Workspace, server: ScriptedServer, method: str, **more: Any) -> str:
    """A run that ends as it may."""
    more = {"reader": "llm", "model": Spec(server.base_url, "tiny"), **more}
    with suppress(GearError):
        films.ask(QUESTION, "films", method, **more)
    return films.runs.recent()[0].id


def assert_replays(films: Workspace, run: str, server: ScriptedServer) -> None:
    """The same events but for what kept replies cost, without asking anybody."""
    then = films.runs.answer(run).events
    asked = len(server.asked)
    films.store.replies.forget()
    if films.runs.get(run).state == "failed":
        with pytest.raises(NotReady, match="no ranking to compare with"):
            films.reruns.replay(run)
        return
    assert films.reruns.replay(run) == ""
    again = films.reruns.rerun(run)
    assert len(server.asked) == asked
    assert [type(event) for event in again] == [type(event) for event in then]
    assert of_kind(again, Failed, Stopped, Ranked) == of_kind(then, Failed, Stopped, Ranked)
    assert [c.failed for c in of_kind(again, Called)] == [c.failed for c in of_kind(then, Called)]


@pytest.mark.parametrize(("method", "call"), PLACES)
def test_a_run_that_lost_its_server_is_replayed_to_the_same_end(
    films: Workspace, bench: Bench, method: str, call: int
) -> None:
    server = bench.serve(fails_at(call, CLOSED))
    run = run_of(films, server, method)
    calls = of_kind(films.runs.answer(run).events, Called)
    assert [bool(one.failed) for one in calls] == [False] * call + [True]
    assert calls[-1].failed.endswith("answered 401: The account is closed.")
    assert calls[-1].prompt == server.prompts[-1] and films.runs.get(run).spent.calls == call
    assert_replays(films, run, server)


@pytest.mark.parametrize("failure", FAILURES)
def test_whatever_came_in_place_of_a_reply_comes_again(
    films: Workspace, bench: Bench, failure: str
) -> None:
    server = bench.serve(fails_at(3, FAILURES[failure]))
    run = run_of(films, server, "gear:bm25")
    assert of_kind(films.runs.answer(run).events, Failed)
    assert_replays(films, run, server)


def test_replies_of_an_imported_run_are_not_kept_as_those_of_their_model(
    films: Workspace, serve: Serve, tmp_path: Path
) -> None:
    server, tree = serve(by_role(summarise=["Lights of a stranger"])), {"summaries": "reader"}
    run = films.ask(QUESTION, "films", "raptor", reader="llm", settings=tree).run
    path = tmp_path / "run.json"
    path.write_text(to_json(films.store, [run]), encoding="utf-8")
    (tmp_path / "other").mkdir()
    other = impatient(filled(tmp_path / "other"))
    asked = len(server.asked)
    imported = share_pages.import_runs(other, path)
    told = [node.text for one in other.runs.events(run) for node in getattr(one, "nodes", ())]
    assert "Lights of a stranger" in told and imported.collection == "films (2)"
    for table in ("model_replies", "embeddings"):
        assert not other.store.db.value(f"SELECT 1 FROM {table} LIMIT 1"), table
    server.reply = by_role(summarise=["A harbour"])
    found = other.ask(QUESTION, "films", "raptor", reader="llm", settings=tree)
    texts = {node.text for one in of_kind(found.events, TreeSearched) for node in one.nodes}
    assert len(server.asked) > asked
    assert "A harbour" in texts and "Lights of a stranger" not in texts
    assert [one.runs for one in other.store.tasks.spending()] == [1], "another was paid elsewhere"
