"""End to end with a real OpenAI-compatible server and a real, very small model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gear_app.models import client as client_module
from gear_app.models.server import Server, Spec
from gear_app.trace.events import Called, Failed, Ranked
from gear_app.workspace.workspace import Workspace
from tests.models import smollm
from tests.small import QUESTION, of_kind
from tests.workspaces import corpus_of, failures, filled, workspace

pytestmark = [
    pytest.mark.models,
    pytest.mark.skipif(
        bool(smollm.missing()),
        reason=f"{smollm.missing()}: not installed; see the Makefile's install",
    ),
]
TOKENS = 32  # of a reply


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
        Workspace(films.path, embedder=films.models.embedder.inner)
        .reruns.replay(answer.run)
        .difference
        == ""
    )
