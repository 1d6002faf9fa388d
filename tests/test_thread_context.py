"""What models and arrays take to load is no part of a run's time, and is told beside it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from gear_app.core.protocols import Vectors
from gear_app.core.threads import load_timer
from gear_app.models.embedders.local import HashingEmbedder
from gear_app.workspace.runs.service import Answer
from gear_app.workspace.workspace import Workspace
from tests.small import QUESTION
from tests.workspaces import filled

SLOW_S = 0.5
OTHER = "Who built the bridge?"


class Slow(HashingEmbedder):
    """Takes half a second to load when it is first asked for vectors."""

    loads = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        if not self.loads:
            with load_timer():
                time.sleep(SLOW_S)
                self.loads += 1
        return super().embed(texts)


@pytest.fixture
def slow() -> Slow:
    return Slow()


@pytest.fixture
def fresh(tmp_path: Path, slow: Slow) -> Workspace:
    """As in a new process: all vectors of the collection are there, and no model is loaded."""
    made = filled(tmp_path)
    made.jobs.encode("films", "curated")
    made.ask("Who?", "films", "hipporag")
    return Workspace(made.path, embedder=slow)


def timed(ask: Callable[[], Answer]) -> tuple[Answer, float]:
    """An answer, and the milliseconds that it took with all loading."""
    began = time.perf_counter()
    return ask(), 1000 * (time.perf_counter() - began)


@pytest.mark.parametrize("method", ["hybrid", "gear", "ircot:hipporag"])
def test_the_first_question_of_a_process_takes_as_long_as_the_next(
    fresh: Workspace, slow: Slow, method: str
) -> None:
    answer, took_ms = timed(lambda: fresh.ask(QUESTION, "films", method))
    assert answer.loading_ms >= 1000 * SLOW_S and answer.ms + answer.loading_ms <= took_ms
    run = fresh.runs.get(answer.run)
    assert (run.ms, run.loading_ms) == (answer.ms, answer.loading_ms)
    assert max(stored.at_ms for stored in fresh.store.events.of(answer.number)) <= answer.ms
    again, took_ms = timed(lambda: fresh.ask(OTHER, "films", method))
    assert slow.loads == 1 and again.ms + again.loading_ms <= took_ms
