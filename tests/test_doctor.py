"""What the doctor finds out, and that it imports no library of models for it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gear_app.cli import main
from gear_app.workspace import doctor
from gear_app.workspace.workspace import Workspace
from tests.workspaces import filled


def test_the_doctor_imports_no_library_of_models() -> None:
    script = (
        "import gear_app, sys; from gear_app.workspace.doctor import examine;"
        "list(examine(gear_app.open(create=False)));"
        "print(sorted({'torch', 'spacy'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine on which nobody has used the application: no workspace is named, none is there."""
    monkeypatch.delenv("GEAR_WORKSPACE", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return tmp_path


@pytest.mark.skipif(sys.platform != "linux", reason="the data folder is another one there")
def test_a_fresh_machine_without_a_workspace_is_one_note_and_no_problem(
    fresh: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor"]) == 0
    out, err = capsys.readouterr()
    about = [line for line in out.splitlines() if "There is no workspace" in line]
    assert len(about) == 1 and about[0].startswith("note     workspace: ")
    assert "gear-app demo" in about[0] and "PROBLEM" not in out and err == ""
    assert "worker: " not in out and "damage: " not in out
    assert list(fresh.iterdir()) == []


def test_damage_of_a_workspace_file_is_found(tmp_path: Path) -> None:
    made = filled(tmp_path)
    (sound,) = [one for one in doctor.examine(made) if one.subject == "damage"]
    assert (sound.ok, sound.state) == (True, "ok")
    root = made.store.db.value("SELECT rootpage FROM sqlite_master WHERE name = 'triples_object'")
    size = made.store.db.value("PRAGMA page_size")
    made.close()
    with made.path.open("r+b") as file:
        file.seek((root - 1) * size + size // 2)
        file.write(b"\x00" * (size // 2))
    (found,) = [one for one in doctor.examine(Workspace(made.path)) if one.subject == "damage"]
    assert not found.ok and ("triples_object" in found.state or "is damaged" in found.state)
