"""A key typed in a browser is used by the worker, another process, and is found nowhere that lasts
or is shown.
"""

from __future__ import annotations

import json
import logging
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import gear_app
from gear_app.app.shared import visitors
from gear_app.cli import main
from gear_app.models.server import Spec
from gear_app.trace.events import to_row
from gear_app.workspace.runs.request import RunRequest
from gear_app.workspace.runs.share import to_json
from gear_app.workspace.worker import Supervisor
from gear_app.workspace.workspace import Workspace
from tests.app.settings.settings_page import drawn, in_use, state
from tests.models.server import KEY, ScriptedReply, chat_reply, error, serving
from tests.models.world import role_of
from tests.small import QUESTION
from tests.waiting import until
from tests.workspaces import filled

APP = str(Path(gear_app.__file__).parent / "app" / "navigation.py")
VARIABLES = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "GEAR_MODEL", "GEAR_KEY_FOR")


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """A workspace behind the pages, whose worker is a process of its own."""
    made = filled(tmp_path)
    monkeypatch.setattr(Workspace, "ensure_worker", lambda self: None)
    monkeypatch.setattr(gear_app, "open", lambda path=None, create=True: made)
    monkeypatch.setattr(visitors, "is_home", lambda: True)
    monkeypatch.setenv("GEAR_EMBEDDER", "hashing")
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    st.cache_resource.clear()
    yield made
    made.close()
    st.cache_resource.clear()


@pytest.fixture
def worker(made: Workspace) -> Iterator[subprocess.Popen[bytes]]:
    supervisor = Supervisor(made)
    supervisor.start()
    until(lambda: supervisor._worker is not None)
    assert supervisor._worker
    yield supervisor._worker
    supervisor.stop()


def on_settings() -> AppTest:
    at = AppTest.from_file(APP, default_timeout=60)
    at.run()
    return at.switch_page("settings/page.py").run()


def replies(asked: dict[str, Any]) -> ScriptedReply:
    """Reads and extracts, and repeats the key that it was sent."""
    script = {
        "read": f'("Ada Quill", "was born in", "Port Mira")\n{KEY}',
        "reason": "Answerable: Yes\nAnswer: Port Mira",
        "extraction": (
            '{"named_entities": ["Ada Quill"], "triples": [["Ada Quill", "was born in", "Port'
            ' Mira"]]}'
        ),
    }
    return chat_reply(script[role_of(asked)])


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="no /proc to look into")
def test_the_key_of_a_session_reaches_the_server_and_nothing_else(
    made: Workspace,
    worker: subprocess.Popen[bytes],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    with serving(replies) as server:
        at = on_settings()
        in_use(at, server)
        at.switch_page("explore/page.py").run()
        at.text_input(key="question").set_value(QUESTION)
        at.button(key="run-button").click().run()
        (run,) = made.runs.recent()
        spec = Spec.from_json(run.model, run.key_from)
        job = made.jobs.enqueue_extraction("films", "llm", model=spec)
        until(
            lambda: (
                made.runs.get(run.id).state == "done" and made.store.tasks.job(job).state == "done"
            )
        )
        assert {headers["authorization"] for headers in server.headers} == {f"Bearer {KEY}"}
        for file in ("cmdline", "environ"):
            assert KEY.encode() not in Path(f"/proc/{worker.pid}/{file}").read_bytes()
        server.reply = lambda asked: error(401, f"Incorrect API key provided: {KEY}.")
        failing = made.runs.enqueue(
            RunRequest("Who studied law?", "films", "gear", reader="llm", model=spec)
        )
        until(lambda: not made.runs.get(failing).going)
        at.run()
    told = [
        json.dumps(to_row(event)) for id_ in (run.id, failing) for event in made.runs.events(id_)
    ]
    assert "[key]" in "".join(told) and "answered 401" in made.runs.get(failing).message
    (tmp_path / "run.json").write_text(to_json(made.store, [run.id]), encoding="utf-8")
    for command in (["runs"], ["show", run.id], ["show", failing], ["prices"]):
        main([*command, "--workspace", str(made.path), "--json"])
    out, err = capsys.readouterr()
    shown = (
        "".join(told)
        + drawn(at)
        + state(at)
        + str(made.runs.get(failing))
        + str(made.store.tasks.job(job))
        + out
        + err
        + caplog.text
    )
    assert KEY not in shown
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert {"workspace.db", "workspace.db-wal", "workspace.db.log", "run.json"} <= {
        file.name for file in files
    }
    assert [file.name for file in files if KEY.encode() in file.read_bytes()] == []
    assert run.key_from not in (tmp_path / "run.json").read_text(encoding="utf-8") + out
