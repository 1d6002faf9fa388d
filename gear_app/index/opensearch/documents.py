"""A collection's rows as documents, under ids that are always the same, and back."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import numpy as np

from gear_app.core.errors import ClusterFailed
from gear_app.core.protocols import Vectors
from gear_app.core.rows import (
    HubLimit,
    MentionQuery,
    Over,
    PassageName,
    SharedMentions,
    StoredTriple,
)
from gear_app.core.text import normalise_entity, terms
from gear_app.core.types import Passage, Question, Span, Triple
from gear_app.index.arrays import Ints, entries
from gear_app.index.entities import synonyms_of
from gear_app.index.mentions import MentionIndex, mention_arrays
from gear_app.index.opensearch import schema
from gear_app.index.opensearch.schema import IndexFacts, Json

if TYPE_CHECKING:
    from gear_app.index.embedded import EmbeddedIndex


def count_documents(index: EmbeddedIndex, questions: Sequence[Question]) -> int:
    """How many documents `documents` yields."""
    rows = len(index.passages) + len(index.triples)
    return rows + len(index.entities().names) + len(questions)


def documents(index: EmbeddedIndex, questions: Sequence[Question], holders: int) -> Iterator[Json]:
    """All documents of a collection, as a bulk request has them: passages by id, triples by id,
    entities, questions.

    At most `holders` passages may share a mention that links them.
    """
    mentions, network = index.mentions(), index.entities()
    linking = {
        name: bool(common)
        for name, common, number in zip(
            mentions.network.names, mentions.network.common, mentions.holders, strict=True
        )
        if 2 <= number <= holders
    }
    for position, passage in enumerate(index.passages):
        fields = _mention_fields(mentions, position, linking)
        fields[schema.KEY] = passage.key
        fields[schema.ROW]["passage"] = asdict(passage)
        (vector,) = index.passages.vectors([passage.id])
        fields |= _searched("passages", passage.indexed, vector)
        yield _document(schema.document_id("passages", passage.id), "passage", passage.id, fields)
    for stored in index.triples:
        triple, (vector,) = stored.triple, index.vectors([stored.triple.id])
        fields = _triple_fields(stored) | _searched("triples", triple.text, vector)
        yield _document(schema.document_id("triples", triple.id), "triple", triple.id, fields)
    names = list(zip(network.nodes, network.names, strict=True))
    for node, (normal, name) in enumerate(names):
        synonyms = [[*names[other], cosine] for other, cosine in synonyms_of(network, node)]
        fields = {schema.ROW: {"name": name, "normal": normal, "synonyms": synonyms}}
        yield _document(schema.entity_id(normal), "entity", node, fields)
    for number, question in enumerate(questions):
        yield _document(f"q{number}", "question", number, {schema.ROW: asdict(question)})


def _document(id_: str, kind: str, number: int, fields: Json) -> Json:
    source = {schema.KIND: kind, schema.ID: number, **fields}
    return {"_op_type": "create", "_id": id_, "_source": source}


def _searched(over: Over, text: str, vector: Vectors) -> Json:
    return {
        schema.TOKENS_OF[over]: " ".join(terms(text)),
        schema.VECTOR_OF[over]: vector.astype(float).tolist(),
        schema.BYTES: encoded(vector),
    }


def _triple_fields(stored: StoredTriple) -> Json:
    triple = stored.triple
    ends = sorted({normalise_entity(triple.subject), normalise_entity(triple.object)} - {""})
    row = {
        "triple": asdict(triple),
        "name": stored.passage,
        "sentence": stored.sentence,
        schema.ENDS: ends,
    }
    return {schema.PASSAGE: triple.passage_id, schema.ENDS: ends, schema.ROW: row}


def _mention_fields(mentions: MentionIndex, position: int, linking: Mapping[str, bool]) -> Json:
    """The names in a passage and its sentences' vectors. `links` in the row are the names that it
    shares with other passages, `common` those of them that are ordinary words.
    """
    network = mentions.network

    def names(table: Ints, row: int) -> list[str]:
        return [network.names[name] for name in entries(table, [row])[1].tolist()]

    (_, sentences), held = entries(mentions.sentences, [position]), names(mentions.held, position)
    links = [name for name in held if name in linking]
    row = {
        "titled": names(network.in_titles, position),
        "sentences": [
            [*network.spans[sentence].tolist(), names(network.in_sentences, sentence)]
            for sentence in sentences.tolist()
        ],
        "links": links,
        "common": [name for name in links if linking[name]],
    }
    fields = {schema.MENTIONS: held, schema.ROW: row}
    vectors = network.vectors[sentences]
    return fields | ({schema.SENTENCES: encoded(vectors)} if len(sentences) else {})


def passage_of(row: Json) -> Passage:
    """A passage from its row."""
    return Passage(**row["passage"])


def triple_of(row: Json) -> StoredTriple:
    """A triple from its row."""
    triple = Triple(**row["triple"])
    span = Span(*triple.span) if triple.span else None
    return StoredTriple(replace(triple, span=span), PassageName(*row["name"]), row["sentence"])


def question_of(row: Json) -> Question:
    """A question from its row."""
    from pydantic import TypeAdapter

    return TypeAdapter(Question).validate_python(row)


def number_of(hit: Json) -> int:
    """The number of a hit's document among those of its kind."""
    return int(hit["fields"][schema.ID][0])


