"""End to end with a real OpenAI-compatible server and a real, very small model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from gear_app.models import client as client_module
from gear_app.models.errors import ServerFailed
from gear_app.models.server import Patience, Server, Spec
from gear_app.store.rows import JobInfo
from gear_app.trace.events import Called, Failed, Ranked, Stopped
from gear_app.workspace.workspace import Workspace
from tests.models import smollm
from tests.ports import free_port
from tests.small import QUESTION, of_kind
from tests.waiting import finish
from tests.workspaces import corpus_of, failures, filled, workspace

pytestmark = [
    pytest.mark.models,
    pytest.mark.skipif(
        bool(smollm.missing()),
        reason=f"{smollm.missing()}: not installed; see the Makefile's install",
    ),
]
TOKENS = 32  # of a reply
GEAR = ("films", "gear:bm25")
GONE = "no server answers at this address and port"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The server's address."""
    with smollm.serving() as found:
        yield found


def spec(address: str, tokens: int = TOKENS) -> Spec:
    """One call at once: the server then has the beginning of a prompt from the call before."""
    return Spec(address, smollm.MODEL, max_tokens=tokens, at_once=1)


def test_ten_passages_are_extracted_and_what_is_useless_is_kept_to_be_seen(
    address: str, tmp_path: Path
) -> None:
    made = workspace(tmp_path)
    made.imports.do(corpus_of(tmp_path, 10), "c")
    job = made.jobs.extract("c", "llm", model=spec(address, tokens=16))
    assert (job.state, job.total, job.done + job.failed) == ("done", 10, 10)
    assert job.spent.calls == 10 and job.spent.output_tokens == 10 * 16 < job.spent.input_tokens
    failed = failures(made, "c", "llm")
    assert len(failed) == job.failed and all(
        one.reply and "'extraction'" in one.error for one in failed
    )
    assert job.failed > 0  # so short a reply ends before its first triple


def test_a_gear_run_ends_well_is_counted_and_is_replayed_without_the_server(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    films = filled(tmp_path)
    answer = films.ask(QUESTION, "films", "gear:bm25", reader="llm", model=spec(address))
    run = films.runs.get(answer.run)
    assert (run.state, run.versions["reader"]) == ("done", smollm.MODEL)
    assert answer.ranking and of_kind(answer.events, Ranked)
    calls = [event for event in answer.events if isinstance(event, Called)]
    assert run.spent.calls == len(calls) >= 2
    assert run.spent.input_tokens == sum(call.input_tokens for call in calls) > 0
    useless = [event for event in answer.events if isinstance(event, Failed)]
    assert run.spent.unusable == len(useless) and all(failed.reply for failed in useless)

    def gone(server: Server) -> None:
        raise AssertionError("the server was asked")

    monkeypatch.setattr(client_module, "make_client", gone)
    assert (
        Workspace(films.path, embedder=films.models.embedder.inner).reruns.replay(answer.run) == ""
    )


def test_a_run_and_an_extraction_end_at_a_cap_or_with_their_server_and_are_done_again(
    tmp_path: Path,
) -> None:
    films, server, port = filled(tmp_path), ExitStack(), free_port()
    films.imports.do(corpus_of(tmp_path, 6), "c")
    films.models.patience = Patience(retries=0)
    address = server.enter_context(smollm.serving(port=port))
    capped = films.ask(QUESTION, *GEAR, reader="llm", model=spec(address), budget=1000)
    (stop,) = of_kind(capped.events, Stopped)
    assert stop.why == "budget" and capped.ranking
    assert films.runs.get(capped.run).spent.taken <= 1000
    job = films.jobs.extract("c", "llm", model=spec(address, 16), budget=2000)
    assert job.state == "paused" and "budget of 2,000 tokens" in job.message
    assert 0 < job.spent.taken <= 2000

    def cancel(job: JobInfo) -> None:
        if job.spent.calls:
            films.jobs.cancel(job.id)

    job = films.jobs.extract("c", "llm", "other", cancel, model=spec(address, 16))
    assert job.state == "cancelled" and 0 < job.spent.calls < 6

    def lose(event: object) -> None:
        if isinstance(event, Called) or (isinstance(event, JobInfo) and event.spent.calls):
            server.close()

    lost = films.ask(QUESTION, *GEAR, emit=lose, reader="llm", model=spec(address))
    assert GONE in of_kind(lost.events, Stopped)[0].sentence and lost.ranking
    server.enter_context(smollm.serving(port=port))
    with pytest.raises(ServerFailed, match=GONE):
        films.jobs.extract("c", "llm", "other", lose, model=spec(address, 16))
    asked = films.jobs.recent("c")[0].spent.calls
    server.enter_context(smollm.serving(port=port))
    opened = Workspace(films.path, embedder=films.models.embedder.inner)
    again = opened.runs.again(lost.run)
    finish(opened.worker())
    run = opened.runs.get(again)
    assert run.state == "done" and GONE not in run.message and run.spent.calls >= 2
    job = opened.jobs.extract("c", "llm", "other", model=spec(address, 16))
    assert (job.state, job.done + job.failed) == ("done", 6) and job.spent.calls >= 6 - asked
    server.close()
