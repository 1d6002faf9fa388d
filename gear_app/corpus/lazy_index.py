"""An index that gets triples while a method asks it for them (lazy extraction), and the same again
for a replay.

A run's view of its collection is its revision and what it extracted since: nothing else changes
under it, whatever others do at the same time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from gear_app.corpus.corpora import Corpora, Corpus
from gear_app.errors import NotReady
from gear_app.events import Emit, Event, Extracted
from gear_app.index.wrapper import IndexWrapper
from gear_app.rows import StoredTriple
from gear_app.seams import Index
from gear_app.store import Store


class Growth(NamedTuple):
    """The index as it is `now`; `gone` says why passages were left out, "" where none was."""

    now: Index
    gone: str = ""


Grow = Callable[[Sequence[int]], Growth]


class LazyIndex(IndexWrapper):
    """An index whose passages get triples when a method first asks for theirs; all other calls go
    by the triples that are there by now.

    `grow` is called with passages that have none, each once in a run. Everything that holds this
    index sees what came.
    """

    def __init__(self, index: Index, grow: Grow) -> None:
        super().__init__(index)
        self._grow = grow
        self._met: set[int] = set()

    @property
    def now(self) -> Index:
        """The index inside."""
        return self._index

    def triples_of(self, passage_ids: Sequence[int]) -> Sequence[StoredTriple]:
        """All triples of these passages, extracted now if need be.

        Raises NotReady where a run would begin without any triple because none can be extracted.
        From then on it goes on with those that are there: others may have ranked already, and a
        replay has to go the same way.
        """
        first, met = not self._met, [id_ for id_ in passage_ids if id_ not in self._met]
        self._met.update(met)
        there = {row.triple.passage_id for row in self._index.triples_of(met)}
        without = [id_ for id_ in dict.fromkeys(met) if id_ not in there]
        if without:
            self._index, gone = self._grow(without)
            if first and gone and not self._index.triples_of(passage_ids):
                raise NotReady(
                    "No triples of the passages found are there, and none could be extracted."
                    f" {gone}"
                )
        return self._index.triples_of(passage_ids)


class RecordedExtraction:
    """What a finished run extracted, in the same steps, from what is stored (Grow): no extractor is
    asked.
    """

    def __init__(
        self,
        store: Store,
        corpora: Corpora,
        of: tuple[int, int],
        corpus: Corpus,
        then: Sequence[Event],
        emit: Emit,
        gone: str = "",
    ) -> None:
        """`of` are the ids of the collection and the triple set; `corpus` is the one that the run
        began with; `then` are its events; `gone` is why its first step gave out, where the run
        failed for that.
        """
        self._gone = gone
        self._store, self._corpora, (self._collection, self._set) = store, corpora, of
        self._corpus, self._emit = corpus, emit
        self._steps = [event for event in then if isinstance(event, Extracted)]

    def __call__(self, passage_ids: Sequence[int]) -> Growth:
        """A run meets a passage once, so it was in this call that the step's passages were read
        then.
        """
        step = self._steps[0] if self._steps else None
        if step is None or not {passage.id for passage in step.passages} <= set(passage_ids):
            return Growth(self._corpus.index, self._gone)
        del self._steps[0]
        read = [passage.id for passage in step.passages]
        triples = self._store.triples.of_passages(self._set, read, step.revision)
        self._corpus = self._corpora.grown(
            self._corpus, self._collection, triples, lambda text: None
        )
        self._emit(step)
        return Growth(self._corpus.index, self._gone)
