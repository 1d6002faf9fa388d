"""End to end with a real OpenAI-compatible server and a real, very small model."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx2
import pytest

from gear_app.core.errors import ModelFailed
from gear_app.core.types import Passage, ProximalTriple, ReasoningChain
from gear_app.models import client as client_module
from gear_app.models.chat_model import ChatModel
from gear_app.models.client import ModelClient
from gear_app.models.extractor.llm import LlmExtractor
from gear_app.models.reader.readers import LlmReader
from gear_app.models.reader.roles import (
    AnswerRequest,
    DualThoughtsRequest,
    FactsRequest,
    ReaderRequest,
    ReadRequest,
    ReasonRequest,
    RewriteRequest,
    ThinkRequest,
    VerifyRequest,
)
from gear_app.models.server import Patience, Secret, Server, Spec
from gear_app.trace.events import Called, Event, Failed, Ranked
from gear_app.workspace.workspace import Workspace
from tests.models import smollm
from tests.models.conftest import AskingClient, Bench, Plain
from tests.models.server import ScriptedReply, error
from tests.small import QUESTION, of_kind
from tests.waiting import PATIENCE_S
from tests.workspaces import corpus_of, filled, workspace

pytestmark = [
    pytest.mark.models,
    pytest.mark.skipif(
        bool(smollm.missing()),
        reason=f"{smollm.missing()}: not installed; see the Makefile's install",
    ),
]
LONG = Plain("read", "Tell a very long story about a bridge.")
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
        .reruns.replay(answer.run)
        .difference
        == ""
    )


PASSAGE = Passage(1, "a", "Marie Curie", "Marie Curie was born in Warsaw in 1867.")
FACT = ProximalTriple("Marie Curie", "was born in", "Warsaw")
REQUESTS: list[ReaderRequest[Any]] = [
    ReadRequest([PASSAGE], [], QUESTION, None),
    ReasonRequest([FACT], QUESTION),
    RewriteRequest([FACT], QUESTION, "Warsaw's country is not known."),
    FactsRequest(QUESTION, [FACT]),
    ThinkRequest([PASSAGE], [], QUESTION, (), "ircot"),
    DualThoughtsRequest([PASSAGE], [], QUESTION, ()),
    VerifyRequest([PASSAGE], [], QUESTION, ReasoningChain(("Marie Curie", "Warsaw"))),
    AnswerRequest([PASSAGE], [], QUESTION),
]


@pytest.mark.parametrize("takes_schema", [True, False], ids=["schema", "prompt alone"])
def test_roles_are_read_by_a_schema_and_where_it_is_refused_by_the_prompt_alone(
    address: str, bench: Bench, takes_schema: bool
) -> None:
    def forward(asked: dict[str, Any]) -> ScriptedReply:
        if "response_format" in asked and not takes_schema:
            return error(400, "response_format is not supported by this engine")
        body = httpx2.post(f"{address}/chat/completions", json=asked, timeout=PATIENCE_S).content
        return ScriptedReply(body)

    server, events = bench.serve(forward), list[Event]()
    spec_ = Spec(server.base_url, smollm.MODEL, max_tokens=96, at_once=2)
    with closing(ModelClient(Server.of(spec_, Secret(), Patience(retries=0)))) as client:
        model = ChatModel(client)
        outcomes: list[object] = [*LlmReader(model).ask_all(REQUESTS, events.append)]
        outcomes += LlmExtractor(model, emit=events.append).extract_all([PASSAGE])
    failed = [one for one in outcomes if isinstance(one, ModelFailed)]
    assert all(one.replied and one.reply for one in failed)
    assert len(outcomes) - len(failed) >= (6 if takes_schema else 3)
    formats = [asked for asked in server.asked if "response_format" in asked]
    if not takes_schema:
        assert len(formats) <= spec_.at_once  # the refusal is remembered
        return
    assert len(formats) == len(outcomes)
    schemas = {request.prompt.text: request.model.schema_of() for request in REQUESTS}
    for call in of_kind(events, Called):
        schema = schemas.get(call.prompt)
        if schema is not None and not call.cut:
            assert set(json.loads(call.reply)) == set(schema["required"])
