"""An embeddings endpoint against a scripted server."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gear_app.core.errors import ModelFailed, NotReady
from gear_app.core.rows import Search
from gear_app.models.embedders.cache import NOT_SENT
from gear_app.models.embedders.endpoint import BATCH, EndpointEmbedder
from gear_app.models.embedders.local import HashingEmbedder
from gear_app.models.errors import CallFailed
from gear_app.trace.rankings import final
from gear_app.workspace.runs.rerun import RunChange
from gear_app.workspace.workspace import Workspace
from tests.models.conftest import Bench, Serve, server_of
from tests.models.server import HEADERS, KEY, ScriptedReply, ScriptedServer, error, in_turn
from tests.small import QUESTION
from tests.workspaces import filled, pack, workspace

TEXTS = [f"text {n}" for n in range(40)]


def rows(*vectors: Any, **more: Any) -> ScriptedReply:
    """These vectors in the protocol's form, the last one first: the index says which is whose."""
    data = [
        {"object": "embedding", "index": n, "embedding": vector} for n, vector in enumerate(vectors)
    ]
    return ScriptedReply(
        json.dumps({"object": "list", "data": data[::-1], "model": "tiny", **more}).encode()
    )


def hashed(asked: dict[str, Any], size: int = 64) -> ScriptedReply:
    """What the hashing embedder gives, three times as long."""
    return rows(*(3.0 * HashingEmbedder(size).embed(asked["input"]).astype(float)).tolist())


@pytest.fixture
def made(bench: Bench) -> Iterator[Callable[..., EndpointEmbedder]]:
    """Makes embedders of a server, and closes them."""
    all_: list[EndpointEmbedder] = []

    def make(
        server: ScriptedServer,
        check: Callable[[], None] = lambda: None,
        kept: int | None = None,
        **changes: Any,
    ) -> EndpointEmbedder:
        embedder = EndpointEmbedder(server_of(server, **changes), check, lambda fingerprint: kept)
        all_.append(embedder)
        return embedder

    yield make
    for one in all_:
        one.close()


Make = Callable[..., EndpointEmbedder]


# What leaves, what comes back


def test_a_call_sends_the_texts_the_model_and_the_key_and_nothing_else(
    bench: Bench, made: Make
) -> None:
    server = bench.serve(hashed)
    embedder = made(server)
    embedder.embed(["one", "two"])
    assert server.asked == [{"model": "tiny", "input": ["one", "two"], "encoding_format": "float"}]
    assert set(server.headers[0]) == HEADERS
    assert (embedder.name, embedder.fingerprint) == ("tiny", f"tiny at {server.base_url}")
    assert KEY not in repr(vars(embedder)) + embedder.fingerprint


def test_vectors_are_normalised_and_in_the_order_of_the_texts(bench: Bench, made: Make) -> None:
    server = bench.serve(hashed)
    vectors = made(server).embed(TEXTS)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, HashingEmbedder().embed(TEXTS), atol=1e-6)
    assert sorted(len(asked["input"]) for asked in server.asked) == [8, BATCH, BATCH]


def test_another_length_than_before_is_an_error_that_says_so(bench: Bench, made: Make) -> None:
    server = bench.serve(in_turn(rows([1, 0]), rows([1, 0, 0])))
    embedder = made(server)
    embedder.embed(["x"])
    for one in (embedder, made(server, kept=2)):
        with pytest.raises(
            ModelFailed,
            match="gives vectors of 3 numbers for 'tiny', and gave 2 before: it is another",
        ):
            one.embed(["x"])


