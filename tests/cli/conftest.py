"""Commands on a workspace of the test."""

from __future__ import annotations

from pathlib import Path

import pytest

from gear_app.cli import main
from gear_app.models.extractor import local
from tests.cli.printed import Run
from tests.workspaces import ToyExtractor, pack


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """A command on a workspace of this test: its exit status, standard output and standard
    error.
    """
    monkeypatch.setenv("GEAR_EMBEDDER", "hashing")
    monkeypatch.setenv("GEAR_WORKSPACE", str(tmp_path / "w.db"))
    monkeypatch.setattr(local, "LocalExtractor", ToyExtractor)

    def called(*arguments: object) -> tuple[int, str, str]:
        try:
            status = main([str(argument) for argument in arguments])
        except SystemExit as end:
            status = int(end.code or 0)
        output = capsys.readouterr()
        return status, output.out, output.err

    return called


@pytest.fixture
def films(run: Run, tmp_path: Path) -> Run:
    """The same with the small collection in it."""
    assert run("import", pack(tmp_path / "pack"), "--collection", "films")[0] == 0
    return run
