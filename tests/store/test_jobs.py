"""Jobs: one process at a time, in turns, with a rate."""

from __future__ import annotations

import time

from gear_app.store import Store
from gear_app.store.rows import JobRequest


def test_one_unfinished_job_a_set(store: Store) -> None:
    row = store.collections.create("a")
    set_ = store.collections.ensure_set(row.id, "s", "local")
    job = store.jobs.ensure("extraction", row.id, set_.id, JobRequest("local", total=10))
    assert store.jobs.ensure("extraction", row.id, set_.id, JobRequest("local")).id == job.id
    assert store.jobs.ensure("vectors", row.id, set_.id).id != job.id
    store.jobs.claim(job.id, "p")
    store.jobs.finish(job.id, "p", "done", "ready")
    assert store.jobs.ensure("extraction", row.id, set_.id).id not in (job.id, job.id + 1)


def test_a_job_is_worked_on_by_one_process_until_that_is_dead(store: Store) -> None:
    row = store.collections.create("a")
    job = store.jobs.ensure("vectors", row.id, None)
    assert store.jobs.claim(job.id, "p1") and store.jobs.claim(job.id, "p1")
    assert not store.jobs.claim(job.id, "p2")
    assert store.jobs.claim_next("p2") is None
    store.db.execute("UPDATE jobs SET heartbeat = ?", [time.time() - 60])
    taken = store.jobs.claim_next("p2")
    assert taken is not None and taken.id == job.id
    assert not store.jobs.claim(job.id, "p1")


def test_a_process_that_lost_its_job_changes_nothing_of_it(store: Store) -> None:
    row = store.collections.create("a")
    job = store.jobs.ensure("vectors", row.id, None, JobRequest(total=9))
    store.jobs.claim(job.id, "p1")
    held = store.jobs.get(job.id)
    store.db.execute("UPDATE jobs SET heartbeat = 0")
    assert store.jobs.held_ids("p1") == {job.id}
    store.jobs.claim(job.id, "p2")
    before = store.db.rows("SELECT * FROM jobs")
    store.jobs.progress(held, "mine", done=4, total=9, worked_s=1.0)
    assert not store.jobs.finish(job.id, "p1", "cancelled", "mine")
    assert store.db.rows("SELECT * FROM jobs") == before
    assert (store.jobs.held_ids("p1"), store.jobs.held_ids("p2")) == (set(), {job.id})
    assert store.jobs.finish(job.id, "p2", "done", "") and store.jobs.held_ids("p2") == set()


def test_a_job_that_is_being_cancelled_is_not_joined(store: Store) -> None:
    row = store.collections.create("a")
    job = store.jobs.ensure("vectors", row.id, None)
    store.jobs.claim(job.id, "p")
    store.jobs.cancel(job.id)
    assert store.jobs.ensure("vectors", row.id, None).id != job.id


def test_jobs_take_turns_between_vectors_of_passages_and_those_of_triples(store: Store) -> None:
    rows = [store.collections.create(name) for name in ("a", "b")]
    sets = [store.collections.ensure_set(row.id, "s", "x").id for row in rows]
    of_triples = store.jobs.ensure("vectors", rows[0].id, sets[0])
    jobs = [
        store.jobs.ensure("extraction", row.id, set_id)
        for row, set_id in zip(rows, sets, strict=True)
    ]
    of_passages = store.jobs.ensure("vectors", rows[0].id, None)
    turns = [store.jobs.claim_next("p") for _ in range(2)]
    assert [job.id for job in turns if job] == [of_passages.id] * 2
    assert store.jobs.finish(of_passages.id, "p", "done", "")
    turns = [store.jobs.claim_next("p") for _ in range(4)]
    assert [job.id for job in turns if job] == [jobs[0].id, jobs[1].id, jobs[0].id, jobs[1].id]
    for job in jobs:
        assert store.jobs.finish(job.id, "p", "done", "")
    last = store.jobs.claim_next("p")
    assert last is not None and last.id == of_triples.id


def test_rate_and_time_left_count_the_work_of_this_process_only(store: Store) -> None:
    row = store.collections.create("a")
    job = store.jobs.ensure("vectors", row.id, None, JobRequest(total=100))
    store.jobs.claim(job.id, "p1")
    store.jobs.progress(store.jobs.get(job.id), "", done=40, total=100, worked_s=4.0)
    assert (store.jobs.get(job.id).rate, store.jobs.get(job.id).seconds_left) == (10.0, 6.0)
    store.jobs.release("p1")
    store.jobs.claim(job.id, "p2")
    assert (store.jobs.get(job.id).rate, store.jobs.get(job.id).seconds_left) == (0.0, None)
    held = store.jobs.get(job.id)
    store.jobs.progress(held, "", done=60, total=100, worked_s=1.0, failed=10)
    assert (store.jobs.get(job.id).rate, store.jobs.get(job.id).seconds_left) == (20.0, 1.5)
    store.jobs.progress(held, "", done=80, total=100, failed=10, found=20)
    assert (store.jobs.get(job.id).rate, store.jobs.get(job.id).seconds_left) == (20.0, 0.5)