# Faults


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (rows([1, 0], [0, 1]), "sent 2 vectors for 1 texts"),
        (ScriptedReply(b'{"data": "none"}'), "sent what cannot be read"),
        (rows([1, float("nan")]), "zero or not finite"),
        (rows([[1]]), "zero or not finite"),
        (rows([0, 0]), "zero or not finite"),
        (ScriptedReply(rows([1.5] * 1000).body, breaks=True), "broke off"),
    ],
)
def test_what_is_no_vector_is_a_fault(
    bench: Bench, made: Make, fault: ScriptedReply, words: str
) -> None:
    with pytest.raises(CallFailed, match=words):
        made(bench.serve(in_turn(fault))).embed(["x"])


def test_a_server_that_takes_fewer_texts_is_sent_half_as_many_from_then_on(
    bench: Bench, made: Make
) -> None:
    too_many = error(400, "Value error, batch size should not be larger than 10.")
    server = bench.serve(lambda asked: too_many if len(asked["input"]) > 10 else hashed(asked))
    embedder = made(server, at_once=1)
    np.testing.assert_allclose(embedder.embed(TEXTS), HashingEmbedder().embed(TEXTS), atol=1e-6)
    before = len(server.asked)
    embedder.embed(TEXTS)
    assert [len(asked["input"]) for asked in server.asked[before:]] == [8] * 5


# Chosen by the environment


@pytest.fixture
def serve(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> Serve:
    """A server that replies as told, and the environment that has it embed."""
    monkeypatch.setenv("GEAR_EMBEDDER", "openai:tiny")
    return serve


def calls(server: ScriptedServer) -> Sequence[str]:
    return [text for asked in server.asked for text in asked["input"]]


def test_a_run_uses_the_endpoint_says_so_and_encodes_no_text_twice(
    tmp_path: Path, serve: Serve
) -> None:
    server = serve(hashed)
    films = Workspace(tmp_path / "w.db")
    films.imports.do(pack(tmp_path / "pack"), "films")
    answer = films.ask(QUESTION, "films", "naive_ge")
    assert films.runs.get(answer.run).versions["embedder"] == f"tiny at {server.base_url}"
    assert len(calls(server)) == len(set(calls(server)))
    own = Workspace(tmp_path / "own.db", embedder=HashingEmbedder())
    own.imports.do(tmp_path / "pack", "films")
    assert [p.key for p in answer.ranking] == [
        p.key for p in own.ask(QUESTION, "films", "naive_ge").ranking
    ]
    before = len(server.asked)
    again = Workspace(tmp_path / "w.db")
    assert again.reruns.replay(answer.run) == ""
    assert len(server.asked) == before


def test_what_nobody_pressed_run_for_asks_no_server_that_a_run_names(
    tmp_path: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run from somebody else's file can name one, and have none of its vectors."""
    server = serve(hashed)
    monkeypatch.delenv("GEAR_EMBEDDER")
    made = filled(tmp_path)
    asked = {"embedder": "openai:tiny"}
    run = made.ask(QUESTION, "films", "dense", settings=asked)
    before = len(server.asked)
    smaller = RunChange({"k": 2})
    there = made.reruns.rerun(run.run, smaller)
    assert [one.id for one in final(there)] == [one.id for one in run.ranking]
    assert made.reruns.replay(run.run) == ""
    made.store.db.execute("DELETE FROM embeddings")
    for then in (
        lambda: workspace(tmp_path).reruns.rerun(run.run, smaller),
        lambda: workspace(tmp_path).reruns.rerun(run.run, RunChange({"embedder": "openai:t"})),
        lambda: workspace(tmp_path).reruns.replay(run.run),
    ):
        with pytest.raises(NotReady, match=NOT_SENT):
            then()
    assert len(server.asked) == before
    live = workspace(tmp_path)
    live.ask(QUESTION, "films", "dense", settings=asked)
    assert len(server.asked) > before
    row, models = live.store.collections.get("films"), live.models
    silent = models.with_encoder(asked, calls_server=False)
    index = live.corpora.get(row, None, row.revision, silent).index
    with pytest.raises(NotReady, match=NOT_SENT):
        index.search([Search("words that nobody has asked yet", 3, "dense")])
