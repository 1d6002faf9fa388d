"""Extraction by a language model as a job: calls stay under way from slice to slice, whatever comes
in between.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gear_app.errors import NotReady, StoreFailed
from gear_app.jobs import extraction_stream
from gear_app.llm.errors import KeyEnded
from gear_app.llm.server import Secret, Spec
from gear_app.text import LONGEST_REPLY
from gear_app.worker import Scheduler
from gear_app.workspace import JobInfo, RunRequest
from tests.llm.conftest import Bench
from tests.llm.passages import CUT, EMPTY, USELESS, graph, number
from tests.llm.server import KEY, ScriptedReply, ScriptedServer, chat_reply, error
from tests.llm.world import role_of
from tests.workspaces import corpus_of, workspace

Reply = Callable[[dict[str, Any]], ScriptedReply]


def fine(asked: dict[str, Any]) -> ScriptedReply:
    return chat_reply(graph(number(asked)))


class Held:
    """Keeps everybody waiting until `release`, but for the passages it is told to reply to."""

    def __init__(self, *at_once: int) -> None:
        self._at_once, self._released = at_once, threading.Event()

    def __call__(self, asked: dict[str, Any]) -> ScriptedReply:
        if number(asked) not in self._at_once:
            self._released.wait(20)
        return fine(asked)

    def release(self) -> None:
        self._released.set()


class World:
    """A collection of some passages, and a server that the environment names."""

    def __init__(self, path: Path, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path, self._bench, self._monkeypatch = path, bench, monkeypatch
        self.made = workspace(path)

    def serve(self, reply: Reply, count: int = 20) -> ScriptedServer:
        server = self._bench.serve(reply)
        for name, value in {
            "OPENAI_API_KEY": KEY,
            "OPENAI_BASE_URL": server.base_url,
            "GEAR_MODEL": "tiny",
        }.items():
            self._monkeypatch.setenv(name, value)
        self.made.import_path(corpus_of(self.path, count), "c")
        return server

    def turns(self) -> Scheduler:
        """A worker's turns, after what else waits was done."""
        turns = self.made.scheduler()
        while turns.take():
            pass
        return turns

    def job(self) -> JobInfo:
        return next(job for job in self.made.jobs.recent("c") if job.kind == "extraction")

    def stored(self) -> set[str]:
        """The passages that have a triple."""
        return {triple.subject for triple in self.made.collections.triples("c", "llm", limit=1000)}


