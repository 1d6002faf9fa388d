"""End to end with a real OpenAI-compatible server and a real, very small model. What it says is of
no use, and differs from call to call; that this is survived, counted and shown is what is tested.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from gear_app.embedders.endpoint import EndpointEmbedder
from gear_app.events import Called, Failed, Ranked
from gear_app.llm import client as client_module
from gear_app.llm.request import Request
from gear_app.llm.server import Patience, Server, Spec
from gear_app.workspace import Workspace
from tests.llm import smollm
from tests.llm.conftest import AskingClient
from tests.small import QUESTION, of_kind
from tests.workspaces import corpus_of, filled, workspace

pytestmark = [
    pytest.mark.models,
    pytest.mark.skipif(
        bool(smollm.missing()),
        reason=f"{smollm.missing()}: not installed; see the Makefile's install",
    ),
]
LONG = Request("read", "Tell a very long story about a bridge.")
TOKENS = 32  # of a reply


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The server's address."""
    with smollm.serving() as found:
        yield found


@pytest.fixture
def chat(address: str) -> Iterator[Callable[..., AskingClient]]:
    """Makes chats, and closes them."""
    made: list[AskingClient] = []

    def make(
        check: Callable[[], None] = lambda: None, stream: bool = False, max_tokens: int = TOKENS
    ) -> AskingClient:
        server = Server(
            address,
            smollm.MODEL,
            max_tokens=max_tokens,
            stream=stream,
            patience=Patience(retries=0),
        )
        made.append(AskingClient(server, check))
        return made[-1]

    yield make
    for one in made:
        one.close()


def spec(address: str, stream: bool = False, tokens: int = TOKENS) -> Spec:
    """One call at once: the server then has the beginning of a prompt from the call before."""
    return Spec(address, smollm.MODEL, max_tokens=tokens, at_once=1, stream=stream)


def test_it_lists_its_model(chat: Callable[..., AskingClient]) -> None:
    assert chat().models() == (smollm.MODEL,)


def test_it_replies_whole_and_in_pieces_and_counts_its_tokens(
    chat: Callable[..., AskingClient],
) -> None:
    for stream in (False, True):
        reply = chat(stream=stream).ask(LONG)
        assert len(reply.text) > 20 and (reply.cut, reply.attempts, reply.estimated) == (
            True,
            1,
            False,
        )
        assert reply.output_tokens == TOKENS and 10 < reply.input_tokens < 100


def test_ten_passages_are_extracted_and_what_is_useless_is_kept_to_be_seen(
    address: str, tmp_path: Path
) -> None:
    made = workspace(tmp_path)
    made.import_path(corpus_of(tmp_path, 10), "c")
    job = made.extract("c", "llm", model=spec(address, tokens=16))
    assert (job.state, job.total, job.done + job.failed) == ("done", 10, 10)
    assert job.spent.calls == 10 and job.spent.output_tokens == 10 * 16 < job.spent.input_tokens
    failures = made.jobs.failures("c", "llm")
    assert len(failures) == job.failed and all(
        one.reply and "'extraction'" in one.error for one in failures
    )
    assert job.failed > 0  # so short a reply ends before its first triple


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_a_gear_run_ends_well_is_counted_and_is_replayed_without_the_server(
    address: str, tmp_path: Path, stream: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    films = filled(tmp_path)
    answer = films.ask(QUESTION, "films", "gear:bm25", reader="llm", model=spec(address, stream))
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
        Workspace(films.path, embedder=films.models.uncached_embedder)
        .runs.replay(answer.run)
        .difference
        == ""
    )


def test_its_vectors_are_those_of_one_text_at_a_time() -> None:
    with smollm.serving("vectors") as address:
        embedder = EndpointEmbedder(Server(address, smollm.MODEL, patience=Patience(retries=0)))
        texts = [f"Person{n} was born in Town{n % 7}." for n in range(20)]
        found = embedder.embed(texts)
        assert found.shape == (20, 576) and found.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)
        assert (
            float(found[11] @ embedder.embed([texts[11]])[0]) > 0.999 > float(found[11] @ found[3])
        )
        embedder.close()
