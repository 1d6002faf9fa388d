"""Files that lie in the folder somebody starts the application in: none is run, none is obeyed."""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
import sys
from pathlib import Path

import pytest

from gear_app.core.launch import launch
from gear_app.workspace.runs.request import RunRequest
from tests.serving.real import ROOT, serving
from tests.small import QUESTION
from tests.waiting import until
from tests.workspaces import filled

STORY = """
import os, sys
with open({marker!r}, "a") as marker:
    marker.write("{name} in " + " ".join(sys.argv) + "\\n")
raise ImportError("a file of the folder was run")
"""


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A folder with a file named after every module there is; each writes into `marker` beside the
    folder when it is run.
    """
    folder = tmp_path / "downloads"
    folder.mkdir()
    marker = str(tmp_path / "marker")
    installed = {
        name for name in importlib.metadata.packages_distributions() if name.isidentifier()
    }
    own = {path.stem for path in (ROOT / "gear_app").rglob("*.py")} | {"tests", "gear_app"}
    for name in sys.stdlib_module_names | installed | own | {"sitecustomize", "usercustomize"}:
        (folder / f"{name}.py").write_text(STORY.format(marker=marker, name=name))
    return folder


def test_serve_its_pages_and_its_worker_import_nothing_of_the_folder_they_are_started_in(
    tmp_path: Path, trap: Path
) -> None:
    made = filled(tmp_path)
    with serving(trap, "--workspace", str(made.path)) as server:
        messages = server.load_page()
        deltas = [message for message in messages if message.WhichOneof("type") == "delta"]
        assert len(deltas) > 5 and b"ImportError" not in b"".join(
            message.SerializeToString() for message in messages
        )
        run = made.runs.enqueue(
            RunRequest(QUESTION, "films", "gear")
        )  # the server's worker takes it
        until(lambda: made.runs.get(run).state not in ("queued", "running"))
        assert made.runs.get(run).state == "done", made.runs.get(run).message
    made.path.unlink()  # the worker goes with it
    assert not (tmp_path / "marker").exists(), (tmp_path / "marker").read_text()


def test_what_a_program_of_ours_starts_is_as_careful_and_the_python_path_is_kept(
    tmp_path: Path, trap: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", f":{ROOT}:{tmp_path}:")  # an empty entry is the current folder
    (tmp_path / "asked.py").write_text(
        "import json, subprocess, sys\n"
        "inner = [sys.executable, '-c', 'import json, sys; print(json.dumps(sys.path))']\n"
        "print(json.dumps([sys.path, json.loads(subprocess.check_output(inner)), sys.argv[1:]]))\n"
    )
    program = launch("asked", "one", GEAR_WORKSPACE="w")
    assert program.environment["GEAR_WORKSPACE"] == "w"
    found = subprocess.check_output(program.command, env=program.environment, cwd=trap)
    outer, inner, arguments = json.loads(found)
    assert arguments == ["one"] and outer == inner
    assert outer[:2] == [str(ROOT), str(tmp_path)]
    assert not {"", str(trap)} & set(outer)


def test_secrets_and_settings_of_the_folder_are_not_taken_over(tmp_path: Path) -> None:
    folder = tmp_path / "downloads"
    (folder / ".streamlit").mkdir(parents=True)
    (folder / "random.py").write_text(STORY.format(marker=str(tmp_path / "marker"), name="random"))
    (folder / ".streamlit" / "secrets.toml").write_text(
        f'PYTHONPATH = "{folder}"\nOPENAI_BASE_URL = "http://evil.example"\n'
    )
    (folder / ".streamlit" / "config.toml").write_text(
        '[server]\nenableCORS = false\nallowedHosts = ["*"]\nenableAgentApi = true\n'
        '[secrets]\nfiles = [".streamlit/secrets.toml"]\n'
    )
    made = filled(tmp_path)
    with serving(folder, "--workspace", str(made.path)) as server:
        server.load_page()
        until(lambda: made.store.tasks.worker() != "not running")
        worker = str(made.store.db.value("SELECT process FROM worker"))
        environment = Path(f"/proc/{worker.split(':')[0]}/environ").read_bytes().split(b"\0")
        assert server.get("/_stcore/health").headers["Access-Control-Allow-Origin"] is None
        assert b"not_available" in server.get("/_stcore/agent/interact", method="POST").body
    made.path.unlink()
    assert b"PYTHONPATH=" + str(ROOT).encode() in environment
    assert not [line for line in environment if line.startswith(b"OPENAI_BASE_URL")]
    assert not (tmp_path / "marker").exists()
