"""A collection's rows as documents, under ids that are always the same, and back."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gear_app.core.protocols import Vectors
from gear_app.core.rows import Over, StoredTriple
from gear_app.core.text import normalise_entity, terms
from gear_app.core.types import Hop, Passage, Question, Span, Triple
from gear_app.index.opensearch import schema
from gear_app.index.opensearch.schema import Json

if TYPE_CHECKING:
    from gear_app.index.embedded import EmbeddedIndex
    from gear_app.index.mentions import MentionIndex

Row = Passage | StoredTriple
VECTORS_AT_ONCE = 500


class IndexDocument(NamedTuple):
    """A document's id, and what is stored under it."""

    id: str
    source: Json


class PassageName(NamedTuple):
    """What a triple's row says of its passage (rows.Named)."""

    key: str
    title: str


def count_documents(index: EmbeddedIndex, questions: Sequence[Question]) -> int:
    """How many documents `documents` yields."""
    names = index.entities().names
    return len(index.every_passage) + len(index.every_triple) + len(names) + len(questions)


def documents(
    index: EmbeddedIndex, questions: Sequence[Question], holders: int
) -> Iterator[IndexDocument]:
    """All documents of a collection: passages by id, triples by id, entities, questions.

    At most `holders` passages may share a mention that links them.
    """
    mentions = MentionRows(index.mentions, holders)
    passages = sorted(index.every_passage, key=lambda passage: passage.id)
    for start in range(0, len(passages), VECTORS_AT_ONCE):
        some = passages[start : start + VECTORS_AT_ONCE]
        vectors = index.passage_vectors([passage.id for passage in some])
        for passage, vector in zip(some, vectors, strict=True):
            yield _passage_document(passage, vector, mentions.fields_of(passage.id))
    ids = sorted(triple.id for triple in index.every_triple)
    for start in range(0, len(ids), VECTORS_AT_ONCE):
        batch = ids[start : start + VECTORS_AT_ONCE]
        rows = index.rows((), batch).triples
        for id_, vector in zip(batch, index.vectors(batch), strict=True):
            yield _triple_document(rows[id_], vector)
    yield from _entity_documents(index)
    for number, question in enumerate(questions):
        yield _document(f"q{number}", "question", number, asdict(question))


def _passage_document(passage: Passage, vector: Vectors, mentions: MentionFields) -> IndexDocument:
    sentences = {schema.SENTENCES: encoded(mentions.vectors)} if len(mentions.vectors) else {}
    row = {
        "key": passage.key,
        "title": passage.title,
        "text": passage.text,
        "document": passage.document_id,
        "start": passage.start,
        "end": passage.end,
        **mentions.row,
    }
    more = {
        schema.KEY: passage.key,
        schema.MENTIONS: mentions.names,
        **sentences,
        **_searched("passages", passage.indexed, vector),
    }
    return _document(schema.passage_id(passage.id), "passage", passage.id, row, more)


def _triple_document(stored: StoredTriple, vector: Vectors) -> IndexDocument:
    """A triple with its vector, its sentence, and the names of its passage."""
    triple, passage = stored.triple, stored.passage
    ends = sorted({normalise_entity(triple.subject), normalise_entity(triple.object)} - {""})
    row = {
        "passage": triple.passage_id,
        "subject": triple.subject,
        "predicate": triple.predicate,
        "object": triple.object,
        "span": triple.span,
        "closest": triple.closest,
        "sentence": stored.sentence,
        "key": passage.key,
        "title": passage.title,
        "ends": ends,
    }
    more = {
        schema.PASSAGE: triple.passage_id,
        schema.ENDS: ends,
        **_searched("triples", triple.text, vector),
    }
    return _document(schema.triple_id(triple.id), "triple", triple.id, row, more)


def _entity_documents(index: EmbeddedIndex) -> Iterator[IndexDocument]:
    """Entities with their synonyms, nearest first, of equal ones the first stored."""
    graph = index.entities()
    names, synonymy = list(zip(graph.known, graph.names, strict=True)), graph.synonymy
    for node, (normal, name) in enumerate(names):
        run = slice(synonymy.indptr[node], synonymy.indptr[node + 1])
        pairs = zip(synonymy.indices[run].tolist(), synonymy.data[run].tolist(), strict=True)
        near = sorted(pairs, key=lambda pair: (-pair[1], pair[0]))
        synonyms = [[*names[other], cosine] for other, cosine in near]
        row = {"name": name, "normal": normal, "synonyms": synonyms}
        yield _document(schema.entity_id(normal), "entity", node, row)


