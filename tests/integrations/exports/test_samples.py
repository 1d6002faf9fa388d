"""Runs as rows for RAGAS, and read back as questions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gear_app.cli import main
from gear_app.trace.events import Stopped
from gear_app.workspace.workspace import Workspace
from tests.small import PASSAGES, QUESTION

TEXTS = {key: f"{title}. {text}" for key, title, text in PASSAGES}
GOLD = ["harbour", "quill"]


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_a_run_is_written_with_what_it_found_and_what_is_known(
    films: Workspace, tmp_path: Path
) -> None:
    run = films.ask(QUESTION, "films", "bm25").run
    rows = tmp_path / "rows.jsonl"
    command = ["export", run, "--ragas", str(rows)]
    assert main([*command, "--workspace", str(films.path)]) == 0
    assert main([*command, "--workspace", str(films.path)]) == 2  # never over files that are there
    (row,) = lines(rows)
    assert "response" not in row
    assert (row["user_input"], row["reference"]) == (QUESTION, "Port Mira")
    assert row["reference_contexts"] == [TEXTS[key] for key in GOLD]
    assert (row["reference_context_ids"], row["run"], row["method"]) == (GOLD, run, "bm25")
    assert row["retrieved_contexts"] == [TEXTS[key] for key in row["retrieved_context_ids"]]
    ranked = films.store.events.ranking(films.runs.get(run).number)
    assert row["retrieved_context_ids"] == [key for key, _ in ranked[:15]]


def test_an_evaluation_is_a_line_for_each_question_and_method(
    films: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEAR_EMBEDDER", "hashing")
    files = ["--workspace", str(films.path)]
    methods = ["--collection", "films", "--methods", "hybrid,gear", "--answer"]
    assert main(["eval", *methods, *files]) == 0
    (evaluation,) = films.store.evaluations.all()
    rows = tmp_path / "rows.jsonl"
    assert main(["export", "--evaluation", evaluation.id, "--ragas", str(rows), *files]) == 0
    # Without the oracle's, which asks parts of the question.
    assert len(films.store.evaluations.runs(evaluation.id)) == 3
    assert {(r["method"], r.get("response"), r["user_input"]) for r in lines(rows)} == {
        ("hybrid", None, QUESTION),
        ("gear", "Port Mira", QUESTION),
    }


@pytest.mark.parametrize("source", ["--collection", "--evaluation"])
def test_a_run_that_failed_is_no_sample(
    films: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    """Neither one that failed at once, nor one that ended with what it had before it failed."""
    monkeypatch.setenv("GEAR_EMBEDDER", "hashing")
    files = ["--workspace", str(films.path)]
    assert main(["eval", "--collection", "films", "--methods", "bm25,dense,hybrid", *files]) == 0
    (evaluation,) = films.store.evaluations.all()
    measured = [*films.store.evaluations.runs(evaluation.id).values()]
    of = {run.place.method: run for run in measured}
    films.store.db.execute(
        "UPDATE tasks SET state = 'failed' WHERE number = ?", [of["bm25"].number]
    )
    ended = Stopped("model failed", "No reply came.")
    films.store.events.add(of["dense"].number, 10_000, 0.0, ended)
    rows, name = tmp_path / "rows.jsonl", {"--evaluation": evaluation.id}.get(source, "films")
    assert main(["export", source, name, "--ragas", str(rows), *files]) == 0
    assert {row["method"] for row in lines(rows)} == {"hybrid"}
