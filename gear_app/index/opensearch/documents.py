"""A collection's rows as documents, under ids that are always the same, and back."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gear_app.core.errors import ClusterFailed
from gear_app.core.protocols import Vectors
from gear_app.core.rows import MentionQuery, Over, SharedMentions, StoredTriple
from gear_app.core.text import normalise_entity, terms
from gear_app.core.types import Hop, Passage, Question, Span, Triple
from gear_app.index.opensearch import schema
from gear_app.index.opensearch.schema import IndexFacts, Json

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
    """Key and title of a triple's passage (rows.Named)."""

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


def assembled(
    query: MentionQuery, facts: IndexFacts, most: int, answers: Sequence[Json]
) -> SharedMentions:
    """The answers to three searches as arrays: the query's passages, the others that hold a mention
    of one of them, and how many passages hold each of the query's names.

    `most` passages may hold a mention that links them; `answers` may have others as well. Raises
    KeyError for a passage that is not there, and ClusterFailed where they are more than an answer.
    """
    query_hits, other_hits = (answer["hits"]["hits"] for answer in answers[:2])
    if len(other_hits) >= schema.WINDOW:
        raise ClusterFailed(
            f"At least {schema.WINDOW:,} passages share a mention with these, more than a cluster"
            " gives at once. Set starts or most_holders lower."
        )
    by_id = {number_of(hit): hit for hit in query_hits}
    starts = [by_id[id_] for id_ in query.passage_ids]
    names_of = {hit["_id"]: _held(hit["_source"]) for hit in (*query_hits, *other_hits)}
    holders = Counter(chain.from_iterable(names_of.values()))
    linking = sorted(
        name
        for name in {name for hit in query_hits for name in hit["_source"][schema.ROW]["links"]}
        if 2 <= holders[name] <= most
    )
    place = {name: number for number, name in enumerate(linking)}
    hits = [
        *starts,
        *(hit for hit in other_hits if not place.keys().isdisjoint(names_of[hit["_id"]])),
    ]
    rows = [hit["_source"][schema.ROW] for hit in hits]
    sentences = [
        (number, start, end, names)
        for number, row in enumerate(rows)
        for start, end, names in row["sentences"]
    ]
    common = {name for hit in query_hits for name in hit["_source"][schema.ROW]["common"]}
    query_names = list(query.names)
    return SharedMentions(
        size=facts.passages,
        passages=[passage_of(number_of(hit), row) for hit, row in zip(hits, rows, strict=True)],
        names=linking,
        holders=np.array([holders[name] for name in linking], np.int64),
        common=np.array([name in common for name in linking], np.bool_),
        held=_pairs(
            [
                (number, place[name])
                for number, hit in enumerate(hits)
                for name in place.keys() & names_of[hit["_id"]]
            ]
        ),
        sentence_passages=np.array([number for number, *_ in sentences], np.int64),
        spans=np.array([span for _, *span, _ in sentences], np.int64).reshape(-1, 2),
        vectors=vectors_of(
            [hit for hit in hits if schema.SENTENCES in hit["fields"]],
            facts.dimension,
            schema.SENTENCES,
        ),
        named=_pairs(
            [
                (number, place[name])
                for number, (*_, names) in enumerate(sentences)
                for name in names
                if name in place
            ]
        ),
        asked_holders=_counts(query_names, answers[2]),
        asked_in_sentences=_table([names for *_, names in sentences], query_names),
        asked_in_titles=_table([row["titled"] for row in rows], query_names),
    )


def _held(source: Json) -> set[str]:
    row = source[schema.ROW]
    return {*row["titled"]}.union(*(names for *_, names in row["sentences"]))


def _pairs(pairs: list[tuple[int, int]]) -> NDArray[np.int64]:
    return np.array(sorted(set(pairs)), np.int64).reshape(-1, 2)


def _counts(names: Sequence[str], answer: Json) -> NDArray[np.int64]:
    if not names:
        return np.zeros(0, np.int64)
    buckets = answer["aggregations"]["counts"]["buckets"]
    return np.array([buckets[str(number)]["doc_count"] for number in range(len(names))], np.int64)


def _table(held_names: Sequence[Collection[str]], names: Sequence[str]) -> NDArray[np.bool_]:
    """(rows, names) whether the row holds the name."""
    table = [name in row_names for row_names in held_names for name in names]
    return np.array(table, np.bool_).reshape(len(held_names), len(names))
