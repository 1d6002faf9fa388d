"""GEAR_DEMO=1 with `streamlit run app.py`, as a hosting service starts it."""

from __future__ import annotations

import sys
from pathlib import Path

from gear_app.core import demonstration
from gear_app.models.embedders.local import HashingEmbedder
from gear_app.workspace.workspace import Workspace
from tests.ports import free_port
from tests.serving.real import ROOT, running
from tests.small import QUESTION
from tests.workspaces import pack


def test_visitors_see_the_demo_and_no_file_is_taken(tmp_path: Path) -> None:
    made = Workspace(tmp_path / "w.db", embedder=HashingEmbedder())
    made.imports.do(pack(tmp_path / "pack"), "demo")
    made.ask(QUESTION, "demo", "gear")
    made.close()
    folder, port = tmp_path / "here", free_port()
    folder.mkdir()
    command = [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py")]
    variables = {
        demonstration.VARIABLE: "1",
        "GEAR_WORKER": "off",
        "GEAR_WORKSPACE": str(made.path),
    }
    command += [f"--server.port={port}", "--server.headless=true"]
    with running(command, port, folder, variables) as server:
        page = server.load_page()
        refused = server.get("/_stcore/upload_file/session/file", method="PUT")
    shown = b"".join(message.SerializeToString() for message in page)
    assert QUESTION.encode() in shown and b"Exception" not in shown
    assert b"file_uploader" not in shown
    assert (refused.status, refused.body.decode()) == (403, demonstration.CLOSED)
