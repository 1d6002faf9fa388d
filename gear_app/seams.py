"""The four replaceable parts and the one thing every method is (DESIGN §3).

A method never knows which implementation it was given.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from gear_app.events import Emit
from gear_app.types import Extraction, Passage, ProximalTriple, Ranking, Reading, Rewriting, Triple, Verdict

Vectors = NDArray[np.float32]
Scorer = Literal["bm25", "dense"]


class Embedder(Protocol):
    """Texts to vectors."""

    @property
    def name(self) -> str:
        """What a person calls it."""
        ...

    @property
    def fingerprint(self) -> str:
        """Changes whenever the vectors would: the hash of the weights, or the server and model name."""
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


class Index(Protocol):
    """Search over one collection's passages and one triple set, at one revision."""

    def search_passages(self, query: str, k: int, by: Scorer) -> Ranking:
        """The top k passages. BM25 gives only hits with a score above 0."""
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


class Reader(Protocol):
    """Everything a method asks of a language model. The local one is not one and never pretends to be.

    Passages come with their stored triples: the local reader selects, a language model reads the text.
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

    def rewrite(self, memory: Sequence[ProximalTriple], question: str, reason: str, emit: Emit) -> Rewriting:
        """The next query (GEAR Eq. 7)."""
        ...


class Retriever(Protocol):
    """What every method is: a function from a query to a ranking of passages that emits events as it goes."""

    def retrieve(self, query: str, k: int, emit: Emit) -> Ranking:
        """Rank passages for the query; k is the number of passages of the first, base retrieval."""
        ...
