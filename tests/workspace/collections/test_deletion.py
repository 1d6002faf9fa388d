"""A collection that is deleted by another process while something is at work on it: the sentence
says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from gear_app.core.errors import Deleted, NotReady
from gear_app.core.types import Extraction, Passage
from gear_app.models.embedders.local import HashingEmbedder
from gear_app.trace.events import Event, Failed, Ranked, Retrieved, Started
from gear_app.workspace.runs.request import Options
from gear_app.workspace.workspace import Workspace
from tests.small import QUESTION
from tests.workspaces import ToyExtractor, corpus_of, workspace

Hook = Callable[[], None]


def deleting(path: Path, name: str) -> Hook:
    """Deletes the collection, as another process would."""

    def delete() -> None:
        other = Workspace(path, embedder=HashingEmbedder())
        if name in [info.name for info in other.collections.all()]:
            other.collections.delete(name)
        other.close()

    return delete


class Extracting(ToyExtractor):
    """Calls the hook after so many passages."""

    def __init__(self, after: int, hook: Hook) -> None:
        super().__init__()
        self._after, self._hook = after, hook

    def extract(self, passages: Sequence[Passage]) -> Iterator[Extraction]:
        for extraction in super().extract(passages):
            if len(self.asked) == self._after:
                self._hook()
            yield extraction


@pytest.fixture
def people(tmp_path: Path) -> Workspace:
    """40 passages that give a triple each."""
    made = workspace(tmp_path)
    made.import_path(corpus_of(tmp_path, 40), "people")
    return made


@pytest.mark.parametrize("after", [1, 20])
def test_an_extraction_says_that_its_collection_was_deleted(people: Workspace, after: int) -> None:
    extractor = Extracting(after, deleting(people.path, "people"))
    made = Workspace(people.path, embedder=HashingEmbedder(), extractor=extractor)
    with pytest.raises(Deleted) as raised:
        made.extract("people", "toy")
    assert str(raised.value) == (
        "Collection 'people' was deleted while triples were extracted from it. What was made of it"
        " is gone with it."
    )


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
    with pytest.raises(NotReady, match="was deleted"):
        films.reruns.replay(run.id)
