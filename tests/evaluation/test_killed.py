"""A real process that measures is killed with SIGKILL in the middle; another goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pandas as pd

from gear_app.evaluation import results
from gear_app.evaluation.evaluation import Evaluation
from gear_app.evaluation.service import EvaluationService
from gear_app.workspace.workspace import Workspace
from tests.evaluating import evaluate
from tests.small import PASSAGES
from tests.workspaces import pack, workspace

METHODS = ("bm25", "dense", "hybrid", "chain", "hipporag", "griever")
QUESTIONS, KILLED_AT, SECONDS = 60, 100, 120
PATIENT = 60.0


def with_questions(folder: Path) -> Workspace:
    """The small collection with sixty questions, each with two gold passages."""
    folder.mkdir()
    made, files = workspace(folder), pack(folder / "pack")
    rows = [
        {
            "id": f"n{n}",
            "question": f"{PASSAGES[n % 8][1]} or {PASSAGES[n // 8][1]}, number {n}?",
            "supporting_ids": [PASSAGES[n % 8][0], PASSAGES[(n // 8 + 1 + n) % 8][0]],
        }
        for n in range(QUESTIONS)
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (files / "questions.jsonl").write_text(text, encoding="utf-8")
    made.import_path(files, "small")
    return made


def table(found: Evaluation) -> list[dict[str, Any]]:
    """The table without what differs from one time to the next."""
    return [
        {name: value for name, value in found.summary(method).items() if not name.startswith("ms_")}
        for method in found.methods
    ]


def ended(path: Path) -> int:
    made = Workspace(path)
    try:
        return int(
            made.store.db.value(
                "SELECT count(*) FROM tasks WHERE kind = 'run' AND state = 'done'", []
            )
        )
    finally:
        made.close()


def test_six_methods_on_sixty_questions_killed_in_the_middle_give_the_same_table(
    tmp_path: Path,
) -> None:
    whole = evaluate(with_questions(tmp_path / "whole"), "small", METHODS, ks=(1, 5))
    killed = with_questions(tmp_path / "killed")
    command = [sys.executable, "-m", "gear_app", "eval", "--collection", "small"]
    command += ["--methods", ",".join(METHODS), "--k", "1,5"]
    environment = {**os.environ, "GEAR_EMBEDDER": "hashing", "GEAR_WORKSPACE": str(killed.path)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as process:
        patience = time.monotonic() + PATIENT
        while ended(killed.path) < KILLED_AT and process.poll() is None:
            assert time.monotonic() < patience
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL, "it had ended before"
    (stored,) = killed.store.evaluations.all()
    before = EvaluationService(killed).load(stored.id)
    assert KILLED_AT <= len(before.measured) < QUESTIONS * len(METHODS)
    again = [*command[:4], "--resume", stored.id, "--json"]
    printed = subprocess.run(again, env=environment, check=True, capture_output=True).stdout
    after = EvaluationService(killed).load(stored.id)
    assert table(after) == table(whole)
    pd.testing.assert_frame_equal(after.gold, whole.gold)
    assert set(before.runs["run"]) <= set(after.runs["run"])
    told = json.loads(printed)
    assert told["compared"] == results.load(killed, stored.id).to_json()["compared"]
    assert all(one["n"] == QUESTIONS and not one["failed"] for one in told["methods"])
