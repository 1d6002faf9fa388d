"""The queue of runs and jobs: one process at a time, in turns, and what dead processes leave."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from gear_app.core.errors import Cancelled, NotReady
from gear_app.store import Store
from gear_app.store.processes import Lock, new_name
from gear_app.store.tasks import AT_ONCE, INTERRUPTED, OF_ONE
from tests.store.make import claimed, new_run

HOLDING = """
import sys, time, pathlib
from gear_app.store.processes import Lock, new_name
name = new_name()
lock = Lock(pathlib.Path(sys.argv[1]), name)
assert lock.acquire()
print(name, flush=True)
sys.stdin.read()
"""


def test_the_queue_takes_turns_among_owners(store: Store) -> None:
    assert store.tasks.queue() == []
    waiting = [store.runs.create(new_run(store, owner)).number for owner in "aaabcb"]
    assert store.tasks.queue() == [waiting[place] for place in (0, 3, 4, 1, 5, 2)]
    for owner, started in (("a", 30.0), ("b", 20.0), ("c", 10.0)):
        run = store.runs.create(new_run(store, owner))
        store.db.update("tasks", {"state": "done", "started": started}, number=run.number)
    assert store.tasks.queue() == [waiting[place] for place in (4, 3, 0, 5, 1, 2)]


def test_runs_wait_for_a_place_and_drafts_for_none(store: Store) -> None:
    def new(owner: str, model: str = "") -> int:
        return store.runs.create(replace(new_run(store, owner), model=model)).number

    measured = [new("evaluation:1") for _ in range(3)]
    asking = [new("a", "{}") for _ in range(OF_ONE + 2)]
    plain = [new("b") for _ in range(AT_ONCE)]
    queue = store.tasks.queue()
    assert set(queue) == {measured[0], *asking[:OF_ONE], *plain[: AT_ONCE - 1]}
    draft = store.runs.create(replace(new_run(store), draft_of=plain[0]), "draft").number
    process = new_name()
    assert store.tasks.claim_next("run", process) == draft
    assert store.tasks.claim_next("run", process, {draft}) == queue[0] == measured[0]
    assert store.tasks.claim_next("run", process, {draft, queue[0]}) == queue[1] == asking[0]
    assert store.tasks.queue() == queue[2:]


def test_an_owner_who_has_just_had_a_turn_waits_for_the_others(store: Store) -> None:
    greedy = [store.runs.create(new_run(store, "greedy")) for _ in range(3)]
    modest = store.runs.create(new_run(store, "modest"))
    process, under_way = new_name(), list[int]()
    while (number := store.tasks.claim_next("run", process, under_way)) is not None:
        under_way.append(number)
    assert under_way == [run.number for run in (greedy[0], modest, greedy[1], greedy[2])]


def test_a_task_is_one_processs_until_that_is_dead(store: Store) -> None:
    path, row = Path(store.db.path), store.collections.create("a")
    job, run = store.tasks.ensure("vectors", row.id), store.runs.create(new_run(store))
    with subprocess.Popen(
        [sys.executable, "-c", HOLDING, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None
        name, here = other.stdout.readline().strip(), new_name()
        assert all(store.tasks.claim(number, name) for number in (job.number, run.number))
        assert store.tasks.claim(job.number, name) and not store.tasks.claim(run.number, name)
        assert not store.tasks.claim(job.number, here)
        assert store.tasks.claim_next("job", here) is None
        other.kill()
    assert store.tasks.waiting(here) == 2
    assert store.tasks.claim_next("run", here) is None
    assert store.tasks.claim_next("job", here) == job.number
    ended = store.runs.get(run.id)
    assert (ended.state, ended.message) == ("interrupted", INTERRUPTED)
    assert not list(path.parent.glob("*.lock"))


def test_a_lock_is_of_one_holder(tmp_path: Path) -> None:
    first, second = Lock(tmp_path / "w.db"), Lock(tmp_path / "w.db")
    assert first.acquire() and not second.acquire() and second.is_held()
    first.release()
    assert not second.is_held() and second.acquire()
    second.release()


def test_a_process_that_lost_its_job_changes_nothing_of_it(store: Store) -> None:
    job = store.tasks.ensure("vectors", store.collections.create("a").id, total=9)
    first, second = new_name(), new_name()
    store.tasks.claim(job.number, first)
    held = store.tasks.job(job.number)
    store.tasks.check(held)
    Lock(Path(store.db.path), first).release()  # it is dead for the others
    store.tasks.claim(job.number, second)
    before = store.db.rows("SELECT * FROM tasks")
    assert not store.tasks.show(held, done=4, message="mine")
    assert not store.tasks.finish(held, "cancelled", "mine")
    with pytest.raises(Cancelled, match="Another process"):
        store.tasks.check(held)
    assert store.db.rows("SELECT * FROM tasks") == before
    assert store.tasks.finish(store.tasks.job(job.number), "done") and not store.tasks.running(
        second
    )


def test_there_is_one_unfinished_job_a_set_but_for_one_that_is_being_cancelled(
    store: Store,
) -> None:
    row = store.collections.create("a")
    set_ = store.collections.ensure_set(row.id, "s", "local")
    job = store.tasks.ensure("extraction", row.id, set_.id, extractor="local", total=10)
    assert (job.extractor, job.total, job.triple_set, job.collection) == ("local", 10, "s", "a")
    assert store.tasks.ensure("extraction", row.id, set_.id, extractor="local").id == job.id
    with pytest.raises(NotReady, match="is being extracted by the extractor 'local'"):
        store.tasks.ensure("extraction", row.id, set_.id, extractor="other")
    assert store.tasks.ensure("vectors", row.id, set_.id).id != job.id
    store.tasks.claim(job.id, new_name())
    store.tasks.cancel(job.id)
    assert store.tasks.ensure("extraction", row.id, set_.id, extractor="local").id != job.id


def test_cancelling_stops_a_queued_task_at_once_and_asks_a_running_one(store: Store) -> None:
    first, second = (store.runs.create(new_run(store)) for _ in range(2))
    second = claimed(store, second)
    store.tasks.cancel(first.number)
    store.tasks.check(second)
    store.tasks.cancel(second.number)
    assert [store.runs.get(run.id).state for run in (first, second)] == ["cancelled", "running"]
    with pytest.raises(Cancelled, match="What happened so far is kept"):
        store.tasks.check(second)
    assert store.tasks.claim_next("run", second.process, {second.number}) is None
