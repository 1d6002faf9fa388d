"""Nothing is silent: what could not be used is kept, counted and told; and two steps."""

from __future__ import annotations

from typing import Any

from tests.models.extraction.slices import Held, World, fine, names, two_steps
from tests.models.passages import EMPTY, number
from tests.models.server import ScriptedReply, chat_reply
from tests.models.world import role_of
from tests.waiting import finish
from tests.workspaces import workspace


def test_parts_that_could_not_be_used_are_counted_and_kept_with_their_passage(world: World) -> None:
    partly = (
        '{"named_entities": ["Person1"], "triples": [["Person1", "was born in", "Town1"], ["a",'
        ' "b"], [1, 2]]}'
    )
    world.serve(lambda asked: chat_reply(partly) if number(asked) == 1 else fine(asked), 3)
    job = world.made.jobs.extract("c", "llm")
    assert (job.state, job.failed, job.spent.unusable) == ("done", 0, 1)
    (short,) = world.made.jobs.shortfalls("c", "llm")
    assert (short.passage_key, short.triples, short.dropped, short.reply) == ("p1", 1, 2, partly)
    assert world.stored() == names(0, 1, 2)
    info = next(s for s in world.made.collections.get("c").triple_sets if s.name == "llm")
    assert (info.passages_short, info.parts_dropped) == (1, 2)


def test_a_passage_that_gave_none_is_asked_about_again_only_when_somebody_says_so(
    world: World,
) -> None:
    none = [EMPTY, EMPTY]
    server = world.serve(
        lambda asked: chat_reply(none.pop()) if number(asked) == 1 and none else fine(asked), 3
    )
    for asked, empty in ((3, 1), (3, 1)):
        job = world.made.jobs.extract("c", "llm")
        assert (job.state, len(server.asked)) == ("done", asked)
        assert [f.reply for f in world.made.jobs.shortfalls("c", "llm")] == [EMPTY] * empty
        assert "1 passage gave none" in job.message
    for asked, empty in ((4, 1), (5, 0)):
        assert world.made.jobs.retry_empty("c", "llm") == 1
        world.made.jobs.extract("c", "llm")
        assert len(server.asked) == asked and len(world.made.jobs.shortfalls("c", "llm")) == empty
    assert world.stored() == names(0, 1, 2)


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
        if len(world.made.collections["c"].triples("mine")) == 4:
            break
    world.made.store.db.execute("UPDATE tasks SET state = 'queued'")  # as the next worker finds it
    held.release()
    asked = len(server.asked)
    other = workspace(world.path).worker()
    finish(other)
    assert (
        world.made.store.tasks.job(job).state == "done"
        and len(world.made.collections["c"].triples("mine")) == 24
    )
    assert {role_of(one) for one in server.asked[asked:]} == {"entities", "triples"}
    assert [number(one) for one in server.asked].count(2) == 2, (
        "what had come in was not asked for again"
    )
    turns.close()
