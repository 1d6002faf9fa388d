"""Commands that read make no workspace: a misspelt name is told, and nothing is left behind."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gear_app.cli import demo, main, serve  # noqa: F401 - they declare their commands
from gear_app.cli.options import DECLARED, Command
from gear_app.index.opensearch.cluster import URL
from tests.cli.printed import Run

MAKES = {"import", "demo", "serve"}
READS = {
    "doctor": (),
    "collections": (),
    "questions": ("--collection", "c"),
    "extract": ("--collection", "c"),
    "query": ("Who?", "--collection", "c"),
    "eval": ("--collection", "c"),
    "runs": (),
    "index": ("push", "--collection", "c", "--to", "http://localhost:9"),
    "annotations": ("--collection", "a"),
    "show": ("abcd",),
    "pin": ("abcd",),
    "unpin": ("abcd",),
    "replay": ("abcd",),
    "export": ("abcd", "--trace", "run.json"),
    "why": ("abcd", "a passage"),
    "prices": (),
    "mcp": (),
    "worker": (),
}
NEITHER = {"methods", "fetch"}


@pytest.fixture(autouse=True)
def hashing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GEAR_EMBEDDER", "hashing")
    monkeypatch.setenv(URL, "")  # and as before afterwards: a command that names one sets it
    monkeypatch.chdir(tmp_path)


def commands(capsys: pytest.CaptureFixture[str]) -> set[str]:
    """All commands, as they are named to somebody who types one that there is not."""
    with pytest.raises(SystemExit):
        main(["no-such-command"])
    return set(re.findall(r"'([a-z]+)'", capsys.readouterr().err.partition("choose from")[2]))


def test_every_command_makes_a_workspace_reads_one_or_needs_none(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert commands(capsys) == MAKES | READS.keys() | NEITHER
    for name in commands(capsys):
        with pytest.raises(SystemExit):
            main([name, "--help"])
        about = " ".join(capsys.readouterr().out.split())
        assert ("made if it is not there" in about) is (name in MAKES)
        assert name not in NEITHER or "--workspace" not in about


@pytest.mark.parametrize("command", READS)
def test_a_misspelt_workspace_is_told_and_nothing_is_made(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = tmp_path / "deep" / "x.db"
    assert main([command, *READS[command], "--workspace", str(missing)]) == 1
    out, err = capsys.readouterr()
    told = f"There is no workspace {missing}."
    assert told in (out if command == "doctor" else err)
    assert "gear-app import" in out + err and "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


def test_without_a_command_the_demo_is_made_where_nothing_is_and_the_application_opens(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []

    def made(_: object) -> int:
        (tmp_path / "w.db").touch()
        done.append("demo")
        return 0

    def opened(_: object) -> int:
        done.append("serve")
        return 0

    monkeypatch.setitem(DECLARED, "demo", Command(made, (), True, ""))
    monkeypatch.setitem(DECLARED, "serve", Command(opened, (), True, ""))
    assert run()[0] == run()[0] == 0
    assert done == ["demo", "serve", "serve"]
