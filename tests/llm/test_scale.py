"""A thousand passages, every tenth with a fault, and a worker that is killed in the middle: nothing
is lost, and what succeeded is not asked for again.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gear_app.embedders.local import HashingEmbedder
from gear_app.llm.server import Patience
from gear_app.workspace import Workspace
from tests.llm.conftest import Bench, name_in_environment
from tests.llm.passages import (
    AT_ONCE,
    CUT,
    EMPTY,
    FAILED,
    FULL_AT,
    GAVE_NONE,
    USELESS,
    Faulty,
    kind,
)
from tests.workspaces import corpus_of

ROOT = Path(__file__).parents[2]
COUNT, BEFORE_THE_KILL = 1000, 350
PATIENCE = Patience(timeout_s=16.0, first_wait_s=0.01, longest_wait_s=0.1)
WORKER = """
import sys
from tests.llm.test_scale import patient
patient(sys.argv[1]).worker(once=True).work()
"""


def patient(path: str | Path) -> Workspace:
    """A workspace with little patience, as a test needs it."""
    made = Workspace(path, embedder=HashingEmbedder())
    made.models.patience = PATIENCE
    return made


def kept(made: Workspace) -> set[int]:
    """The passages whose replies are in the file."""
    found = made.store.db.tuples("SELECT reply FROM model_replies")
    return {int(n) for (reply,) in found for n in re.findall(r"Person(\d+)", reply)}


def test_a_thousand_passages_with_faults_and_a_kill_lose_nothing_and_ask_nothing_twice(
    tmp_path: Path, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Faulty()
    server = bench.serve(asked)
    name_in_environment(monkeypatch, server.base_url)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    made = patient(tmp_path / "w.db")
    made.import_path(corpus_of(tmp_path, COUNT), "c")
    job = made.jobs.enqueue_extraction("c", "llm")

    with subprocess.Popen([sys.executable, "-c", WORKER, str(made.path)], cwd=ROOT) as killed:
        while made.jobs.get(job).done < BEFORE_THE_KILL:
            assert killed.poll() is None
            time.sleep(0.02)
        os.kill(killed.pid, signal.SIGKILL)
    before = kept(made)
    at_kill = asked.good.copy()
    succeeded = {n for n in at_kill if at_kill[n]}
    assert BEFORE_THE_KILL < len(before) < COUNT - 100 and before <= succeeded
    lost = succeeded - before
    assert len(lost) <= AT_ONCE, "only replies that were still on their way"

    patient(made.path).worker(once=True).work()
    done = made.jobs.get(job)
    failed = {n for n in range(COUNT) if kind(n) in FAILED}
    empty = {n for n in range(COUNT) if kind(n) in GAVE_NONE}
    assert (done.state, done.done, done.failed) == ("done", COUNT - len(failed), len(failed))
    again = {n for n in succeeded if asked.good[n] > at_kill[n]}
    assert again.isdisjoint(before), "what is in the file is not asked for again"
    assert server.most_at_once == AT_ONCE and asked.full == len(FULL_AT)

    told = made.jobs.shortfalls("c", "llm")
    assert {f.passage_key: f.reply for f in told} == {
        f"p{n}": CUT if kind(n) == 7 else USELESS for n in failed
    } | {f"p{n}": EMPTY for n in empty}
    assert all("The model's reply to 'extraction'" in f.error for f in told[: len(failed)])
    assert [f.triples for f in told] == [None] * len(failed) + [0] * len(empty)

    total = len(server.asked)
    asked.well = True
    assert made.jobs.retry_empty("c", "llm") == len(empty)
    healed = made.extract("c", "llm")
    assert (healed.state, healed.done, healed.failed) == ("done", COUNT, 0)
    assert len(server.asked) - total == len(failed | empty)
    triples = made.collections.triples("c", "llm", limit=2 * COUNT)
    assert sorted((t.subject, t.predicate, t.object) for t in triples) == sorted(
        (f"Person{n}", "was born in", f"Town{n % 7}") for n in range(COUNT)
    )
    assert made.jobs.shortfalls("c", "llm") == []
