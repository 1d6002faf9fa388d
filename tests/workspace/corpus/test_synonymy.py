"""Names that mean the same."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gear_app.core.rows import Pairs
from gear_app.documents.items import Batch, NewTriple
from gear_app.index.entities import Names
from gear_app.models.embedders.local import HashingEmbedder
from gear_app.workspace.corpus import vectors
from gear_app.workspace.workspace import Workspace
from tests.small import QUESTION
from tests.workspaces import store_batch

MODEL = HashingEmbedder().fingerprint
# Four of five words are shared: cosine 0.894.
FIRST = [
    ("harbour", "Ada Quill", "crossed", "old stone bridge of Mira"),
    ("vane", "stone bridge of Mira", "fell", "1952"),
]
LATER = [
    ("lorn", "stone bridge of old Mira town", "stands in", "Lorn"),
    ("lorn", "bridge of Mira", "is", "old"),
]


def add(workspace: Workspace, *triples: tuple[str, str, str, str], to: str = "curated") -> None:
    batch = Batch(triples={to: [NewTriple(*triple) for triple in triples]})
    store_batch(workspace, "films", batch)


def kept(workspace: Workspace) -> list[tuple[int, int, float]]:
    return [tuple(row) for row in workspace.store.synonyms.pairs(1, MODEL).tolist()]


def named(workspace: Workspace) -> set[frozenset[str]]:
    names = workspace.store.entities.names([id_ for pair in kept(workspace) for id_ in pair[:2]])
    return {frozenset((names[later], names[earlier])) for later, earlier, _ in kept(workspace)}


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """How many names were compared, slice by slice."""
    sizes: list[int] = []
    pairs = Names.pairs

    def counted(self: Names, start: int, stop: int) -> Pairs:
        sizes.append(stop - start)
        return pairs(self, start, stop)

    monkeypatch.setattr(Names, "pairs", counted)
    return sizes


@pytest.fixture
def slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "COMPARED_AT_ONCE", 0)
    monkeypatch.setattr(vectors, "LEAST_AT_ONCE", 4)


def test_a_run_replays_identically_after_more_was_imported_and_the_index_only_grows(
    films: Workspace, compared: list[int]
) -> None:
    add(films, *FIRST)
    answer = films.ask(QUESTION, "films", "hipporag")
    first = kept(films)
    assert named(films) == {frozenset(("old stone bridge of Mira", "stone bridge of Mira"))}
    assert sum(compared) == 17, "fifteen names of the small collection and two new ones"
    add(films, *LATER)
    later = films.ask(QUESTION, "films", "hipporag")
    assert sum(compared) == 17 + 3, "the new names only"
    assert [pair for pair in kept(films) if pair in first] == first and len(kept(films)) > len(
        first
    )
    assert [line.score for line in later.ranking] != [line.score for line in answer.ranking]
    fresh = Workspace(films.path, embedder=HashingEmbedder())
    for run in (answer, later):
        assert fresh.reruns.replay(run.run) == ""
    assert sum(compared) == 20, "a replay compares nothing"


@pytest.mark.usefixtures("slowly")
def test_a_job_that_was_killed_goes_on_where_it_was(films: Workspace, compared: list[int]) -> None:
    add(films, *FIRST, *LATER)
    number = next(job.id for job in films.store.tasks.jobs(1)[::-1] if job.going)
    assert films.store.tasks.claim(number, "7:gone")
    work = films.jobs.work(films.store.tasks.job(number))
    while films.store.synonyms.reached(1, MODEL) == 0:
        assert next(work, None)
    assert sum(compared) == 4, "the process dies here"
    resumed = Workspace(films.path, embedder=HashingEmbedder())
    done = resumed.jobs.encode("films", "curated")
    assert done.state == "done" and compared == [4, 4, 4, 4, 4]
    at_once = Workspace(films.path.with_name("other.db"), embedder=HashingEmbedder())
    at_once.imports.do(films.path.parent / "pack", "films")
    add(at_once, *FIRST, *LATER)
    at_once.jobs.encode("films", "curated")
    assert kept(resumed) == kept(at_once) and len(kept(resumed)) == 4
