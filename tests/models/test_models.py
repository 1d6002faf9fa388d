"""A language model of the environment behind the workspace."""

from __future__ import annotations

import json
import logging
import re
from pathlib import Path
from typing import Any

import pytest

from gear_app.cli import main
from gear_app.core.errors import NotReady
from gear_app.models.errors import ServerFailed
from gear_app.models.server import spec_from_environment
from gear_app.workspace.workspace import Workspace
from tests.models.conftest import VARIABLES, Serve
from tests.models.server import KEY, ScriptedReply, chat_reply, error
from tests.models.world import role_of
from tests.small import QUESTION
from tests.workspaces import corpus_of, failures, workspace


@pytest.fixture(autouse=True)
def unset(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


def graph(asked: dict[str, Any]) -> ScriptedReply:
    """The fact of a passage of `corpus_of`."""
    found = re.search(r"(Person\d+) was born in (Town\d+)", asked["messages"][0]["content"])
    assert found
    return chat_reply(
        json.dumps(
            {
                "named_entities": list(found.groups()),
                "triples": [[found[1], "was born in", found[2]]],
            }
        )
    )


# What is configured


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({}, "GEAR_MODEL and OPENAI_API_KEY or OPENAI_BASE_URL must be set"),
        ({"OPENAI_API_KEY": KEY}, ": GEAR_MODEL must be set"),
        (
            {"GEAR_MODEL": "tiny", "OPENAI_API_KEY": " "},
            ": OPENAI_API_KEY or OPENAI_BASE_URL must be set",
        ),
    ],
)
def test_what_is_missing_of_the_configuration_is_named(
    values: dict[str, str], named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(NotReady) as raised:
        spec_from_environment()
    assert named in str(raised.value) and KEY not in str(raised.value)


# Extraction


def test_a_server_that_is_gone_ends_the_job_and_fails_no_passage(
    tmp_path: Path, serve: Serve
) -> None:
    made = workspace(tmp_path)
    made.imports.do(corpus_of(tmp_path, 40), "c")
    closed = True

    def person(asked: dict[str, Any]) -> int:
        return int(re.findall(r"Person(\d+) was", asked["messages"][0]["content"])[0])

    def reply(asked: dict[str, Any]) -> ScriptedReply:
        return (
            error(401, "The account is closed.") if closed and person(asked) >= 20 else graph(asked)
        )

    server = serve(reply)
    with pytest.raises(ServerFailed, match="The account is closed"):
        made.jobs.extract("c", "llm")
    (job,) = (job for job in made.jobs.recent("c") if job.kind == "extraction")
    assert (job.state, job.failed) == ("failed", 0) and "The account is closed." in job.message
    assert failures(made, "c", "llm") == []
    kept = made.store.db.value("SELECT count(*) FROM extractions")
    assert 20 - 7 <= kept <= 20  # calls under way were closed
    closed, before = False, len(server.asked)
    made = workspace(tmp_path)  # as after a restart: the circuit is another one
    assert made.jobs.extract("c", "llm").done == 40
    # Each once, as a set: a call that was closed may reach the server only now.
    asked_again = {person(asked) for asked in server.asked[before:]}
    assert asked_again >= set(range(20, 40)) and len(asked_again) <= 40 - kept


# The command line


def both(asked: dict[str, Any]) -> ScriptedReply:
    """Reads, thinks and extracts without end; repeats what its server's log would show."""
    role = role_of(asked)
    if role == "extraction":
        return chat_reply(
            '{"named_entities": ["Ada Quill"], "triples": [["Ada Quill", "was born in", "Port'
            ' Mira"]]}'
        )
    replies = {
        "read": '("Ada Quill", "was born in", "Port Mira")',
        "reason": "Answerable: Yes\nAnswer: Port Mira",
    }
    return chat_reply(replies[role] + f"\n{KEY}" * (role == "read"))


def test_the_command_line_uses_the_model_and_the_key_is_nowhere(
    films: Workspace,
    serve: Serve,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("GEAR_EMBEDDER", "hashing")
    caplog.set_level(logging.DEBUG)
    serve(both)
    common = ["--workspace", str(films.path)]
    there = [*common, "--collection", "films"]
    printed = []

    def called(*arguments: str, status: int = 0) -> str:
        assert main(list(arguments)) == status
        out, err = capsys.readouterr()
        printed.extend([out, err])
        return out + err

    assert "set llm" in called("extract", *there, "--extractor", "llm")
    answer = json.loads(
        called("query", QUESTION, *there, "--reader", "llm", "--triples", "llm", "--json")
    )
    assert answer["tokens"] == {"input": 33, "output": 21}
    assert [event["role"] for event in answer["events"] if event["kind"] == "Called"] == [
        "read",
        "read",
        "reason",
    ]
    told = called("query", QUESTION, *there, "--reader", "llm", "--triples", "llm")
    assert "answer: Port Mira" in told and "3 calls (3 kept from before) of tiny, " in told
    assert ", 33 + 21 tokens, $0.00" in told
    told = called("eval", *there, "--methods", "gear", "--reader", "llm", "--json")
    measured = json.JSONDecoder().raw_decode(told)[0]  # the estimate follows
    assert measured["methods"][0]["tokens"]["input"] > 0 and measured["methods"][0]["failed"] == 0
    called("show", answer["run"], *common, "--json")
    called("show", answer["run"], *common)
    called("replay", answer["run"], *common, "--check")
    assert "language model: tiny at http://127.0.0.1" in called("doctor", *common)
    serve(lambda asked: error(401, f"Incorrect API key provided: {KEY}."))
    assert "answered 401" in called(
        "query", "Who studied law?", *there, "--reader", "llm", status=1
    )
    films.close()
    written = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert b"Port Mira" in written and KEY.encode() not in written
    assert KEY not in "".join(printed) + caplog.text