@pytest.fixture
def world(tmp_path: Path, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """A workspace and its server; a slice takes little time."""
    monkeypatch.setattr(extraction_stream, "GATHERED_S", 0.1)
    yield World(tmp_path, bench, monkeypatch)


def until(true: Callable[[], bool]) -> None:
    """Wait for another thread."""
    for _ in range(2000):
        if true():
            return
        threading.Event().wait(0.01)
    raise AssertionError("it took too long")


def names(*numbers: int) -> set[str]:
    return {f"Person{n}" for n in numbers}


# Calls stay under way


def test_a_question_is_answered_after_a_slice_while_the_server_keeps_all_calls_waiting(
    world: World,
) -> None:
    reply = Held()
    server = world.serve(reply)
    turns = world.turns()
    world.made.jobs.enqueue_extraction("c", "llm")
    turns.take()
    assert world.job().state == "running"
    until(lambda: len(server.asked) == 8)
    run = world.made.runs.enqueue(RunRequest("Where was Person3 born?", "c", "hybrid"))
    turns.take()
    assert world.made.runs.get(run).state == "done"
    assert (len(server.asked), world.job().state, server.gone.is_set()) == (8, "running", False)
    reply.release()
    while turns.take():
        pass
    assert (world.job().state, len(server.asked), server.most_at_once) == ("done", 20, 8)


def test_a_place_that_is_free_is_taken_while_the_other_calls_go_on(world: World) -> None:
    """Whoever asked about a batch and waited for all of it would not get beyond the first eight."""
    reply = Held(*range(1, 20))
    server = world.serve(reply)
    turns = world.turns()
    world.made.jobs.enqueue_extraction("c", "llm")
    for _ in range(200):
        turns.take()
        if len(world.stored()) == 19:
            break
    assert world.stored() == names(*range(1, 20)) and len(server.asked) == 20
    reply.release()
    while turns.take():
        pass
    assert world.stored() == names(*range(20))


def test_two_jobs_at_one_server_share_its_places(world: World) -> None:
    held = Held()

    def reply(asked: dict[str, Any]) -> ScriptedReply:
        held(asked)
        return fine(asked) if role_of(asked) == "extraction" else two_steps(asked)

    server = world.serve(reply)
    turns = world.turns()
    world.made.jobs.enqueue_extraction("c", "llm", "one")
    world.made.jobs.enqueue_extraction("c", "llm:two", "other")
    turns.take()
    turns.take()
    until(lambda: len(server.asked) == 8)
    turns.take()
    assert len(server.asked) == server.most_at_once == 8
    assert [job.state for job in world.made.jobs.recent("c") if job.kind == "extraction"] == [
        "running",
        "running",
    ]
    held.release()
    while turns.take():
        pass
    assert server.most_at_once == 8 and len(server.asked) == 3 * 20
    assert [len(world.made.collections.triples("c", name)) for name in ("one", "other")] == [20, 20]


def test_a_reply_is_kept_as_it_comes_in_whatever_the_worker_does(world: World) -> None:
    """The one that looks for replies is busy for as long as it likes; a kill would not lose what
    came meanwhile.
    """
    reply = Held()
    server = world.serve(reply, 5)
    turns = world.turns()
    reader = workspace(world.path)
    world.made.jobs.enqueue_extraction("c", "llm")
    job = world.made.store.jobs.claim_next(world.made.connection.process)
    assert job is not None
    work = world.made.jobs.begin(job)
    world.made.jobs.slice(job, work)  # the calls are begun in it
    reply.release()
    until(lambda: reader.store.db.value("SELECT count(*) FROM model_replies") == 5)
    while turns.take():
        pass
    assert len(server.asked) == 5 and world.stored() == names(*range(5))


def test_replies_that_were_kept_are_not_asked_for_again(world: World) -> None:
    server = world.serve(fine)
    first = world.made.extract("c", "llm")
    again = world.made.extract("c", "llm", "again")
    assert len(server.asked) == 20 and again.state == "done"
    assert (first.spent.calls, first.spent.kept, first.spent.tokens) == (20, 0, 20 * 18)
    assert (again.spent.calls, again.spent.kept, again.spent.tokens, again.spent.cost) == (
        20,
        20,
        20 * 18,
        0.0,
    )


# Ending early


def test_cancelling_closes_the_connections_at_once_and_keeps_what_came(world: World) -> None:
    reply = Held(1, 2, 3)
    server = world.serve(
        lambda asked: reply(asked) if number(asked) < 4 else ScriptedReply(b"", stalls=True), 20
    )
    turns = world.turns()
    job = world.made.jobs.enqueue_extraction("c", "llm")
    turns.take()
    until(lambda: len(server.asked) >= 8)
    until(lambda: world.made.store.replies.size().replies == 3)
    world.made.jobs.cancel(job)
    turns.take()
    assert server.gone.wait(5)
    assert world.job().state == "cancelled" and world.made.jobs.failures("c", "llm") == []
    assert world.stored() == names(1, 2, 3)


def test_a_deleted_collections_calls_are_ended(world: World) -> None:
    server = world.serve(lambda asked: ScriptedReply(b"", stalls=True))
    turns = world.turns()
    world.made.jobs.enqueue_extraction("c", "llm")
    turns.take()
    until(lambda: len(server.asked) == 8)
    world.made.collections.delete("c")
    turns.take()
    assert server.gone.wait(5) and len(server.asked) == 8


def test_a_budget_pauses_the_job_and_a_new_one_goes_on_from_there(world: World) -> None:
    server = world.serve(lambda asked: chat_reply(graph(number(asked)), usage=(300, 100)))
    paused = world.made.extract("c", "llm", budget=6000)
    assert (paused.state, paused.failed) == (
        "paused",
        0,
    ) and "budget of 6,000 tokens" in paused.message
    assert (
        0 < paused.spent.tokens <= 6000
        and len(world.stored()) == paused.spent.calls == len(server.asked) < 20
    )
    assert world.made.extract("c", "llm").state == "done"
    assert len(server.asked) == 20, "no reply that had been paid for was thrown away"
    assert world.stored() == names(*range(20))


def test_a_key_that_ends_pauses_the_job_closes_its_calls_and_keeps_what_came(world: World) -> None:
    ended = threading.Event()

    class Lent(Secret):
        __slots__ = ()

        def check(self) -> None:
            if ended.is_set():
                raise KeyEnded("The key was typed in a browser session that has ended.")

    server = world.serve(
        lambda asked: fine(asked) if number(asked) < 3 else ScriptedReply(b"", stalls=True)
    )
    world.made.models.keys.key_for = lambda spec: Lent(KEY)  # type: ignore[method-assign]
    turns = world.turns()
    world.made.jobs.enqueue_extraction("c", "llm")
    for _ in range(100):
        turns.take()
        if world.stored() == names(0, 1, 2) and len(server.asked) == 11:
            break
    ended.set()
    turns.take()
    job = world.job()
    assert (job.state, job.failed) == ("paused", 0) and "session that has ended" in job.message
    assert server.gone.wait(5) and world.stored() == names(0, 1, 2) and job.finished


def test_a_file_that_cannot_be_written_ends_the_job_in_words(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.serve(fine)

    def full(self: object, *arguments: object) -> None:
        raise StoreFailed("w.db cannot grow: the disk is full.")

    monkeypatch.setattr("gear_app.store.replies.StoredReplies.put", full)
    with pytest.raises(StoreFailed, match="the disk is full"):
        world.made.extract("c", "llm")
    assert world.job().state == "failed" and "the disk is full" in world.job().message


def test_passages_that_are_deleted_while_they_are_asked_about_leave_nothing_behind(
    world: World,
) -> None:
    reply = Held()
    server = world.serve(reply, 3)
    world.made.imports.text("Person9", "Person9 was born in Town2.", "c")
    turns = world.turns()
    world.made.jobs.enqueue_extraction("c", "llm")
    turns.take()
    until(lambda: len(server.asked) == 4)
    (document,) = [row for row in world.made.collections.documents("c") if row.title == "Person9"]
    world.made.collections.delete_document("c", document.id)
    reply.release()
    while turns.take():
        pass
    assert world.job().state == "done" and world.stored() == names(0, 1, 2)


# Another process

STOLEN = "UPDATE jobs SET heartbeat = 0"  # as after the process slept


def test_a_process_that_lost_its_job_begins_no_call_and_leaves_it_as_the_other_ended_it(
    world: World,
) -> None:
    reply = Held()
    server = world.serve(reply)
    world.turns()
    world.made.jobs.enqueue_extraction("c", "llm")
    job = world.made.store.jobs.claim_next(world.made.connection.process)
    assert job is not None
    work = world.made.jobs.begin(job)
    assert world.made.jobs.slice(job, work)
    until(lambda: len(server.asked) == 8)
    world.made.store.db.execute(STOLEN)
    world.made.store.jobs.claim(job.id, "other")
    world.made.store.jobs.finish(job.id, "other", "paused", "the other ended it")
    reply.release()
    count = len(world.made.jobs.recent("c"))
    assert not world.made.jobs.slice(job, work)
    assert (world.job().state, world.job().message, len(server.asked)) == (
        "paused",
        "the other ended it",
        8,
    )
    assert len(world.made.jobs.recent("c")) == count, "nor is anything asked for in its name"


def test_a_slice_ends_where_the_job_is_lost_in_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extraction_stream, "GATHERED_S", 20.0)
    other, lock = workspace(world.path), threading.Lock()

    def reply(asked: dict[str, Any]) -> ScriptedReply:
        with lock:
            if len(server.asked) == 12:
                other.store.db.execute(STOLEN)
                other.store.jobs.claim(world_job, "other")
                other.close()
        return fine(asked)

    server = world.serve(reply, 60)
    turns = world.turns()
    world_job = world.made.jobs.enqueue_extraction("c", "llm")
    turns.take()
    assert len(server.asked) < 12 + 2 * 8
    assert other.jobs.get(world_job).state == "running" and other.store.jobs.held_ids("other") == {
        world_job
    }


def test_the_worker_ends_the_calls_of_a_job_that_it_lost(world: World) -> None:
    server = world.serve(lambda asked: ScriptedReply(b"", stalls=True))
    turns = world.turns()
    job = world.made.jobs.enqueue_extraction("c", "llm")
    turns.take()
    until(lambda: len(server.asked) == 8)
    world.made.store.db.execute(STOLEN)
    world.made.store.jobs.claim(job, "other")
    turns.take()
    assert server.gone.wait(5) and world.job().state == "running"


def test_a_command_that_lost_its_job_follows_it_to_its_end(world: World) -> None:
    server = world.serve(fine, 200)

    def progress(job: JobInfo) -> None:
        if job.process == "other":
            world.made.store.jobs.finish(job.id, "other", "done", "made there")
        else:
            world.made.store.db.execute(STOLEN)
            world.made.store.jobs.claim(job.id, "other")

    assert world.made.extract("c", "llm", progress=progress).message == "made there"
    assert len(server.asked) < 200


@pytest.mark.parametrize("change", ["key", "model", "extractor"])
def test_somebody_elses_job_is_neither_joined_nor_changed(world: World, change: str) -> None:
    world.serve(lambda asked: chat_reply(USELESS), 2)
    world.made.extract("c", "llm", "mine")
    mine = Spec("http://here/v1", "tiny", key_from="browser a")
    other = replace(
        mine, **{"key": {"key_from": "browser b"}, "model": {"model": "large"}}.get(change, {})
    )  # type: ignore[arg-type]
    world.made.store.db.execute("DELETE FROM jobs")
    failed = world.made.jobs.failures("c", "mine")
    set_ = world.made.store.collections.ensure_set(
        world.made.store.collections.get("c").id, "mine", "llm"
    )
    world.made.store.jobs.ensure(
        "extraction",
        set_.collection_id,
        set_.id,
        extractor="llm",
        owner="a",
        model=mine.to_json(),
        key_from=mine.key_from,
        budget=1000,
    )
    before = world.made.store.db.rows("SELECT * FROM jobs")
    extractor = "llm:two" if change == "extractor" else "llm"
    with pytest.raises(
        NotReady, match="'mine' is being extracted by the extractor 'llm' with tiny"
    ) as caught:
        world.made.jobs.enqueue_extraction("c", extractor, "mine", "a", model=other, budget=10**9)
    assert ("with another key or other settings" in str(caught.value)) == (change == "key")
    assert "browser" not in str(caught.value)
    assert world.made.store.db.rows("SELECT * FROM jobs") == before
    assert len(failed) == 2 and world.made.jobs.failures("c", "mine") == failed


def test_a_budget_is_raised_by_the_jobs_owner_only(world: World) -> None:
    world.serve(fine, 2)
    job = world.made.jobs.enqueue_extraction("c", "llm", owner="a", budget=1000)
    assert world.made.jobs.enqueue_extraction("c", "llm", owner="b", budget=10**9) == job
    assert world.made.jobs.get(job).budget == 1000
    assert world.made.jobs.enqueue_extraction("c", "llm", owner="a", budget=2000) == job
    assert world.made.jobs.get(job).budget == 2000


# Nothing is silent


def test_of_a_very_long_useless_reply_the_beginning_is_kept(world: World) -> None:
    world.serve(lambda asked: chat_reply("x" * 2 * LONGEST_REPLY), 1)
    assert world.made.extract("c", "llm").failed == 1
    (failure,) = world.made.jobs.failures("c", "llm")
    assert failure.reply == "x" * LONGEST_REPLY + " … and 100,000 more characters"


def test_of_long_replies_that_were_used_in_part_the_beginning_is_kept(world: World) -> None:
    def reply(asked: dict[str, Any]) -> ScriptedReply:
        if role_of(asked) == "entities":
            return chat_reply('{"named_entities": ["Person0", "Town0", 1]' + " " * 60_000 + "}")
        return chat_reply(
            '{"triples": [["Person0", "was born in", "Town0"], ["a", "b"]]' + " " * 60_000 + "}"
        )

    world.serve(reply, 1)
    assert world.made.extract("c", "llm:two").failed == 0
    (short,) = world.made.jobs.shortfalls("c", "llm:two")
    assert (
        short.dropped
        and short.reply.startswith('{"named')
        and LONGEST_REPLY < len(short.reply) < LONGEST_REPLY + 50
    )


def test_parts_that_could_not_be_used_are_counted_and_kept_with_their_passage(world: World) -> None:
    partly = (
        '{"named_entities": ["Person1"], "triples": [["Person1", "was born in", "Town1"], ["a",'
        ' "b"], [1, 2]]}'
    )
    world.serve(lambda asked: chat_reply(partly) if number(asked) == 1 else fine(asked), 3)
    job = world.made.extract("c", "llm")
    assert (job.state, job.failed, job.spent.unusable) == ("done", 0, 1)
    (short,) = world.made.jobs.shortfalls("c", "llm")
    assert (short.passage_key, short.triples, short.dropped, short.reply) == ("p1", 1, 2, partly)
    assert world.stored() == names(0, 1, 2)
    info = next(s for s in world.made.collections.get("c").triple_sets if s.name == "llm")
    assert (info.passages_short, info.parts_dropped) == (1, 2)


def test_a_reply_that_was_cut_off_after_some_triples_says_so(world: World) -> None:
    cut = graph(1).removesuffix("]]}") + "], "
    world.serve(
        lambda asked: chat_reply(cut, finish="length") if number(asked) == 1 else fine(asked), 2
    )
    world.made.extract("c", "llm")
    (short,) = world.made.jobs.shortfalls("c", "llm")
    assert short.error == extraction_stream.CUT and short.reply == cut and short.triples == 1


def test_a_passage_that_gave_none_is_asked_about_again_only_when_somebody_says_so(
    world: World,
) -> None:
    none = [EMPTY, EMPTY]
    server = world.serve(
        lambda asked: chat_reply(none.pop()) if number(asked) == 1 and none else fine(asked), 3
    )
    for asked, empty in ((3, 1), (3, 1)):
        job = world.made.extract("c", "llm")
        assert (job.state, len(server.asked)) == ("done", asked)
        assert [f.reply for f in world.made.jobs.shortfalls("c", "llm")] == [EMPTY] * empty
        assert "1 passage gave none" in job.message
    for asked, empty in ((4, 1), (5, 0)):
        assert world.made.jobs.retry_empty("c", "llm") == 1
        world.made.extract("c", "llm")
        assert len(server.asked) == asked and len(world.made.jobs.shortfalls("c", "llm")) == empty
    assert world.stored() == names(0, 1, 2)


def test_passages_are_tried_again_by_a_job_that_goes_on_already(world: World) -> None:
    reply = Held(0)
    texts = [USELESS]
    server = world.serve(
        lambda asked: chat_reply(texts.pop()) if number(asked) == 0 and texts else reply(asked), 12
    )
    turns = world.turns()
    job = world.made.jobs.enqueue_extraction("c", "llm")
    for _ in range(100):
        turns.take()
        if world.made.jobs.failures("c", "llm"):
            break
    assert world.made.jobs.enqueue_extraction("c", "llm") == job
    reply.release()
    while turns.take():
        pass
    assert world.job().id == job and world.job().failed == 0
    assert world.stored() == names(*range(12)) and len(server.asked) == 13


def test_what_it_took_is_told_slice_by_slice(world: World) -> None:
    reply = Held(*range(5))
    world.serve(reply)
    turns = world.turns()
    world.made.jobs.enqueue_extraction("c", "llm")
    for _ in range(100):
        turns.take()
        if world.job().spent.calls == 5:
            break
    job = world.job()
    assert (job.state, job.spent.calls, job.spent.input_tokens, job.spent.output_tokens) == (
        "running",
        5,
        55,
        35,
    )
    assert job.spent.cost is None and job.total == 20
    reply.release()
    while turns.take():
        pass
    assert world.job().spent.calls == 20


def test_an_unusable_reply_counts_and_a_refused_call_does_not(world: World) -> None:
    texts = {
        1: chat_reply(USELESS),
        2: error(400, "Too long."),
        3: chat_reply(CUT, finish="length"),
    }
    world.serve(lambda asked: texts.get(number(asked)) or fine(asked), 5)
    job = world.made.extract("c", "llm")
    assert (job.failed, job.spent.calls, job.spent.unusable) == (3, 4, 2)
    assert {f.passage_key: f.reply for f in world.made.jobs.failures("c", "llm")} == {
        "p1": USELESS,
        "p2": "",
        "p3": CUT,
    }


# Two steps


def two_steps(asked: dict[str, Any]) -> ScriptedReply:
    n, whole = number(asked), json.loads(graph(number(asked)))
    if role_of(asked) == "entities":
        return chat_reply(json.dumps({"named_entities": whole["named_entities"]}))
    assert (
        json.dumps({"named_entities": [f"Person{n}", f"Town{n % 7}"]})
        in asked["messages"][0]["content"]
    )
    return chat_reply(json.dumps({"triples": whole["triples"]}))


def test_two_steps_are_part_of_the_job_and_of_what_made_the_triples(world: World) -> None:
    server = world.serve(two_steps)
    job = world.made.extract("c", "llm:two")
    assert (job.state, job.extractor, job.triple_set, job.spent.calls) == (
        "done",
        "llm:two",
        "llm:two",
        40,
    )
    assert {role_of(asked) for asked in server.asked} == {
        "entities",
        "triples",
    } and server.most_at_once <= 8
    info = next(s for s in world.made.collections.get("c").triple_sets if s.name == "llm:two")
    assert (info.maker, info.triples) == ("llm:two", 20)
    prints = {
        row["fingerprint"]
        for row in world.made.store.db.rows("SELECT fingerprint FROM extractions")
    }
    assert len(prints) == 1 and "/tiny/two/" in prints.pop()


def test_a_job_of_two_steps_goes_on_in_two_steps_after_its_process_died(world: World) -> None:
    held = Held(*range(4))

    def reply(asked: dict[str, Any]) -> ScriptedReply:
        held(asked)
        return two_steps(asked)

    server = world.serve(reply, 24)  # more than are under way: both steps are left to do
    turns = world.turns()
    job = world.made.jobs.enqueue_extraction("c", "llm:two", "mine")
    for _ in range(100):
        turns.take()
        if len(world.made.collections.triples("c", "mine")) == 4:
            break
    world.made.store.db.execute("UPDATE jobs SET state = 'queued'")  # as the next worker finds it
    held.release()
    asked = len(server.asked)
    other = workspace(world.path).scheduler()
    while other.take():
        pass
    assert (
        world.made.jobs.get(job).state == "done"
        and len(world.made.collections.triples("c", "mine")) == 24
    )
    assert {role_of(one) for one in server.asked[asked:]} == {"entities", "triples"}
    assert [number(one) for one in server.asked].count(2) == 2, (
        "what had come in was not asked for again"
    )
