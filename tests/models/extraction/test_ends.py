"""Extractions that end early: cancelled, deleted, out of budget, without a key, on a full disk."""

from __future__ import annotations

import pytest

from gear_app.models.server import KEYS, TypedKey
from tests.models.extraction.slices import Held, World, fine, names
from tests.models.passages import number
from tests.models.server import KEY, ScriptedReply
from tests.waiting import PATIENCE_S, until
from tests.workspaces import failures


def test_cancelling_closes_the_connections_at_once_and_keeps_what_came(world: World) -> None:
    reply = Held(1, 2, 3)
    server = world.serve(
        lambda asked: reply(asked) if number(asked) < 4 else ScriptedReply(b"", stalls=True), 20
    )
    turns = world.turns()
    job = world.made.jobs.enqueue_extraction("c", "llm")
    turns.take()
    until(lambda: len(server.asked) >= 8)
    until(lambda: world.made.store.replies.size()[0] == 3)
    world.made.jobs.cancel(job)
    turns.take()
    assert server.gone.wait(PATIENCE_S)
    assert world.job().state == "cancelled" and failures(world.made, "c", "llm") == []
    assert world.stored() == names(1, 2, 3)


def test_a_key_that_ends_pauses_the_job_closes_its_calls_and_keeps_what_came(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = world.serve(
        lambda asked: fine(asked) if number(asked) < 3 else ScriptedReply(b"", stalls=True)
    )
    key = TypedKey(KEY, server.base_url)
    monkeypatch.setattr(KEYS, "key_for", lambda spec: key)
    turns = world.turns()
    world.made.jobs.enqueue_extraction("c", "llm")
    for _ in range(100):
        turns.take()
        if world.stored() == names(0, 1, 2) and len(server.asked) == 11:
            break
    key.forget()
    turns.take()
    job = world.job()
    assert (job.state, job.failed) == ("paused", 0) and "session that has ended" in job.message
    assert server.gone.wait(PATIENCE_S) and world.stored() == names(0, 1, 2) and job.finished
