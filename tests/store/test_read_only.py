"""A workspace file that may only be read."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.small import QUESTION
from tests.workspaces import filled

ROOT = Path(__file__).parents[2]
SENTENCE = "is read-only here: it can be looked at, not changed. Copy it to a folder"
Called = Callable[..., "subprocess.CompletedProcess[str]"]


def bound() -> list[str]:
    """What makes a process obey the modes of files, which root's do not."""
    if os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("root may write everything, and setpriv is not here to change that")
    return ["setpriv", "--bounding-set", "-dac_override", "--inh-caps", "-dac_override", "--"]


@pytest.fixture(params=["both"])
def shared(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A workspace with a finished run, closed by everybody; it, its folder or both are read-only."""
    folder = tmp_path / "shared"
    folder.mkdir()
    made = filled(folder)
    run = made.ask(QUESTION, "films", "gear").run
    (tmp_path / "run").write_text(run)
    made.close()
    path = folder / "workspace.db"
    shutil.rmtree(folder / "workspace.db.cache")
    if request.param != "folder":
        path.chmod(0o444)
    if request.param != "file":
        folder.chmod(0o555)
    yield path
    folder.chmod(0o755)


@pytest.fixture
def called(shared: Path, tmp_path: Path) -> Called:
    """A real `gear-app` that may not write the shared workspace."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [*bound(), sys.executable, "-P", "-m", "gear_app", *arguments]
        return subprocess.run(
            [*command, "--workspace", str(shared)],
            env=os.environ | {"PYTHONPATH": str(ROOT), "GEAR_EMBEDDER": "hashing"},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def test_what_is_read_only_can_be_looked_at_and_exported(
    shared: Path, called: Called, tmp_path: Path
) -> None:
    run = (tmp_path / "run").read_text()
    collections = called("collections", "--json")
    assert collections.returncode == 0, collections.stderr
    assert [found["name"] for found in json.loads(collections.stdout)] == ["films"]
    assert QUESTION in called("questions", "--collection", "films").stdout
    assert [found["id"] for found in json.loads(called("runs", "--json").stdout)] == [run]
    shown = json.loads(called("show", run, "--json").stdout)
    assert shown["run"] == run and len(shown["events"]) > 5
    assert called("replay", run, "--check").returncode == 0
    exported = called("export", run, "--html", str(tmp_path / "run.html"))
    assert exported.returncode == 0, exported.stderr
    assert "films (8 passages)" in called("doctor").stdout
    assert not list(shared.parent.glob("workspace.db-*"))


@pytest.mark.parametrize(
    "arguments",
    [
        ("query", QUESTION, "--collection", "films", "--method", "bm25"),
        ("import", "text.txt", "--collection", "new"),
        ("extract", "--collection", "films"),
        ("pin", "RUN"),
    ],
)
def test_writing_what_is_read_only_gives_one_sentence(
    called: Called, shared: Path, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    (tmp_path / "text.txt").write_text("Some words.")
    run = (tmp_path / "run").read_text()
    done = called(*(run if argument == "RUN" else argument for argument in arguments))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"gear-app: {shared} {SENTENCE}") and done.stderr.count("\n") == 1
