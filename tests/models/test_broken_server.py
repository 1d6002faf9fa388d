"""A broken model server is named with its cause, whatever else it brings about."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from gear_app.cli import main
from gear_app.models.server import Patience
from gear_app.workspace.workspace import Workspace
from tests.models.conftest import Bench, name_in_environment
from tests.models.server import ScriptedReply, error
from tests.models.world import endless
from tests.small import QUESTION

Called = Callable[..., tuple[int, str, str]]
PAGE = ScriptedReply(b"<html>Sign in</html>", kind="text/html")
BROKEN = {
    "refuses the key": (
        error(401, "The account is closed."),
        "answered 401: The account is closed",
    ),
    "has an error": (error(500, "Out of memory."), "answered 500: Out of memory"),
    "sends a page": (PAGE, "sent a web page: Sign in"),
    "says nothing": (ScriptedReply(b"", stalls=True), "gave no whole reply within 0.3 s"),
}


@pytest.fixture
def called(
    films: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Called]:
    """A command about the films, which asks a server again at once."""
    monkeypatch.setenv("GEAR_EMBEDDER", "hashing")
    patience = Patience(retries=2)
    monkeypatch.setattr("gear_app.workspace.models.Patience", lambda: patience)

    def call(command: str, *arguments: str) -> tuple[int, str, str]:
        there = ["--workspace", str(films.path), "--collection", "films"]
        status = main([command, *arguments, *there])
        return status, *capsys.readouterr()

    yield call


COMMANDS = {
    "extract": ("--extractor", "llm"),
    "eval": ("--methods", "sync_ge,hybrid", "--reader", "llm"),
    "query": (QUESTION, "--reader", "llm", "--budget", "20k"),
}


@pytest.mark.parametrize("how", BROKEN)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_names_what_is_wrong_with_the_server_and_fails(
    called: Called, bench: Bench, monkeypatch: pytest.MonkeyPatch, command: str, how: str
) -> None:
    reply, words = BROKEN[how]
    if reply.stalls:
        impatient = Patience(timeout_s=0.3, retries=2)
        monkeypatch.setattr("gear_app.workspace.models.Patience", lambda: impatient)
    name_in_environment(monkeypatch, bench.serve(lambda asked: reply).base_url)
    status, _, err = called(command, *COMMANDS[command])
    assert status == 1
    last = err.splitlines()[-1]
    assert last.startswith("gear-app: The model server at http://127.0.0.1") and words in last


def test_a_run_that_lost_its_model_midway_is_no_number_until_it_is_made_again(
    called: Called, bench: Bench, monkeypatch: pytest.MonkeyPatch, films: Workspace
) -> None:
    """It ends with a ranking, that of hybrid search, which says nothing of GEAR."""
    numbers, works, broken = itertools.count(), endless(), [True]

    def reply(asked: dict[str, Any]) -> ScriptedReply:
        return error(500, "Out of memory.") if broken and next(numbers) else works(asked)

    name_in_environment(monkeypatch, bench.serve(reply).base_url)
    wanted = ("--methods", "hybrid,gear", "--reader", "llm", "--triples", "curated", "--json")
    status, out, err = called("eval", *wanted)
    hybrid, gear = json.loads(out)["methods"]
    assert (
        status == 1
        and "1 run failed; failed runs are in no number" in err
        and "Out of memory" in err
    )
    assert (gear["n"], gear["failed"], gear["mrr"]) == (0, 1, None) and hybrid["mrr"]
    assert films.runs.get(json.loads(out)["questions"][1]["run"]).state == "done", "it went on"
    broken.clear()
    status, out, _ = called("eval", *wanted)
    gear = json.loads(out)["methods"][1]
    assert (status, gear["n"], gear["failed"]) == (0, 1, 0) and gear["recall"]["5"] > 0
