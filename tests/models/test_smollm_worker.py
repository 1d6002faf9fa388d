"""A worker process that asks a real, very small model: caps, cancelling, a kill, and a server that
stops in the middle.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from gear_app.models.server import Patience, Spec
from gear_app.trace.events import Called, Event
from gear_app.workspace.runs.request import RunRequest
from gear_app.workspace.worker import Supervisor
from gear_app.workspace.workspace import Workspace
from tests.evaluating import evaluate
from tests.models import smollm
from tests.small import QUESTION
from tests.waiting import until
from tests.workspaces import corpus_of, filled

pytestmark = [
    pytest.mark.models,
    pytest.mark.skipif(bool(smollm.missing()), reason=f"{smollm.missing()}: not installed"),
]
PASSAGES = 8


@pytest.fixture
def server() -> Iterator[ExitStack]:
    """The running server, to be stopped by `close`."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Workspace, Supervisor]]:
    """A workspace with its worker."""
    monkeypatch.setenv("GEAR_EMBEDDER", "hashing")
    made = filled(tmp_path)
    made.import_path(corpus_of(tmp_path, PASSAGES), "c")
    supervisor = Supervisor(made.path, lambda: made.store)
    supervisor.start()
    yield made, supervisor
    supervisor.stop()


def test_a_capped_extraction_pauses_and_goes_on_after_a_kill_and_a_streamed_run_is_cancelled(
    made: tuple[Workspace, Supervisor], server: ExitStack
) -> None:
    workspace, supervisor = made
    address = server.enter_context(smollm.serving())
    model = Spec(address, smollm.MODEL, max_tokens=16, at_once=1)
    job = workspace.jobs.enqueue_extraction("c", "llm", model=model, budget=3000)
    until(lambda: workspace.jobs.get(job).state == "paused")
    capped = workspace.jobs.get(job)
    assert "The budget of 3,000 tokens does not allow another call" in capped.message
    assert 0 < capped.spent.calls < PASSAGES and capped.spent.taken <= 3000

    job = workspace.jobs.enqueue_extraction("c", "llm", model=model)
    until(lambda: workspace.jobs.get(job).spent.calls >= 2)
    worker = supervisor._worker
    assert worker is not None
    worker.kill()
    killed_at = time.monotonic()
    until(lambda: supervisor._worker is not worker and supervisor._worker is not None)
    assert time.monotonic() - killed_at < 3
    until(lambda: workspace.jobs.get(job).state == "done")
    after = workspace.jobs.get(job)
    assert after.done + after.failed == PASSAGES == after.total

    model = Spec(address, smollm.MODEL, max_tokens=2000, stream=True)
    request = RunRequest(QUESTION, "films", "gear:bm25", reader="llm", model=model)
    run = workspace.runs.enqueue(request)
    until(lambda: "Waiting for the model" in workspace.runs.get(run).message)
    workspace.runs.cancel(run)
    cancelled_at = time.monotonic()
    until(lambda: workspace.runs.get(run).state == "cancelled")
    assert time.monotonic() - cancelled_at < 3


def test_a_server_that_stops_in_the_middle_is_one_sentence_and_no_number_and_asked_again_at_once(
    tmp_path: Path, server: ExitStack
) -> None:
    films = filled(tmp_path)
    films.models.patience = Patience(retries=1)
    address = server.enter_context(smollm.serving())
    model = Spec(address, smollm.MODEL, max_tokens=32, at_once=1)

    def stop(event: Event) -> None:
        if isinstance(event, Called):
            server.close()

    def ask(question: str = QUESTION) -> str:
        return films.ask(question, "films", "gear:bm25", reader="llm", model=model, emit=stop).run

    run = films.runs.get(ask())
    sentence = (
        f"The model server at {address} could not be reached, or broke off: no server answers at"
        " this address and port, after 2 attempts."
    )
    assert sentence in run.message + str(films.runs.events(run.id)[-2])
    for n in range(3):
        message = films.runs.get(ask(f"Who is {n}?")).message
        assert "no server answers at this address" in message
    measured = evaluate(films, "films", ["gear:bm25"], reader="llm", model=model)
    summary = measured.summary("gear:bm25")
    assert (summary["n"], summary["failed"], summary["mrr"]) == (0, 1, None)

    server.enter_context(smollm.serving(port=urlsplit(address).port or 0))
    again = films.runs.again(run.id)
    assert films.worker(once=True).work()
    made_again = films.runs.get(again)
    assert (made_again.state, made_again.message) == ("done", "") and made_again.spent.calls > 0
