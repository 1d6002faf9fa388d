"""Indexes around another one: its base, and one of which a run fetches no row twice."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gear_app.core.protocols import Index, Vectors
from gear_app.core.rows import (
    EncodedTriples,
    EntityPassages,
    HubLimit,
    MentionQuery,
    PassageName,
    Rows,
    Search,
    SearchResults,
    SharedMentions,
    StoredTriple,
)
from gear_app.core.types import Passage

if TYPE_CHECKING:
    from typing import Any as Base  # mypy does not see the calls that __getattr__ passes on
else:
    Base = object


class IndexWrapper(Base):  # type: ignore[misc]
    """Passes every call on to the index inside (protocols.Index); a subclass has the calls that it
    changes.
    """

    def __init__(self, index: Index) -> None:
        self._index = index

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        return getattr(self._index, name)


class RowCache(IndexWrapper):
    """An index, and all rows, names and vectors that it has given so far, by whatever call.

    One a run: it forgets nothing. What is there is not asked for again, and what is missing in one
    call. Searches, neighbours and joins are asked every time; an empty batch asks nobody.
    """

    def __init__(self, index: Index) -> None:
        super().__init__(index)
        self._passages: dict[int, Passage] = {}
        self._names: dict[int, PassageName] = {}
        self._triples: dict[int, StoredTriple] = {}
        self._vectors: dict[int, Vectors] = {}
        self._of_passage: dict[int, list[StoredTriple]] = {}

    def search(self, searches: Sequence[Search]) -> SearchResults:
        if not searches:
            return SearchResults((), Rows({}, {}))
        results = self._index.search(searches)
        self._add(results.rows.passages.values(), results.rows.triples.values())
        return results

    def rows(self, passage_ids: Collection[int], triple_ids: Collection[int]) -> Rows:
        """All that are there; those that are missing are fetched together."""
        passages = _missing(passage_ids, self._passages)
        triples = _missing(triple_ids, self._triples)
        if passages or triples:
            rows = self._index.rows(passages, triples)
            self._add(rows.passages.values(), rows.triples.values())
        return Rows(self._passages, self._triples)

    def names(self, passage_ids: Collection[int]) -> Mapping[int, PassageName]:
        """All that are there: a passage came with its name, and so did its triples."""
        missing = _missing(passage_ids, self._names)
        if missing:
            self._names.update(self._index.names(missing))
        return self._names

    def triples_of(self, passage_ids: Sequence[int]) -> list[StoredTriple]:
        """All triples of these passages; a passage's are asked for once."""
        missing = _missing(passage_ids, self._of_passage)
        if missing:
            self._of_passage.update((id_, []) for id_ in missing)
            rows = self._index.triples_of(missing)
            self._add((), rows)
            for row in rows:
                self._of_passage[row.triple.passage_id].append(row)
        return [row for id_ in dict.fromkeys(passage_ids) for row in self._of_passage[id_]]

    def nearest(self, triple_ids: Sequence[int], query: Vectors, k: int) -> list[EncodedTriples]:
        neighbours = self._index.nearest(triple_ids, query, k) if triple_ids else []
        for triples in neighbours:
            self._add((), triples.rows)
            self._vectors.update(zip(triples.ids, triples.vectors, strict=True))
        return neighbours

    def vectors(self, triple_ids: Sequence[int]) -> Vectors:
        """(n, d); those that are missing are fetched together."""
        if not triple_ids:
            return self._index.vectors(())
        missing = _missing(triple_ids, self._vectors)
        if missing:
            self._vectors.update(zip(missing, self._index.vectors(missing), strict=True))
        return np.stack([self._vectors[id_] for id_ in triple_ids])

    def joins(
        self, names: Collection[str], threshold: float | None
    ) -> Mapping[str, EntityPassages]:
        return self._index.joins(names, threshold) if names else {}

    def shared_mentions(
        self, queries: Sequence[MentionQuery], limit: HubLimit
    ) -> list[SharedMentions]:
        mentions = self._index.shared_mentions(queries, limit) if queries else []
        for shared in mentions:
            self._add(shared.passages, ())
        return mentions

    def _add(self, passages: Iterable[Passage], triples: Iterable[StoredTriple]) -> None:
        for passage in passages:
            self._passages[passage.id] = passage
            self._names[passage.id] = PassageName(passage.key, passage.title)
        for row in triples:
            self._triples[row.triple.id] = row
            self._names[row.triple.passage_id] = row.passage


def _missing(ids: Iterable[int], cached: Mapping[int, object]) -> list[int]:
    """Ids that are not cached, each once."""
    return list(dict.fromkeys(id_ for id_ in ids if id_ not in cached))
