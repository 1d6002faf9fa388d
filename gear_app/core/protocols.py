"""The replaceable parts and the one thing every method is; the fourth part, the reader,
stands with what it is asked (models/reader/roles.py).

A method never knows which implementation it was given.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from gear_app.core.rows import (
    EncodedTriples,
    EntityNetwork,
    EntityPassages,
    HubLimit,
    MentionNetwork,
    MentionQuery,
    PassageName,
    Rows,
    Search,
    SearchResults,
    SharedMentions,
    StoredTriple,
    WholeCollection,
)
from gear_app.core.types import Extraction, Passage

Vectors = NDArray[np.float32]


class TokenVectors(NamedTuple):
    """The words of a text and their vectors, (n, d) float32, rows L2-normalised; a word of several
    pieces stands there once for each.
    """

    words: tuple[str, ...]
    vectors: Vectors


class Embedder(Protocol):
    """Texts to vectors."""

    @property
    def name(self) -> str:
        """Name for people."""
        ...

    @property
    def fingerprint(self) -> str:
        """Changes whenever the vectors would: the hash of the weights, or the server and model
        name.
        """
        ...

    @property
    def query_prefix(self) -> str:
        """Prefix of a text that is searched for; "" for most models."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, d) float32, rows L2-normalised, in the order of `texts`."""
        ...

    def tokens(self, texts: Sequence[str], *, query: bool = False) -> list[TokenVectors]:
        """The vectors of each text's words; `query`: the texts are searched for. Raises NotReady
        where it has none.
        """
        ...


def query_vectors(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """(n, d) float32 vectors of texts that are searched for, rows L2-normalised."""
    return embedder.embed([embedder.query_prefix + text for text in texts])


class Extractor(Protocol):
    """Passages to entities and triples."""

    @property
    def name(self) -> str:
        """The default name of the triple set it makes."""
        ...

    @property
    def fingerprint(self) -> str:
        """Changes whenever the triples would: code version, model and prompt hash."""
        ...

    def extract(self, passages: Sequence[Passage]) -> Iterator[Extraction]:
        """One extraction a passage, in order, lazily: a caller may stop in between."""
        ...


class Index(Protocol):
    """Search over one collection's passages and one triple set, at one revision.

    Every call takes a batch and is one round trip, or few, where the index is not in this process:
    all beams, links or names of a step are asked for at once. What
    holds for all calls:

    * An answer is whole, or the call raises a GearError that names what failed and the way out. A
      list that is shorter because a part of the index could not be reached is never given.
    * An empty batch gives an empty answer and asks nobody.
    * The same call gives the same answer, whatever else is in its batch: a revision does not
      change, so an index keeps rows that it has read and asks for none twice.
    * Ids are those of this revision. One that it does not hold is the caller's mistake: KeyError,
      or, in a cluster, a triple without neighbours.
    """

    @property
    def links(self) -> bool:
        """Whether a method may go from one passage to another; not in index.changed."""
        ...

    def search(self, searches: Sequence[Search]) -> SearchResults:
        """One ranking a search, in their order, of any mixture of scorers and of passages and
        triples; and the rows of at least all hits.

        A ranking is best first, scores rounded to 1e-6, equal scores by smaller id: what lies
        beyond a tie at k is decided by the id as well. Fewer than k hits are given only where there
        are no more. BM25 is BM25Okapi (index.bm25) and gives only hits with a score above 0; where
        no text has one, whatever `among` is, it goes by Lucene's idf, and `lucene` says so. In a
        cluster it is OpenSearch's own, and `lucene` is empty. Its statistics are those of the whole
        collection also with `among`. Dense is the cosine of the query's vector with the stored one
        and leaves nothing out. `among` that is empty, and a query without a known word for BM25,
        give an empty ranking. A query's vector must not depend on what else is asked.
        """
        ...

    def rows(self, passage_ids: Collection[int], triple_ids: Collection[int]) -> Rows:
        """At least these passages and these triples, by id; an id can be given twice."""
        ...

    def names(self, passage_ids: Collection[int]) -> Mapping[int, PassageName]:
        """At least the names of these passages, by id; an id can be given twice."""
        ...

    def triples_of(self, passage_ids: Sequence[int]) -> Sequence[StoredTriple]:
        """All triples of these passages: passages in the order given, each once, a passage's
        triples by id. A passage without triples adds none.
        """
        ...

    def nearest(self, triple_ids: Sequence[int], query: Vectors, k: int) -> list[EncodedTriples]:
        """The neighbours of each of these triples, one answer each, in their order: other triples
        whose head or tail is its head or tail, names compared as `text.normalise_entity` does.

        Of more than k the k with the greatest cosine of `query`, (d,), and their own vector, ranked
        as dense search ranks. Each answer is in order of id, and empty where there is no neighbour.
        A name that normalises to nothing joins nothing.
        """
        ...

    def vectors(self, triple_ids: Sequence[int]) -> Vectors:
        """(n, d) float32 vectors of the triples' texts, rows L2-normalised, in the order of
        `triple_ids`, repeated where an id is; an array that the caller may write to. No ids give
        (0, d).
        """
        ...

    def joins(
        self, names: Collection[str], threshold: float | None
    ) -> Mapping[str, EntityPassages]:
        """For each of these names of entities, however they are written, the passages with a triple
        that names it or a synonym, and these synonyms.

        A synonym is a name whose cosine with this one, rounded to 1e-6, is at least `threshold`;
        None: there are no synonyms. They come nearest first, of equal ones the one that was stored
        first, as they were first written. A name that no triple has gives no passages and no
        synonyms.
        """
        ...

    def shared_mentions(
        self, queries: Sequence[MentionQuery], limit: HubLimit
    ) -> list[SharedMentions]:
        """For each query, the mentions that its passages share with others, those others, and the
        sentences of all of them, with vectors.

        A mention links two passages where both hold it, in a sentence or in the title, and not more
        passages than the `limit` allows do. So the answer to one query is bounded whatever the
        collection's size. No passages give no mentions and no sentences, but what is known of the
        names.
        """
        ...

    def entities(self) -> EntityNetwork:
        """The graph of all triples' entities, in memory; made when it is first asked for. An index
        that cannot give it raises NotReady.
        """
        ...

    def mention_network(self) -> MentionNetwork:
        """Mentions of all passages, with the sentences and their vectors, in memory. An index that
        cannot give it raises NotReady.
        """
        ...

    def collection(self) -> WholeCollection:
        """All passages with their vectors, in memory, and what was made of them. An index that
        cannot give it raises NotReady.
        """
        ...