def vectors_of(hits: Sequence[Json], dimension: int, field: str = schema.BYTES) -> Vectors:
    """(n, d) the vectors of hits that have some in this field."""
    texts = [hit["fields"][field][0] for hit in hits if field in hit["fields"]]
    # A server gives a text back without the padding at its end.
    rows = b"".join(base64.b64decode(text + "=" * (-len(text) % 4)) for text in texts)
    return np.frombuffer(rows, "<f4").reshape(-1, dimension).astype(np.float32)


def encoded(vectors: Vectors) -> str:
    """An array's float32 as text."""
    return base64.b64encode(np.ascontiguousarray(vectors, "<f4").tobytes()).decode()


def shared_mentions(
    query: MentionQuery, facts: IndexFacts, limit: HubLimit, *answers: Json
) -> SharedMentions:
    """The answers to three searches as arrays: the query's passages, others that hold a mention of
    one of them, and how many passages hold each of the query's names.

    Fewer passages may hold a mention that links them than in the `answers`. Raises KeyError for a
    passage that is not there, and ClusterFailed where they are more than an answer.
    """
    starts, sharing = (answer["hits"]["hits"] for answer in answers[:2])
    if len(sharing) >= schema.WINDOW:
        raise ClusterFailed(
            f"At least {schema.WINDOW:,} passages share a mention with these, more than a cluster"
            " gives at once. Set starts or most_holders lower."
        )
    linking = {name for hit in starts for name in hit["_source"][schema.ROW]["links"]}
    common = {name for hit in starts for name in hit["_source"][schema.ROW]["common"]}
    hits = sorted((*starts, *sharing), key=number_of)
    rows = [hit["_source"][schema.ROW] for hit in hits]
    passages = [passage_of(row) for row in rows]
    arrays = mention_arrays(
        [passage.id for passage in passages],
        [
            (passage.id, start, end)
            for passage, row in zip(passages, rows, strict=True)
            for start, end, _ in row["sentences"]
        ],
        [
            (passage.id, sentence, name, name in common)
            for passage, row in zip(passages, rows, strict=True)
            for sentence, (*_, names) in enumerate([[row["titled"]], *row["sentences"]])
            for name in names
        ],
    )
    vectors = vectors_of(hits, facts.dimension, schema.SENTENCES)
    by_id = {passage.id: passage for passage in passages}
    index = MentionIndex(arrays, list(by_id), lambda ids: by_id, vectors)
    # All passages with a linking mention are here, and of those with another one only some.
    is_linking = [name in linking for name in index.network.names]
    index.size, index.holders = facts.passages, index.holders * np.array(is_linking, np.int64)
    counts = answers[2]["aggregations"]["counts"]["buckets"]
    holders = [counts[str(number)]["doc_count"] for number in range(len(query.names))]
    return replace(index.shared(query, limit), asked_holders=np.array(holders, np.int64))
