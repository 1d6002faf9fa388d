"""Questions are answered, runs are kept and listed, wrong requests are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from gear_app.core.errors import BadInput, NotReady, Unknown
from gear_app.methods import evidence
from gear_app.models.server import Spec
from gear_app.trace.events import Event, Ranked, Retrieved, Started
from gear_app.workspace.runs.request import RunRequest
from gear_app.workspace.workspace import Workspace
from tests.small import QUESTION
from tests.workspaces import corpus_of, workspace


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
    times = [event.at_ms for event in films.runs.timed_events(answer.run)]
    assert times == sorted(times) and times[-1] <= answer.ms
    assert films.runs.events(answer.run, after=2) == seen[2:]


def test_single_step_methods_use_no_triples(tmp_path: Path) -> None:
    made = workspace(tmp_path)
    made.import_path(corpus_of(tmp_path, 5), "c")
    answer = made.ask("Where was Person3 born?", "c", "bm25")
    assert answer.ranking[0].key == "p3" and answer.iterations == 1
    assert made.runs.get(answer.run).triple_set is None
    with pytest.raises(
        NotReady,
        match=r"gear needs triples and 'c' has none yet\. Run: gear-app extract --collection c",
    ):
        made.ask("Where?", "c", "gear")


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
    with pytest.raises(
        BadInput,
        match=r"scoring=exact would encode width \* neighbours = 5,100 triples a step; at most",
    ):
        films.runs.enqueue(
            RunRequest("Who?", "films", "gear", settings={"scoring": "exact", "width": 51})
        )
    with pytest.raises(BadInput, match="Lower screen"):
        films.runs.enqueue(
            RunRequest("Who?", "films", "sync_ge", settings={"screen": 5001, "width": 51})
        )
    with pytest.raises(BadInput, match="Unknown setting 'widht'"):
        films.runs.enqueue(RunRequest("Who?", "films", "gear", settings={"widht": 2}))
    assert films.runs.recent() == []
    limits = {"scoring": "exact", "width": 50}, {"screen": 5000, "width": 1000}, {"screen": 10_000}
    assert all(
        films.runs.enqueue(RunRequest("w" * 2000, "films", "gear", settings=s, k=10_000))
        for s in limits
    )  # type: ignore[arg-type]


def test_half_a_character_is_refused_and_a_control_is_a_blank(films: Workspace) -> None:
    for request in (
        lambda: films.ask("Who \ud800?", "films", "bm25"),
        lambda: films.collections.create("\ud800"),
    ):
        with pytest.raises(BadInput, match="half a character"):
            request()
    assert films.runs.recent() == [] and [info.name for info in films.collections.all()] == [
        "films"
    ]
    answer = films.ask("Who is Ada\x00 Quill?", "films", "bm25")
    assert (
        films.runs.get(answer.run).question == "Who is Ada Quill?"
        and answer.ranking[0].key == "quill"
    )


def test_the_collections_iteration_limit_counts_unless_one_is_set(films: Workspace) -> None:
    films.collections.set_max_iterations("films", 2)

    def limit(method: str, name: str = "max_iterations", **settings: int) -> int | None:
        run = films.runs.enqueue(RunRequest("Who?", "films", method, settings=settings))
        return films.runs.get(run).config.get(name)

    assert (limit("gear"), limit("gear", max_iterations=3)) == (2, 3)
    assert (limit("bm25"), limit("ircot:sync_ge"), limit("bdtr", "rounds")) == (None, 2, 2)
    with pytest.raises(BadInput, match="at least 1"):
        films.collections.set_max_iterations("films", 0)


def test_a_run_asked_again_has_the_same_settings(films: Workspace) -> None:
    first = films.ask(QUESTION, "films", "gear:dense", settings={"width": 4}, k=7)
    again = films.runs.get(films.runs.again(first.run))
    assert (again.question, again.method, again.k, again.config) == (
        QUESTION,
        "gear:dense",
        7,
        dict(first.config),
    )
    assert again.state == "queued" and again.id != first.run


def test_a_run_again_takes_the_budget_of_whoever_asks_now_and_its_own_where_none_is_said(
    films: Workspace,
) -> None:
    asks = Spec("http://there/v1", "tiny")
    for own in (None, 5_000):
        run = films.runs.enqueue(
            RunRequest(QUESTION, "films", "gear", reader="llm", model=asks, budget=own)
        )
        assert films.runs.get(films.runs.again(run)).budget == own
        assert films.runs.get(films.runs.again(run, budget=70_000)).budget == 70_000
        assert films.runs.get(films.runs.again(run, budget=None)).budget is None


def test_evidence_that_gives_out_costs_the_run_nothing(
    films: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gives_out(*_: object) -> None:
        raise NotReady("The cluster is gone.")

    monkeypatch.setattr(evidence, "gather", gives_out)
    answer = films.ask(QUESTION, "films", "hybrid")
    assert isinstance(answer.events[-1], Ranked)
    assert films.runs.get(answer.run).state == "done"
