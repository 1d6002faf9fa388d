"""Dify's route, asked over HTTP as Dify asks it."""

from __future__ import annotations

import http.client
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from gear_app.frameworks.dify import relative_scores
from gear_app.frameworks.search import FoundPassage
from gear_app.workspace import Workspace
from tests.cli.conftest import run
from tests.cli.printed import Run
from tests.ports import free_port
from tests.small import QUESTION
from tests.waiting import until
from tests.workspaces import filled

__all__ = ["run"]

TOKEN = "a-long-random-word"


class DifyServer(NamedTuple):
    """A running `gear-app dify` and the workspace that it answers from."""

    port: int
    workspace: Workspace

    def ask(
        self, body: object = None, authorization: str = f"Bearer {TOKEN}", path: str = "/retrieval"
    ) -> tuple[int, Any]:
        """The status and the JSON of an answer; without a body, of a whole question's."""
        sent = question() if body is None else body
        text = sent if isinstance(sent, str) else json.dumps(sent)
        caller = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {"Content-Type": "application/json", "Authorization": authorization}
        caller.request("POST", path, text, headers)
        answer = caller.getresponse()
        reply = answer.read()
        caller.close()
        return answer.status, json.loads(reply) if path == "/retrieval" else reply


def question(**fields: object) -> dict[str, object]:
    setting = {"top_k": 3, "score_threshold": 0.0}
    return {"knowledge_id": "films", "query": QUESTION, "retrieval_setting": setting} | fields


@pytest.fixture(scope="module")
def dify(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DifyServer]:
    films = filled(tmp_path_factory.mktemp("dify"))
    port = free_port()
    variables = {"GEAR_EMBEDDER": "hashing", "MY_TOKEN": TOKEN}
    command = ["dify", "--port", str(port), "--token-from-environment", "MY_TOKEN"]
    server = subprocess.Popen(
        [sys.executable, "-m", "gear_app", *command, "--workspace", str(films.path)],
        env=os.environ | variables,
        cwd=Path(__file__).parents[2],
    )
    try:
        until(lambda: _answers(port))
        yield DifyServer(port, films)
    finally:
        server.terminate()
        server.wait(30)


def _answers(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def test_records_have_difys_form_and_the_run_can_be_opened(dify: DifyServer) -> None:
    status, reply = dify.ask()
    first, *rest = reply["records"]
    assert status == 200 and len(rest) == 2 and first["score"] == 1.0
    for record in reply["records"]:
        assert set(record) == {"content", "score", "title", "metadata"}
        assert record["content"] and record["title"] and 0 <= record["score"] <= 1
    run = first["metadata"]["address"].partition("run=")[2].partition("#")[0]
    assert dify.workspace.runs.get(run).question == QUESTION
    assert first["metadata"]["collection"] == "films"


def test_a_threshold_leaves_out_what_scores_less(dify: DifyServer) -> None:
    every = dify.ask()[1]["records"]
    high = question(retrieval_setting={"top_k": 3, "score_threshold": every[1]["score"]})
    assert [one["score"] for one in dify.ask(high)[1]["records"]] == [
        one["score"] for one in every if one["score"] >= every[1]["score"]
    ]


@pytest.mark.parametrize(
    ("authorization", "status", "code"),
    [("", 401, 1001), (TOKEN, 401, 1001), ("Bearer ", 401, 1001), ("Bearer other", 403, 1002)],
)
def test_who_does_not_bring_the_token_is_refused(
    authorization: str, status: int, code: int, dify: DifyServer
) -> None:
    before = len(dify.workspace.runs.recent("films"))
    got, reply = dify.ask(authorization=authorization)
    assert (got, reply["error_code"]) == (status, code) and reply["error_msg"]
    assert len(dify.workspace.runs.recent("films")) == before


@pytest.mark.parametrize(
    ("body", "status", "code", "words"),
    [
        (question(knowledge_id="filmz"), 404, 2001, "Did you mean 'films'"),
        ("{", 400, 4001, "Invalid JSON"),
        ("[]", 400, 4001, "The request"),
        ({"knowledge_id": "films"}, 400, 4001, "query"),
        (question(retrieval_setting={"top_k": 0}), 400, 4001, "retrieval_setting.top_k"),
        (question(retrieval_setting={"top_k": 51}), 400, 4001, "retrieval_setting.top_k"),
        (question(query=" "), 400, 4001, "no question"),
        (question(query="x" * 2_001), 400, 4001, "2,001 characters"),
        (question(query="x" * 70_000), 400, 4001, "64,000 bytes"),
        (question(metadata_condition={"conditions": [{"name": "a"}]}), 400, 4001, "Leave"),
    ],
)
def test_what_is_wrong_is_told_in_difys_form(
    body: object, status: int, code: int, words: str, dify: DifyServer
) -> None:
    got, reply = dify.ask(body)
    assert (got, reply["error_code"]) == (status, code)
    assert set(reply) == {"error_code", "error_msg"} and words in reply["error_msg"]


def test_conditions_that_are_none_are_no_conditions(dify: DifyServer) -> None:
    for empty in (None, {}, {"logical_operator": "and", "conditions": []}):
        assert dify.ask(question(metadata_condition=empty))[0] == 200


def test_there_is_no_other_route(dify: DifyServer) -> None:
    assert dify.ask(path="/docs")[0] == 404


def test_without_a_token_a_method_or_a_port_that_is_one_nothing_is_begun(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Workspace(tmp_path / "w.db").collections.create("notes")
    monkeypatch.delenv("GEAR_DIFY_TOKEN", raising=False)
    status, _, err = run("dify")
    assert status == 2 and "GEAR_DIFY_TOKEN is not set" in err
    monkeypatch.setenv("GEAR_DIFY_TOKEN", "short")
    status, _, err = run("dify")
    assert status == 2 and "16 characters" in err and "short" not in err
    monkeypatch.setenv("GEAR_DIFY_TOKEN", TOKEN)
    status, _, err = run("dify", "--method", "gaer")
    assert status == 2 and "Did you mean 'gear'" in err
    status, _, err = run("dify", "--port", "70000")
    assert status == 2 and "65535" in err


def test_a_port_that_is_taken_is_told(
    dify: DifyServer, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Workspace(tmp_path / "w.db").collections.create("notes")
    monkeypatch.setenv("GEAR_DIFY_TOKEN", TOKEN)
    status, out, err = run("dify", "--port", dify.port)
    assert (status, out) == (2, "") and f"Port {dify.port} cannot be used" in err


def test_scores_without_a_positive_one_go_by_rank() -> None:
    found = [FoundPassage("a", "", "", -1.0, 1, ""), FoundPassage("b", "", "", -2.0, 2, "")]
    assert relative_scores(found) == [1.0, 0.5] and relative_scores([]) == []
