"""A rerun with a change is the run that somebody makes with it, event by event, and stores nothing;
a draft is that rerun, made by the worker.
"""

from __future__ import annotations

import pytest

from gear_app.core.errors import BadInput
from gear_app.models.reader.edits import ReadingEdit
from gear_app.trace.events import Event, Ranked, Read, Remembered
from gear_app.workspace.runs.request import Options, request_of
from gear_app.workspace.runs.rerun import RunChange
from gear_app.workspace.workspace import Workspace
from tests.small import QUESTION, TRIPLES
from tests.variants import LOOPS, asked, differing, singly


def made(workspace: Workspace, run: str, change: RunChange) -> list[Event]:
    """Events of the run with the change as somebody makes it."""
    return [*workspace.runner.ask(change.applied(request_of(workspace.runs.get(run)))).events]


@pytest.mark.parametrize("method", LOOPS)
def test_a_variant_of_a_loop_is_the_run_that_somebody_makes_with_it(
    demo: Workspace, method: str
) -> None:
    """Every question meets a stop, every stop a question; the searches' and all of both are in
    test_rerun_settings.py.
    """
    for number, run in enumerate(asked(demo, method)):
        changes = singly(run)
        assert differing(demo, run, [changes[number % len(changes)]]) == []


def read(workspace: Workspace, run: str, purpose: str) -> list[str]:
    """The facts of a run's first reading with a purpose."""
    events = workspace.runs.events(run)
    first = next(event for event in events if isinstance(event, Read) and event.purpose == purpose)
    return [triple.text for triple in first.triples]


@pytest.fixture
def gear(films: Workspace) -> str:
    return films.ask(QUESTION, "films", "gear").run


def words(text: str) -> tuple[str, str, str]:
    return next(fact[1:] for fact in TRIPLES if " ".join(fact[1:]) == text)


def test_a_dropped_gist_entry_is_never_remembered(films: Workspace, gear: str) -> None:
    first = read(films, gear, "gist")[0]
    variant = films.reruns.rerun(gear, RunChange(edits=(ReadingEdit("gist", words(first)),)))
    remembered = [event for event in variant if isinstance(event, Remembered)]
    assert remembered
    assert first not in {triple.text for event in remembered for triple in event.added}


def test_a_passage_that_is_taken_out_is_nowhere_in_the_rerun_and_one_put_in_leads(
    films: Workspace, gear: str
) -> None:
    first, *_, last = [line.key for line in films.runs.answer(gear).ranking]
    change = RunChange.from_json(RunChange(absent=(first,)).to_json())
    without = films.reruns.rerun(gear, change)
    rankings = [event for event in without if isinstance(event, Ranked)]
    assert rankings and first not in {line.key for e in rankings for line in e.ranking}
    assert without == made(films, gear, change)
    led = films.reruns.rerun(gear, RunChange(leader=last))
    search = next(event for event in led if event.is_of("retrieve"))
    assert search.listed[0].key == last
    with pytest.raises(BadInput, match="Unknown passage 'nowhere'"):
        films.reruns.rerun(gear, RunChange(leader="nowhere"))


def test_a_variant_that_is_kept_replays_with_its_edits(films: Workspace, gear: str) -> None:
    first = read(films, gear, "sync")[0]
    change = RunChange({"proximal": "2"}, edits=(ReadingEdit("sync", words(first)),))
    kept = films.runner.ask(change.applied(request_of(films.runs.get(gear))))
    assert films.reruns.replay(kept.run) == ""
    again = films.runs.again(kept.run)
    assert request_of(films.runs.get(again)).options == Options(edits=change.edits, proximal=2)
    assert films.reruns.rerun(kept.run) == [*kept.events]


def test_a_draft_is_made_by_the_worker_and_is_in_no_list_of_runs(
    films: Workspace, gear: str
) -> None:
    change, listed = RunChange({"gamma": "none"}), films.runs.recent()
    assert (
        films.reruns.enqueue_draft(gear, change) is films.reruns.enqueue_draft(gear, change) is None
    )
    assert films.store.runs.counts("", "draft") == (1, 1)
    films.worker().take()
    draft = films.reruns.enqueue_draft(gear, change)
    assert draft and [*draft.events] == films.reruns.rerun(gear, change)
    assert films.runs.recent() == listed
    assert films.runs.same(change.applied(request_of(films.runs.get(gear)))) is None
    assert films.store.runs.featured(films.collections.get("films").id) == listed[0]
    films.store.db.execute("UPDATE tasks SET created = '2020-01-01T00:00:00Z' WHERE draft_of")
    films.reruns.enqueue_draft(gear, RunChange({"gamma": "1"}))
    assert films.store.db.value("SELECT count(*) FROM tasks WHERE draft_of IS NOT NULL") == 1


@pytest.mark.parametrize(
    "text",
    [
        "[",
        "[" * 100_000,
        '{"settings":{"a":[]}}',
        '{"settings":{"k":1e999}}',
        '{"edits":[["x",["a","b","c"],null]]}',
    ],
)
def test_an_address_that_holds_no_change_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        RunChange.from_json(text)


@pytest.mark.parametrize(
    "settings", [{"k": 2.7}, {"width": 2.7}, {"proximal": "two"}, {"restart": 0.5}]
)
def test_a_change_that_the_method_does_not_take_is_refused_before_it_is_made(
    films: Workspace, gear: str, settings: dict[str, str | int | float]
) -> None:
    with pytest.raises(BadInput):
        RunChange(settings).applied(request_of(films.runs.get(gear)))
