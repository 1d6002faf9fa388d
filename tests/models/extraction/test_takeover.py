"""An extraction that another process takes over, or does already."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gear_app.core.errors import NotReady
from gear_app.models.server import Spec
from gear_app.store.processes import new_name
from tests.models.extraction.slices import Held, World
from tests.models.passages import USELESS
from tests.models.server import chat_reply
from tests.waiting import until
from tests.workspaces import failures

# As where another process saw no lock of it.
STOLEN = "UPDATE tasks SET process = 'elsewhere' WHERE state = 'running'"
OTHER = new_name()


def test_a_process_that_lost_its_job_begins_no_call_and_leaves_it_as_the_other_ended_it(
    world: World,
) -> None:
    reply = Held()
    server = world.serve(reply)
    world.turns()
    world.made.jobs.enqueue_extraction("c", "llm")
    number = world.made.store.tasks.claim_next("job", world.made.process)
    assert number is not None
    work = world.made.jobs.work(world.made.store.tasks.job(number))
    assert next(work, None)
    until(lambda: len(server.asked) == 8)
    world.made.store.db.execute(STOLEN)
    world.made.store.tasks.claim(number, OTHER)
    world.made.store.tasks.finish(world.job(), "paused", "the other ended it")
    reply.release()
    count = len(world.made.jobs.recent("c"))
    assert not next(work, None)
    assert (world.job().state, world.job().message, len(server.asked)) == (
        "paused",
        "the other ended it",
        8,
    )
    assert len(world.made.jobs.recent("c")) == count, "nor is anything asked for in its name"


@pytest.mark.parametrize("change", ["key", "model", "extractor"])
def test_somebody_elses_job_is_neither_joined_nor_changed(world: World, change: str) -> None:
    world.serve(lambda asked: chat_reply(USELESS), 2)
    world.made.jobs.extract("c", "llm", "mine")
    mine = Spec("http://here/v1", "tiny", key_from="browser a")
    other = replace(
        mine, **{"key": {"key_from": "browser b"}, "model": {"model": "large"}}.get(change, {})
    )  # type: ignore[arg-type]
    world.made.store.db.execute("DELETE FROM tasks")
    failed = failures(world.made, "c", "mine")
    set_ = world.made.store.collections.ensure_set(
        world.made.store.collections.get("c").id, "mine", "llm"
    )
    world.made.store.tasks.ensure(
        "extraction",
        set_.collection_id,
        set_.id,
        extractor="llm",
        owner="a",
        model=mine.to_json(),
        key_from=mine.key_from,
        budget=1000,
    )
    before = world.made.store.db.rows("SELECT * FROM tasks")
    extractor = "llm:two" if change == "extractor" else "llm"
    with pytest.raises(
        NotReady, match="'mine' is being extracted by the extractor 'llm' with tiny"
    ) as caught:
        world.made.jobs.enqueue_extraction("c", extractor, "mine", "a", model=other, budget=10**9)
    assert "browser" not in str(caught.value)
    assert world.made.store.db.rows("SELECT * FROM tasks") == before
    assert len(failed) == 2 and failures(world.made, "c", "mine") == failed
