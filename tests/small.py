"""A collection small enough to know by heart: three films, their directors, and a rival with the
same words.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gear_app.core.protocols import Embedder, Index
from gear_app.core.rows import (
    PAIRS,
    EntityNetwork,
    Over,
    Pairs,
    PassageName,
    Scorer,
    Search,
    StoredTriple,
)
from gear_app.core.text import normalise_entity
from gear_app.core.types import Passage, Ranking, Span, Triple
from gear_app.index.arrays import Arrays, Words
from gear_app.index.bm25 import TextIndex
from gear_app.index.embedded import EmbeddedIndex, TripleIndex
from gear_app.index.entities import Names, entity_network, graph_arrays, synonymy_of
from gear_app.index.mentions import read_mentions
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

    by_id = {passage.id: passage for passage in sorted(passages, key=lambda passage: passage.id)}
    rows = {triple.id: _stored(triple, by_id) for triple in sorted(triples, key=lambda t: t.id)}
    return EmbeddedIndex(
        TextIndex(
            np.array(list(by_id), np.int64),
            lambda ids: {id_: by_id[id_] for id_ in ids},
            embedder.embed([p.indexed for p in by_id.values()]),
            lambda make: make(),
        ),
        TripleIndex(
            np.array(list(rows), np.int64),
            lambda ids: {id_: rows[id_] for id_ in ids},
            embedder.embed([row.indexed for row in rows.values()]),
            lambda make: make(),
            lambda: graph_of([row.triple for row in rows.values()]),
        ),
        embedder,
        graph or (lambda: network_of(triples, embedder)),
        lambda: read_mentions(passages, embedder.embed),
        keep,
    )


def _stored(triple: Triple, passages: Mapping[int, Passage]) -> StoredTriple:
    passage, span = passages[triple.passage_id], triple.span
    sentence = passage.text[span.start : span.end] if span else ""
    return StoredTriple(triple, PassageName(passage.key, passage.title), sentence)


def first_written(triples: Iterable[Triple]) -> dict[str, str]:
    """Names by their normalised form, as first written, in order of first appearance."""
    names: dict[str, str] = {}
    for name in (name for triple in triples for name in (triple.subject, triple.object)):
        names.setdefault(normalise_entity(name), name)
    names.pop("", None)
    return names


def graph_of(triples: Sequence[Triple]) -> Arrays:
    """The graph of triples, nodes by first appearance."""
    names = first_written(triples)
    places = {name: place for place, name in enumerate(names)}
    ends = [[places.get(normalise_entity(e), -1) for e in (t.subject, t.object)] for t in triples]
    passage_ids = np.array([triple.passage_id for triple in triples], np.int64)
    return graph_arrays(names.values(), np.array(ends, np.int64).reshape(-1, 2), passage_ids)


def network_of(
    triples: Sequence[Triple], embedder: Embedder, pairs: Pairs | None = None
) -> EntityNetwork:
    """The graph of triples with these synonyms, or those that the embedder's vectors make."""
    graph = graph_of(triples)
    names = list(Words(graph, "names"))
    if pairs is None:
        pairs = Names(names, embedder.embed(names)).pairs(0, len(names))
    return entity_network(graph, synonymy_of(pairs, len(names)), lambda: embedder.embed(names))


def index_with_synonyms(
    passages: Sequence[Passage],
    triples: Sequence[Triple],
    near: Mapping[tuple[str, str], float],
    embedder: Embedder,
) -> EmbeddedIndex:
    """The same where pairs of names are as near as this."""
    nodes = {name: node for node, name in enumerate(first_written(triples).values())}
    ends = [sorted((nodes[a], nodes[b]), reverse=True) for a, b in near]
    pairs = np.array([(*pair, cos) for pair, cos in zip(ends, near.values(), strict=True)], PAIRS)
    graph = network_of(triples, embedder, pairs)
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
