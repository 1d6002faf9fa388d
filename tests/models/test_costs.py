"""Budgets, totals and prices of a whole workspace, and on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gear_app.cli import main
from gear_app.models.server import Spec
from gear_app.trace.events import Stopped
from gear_app.workspace.workspace import Workspace
from tests.evaluating import evaluate
from tests.models.conftest import Bench, name_in_environment
from tests.models.passages import graph, number
from tests.models.server import ScriptedServer, chat_reply
from tests.models.test_estimates import counting
from tests.models.world import endless
from tests.small import QUESTION
from tests.workspaces import corpus_of, failures, filled, workspace

OTHER, THIRD = "Who built the bridge of Port Mira?", "Where does the river Sel flow?"


def spec(server: ScriptedServer, **changes: Any) -> Spec:
    return Spec(server.base_url, "tiny", **{"max_tokens": 100, "at_once": 4, **changes})


@pytest.fixture
def films(tmp_path: Path) -> Workspace:
    """With three questions that have gold."""
    made = filled(tmp_path)
    made.collections["films"].set_gold(OTHER, ["mira"])
    made.collections["films"].set_gold(THIRD, ["mira", "lorn"])
    return made


# Runs


def test_a_run_that_its_budget_stopped_is_done_says_so_and_can_be_replayed(
    films: Workspace, bench: Bench
) -> None:
    server = bench.serve(endless(counting))
    answer = films.ask(QUESTION, "films", "gear", reader="llm", model=spec(server), budget=4000)
    run = films.runs.get(answer.run)
    (stopped,) = (event for event in answer.events if isinstance(event, Stopped))
    assert stopped.why == "budget" and stopped.sentence == run.message
    assert (run.state, run.budget) == ("done", 4000) and run.message.startswith(
        "The budget of 4,000 tokens does not"
    )
    assert 0 < run.spent.calls == len(server.asked) < 15 and answer.ranking
    assert films.reruns.replay(answer.run) == "" and len(server.asked) == run.spent.calls
    assert [item.run for item in films.annotations.items("films")] == [run.id]


# Extraction


def test_an_extraction_pauses_at_its_budget_and_the_next_one_goes_on(
    tmp_path: Path, bench: Bench
) -> None:
    made = workspace(tmp_path)
    made.imports.do(corpus_of(tmp_path, 40), "c")
    server = bench.serve(lambda asked: chat_reply(graph(number(asked)), usage=(400, 50)))
    job = made.jobs.extract("c", "llm", model=spec(server), budget=9000)
    assert job.state == "paused" and job.message.startswith(
        "The budget of 9,000 tokens does not allow another call"
    )
    assert job.spent.taken == 450 * len(server.asked) <= 9000 and len(server.asked) > 15
    assert job.spent.calls == len(server.asked), "no call was cut off that was paid for"
    assert failures(made, "c", "llm") == [] and job.failed == 0
    made.jobs.encode("c", "llm")
    assert made.store.extractions.counts(job.set_id or 0)["passages_done"] == len(server.asked)
    after = made.jobs.extract("c", "llm", model=spec(server), budget=90_000)
    assert after.state == "done" and len(server.asked) == 40 and after.id != job.id


# Evaluation


def test_what_the_budget_left_out_is_not_measured_and_is_no_recall_of_zero(
    films: Workspace, bench: Bench
) -> None:
    """A call takes 950 and, from the second on, holds 900 + 100: of 2,500 tokens two are
    allowed.
    """
    server, methods = (
        bench.serve(endless(lambda prompt: (900, 50))),
        ["bm25", "sync_ge", "hipporag"],
    )
    found = evaluate(
        films, "films", methods, ks=(5,), reader="llm", model=spec(server), budget=2500
    )
    ids = [question.id for question in films.collections["films"].questions()]
    later = ids[1:]  # methods take turns at every question
    assert found.unmeasured == {"sync_ge": later, "hipporag": later}
    assert len(server.asked) == 2
    plain, *asking = (found.summary(name) for name in methods)
    assert (plain["n"], plain["not_measured"]) == (3, []), "what asks nobody goes on"
    for name, summary in zip(methods[1:], asking, strict=True):
        assert (summary["n"], summary["not_measured"], summary["failed"]) == (1, later, 0)
        assert summary["recall"]["5"] == found.runs_of(name)["recall@5"].iloc[0] > 0
    assert found.reached.startswith(
        "The budget of 2,500 tokens does not allow another call: 1,900 were spent"
    )
    json.dumps(found.to_json())


# The command line


Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(
    films: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Call:
    monkeypatch.setenv("GEAR_EMBEDDER", "hashing")

    def called(command: str, *arguments: str, collection: bool = True) -> tuple[int, str, str]:
        there = ["--collection", "films"] if collection else []
        try:
            status = main([command, *arguments, *there, "--workspace", str(films.path)])
        except SystemExit as ended:
            status = int(ended.code or 0)
        return status, *capsys.readouterr()

    return called


@pytest.fixture
def server(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> ScriptedServer:
    made = bench.serve(endless(counting))
    name_in_environment(monkeypatch, made.base_url)
    return made


def test_a_sum_with_one_unknown_cost_is_not_known(
    call: Call, server: ScriptedServer, films: Workspace
) -> None:
    asked = ("--reader", "llm", "--method", "sync_ge", "--budget", "20k", "--json")
    costs = [json.loads(call("query", OTHER, *asked)[1])["cost"]]
    assert call("prices", "tiny", "--input", "1", "--output", "2", collection=False)[0] == 0
    costs.append(json.loads(call("query", THIRD, *asked)[1])["cost"])
    assert costs[0] is None and costs[1] > 0
    (total,) = films.store.tasks.spending()
    assert (total.runs, total.spent.calls, total.spent.cost) == (2, 2, None)
    assert "price not known" in call("prices", collection=False)[1]
