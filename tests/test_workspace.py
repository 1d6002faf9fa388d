"""A workspace is opened: where it lies, and who works for it."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import gear_app
from gear_app.core.paths import default_path
from gear_app.store.processes import Lock
from gear_app.workspace.workspace import Workspace


def test_open_gives_a_workspace_and_touches_nothing_yet(tmp_path: Path) -> None:
    opened = gear_app.open(tmp_path / "deep" / "w.db")
    assert isinstance(opened, Workspace) and not (tmp_path / "deep").exists()
    assert opened.collections.all() == [] and (tmp_path / "deep" / "w.db").exists()


def test_a_part_is_made_when_it_is_first_used_and_once_for_all_threads(tmp_path: Path) -> None:
    opened = Workspace(tmp_path / "w.db")
    assert "costs" not in vars(opened)
    with ThreadPoolExecutor(8) as threads:
        parts = set(threads.map(lambda _: id(opened.models), range(64)))
    assert parts == {id(opened.models)} and opened.costs is opened.costs


def test_the_workspace_is_the_named_one_or_lies_in_the_users_data_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEAR_WORKSPACE", str(tmp_path / "mine.db"))
    assert default_path() == tmp_path / "mine.db" == gear_app.open().path
    monkeypatch.delenv("GEAR_WORKSPACE")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr("sys.platform", "linux")
    assert default_path() == tmp_path / "data" / "gear-app" / "workspace.db"


def test_a_worker_is_alive_as_long_as_it_has_the_lock(films: Workspace) -> None:
    lock = Lock(films.path)
    assert lock.acquire()
    films.store.processes.beat("7:a", "ready", "")
    assert films.jobs.worker_status() == "ready"
    lock.release()
    assert films.jobs.worker_status() == "not running"


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
    assert capsys.readouterr().out.startswith("bridge ")
