"""A workspace is opened: where it lies, and who works for it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import gear_app
from gear_app.core.paths import default_path


def test_the_workspace_is_the_named_one_or_lies_in_the_users_data_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEAR_WORKSPACE", str(tmp_path / "mine.db"))
    assert default_path() == tmp_path / "mine.db" == gear_app.open().path
    monkeypatch.delenv("GEAR_WORKSPACE")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr("sys.platform", "linux")
    assert default_path() == tmp_path / "data" / "gear-app" / "workspace.db"


def test_the_python_of_the_tour_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (Path(__file__).parents[1] / "docs" / "tour.md").read_text(encoding="utf-8")
    (source,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    (tmp_path / "notes").mkdir()
    text = "Lorn Bridge was designed by Ada Quill. Ada Quill was born in Port Mira."
    (tmp_path / "notes" / "bridge.txt").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GEAR_EMBEDDER", "hashing")
    exec(source, {})
    assert capsys.readouterr().out.startswith("['bridge']\nbridge ")