class MentionFields(NamedTuple):
    """The names in a passage, each once; its sentences' vectors; and both as its row has them."""

    names: list[str]
    vectors: Vectors
    row: Json


class MentionRows:
    """The names in each passage of a collection."""

    def __init__(self, mentions: MentionIndex, holders: int) -> None:
        """At most `holders` passages may share a mention that links them."""
        self._mentions = mentions
        self._shared = (mentions.counts >= 2) & (mentions.counts <= holders)

    def fields_of(self, passage_id: int) -> MentionFields:
        """The names in a passage. `links` in the row are those that it shares with other passages,
        `common` those of them that are ordinary words.
        """
        arrays, position = self._mentions.arrays, self._mentions.position[passage_id]
        first, last = np.searchsorted(arrays.sentence_passages, [position, position + 1])
        titled = _names_at(arrays.in_titles, position)
        sentences = [_names_at(arrays.in_sentences, at) for at in range(int(first), int(last))]
        mentions = np.unique(np.concatenate([titled, *sentences]))
        links = mentions[self._shared[mentions]]
        spans = arrays.spans[first:last].tolist()
        row = {
            "titled": self._names(titled),
            "sentences": [
                [*span, self._names(names)] for span, names in zip(spans, sentences, strict=True)
            ],
            "links": self._names(links),
            "common": self._names(links[arrays.common[links]]),
        }
        vectors = np.asarray(self._mentions.vectors[first:last], np.float32)
        return MentionFields(self._names(mentions), vectors, row)

    def _names(self, places: Any) -> list[str]:  # noqa: ANN401
        return [self._mentions.arrays.names[place] for place in places.tolist()]


def _names_at(pairs: Any, position: int) -> Any:  # noqa: ANN401
    """The second column of sorted pairs, where the first is this position."""
    first, last = np.searchsorted(pairs[:, 0], [position, position + 1])
    return pairs[first:last, 1]


def _searched(over: Over, text: str, vector: Vectors) -> Json:
    """The fields by which a text is found."""
    return {
        schema.TOKENS_OF[over]: " ".join(terms(text)),
        schema.VECTOR_OF[over]: vector.astype(float).tolist(),
        schema.BYTES: encoded(vector),
    }


def _document(
    id_: str, kind: str, number: int, row: Mapping[str, Any], more: Mapping[str, Any] | None = None
) -> IndexDocument:
    fields = {schema.KIND: kind, schema.ID: number, schema.ROW: row}
    return IndexDocument(id_, {**fields, **(more or {})})


def passage_of(number: int, row: Json) -> Passage:
    """A passage from its row."""
    place = row["document"], row["start"], row["end"]
    return Passage(number, row["key"], row["title"], row["text"], *place)


def triple_of(number: int, row: Json) -> StoredTriple:
    """A triple from its row."""
    span = Span(*row["span"]) if row["span"] else None
    words = row["subject"], row["predicate"], row["object"]
    triple = Triple(number, row["passage"], *words, span, row["closest"])
    return StoredTriple(triple, PassageName(row["key"], row["title"]), row["sentence"])


def question_of(row: Json) -> Question:
    """A question from its row."""
    tuples = {name: tuple(row[name]) for name in ("answers", "supporting_keys", "relevance")}
    hops = tuple(Hop(**hop) for hop in row["decomposition"])
    return Question(**{**row, **tuples, "decomposition": hops})


def number_of(hit: Json) -> int:
    """The id of a hit's row."""
    return int(hit["fields"][schema.ID][0])


def row_of(over: Over, hit: Json) -> Row:
    """The passage or triple of a hit."""
    row = hit["_source"][schema.ROW]
    return (passage_of if over == "passages" else triple_of)(number_of(hit), row)


def vectors_of(hits: Sequence[Json], dimension: int, field: str = schema.BYTES) -> Vectors:
    """(n, d) the vectors of hits, stored in this field."""
    rows = [decoded(hit["fields"][field][0], dimension) for hit in hits]
    return np.concatenate(rows) if rows else np.zeros((0, dimension), np.float32)


def encoded(vectors: Vectors) -> str:
    """An array's float32 as text."""
    return base64.b64encode(np.ascontiguousarray(vectors, "<f4").tobytes()).decode()


def decoded(text: str, dimension: int) -> Vectors:
    """(n, d) from such a text, which a server gives back without the padding at its end."""
    padded = text + "=" * (-len(text) % 4)
    rows = np.frombuffer(base64.b64decode(padded, validate=True), "<f4").reshape(-1, dimension)
    return np.asarray(rows, np.float32)
