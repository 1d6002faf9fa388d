"""What an index is asked and what it gives: searches, rows, and names that join (seams.Index)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from gear_app.types import Passage, Ranking, Triple

Over = Literal["passages", "triples"]
Scorer = Literal["bm25", "dense"]


class Search(NamedTuple):
    """The top k of all passages, or of all triples, by one scorer; or of those `among` (ids)."""

    query: str
    k: int
    by: Scorer
    over: Over = "passages"
    among: Collection[int] | None = None


class Named(Protocol):
    """All that a ranking shows of a passage; the passage itself will do."""

    @property
    def key(self) -> str:
        """Its outward name."""
        ...

    @property
    def title(self) -> str:
        """Its title, "" where it has none."""
        ...


class StoredTriple(NamedTuple):
    """A triple as an index gives it, with all that is shown of it: showing one asks nothing more.

    `passage` is the name of the passage it belongs to, `sentence` its source there, "" where
    unknown.
    """

    triple: Triple
    passage: Named
    sentence: str


class Rows(NamedTuple):
    """Passages and triples by id."""

    passages: Mapping[int, Passage]
    triples: Mapping[int, StoredTriple]


class SearchResults(NamedTuple):
    """One ranking a search, in order, and the rows of all hits."""

    rankings: Sequence[Ranking]
    rows: Rows


class EncodedTriples(NamedTuple):
    """Triples and the vectors of their texts, (n, d), in the same order."""

    rows: Sequence[StoredTriple]
    vectors: NDArray[np.float32]

    @property
    def ids(self) -> list[int]:
        """The triples' ids, in order."""
        return [row.triple.id for row in self.rows]


class EntityPassages(NamedTuple):
    """The passages with a triple that names an entity or a synonym of it, and these synonyms with
    their cosines, nearest first.
    """

    passages: frozenset[int]
    synonyms: tuple[tuple[str, float], ...]
