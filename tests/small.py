"""A collection small enough to know by heart: three films, their directors, and a rival with the
same words.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gear_app.core.protocols import Embedder, Index
from gear_app.core.rows import EntityNetwork, Over, Scorer, Search
from gear_app.core.types import Passage, Ranking, Span, Triple
from gear_app.index.embedded import EmbeddedIndex
from gear_app.index.entities import Pairs, entity_network, first_written
from gear_app.methods.method import Parts, Retriever
from gear_app.models.embedders.local import HashingEmbedder
from gear_app.models.reader.readers import LocalReader
from gear_app.models.reader.roles import Reader
from gear_app.trace.events import Event

PASSAGES = [
    (
        "harbour",
        "Harbour Lights",
        "Harbour Lights is a film of 1951. It was directed by Ada Quill.",
    ),
    ("quill", "Ada Quill", "Ada Quill was born in Port Mira. She studied law."),
    ("mira", "Port Mira", "Port Mira lies on the river Sel. Its bridge was built by Tom Vane."),
    ("vane", "Tom Vane", "Tom Vane built bridges. He died in Lorn."),
    ("winter", "Winter Lights", "Winter Lights is a film of 1952. It was directed by Bo Hale."),
    ("hale", "Bo Hale", "Bo Hale was born in Lorn. He studied music."),
    ("lorn", "Lorn", "Lorn is a town on the river Sel."),
    (
        "festival",
        "Festival of Lights",
        "The Festival of Lights shows a film each night in the harbour.",
    ),
]
TRIPLES = [
    ("harbour", "Harbour Lights", "is a film of", "1951"),
    ("harbour", "Harbour Lights", "was directed by", "Ada Quill"),
    ("quill", "Ada Quill", "was born in", "Port Mira"),
    ("quill", "Ada Quill", "studied", "law"),
    ("mira", "Port Mira", "lies on", "river Sel"),
    ("mira", "Port Mira", "has a bridge built by", "Tom Vane"),
    ("vane", "Tom Vane", "built", "bridges"),
    ("vane", "Tom Vane", "died in", "Lorn"),
    ("winter", "Winter Lights", "is a film of", "1952"),
    ("winter", "Winter Lights", "was directed by", "Bo Hale"),
    ("hale", "Bo Hale", "was born in", "Lorn"),
    ("hale", "Bo Hale", "studied", "music"),
    ("lorn", "Lorn", "lies on", "river Sel"),
    ("festival", "Festival of Lights", "shows a film in", "harbour"),
]
EMBEDDER = HashingEmbedder()
QUESTION = "Where was the director of Harbour Lights born?"


@dataclass(frozen=True)
class SmallWorld:
    """The collection, its index and the embedder it was made with."""

    passages: list[Passage]
    triples: list[Triple]
    index: EmbeddedIndex
    embedder: Embedder

    def passage(self, key: str) -> Passage:
        return next(p for p in self.passages if p.key == key)


def small_world(embedder: Embedder) -> SmallWorld:
    """Ids count from 1, in the order above."""
    passages = [
        Passage(i, key, title, text) for i, (key, title, text) in enumerate(PASSAGES, start=1)
    ]
    ids = {p.key: p for p in passages}
    triples = [
        Triple(i, ids[key].id, s, p, o, Span(0, ids[key].text.index(".") + 1))
        for i, (key, s, p, o) in enumerate(TRIPLES, start=1)
    ]
    return SmallWorld(passages, triples, index_over(passages, triples, embedder), embedder)


def index_over(
    passages: Sequence[Passage],
    triples: Sequence[Triple],
    embedder: Embedder,
    graph: Callable[[], EntityNetwork] | None = None,
) -> EmbeddedIndex:
    """An index of these with the embedder's vectors; `graph` gives the entities, where there are
    synonyms. What is made of all passages is kept for as long as it is there.
    """
    made: dict[str, str] = {}

    def keep(name: str, make: Callable[[], str]) -> str:
        if name not in made:
            made[name] = make()
        return made[name]

    of_passages = embedder.embed([passage.indexed for passage in passages])
    of_triples = embedder.embed([triple.text for triple in triples])
    return EmbeddedIndex(passages, triples, of_passages, of_triples, embedder, graph, keep=keep)


def index_with_synonyms(
    passages: Sequence[Passage],
    triples: Sequence[Triple],
    near: Mapping[tuple[str, str], float],
    embedder: Embedder,
) -> EmbeddedIndex:
    """The same where pairs of names are as near as this."""
    names = first_written(triples)
    nodes = {name: node for node, name in enumerate(names.values())}
    ends = np.array([sorted((nodes[a], nodes[b])) for a, b in near], np.int64).reshape(-1, 2)
    pairs = Pairs(ends[:, 1], ends[:, 0], np.array(list(near.values())))
    graph = entity_network(triples, names, lambda: embedder.embed(list(names.values())), pairs)
    return index_over(passages, triples, embedder, lambda: graph)


def retrieved(method: Retriever, query: str = QUESTION, k: int = 5) -> tuple[Ranking, list[Event]]:
    """What a method ranks, and what it tells."""
    events: list[Event] = []
    return method.retrieve(query, k, events.append), events


def cosines(query: str, texts: dict[Any, str]) -> dict[Any, float]:
    """Of the query and each text, as a ranking by EMBEDDER has them."""
    question, *others = EMBEDDER.embed([query, *texts.values()])
    return dict(zip(texts, (round(float(one @ question), 6) for one in others), strict=True))


class Failing:
    """A reader that fails at every request."""

    name = "failing"

    def __init__(self, error: Exception) -> None:
        self.error = error

    def ask(self, request: Any, emit: Any) -> Any:
        raise self.error


def of_kind(events: Iterable[Event], *kinds: type[Event]) -> list[Any]:
    """The events of these kinds, in their order."""
    return [event for event in events if isinstance(event, kinds)]


def top(
    index: Index,
    query: str,
    k: int,
    by: Scorer,
    among: Collection[int] | None = None,
    over: Over = "passages",
) -> Ranking:
    """One search alone."""
    (ranking,) = index.search([Search(query, k, by, over, among)]).rankings
    return ranking


def parts_over(index: Index, embedder: Embedder = EMBEDDER, reader: Reader | None = None) -> Parts:
    """What a method over an index is built from; without a reader the local one."""
    return Parts(index, reader or LocalReader(embedder), embedder)
