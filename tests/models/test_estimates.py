"""Estimates against what the server then counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gear_app.models.messages import estimated_tokens
from gear_app.models.server import Spec
from gear_app.workspace.runs import costs
from gear_app.workspace.runs.request import RunRequest
from gear_app.workspace.workspace import Workspace
from tests.evaluating import evaluate
from tests.models.conftest import Bench
from tests.models.passages import graph, number
from tests.models.server import ScriptedReply, ScriptedServer, chat_reply
from tests.models.world import endless
from tests.small import QUESTION
from tests.workspaces import corpus_of, filled, workspace


def counting(prompt: str) -> tuple[int, int]:
    """As many tokens as estimated, and 40 of a reply."""
    return estimated_tokens(prompt), 40


def facts(asked: dict[str, Any]) -> ScriptedReply:
    """The fact of a passage of `corpus_of`."""
    return chat_reply(graph(number(asked)), usage=counting(asked["messages"][0]["content"]))


def spec(server: ScriptedServer) -> Spec:
    return Spec(server.base_url, "tiny", max_tokens=200, at_once=4)


@pytest.fixture
def towns(tmp_path: Path) -> Workspace:
    made = workspace(tmp_path)
    made.imports.do(corpus_of(tmp_path, 20), "c")
    return made


# Extraction


def test_an_estimate_of_an_extraction_is_what_the_server_then_counts(
    towns: Workspace, bench: Bench
) -> None:
    """A reply is taken to have 2.5 times the 25 tokens of "Person0. Person0 was born in Town0.
    Filler words 0.".
    """
    server = bench.serve(facts)
    estimate = towns.costs.estimate_extraction("c", "gpt", spec(server))
    took = towns.jobs.extract("c", "llm", "gpt", model=spec(server)).spent
    assert estimate.calls == took.calls == 20
    assert estimate.input_tokens == pytest.approx(took.input_tokens, rel=0.1)
    assert estimate.output_tokens == 20 * 25 * 2.5
    assert estimate.dollars is None and estimate.cap > 2 * estimate.input_tokens
    assert estimate.basis.startswith("20 passages to read")


# Evaluation


@pytest.mark.parametrize("method", ["gear:bm25", "bdtr:hipporag", "ircot:sync_ge:bm25"])
def test_an_estimate_of_an_evaluation_is_of_the_most_calls_and_the_size_of_their_prompts(
    tmp_path: Path, bench: Bench, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(costs, "REPLY", 12)  # as those of `endless`
    films, asks = filled(tmp_path), spec(bench.serve(endless(counting)))
    request = RunRequest(QUESTION, "films", method, k=8, reader="llm", model=asks)
    estimate = films.costs.estimate_runs([request], films.collections["films"].questions())
    found = evaluate(films, "films", [method], ks=(8,), reader="llm", model=asks).summary(method)
    assert estimate.calls == found["calls"]
    assert estimate.input_tokens == pytest.approx(found["tokens"]["input"], rel=0.3)
    assert (
        estimate.basis == "1 question; the most calls a run can make, each with the most passages"
    )
