"""Values that an index takes and gives: searches, rows, names that join (protocols.Index)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gear_app.core.text import normalise_entity
from gear_app.core.types import Passage, Ranking, Triple

Sparse = Any  # a scipy CSR array; scipy has no types
# Pairs of names that mean the same, by position or id: `later` > `earlier`, and their vectors'
# cosines.
PAIRS = np.dtype([("later", "<i8"), ("earlier", "<i8"), ("cosine", "<f8")])
Pairs = NDArray[Any]  # of PAIRS
Over = Literal["passages", "triples"]
Scorer = Literal["bm25", "dense"]


class Search(NamedTuple):
    """The top k of all passages, or of all triples, by one scorer; or of those `among` (ids)."""

    query: str
    k: int
    by: Scorer
    over: Over = "passages"
    among: Collection[int] | None = None


class PassageName(NamedTuple):
    """Outward name of a passage, and its title, "" where it has none."""

    key: str
    title: str


class StoredTriple(NamedTuple):
    """A triple as an index gives it, with all that is shown of it: showing one asks nothing more.

    `passage` is the name of the passage it belongs to, `sentence` its source there, "" where
    unknown.
    """

    triple: Triple
    passage: PassageName
    sentence: str

    @property
    def indexed(self) -> str:
        """The words that are searched."""
        return self.triple.text


class Rows(NamedTuple):
    """Passages and triples by id."""

    passages: Mapping[int, Passage]
    triples: Mapping[int, StoredTriple]


class SearchResults(NamedTuple):
    """One ranking a search, in order, and the rows of all hits.

    `lucene` are the places of the searches that BM25 ranked by Lucene's idf (index.bm25).
    """

    rankings: Sequence[Ranking]
    rows: Rows
    lucene: Collection[int] = ()


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


class HubLimit(NamedTuple):
    """How many passages may hold a mention that links them: `most`, and a `share` of all that
    there are, though never fewer than `fewest`.
    """

    most: int = 25
    share: float = 0.12
    fewest: int = 4

    def holders(self, size: int) -> int:
        """The limit in a collection of so many passages."""
        return int(min(self.most, max(self.fewest, self.share * size)))


class MentionQuery(NamedTuple):
    """The passages whose shared mentions are wanted, each once, and names to be looked up."""

    passage_ids: Sequence[int]
    names: Sequence[str]


@dataclass(frozen=True, slots=True, eq=False)
class SharedMentions:
    """The mentions that some passages share with others, and the sentences of all of these.

    P passages: those that were asked for, in order, then the others that share a mention with one,
    by id. M mentions, in the order of their names, which link: at least two passages hold each, and
    not more than was allowed. S sentences, of passages in their order. Q names that were asked for.
    Positions count from 0 in these.
    """

    size: int  # passages of the whole collection
    passages: Sequence[Passage]  # (P,)
    names: Sequence[str]  # (M,) normal forms
    holders: NDArray[np.int64]  # (M,) how many passages of the collection hold it
    common: NDArray[np.bool_]  # (M,) written in lower case somewhere: an ordinary word
    held: NDArray[np.int64]  # (n, 2) passage, mention: every passage with every mention it holds
    sentence_passages: NDArray[np.int64]  # (S,)
    spans: NDArray[np.int64]  # (S, 2) places in the passages' texts
    vectors: NDArray[np.float32]  # (S, d) of "title: sentence", rows L2-normalised
    named: NDArray[np.int64]  # (n, 2) sentence, mention: every sentence with every mention in it
    asked_holders: NDArray[np.int64]  # (Q,) how many passages hold the name; 0: none
    asked_in_sentences: NDArray[np.bool_]  # (S, Q)
    asked_in_titles: NDArray[np.bool_]  # (P, Q)


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class MentionNetwork:
    """Mentions of all passages of a collection. N names, P passages by id, S sentences in the order
    of their passages; positions count from 0 in these.
    """

    names: Sequence[str]  # (N,) normal forms, sorted
    common: NDArray[np.bool_]  # (N,) written in lower case somewhere: an ordinary word
    passage_ids: NDArray[np.int64]  # (P,)
    read_passages: Callable[[Collection[int]], Mapping[int, Passage]]  # by id
    sentence_passages: NDArray[np.int64]  # (S,)
    spans: NDArray[np.int64]  # (S, 2) places in the passages' texts
    vectors: NDArray[np.float32]  # (S, d) of "title: sentence", rows L2-normalised
    in_sentences: NDArray[np.int64]  # (n, 2) sentence, name: sorted, each pair once
    in_titles: NDArray[np.int64]  # (n, 2) passage, name: sorted, each pair once


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class EntityNetwork:
    """Graph of the entities of one triple set (HippoRAG §2.3). N nodes, by position from 0 in the
    order their names came; P passages, those that have triples.
    """

    nodes: Mapping[str, int]  # (N,) by normalised name
    names: Sequence[str]  # (N,) as first written
    passage_ids: Sequence[int]  # (P,) ascending
    counts: Sparse  # (N, P) triples of the passage that name the entity, on either side
    facts: Sparse  # (N, N) triples between two entities; symmetric, without diagonal
    synonymy: Sparse  # (N, N) cosines of names that are near enough; symmetric, without diagonal
    read_vectors: Callable[[], NDArray[np.float32]]

    @property
    def vectors(self) -> NDArray[np.float32]:
        """(N, d) vectors of the names, rows L2-normalised; read when they are first needed."""
        return self.read_vectors()

    def find(self, name: str) -> int | None:
        """The node of this name, however it is written."""
        return self.nodes.get(normalise_entity(name))


Keep = Callable[[str, Callable[[], str]], str]
"""A text by a name that says what it is made of: the one that is kept, else the one that is made
now, which is kept from then on.
"""


@dataclass(frozen=True, slots=True, eq=False)
class WholeCollection:
    """All passages, for what is made of them together. What takes long is made once, by `keep`."""

    passages: Sequence[Passage]  # (P,) by id
    vectors: NDArray[np.float32]  # (P, d) of titles and texts, rows L2-normalised
    keep: Keep
