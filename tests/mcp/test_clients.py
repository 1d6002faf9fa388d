"""How programs are told of the server, and that what they have otherwise stays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gear_app.cli.mcp import CLIENTS, configuration, entry, file_of
from tests.cli.conftest import run
from tests.cli.printed import Run

__all__ = ["run"]


@pytest.mark.parametrize("client", CLIENTS)
def test_a_dry_run_prints_the_entry_and_writes_nothing(
    client: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.chdir(tmp_path)
    status, out, err = run("mcp", "install", client, "--collection", "films", "--dry-run")
    (server,) = json.loads(out)[CLIENTS[client].servers].values()
    assert status == 0 and str(file_of(client)) in err
    assert server["args"][2:] == [
        *("gear_app", "mcp", "--workspace", str(tmp_path / "w.db"), "--collection", "films")
    ]
    assert list(tmp_path.iterdir()) == []


def test_install_adds_the_server_and_keeps_the_others(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    file = tmp_path / ".cursor" / "mcp.json"
    file.parent.mkdir()
    file.write_text('{"theme": "dark", "mcpServers": {"other": {"command": "x"}}}')
    assert run("mcp", "install", "cursor")[0] == run("mcp", "install", "cursor")[0] == 0
    whole: dict[str, Any] = json.loads(file.read_text("utf-8"))
    assert whole["theme"] == "dark" and set(whole["mcpServers"]) == {"other", "gear-app"}


@pytest.mark.parametrize("present", ["// a comment\n{}", "[]", '{"mcpServers": []}', "null"])
def test_a_file_that_cannot_be_added_to_is_left_alone(
    present: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    file = tmp_path / ".cursor" / "mcp.json"
    file.parent.mkdir()
    file.write_text(present)
    status, _, err = run("mcp", "install", "cursor")
    assert status == 2 and "by hand" in err and file.read_text() == present


def test_an_empty_file_is_begun() -> None:
    assert json.loads(configuration("vscode", entry(), "\n"))["servers"].keys() == {"gear-app"}
