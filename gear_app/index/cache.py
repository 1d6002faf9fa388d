"""An index of which a run fetches no row twice."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from gear_app.core.protocols import Index, Vectors
from gear_app.core.rows import (
    EncodedTriples,
    EntityPassages,
    HubLimit,
    MentionQuery,
    Named,
    Rows,
    Search,
    SearchResults,
    SharedMentions,
    StoredTriple,
)
from gear_app.core.types import Passage
from gear_app.index.wrapper import IndexWrapper


class RowCache(IndexWrapper):
    """An index, and all rows, names and vectors that it has given so far, by whatever call.

    One a run: it forgets nothing. What is there is not asked for again, and what is missing in one
    call. Searches, neighbours and joins are asked every time.
    """

    def __init__(self, index: Index) -> None:
        super().__init__(index)
        self._passages: dict[int, Passage] = {}
        self._names: dict[int, Named] = {}
        self._triples: dict[int, StoredTriple] = {}
        self._vectors: dict[int, Vectors] = {}
        self._of_passage: dict[int, list[StoredTriple]] = {}

    def search(self, searches: Sequence[Search]) -> SearchResults:
        if not searches:
            return SearchResults((), Rows({}, {}))
        results = self._index.search(searches)
        self._keep(results.rows)
        return results

    def rows(self, passage_ids: Collection[int], triple_ids: Collection[int]) -> Rows:
        """All that are there; those that are missing are fetched together."""
        passages = _missing(passage_ids, self._passages)
        triples = _missing(triple_ids, self._triples)
        if passages or triples:
            self._keep(self._index.rows(passages, triples))
        return Rows(self._passages, self._triples)

    def names(self, passage_ids: Collection[int]) -> Mapping[int, Named]:
        """All names that are there: a passage brought its name with it, and so did its triples."""
        missing = _missing(passage_ids, self._names)
        if missing:
            names = self._index.names(missing)
            self._names.update((id_, names[id_]) for id_ in missing)
        return self._names

    def triples_of(self, passage_ids: Sequence[int]) -> list[StoredTriple]:
        """All triples of these passages; a passage's are asked for once."""
        missing = _missing(passage_ids, self._of_passage)
        if missing:
            triples = self._index.triples_of(missing)
            self._of_passage.update((id_, []) for id_ in missing)
            for row in triples:
                self._of_passage[row.triple.passage_id].append(row)
            self._met(triples)
        return [row for id_ in dict.fromkeys(passage_ids) for row in self._of_passage[id_]]

    def nearest(self, triple_ids: Sequence[int], query: Vectors, k: int) -> list[EncodedTriples]:
        if not triple_ids:
            return []
        neighbours = self._index.nearest(triple_ids, query, k)
        for triples in neighbours:
            self._met(triples.rows)
            self._vectors.update(zip(triples.ids, triples.vectors, strict=True))
        return neighbours

    def vectors(self, triple_ids: Sequence[int]) -> Vectors:
        """(n, d); those that are missing are fetched together."""
        if not triple_ids:
            return self._index.vectors(())
        missing = _missing(triple_ids, self._vectors)
        if missing:
            self._vectors.update(zip(missing, self._index.vectors(missing), strict=True))
        rows = [self._vectors[id_] for id_ in triple_ids]
        return np.concatenate(rows).reshape(len(rows), -1)

    def joins(
        self, names: Collection[str], threshold: float | None
    ) -> Mapping[str, EntityPassages]:
        return self._index.joins(names, threshold) if names else {}

    def shared_mentions(
        self, queries: Sequence[MentionQuery], limit: HubLimit
    ) -> list[SharedMentions]:
        if not queries:
            return []
        mentions = self._index.shared_mentions(queries, limit)
        for shared in mentions:
            self._keep(Rows({passage.id: passage for passage in shared.passages}, {}))
        return mentions

    def _keep(self, rows: Rows) -> None:
        self._passages.update(rows.passages)
        self._names.update(rows.passages)
        self._met(rows.triples.values())

    def _met(self, rows: Iterable[StoredTriple]) -> None:
        for row in rows:
            self._triples[row.triple.id] = row
            self._names[row.triple.passage_id] = row.passage


def _missing(ids: Iterable[int], cached: Mapping[int, object]) -> list[int]:
    """Ids that are not cached, each once."""
    return list(dict.fromkeys(id_ for id_ in ids if id_ not in cached))
