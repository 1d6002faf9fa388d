"""Questions are answered, runs are kept and listed, wrong requests are refused."""

from __future__ import annotations

import pytest

from gear_app.core.errors import BadInput, Unknown
from gear_app.trace.events import Event, Ranked, Retrieved, Started
from gear_app.workspace.jobs.imports import Pasted
from gear_app.workspace.runs.request import RunRequest
from gear_app.workspace.workspace import Workspace
from tests.small import QUESTION


def test_an_answer_is_stored_as_it_was_given(films: Workspace) -> None:
    seen: list[Event] = []
    answer = films.ask(QUESTION, "films", "gear", settings={"width": 3}, emit=seen.append)
    assert isinstance(seen[0], Started) and isinstance(seen[-2], Ranked)
    assert seen[0].question == QUESTION and ("beam.width", "3") in seen[0].settings
    assert films.runs.events(answer.run) == seen == list(answer.events)
    assert answer.ranking == seen[-2].ranking and answer.config["beam.width"] == 3
    run = films.runs.get(answer.run)
    assert (run.state, run.triple_set, run.gold) == ("done", "curated", ("harbour", "quill"))
    assert (
        run.iterations
        == answer.iterations
        == max(e.iteration for e in seen if isinstance(e, Retrieved))
    )
    assert run.versions["embedder"] == "hashing-64" and run.corpus_hash
    times = [event.at_ms for event in films.store.events.of(answer.number)]
    assert times == sorted(times) and times[-1] <= answer.ms
    assert films.runs.events(answer.run, after=2) == seen[2:]


def test_wrong_requests_are_refused_before_anything_is_stored(films: Workspace) -> None:
    with pytest.raises(
        Unknown, match=r"Unknown method 'gaer'\. Did you mean 'gear'\? Available: bm25"
    ):
        films.ask("Who?", "films", "gaer")
    with pytest.raises(BadInput, match="single-step"):
        films.ask("Who?", "films", "gear:sync_ge")
    with pytest.raises(Unknown, match=r"Unknown reader 'oracle'\. Available: local"):
        films.ask("Who?", "films", "gear", reader="oracle")
    with pytest.raises(Unknown, match=r"Unknown triple set 'gpt'\. Available: curated"):
        films.ask("Who?", "films", "gear", triples="gpt")
    with pytest.raises(BadInput, match="no question"):
        films.ask("  ", "films", "gear")
    with pytest.raises(BadInput, match="k must be at least 1"):
        films.ask("Who?", "films", "gear", k=0)
    with pytest.raises(BadInput, match="k must be at least 1 and at most 10,000, not 10001"):
        films.runs.enqueue(RunRequest("Who?", "films", "gear", k=10_001))
    with pytest.raises(
        BadInput, match="The question has 2,001 characters; at most 2,000 are taken"
    ):
        films.runs.enqueue(RunRequest("w" * 2001, "films", "gear"))
    with pytest.raises(BadInput, match="Unknown setting 'widht'"):
        films.runs.enqueue(RunRequest("Who?", "films", "gear", settings={"widht": 2}))
    assert films.runs.recent() == []


def test_the_collections_iteration_limit_counts_unless_one_is_set(films: Workspace) -> None:
    row = films.store.collections.get("films")
    films.store.collections.change(row.id, max_iterations=2)

    def limit(method: str, name: str = "max_iterations", **settings: int) -> int | None:
        run = films.runs.enqueue(RunRequest("Who?", "films", method, settings=settings))
        return films.runs.get(run).config.get(name)

    assert (limit("gear"), limit("gear", max_iterations=3)) == (2, 3)
    assert (limit("bm25"), limit("ircot:sync_ge"), limit("bdtr", "rounds")) == (None, 2, 2)


def test_hipporag_and_griever_keep_what_hybrid_alone_finds(films: Workspace) -> None:
    alone = films.ask(QUESTION, "films", "hybrid")
    for method in ("hipporag", "griever", "ircot:hipporag"):
        begun = films.ask(QUESTION, "films", method).events[0]
        assert isinstance(begun, Started)
        assert list(begun.hybrid) == [passage.key for passage in alone.ranking[:20]], method


def test_a_run_of_exactly_this_is_found(films: Workspace) -> None:
    made = films.ask(QUESTION, "films", "sync_ge", settings={"width": 5}).run
    found = films.runs.same(
        RunRequest(f"  {QUESTION} ", "films", "sync_ge", settings={"beam.width": "5"})
    )
    assert found is not None
    assert (found.id, found.state) == (made, "done")


def test_anything_that_differs_is_another_run(films: Workspace) -> None:
    films.ask(QUESTION, "films", "sync_ge")
    assert films.runs.same(RunRequest(QUESTION, "films", "sync_ge", settings={"width": 5})) is None
    assert films.runs.same(RunRequest(QUESTION, "films", "sync_ge", k=5)) is None
    assert films.runs.same(RunRequest(QUESTION, "films", "naive_ge")) is None
    assert films.runs.same(RunRequest("Who?", "films", "sync_ge")) is None


def test_one_made_before_the_passages_changed_is_out_of_date(films: Workspace) -> None:
    films.ask(QUESTION, "films", "hybrid")
    films.imports.do(Pasted("New", "A passage that nobody had seen."), "films")
    assert films.runs.same(RunRequest(QUESTION, "films", "hybrid")) is None
