"""The command as a program of its own: from any folder, and the demo."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gear_app.models.extractor import local
from gear_app.models.extractor.local import LocalExtractor
from gear_app.workspace.workspace import Workspace
from tests.cli.printed import ROOT, Run, result
from tests.workspaces import pack


def test_the_module_runs_as_the_command_from_any_folder(tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "GEAR_EMBEDDER": "hashing"}
    pack(tmp_path / "pack")
    command = [sys.executable, "-m", "gear_app", "import", "pack"]
    command += ["--collection", "c", "--workspace", "w.db"]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert "corpus.jsonl: accepted" in done.stdout and (tmp_path / "w.db").exists()
    piped = subprocess.run(
        f"{sys.executable} -m gear_app questions --collection c --workspace w.db | head -c 1",
        shell=True,
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in piped.stderr


HEAVY = ("networkx", "openai", "pandas", "plotly", "pyarrow", "pydantic", "scipy", "sklearn")
HEAVY += ("spacy", "streamlit", "torch", "turbohtml")
LOOK = """
import sys
from gear_app.cli import main
try:
    main(sys.argv[1:])
finally:
    print(*(name for name in HEAVY if name in sys.modules), file=sys.stderr)
"""


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["serve", "--help"],
        ["collections"],
        ["questions", "--collection", "demo"],
        ["methods"],
        ["runs"],
        ["prices"],
    ],
    ids=" ".join,
)
def test_a_command_that_needs_no_model_imports_nothing_heavy(
    words: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "w.db"
    Workspace(path).imports.do(ROOT / "data" / "demo", "demo")
    done = subprocess.run(
        [sys.executable, "-c", f"HEAVY = {HEAVY}\n{LOOK}", *words],
        env=os.environ | {"PYTHONPATH": str(ROOT), "GEAR_WORKSPACE": str(path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout and done.stderr.split() == []


@pytest.mark.models
def test_the_demo_is_made_once_and_shows_a_finished_run(run: Run, tmp_path: Path) -> None:
    # The real extractor, the hashing embedder: what is checked is that everything is there.
    local.LocalExtractor = LocalExtractor  # the fixture takes it back
    first = result_of_demo(run("demo", "--json"))
    assert first["collection"]["passages"] > 100 and first["collection"]["questions"] >= 40
    sets = {s["name"]: s for s in first["collection"]["triple_sets"]}
    assert sets["curated"]["active"] and sets["curated"]["triples"] > 500
    assert sets["local"]["triples"] > 500
    assert sets["local"]["passages_done"] == first["collection"]["passages"]
    again = result_of_demo(run("demo", "--json"))
    assert again["run"] == first["run"]
    assert again["collection"]["triple_sets"][0]["triples"] == sets["curated"]["triples"]
    listed = result(run("runs", "--collection", "demo", "--json"))
    assert [(r["method"], r["state"], r["triple_set"]) for r in listed] == [
        *((method, "done", "curated") for method in ("gear", "ircot", "griever", "hipporag")),
        ("chain", "done", None),
        ("hybrid", "done", None),
    ]
    assert [r["id"] for r in listed if r["pinned"]] == [first["run"]]
    assert result(run("replay", first["run"], "--check", "--json"))["identical"] is True
    garden = next(c for c in result(run("collections", "--json")) if c["name"] == "garden")
    assert (garden["documents"], garden["questions"]) == (60, 12)
    assert [s["name"] for s in garden["triple_sets"]] == ["local"]
    of_garden = result(run("runs", "--collection", "garden", "--limit", "100", "--json"))
    assert [(r["method"], r["state"]) for r in of_garden if r["pinned"]] == [("chain", "done")]
    evaluated = result(run("eval", "--list", "--json"))
    assert [(e["collection"], e["questions"], e["state"]) for e in evaluated] == [
        ("garden", 11, "done")
    ]
    assert result(run("runs", "--json"))[0]["id"] == first["run"]
    other = listed[-1]["id"]
    run("pin", other)
    run("demo")  # what somebody pinned instead stays
    listed = result(run("runs", "--collection", "demo", "--json"))
    assert [r["id"] for r in listed if r["pinned"]] == [other]


def result_of_demo(called: tuple[int, str, str]) -> Any:
    assert called[0] == 0
    return json.loads(called[1])
