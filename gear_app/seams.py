"""The four replaceable parts and the one thing every method is (DESIGN §3).

A method never knows which implementation it was given.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from gear_app.events import Emit
from gear_app.types import (
    DualThoughts,
    Extraction,
    Passage,
    ProximalTriple,
    Ranking,
    Reading,
    ReasoningChain,
    Rewriting,
    Style,
    Thinking,
    Triple,
    Verdict,
    Verification,
)

Vectors = NDArray[np.float32]
Scorer = Literal["bm25", "dense"]
Sparse = Any  # a scipy CSR array; scipy has no types


class Embedder(Protocol):
    """Texts to vectors."""

    @property
    def name(self) -> str:
        """What a person calls it."""
        ...

    @property
    def fingerprint(self) -> str:
        """Changes whenever the vectors would: the hash of the weights, or the server and model
        name.
        """
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, d) float32, rows L2-normalised, in the order of `texts`."""
        ...


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


class Entities(Protocol):
    """The graph of entities of one triple set (HippoRAG §2.3). Nodes count from 0, in the order
    their names came.
    """

    @property
    def names(self) -> Sequence[str]:
        """The nodes' names as first written."""
        ...

    @property
    def passage_ids(self) -> Sequence[int]:
        """The passages that have triples, ascending: the columns of `counts`."""
        ...

    @property
    def counts(self) -> Sparse:
        """(nodes, passages): how many triples of the passage name the entity, on either side."""
        ...

    @property
    def facts(self) -> Sparse:
        """(nodes, nodes), symmetric, without diagonal: how many triples are between two
        entities.
        """
        ...

    @property
    def synonymy(self) -> Sparse:
        """(nodes, nodes), symmetric, without diagonal: the cosine of two names where they are near
        enough.
        """
        ...

    @property
    def vectors(self) -> Vectors:
        """(nodes, d) vectors of the names."""
        ...

    @property
    def known(self) -> Collection[str]:
        """The nodes' normalised names."""
        ...

    def find(self, name: str) -> int | None:
        """The node of this name, however it is written."""
        ...


class Index(Protocol):
    """Search over one collection's passages and one triple set, at one revision."""

    def search_passages(
        self, query: str, k: int, by: Scorer, among: Collection[int] | None = None
    ) -> Ranking:
        """The top k passages, or the top k of those `among` (ids). BM25 gives only hits with a
        score above 0.
        """
        ...

    def search_triples(self, query: str, k: int, by: Scorer) -> Ranking:
        """The top k triples, likewise."""
        ...

    def passages(self, ids: Sequence[int]) -> list[Passage]:
        """The passages, in the order of `ids`."""
        ...

    def triples(self, ids: Sequence[int]) -> list[Triple]:
        """The triples, in the order of `ids`."""
        ...

    def triples_of(self, passage_ids: Sequence[int]) -> list[int]:
        """Ids of the passages' triples: passages in the order given, triples by id."""
        ...

    def neighbours(self, triple_id: int) -> Sequence[int]:
        """Ids of other triples whose head or tail is the head or tail of this one, by id."""
        ...

    def triple_vectors(self, ids: Sequence[int]) -> Vectors:
        """(n, d) stored vectors of the triples' texts."""
        ...

    def entities(self) -> Entities:
        """The graph of the triples' entities; made when it is first asked for."""
        ...


class Reader(Protocol):
    """Everything a method asks of a language model. The local one is not one and never pretends to
    be.

    Passages come with their stored triples: the local reader selects, a language model reads the
    text.
    """

    @property
    def name(self) -> str:
        """What the screen calls it."""
        ...

    def read(
        self,
        passages: Sequence[Passage],
        triples: Sequence[Triple],
        query: str,
        memory: Sequence[ProximalTriple] | None,
        emit: Emit,
    ) -> Reading:
        """Proximal triples for the query (GEAR Eq. 1: memory None; Eq. 4: memory given).

        `triples` are the stored triples of `passages`, passages in rank order.
        """
        ...

    def reason(self, memory: Sequence[ProximalTriple], question: str, emit: Emit) -> Verdict:
        """Whether the gist memory answers the question, and why (GEAR Eq. 6)."""
        ...

    def rewrite(
        self, memory: Sequence[ProximalTriple], question: str, reason: str, emit: Emit
    ) -> Rewriting:
        """The next query (GEAR Eq. 7)."""
        ...

    def named_entities(self, question: str, known: Collection[str], emit: Emit) -> tuple[str, ...]:
        """The question's named entities, as written in it, in its order (HippoRAG §2.3).

        `known` are the normalised names of the graph's nodes, for a reader that looks them up.
        """
        ...

    def think(
        self,
        passages: Sequence[Passage],
        triples: Sequence[Triple],
        question: str,
        thoughts: Sequence[Thinking],
        style: Style,
        emit: Emit,
    ) -> Thinking:
        """The next thought after `thoughts` (IRCoT, GCoT, ToG, IRGS as in BDTR App. A.6).

        `triples` are the stored triples of `passages`, passages in rank order.
        """
        ...

    def dual_thoughts(
        self,
        passages: Sequence[Passage],
        triples: Sequence[Triple],
        question: str,
        thoughts: Sequence[DualThoughts],
        emit: Emit,
    ) -> DualThoughts:
        """A fast and a slow thought, each the next query of its own (BDTR §3.1)."""
        ...

    def chain(
        self,
        passages: Sequence[Passage],
        triples: Sequence[Triple],
        question: str,
        because: Sequence[ProximalTriple],
        emit: Emit,
    ) -> ReasoningChain:
        """What leads from the question to its answer, from the final pool; `because`: the facts
        thought of before.
        """
        ...

    def verify(
        self,
        passages: Sequence[Passage],
        triples: Sequence[Triple],
        question: str,
        chain: ReasoningChain,
        emit: Emit,
    ) -> Verification:
        """Which passages support the chain (BDTR Eq. 5)."""
        ...

    def answer(
        self, passages: Sequence[Passage], triples: Sequence[Triple], question: str, emit: Emit
    ) -> str:
        """A short answer from the passages, or without any from what the reader knows by itself
        (GEAR App. K.3).

        `triples` are the stored triples of `passages`, passages in rank order. "" where the reader
        has none.
        """
        ...


class Retriever(Protocol):
    """What every method is: a function from a query to a ranking of passages that emits events as
    it goes.
    """

    def retrieve(self, query: str, k: int, emit: Emit) -> Ranking:
        """Rank passages for the query; k is the number of passages of the first, base retrieval."""
        ...
