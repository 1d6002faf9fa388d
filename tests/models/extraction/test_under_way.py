"""Calls of an extraction stay under way from slice to slice, and replies are kept as they come in."""

from __future__ import annotations

from gear_app.workspace.runs.request import RunRequest
from tests.models.extraction.slices import Held, World
from tests.waiting import finish, until


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
    finish(turns)
    assert (world.job().state, len(server.asked), server.most_at_once) == ("done", 20, 8)
