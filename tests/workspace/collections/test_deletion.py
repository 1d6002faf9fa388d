"""A collection that is deleted by another process while something is at work on it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gear_app.core.errors import Deleted, NotReady
from gear_app.models.embedders.local import HashingEmbedder
from gear_app.trace.events import Event, Failed, Ranked, Retrieved, Started
from gear_app.workspace.runs.request import Options
from gear_app.workspace.workspace import Workspace
from tests.small import QUESTION

Hook = Callable[[], None]


def deleting(path: Path, name: str) -> Hook:
    """Deletes the collection, as another process would."""

    def delete() -> None:
        other = Workspace(path, embedder=HashingEmbedder())
        if name in [info.name for info in other.collections.all()]:
            other.store.collections.delete(name)
        other.close()

    return delete


@pytest.mark.parametrize(
    ("method", "kind"), [("hipporag", Started), ("gear", Retrieved), ("hipporag", Ranked)]
)
def test_a_run_ends_at_its_next_event_and_keeps_what_happened(
    films: Workspace, method: str, kind: type[Event]
) -> None:
    """From then on it would see an emptied collection, and pass for a run of the whole one."""
    delete = deleting(films.path, "films")

    def emit(event: Event) -> None:
        if isinstance(event, kind):
            delete()

    with pytest.raises(Deleted) as raised:
        films.ask(QUESTION, "films", method, options=Options(answer=True), emit=emit)
    assert str(raised.value) == (
        "Collection 'films' was deleted while this question was asked. What happened until then is"
        " kept with the run."
    )
    run = films.runs.recent()[0]
    assert (run.state, run.message) == ("failed", str(raised.value))
    events = films.runs.answer(run.id).events
    assert isinstance(events[-2], kind)
    assert events[-1] == Failed("", run.message, iteration=0)
    with pytest.raises(NotReady, match=r"was deleted|no ranking"):
        films.reruns.replay(run.id)
