"""A workspace that may only be read, on the screen: it can be looked at, and nothing is left."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.serving.real import serving
from tests.small import QUESTION
from tests.store.test_read_only import bound
from tests.workspaces import filled


def test_a_read_only_workspace_is_shown_and_has_no_worker(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    made = filled(folder)
    made.ask(QUESTION, "films", "gear")
    made.close()
    folder.chmod(0o555)
    there = sorted(folder.iterdir())
    program = (*bound(), sys.executable, "-P", "-m", "gear_app")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with serving(elsewhere, "--workspace", str(made.path), program=program) as server:
        shown = b"".join(message.SerializeToString() for message in server.load_page())
    folder.chmod(0o755)
    assert QUESTION.encode() in shown and b"Ada Quill" in shown
    assert b"read-only" not in shown and b"Error" not in shown
    assert sorted(folder.iterdir()) == there
    log = server.log.read_text()
    assert "Traceback" not in log and "worker" not in log, log
