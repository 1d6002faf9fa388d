"""An index of which a run fetches no row twice (seams.Index)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from gear_app.rows import (
    EncodedTriples,
    EntityPassages,
    PassageName,
    Rows,
    Search,
    SearchResults,
    StoredTriple,
)
from gear_app.seams import Entities, Index, Vectors
from gear_app.types import Passage

T = TypeVar("T")


class RowCache:
    """An index, and all rows, names and vectors that it has given so far, by whatever call.

    One a run: it forgets nothing. What is there is not asked for again, and what is missing in one
    call. Searches, neighbours and joins are asked every time.
    """

    def __init__(self, index: Index) -> None:
        """Nothing is there yet."""
        self._index = index
        self._passages: dict[int, Passage] = {}
        self._names: dict[int, PassageName] = {}
        self._triples: dict[int, StoredTriple] = {}
        self._vectors: dict[int, Vectors] = {}
        self._of_passage: dict[int, list[int]] = {}

    def search(self, searches: Sequence[Search]) -> SearchResults:
        """As the index inside."""
        if not searches:
            return SearchResults((), Rows({}, {}))
        found = self._index.search(searches)
        for search, ranking in zip(searches, found.rankings, strict=True):
            if search.over == "passages":
                self._passages.update((id_, found.rows.passages[id_]) for id_ in ranking.ids)
            else:
                self._keep(found.rows.triples[id_] for id_ in ranking.ids)
        return found

    def rows(self, passage_ids: Collection[int], triple_ids: Collection[int]) -> Rows:
        """These passages and triples; those that are missing are fetched together."""
        passages = [id_ for id_ in dict.fromkeys(passage_ids) if id_ not in self._passages]
        triples = [id_ for id_ in dict.fromkeys(triple_ids) if id_ not in self._triples]
        if passages or triples:
            found = self._index.rows(passages, triples)
            self._passages.update((id_, found.passages[id_]) for id_ in passages)
            self._keep(found.triples[id_] for id_ in triples)
        return Rows(
            {id_: self._passages[id_] for id_ in passage_ids},
            {id_: self._triples[id_] for id_ in triple_ids},
        )

    def names(self, passage_ids: Collection[int]) -> Mapping[int, PassageName]:
        """These passages' names; a passage, and any of its triples, brought its name with it."""
        for id_ in passage_ids:
            if id_ not in self._names and id_ in self._passages:
                passage = self._passages[id_]
                self._names[id_] = PassageName(passage.key, passage.title)
        _fill(self._names, passage_ids, self._index.names)
        return {id_: self._names[id_] for id_ in passage_ids}

    def triples_of(self, passage_ids: Sequence[int]) -> EncodedTriples:
        """All triples of these passages; a passage's are asked for once."""
        _fill(self._of_passage, passage_ids, self._by_passage)
        ids = [id_ for passage in dict.fromkeys(passage_ids) for id_ in self._of_passage[passage]]
        return EncodedTriples([self._triples[id_] for id_ in ids], self.vectors(ids))

    def nearest(self, triple_ids: Sequence[int], query: Vectors, k: int) -> list[EncodedTriples]:
        """As the index inside."""
        if not triple_ids:
            return []
        found = self._index.nearest(triple_ids, query, k)
        for triples in found:
            self._encoded(triples)
        return found

    def vectors(self, triple_ids: Sequence[int]) -> Vectors:
        """(n, d); those that are missing are fetched together."""
        if not triple_ids:
            return self._index.vectors(())
        _fill(self._vectors, triple_ids, self._by_triple)
        rows = [self._vectors[id_] for id_ in triple_ids]
        return np.concatenate(rows).reshape(len(rows), -1)

    def joins(
        self, names: Collection[str], threshold: float | None
    ) -> Mapping[str, EntityPassages]:
        """As the index inside."""
        return self._index.joins(names, threshold) if names else {}

    def entities(self) -> Entities:
        """As the index inside."""
        return self._index.entities()

    def _by_passage(self, passage_ids: Sequence[int]) -> dict[int, list[int]]:
        found = self._index.triples_of(passage_ids)
        self._encoded(found)
        of_passage: dict[int, list[int]] = {id_: [] for id_ in passage_ids}
        for row in found.rows:
            of_passage[row.triple.passage_id].append(row.triple.id)
        return of_passage

    def _by_triple(self, triple_ids: Sequence[int]) -> dict[int, Vectors]:
        return dict(zip(triple_ids, self._index.vectors(triple_ids), strict=True))

    def _encoded(self, triples: EncodedTriples) -> None:
        self._keep(triples.rows)
        self._vectors.update(zip(triples.ids, triples.vectors, strict=True))

    def _keep(self, rows: Iterable[StoredTriple]) -> None:
        for row in rows:
            self._triples[row.triple.id] = row
            self._names[row.triple.passage_id] = row.passage


def _fill(
    known: dict[int, T], ids: Iterable[int], fetch: Callable[[Sequence[int]], Mapping[int, T]]
) -> None:
    """Put those of the ids that are not known, fetched at once."""
    missing = [id_ for id_ in dict.fromkeys(ids) if id_ not in known]
    if missing:
        found = fetch(missing)
        known.update((id_, found[id_]) for id_ in missing)
