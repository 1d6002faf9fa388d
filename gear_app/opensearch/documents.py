"""A collection's rows as documents, under ids that are always the same, and back."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gear_app.opensearch import schema, words
from gear_app.opensearch.words import WordHashes
from gear_app.rows import Over, StoredTriple
from gear_app.seams import Sparse, Vectors
from gear_app.text import normalise_entity, terms
from gear_app.types import Hop, Passage, Question, Span, Triple

if TYPE_CHECKING:
    from gear_app.index.mentions import MentionArrays


class IndexDocument(NamedTuple):
    """A document's id, and what is stored under it."""

    id: str
    source: dict[str, Any]


class EntityName(NamedTuple):
    """An entity's normalised name, and as it was first written."""

    normal: str
    name: str


class PassageName(NamedTuple):
    """What a triple's row says of its passage (rows.Named)."""

    key: str
    title: str


def passage_document(passage: Passage, vector: Vectors, found: PassageRow) -> IndexDocument:
    """A passage with its vector and what it names."""
    sentences = {schema.SENTENCES: encoded(found.vectors)} if len(found.vectors) else {}
    row = {
        "key": passage.key,
        "title": passage.title,
        "text": passage.text,
        "document": passage.document_id,
        "start": passage.start,
        "end": passage.end,
        **found.row,
    }
    more = {
        schema.KEY: passage.key,
        schema.MENTIONS: found.names,
        **sentences,
        **_searched("passages", passage.indexed, vector),
    }
    return _document(schema.passage_id(passage.id), "passage", passage.id, row, more)


def triple_document(stored: StoredTriple, vector: Vectors) -> IndexDocument:
    """A triple with its vector, its sentence, and the names of its passage."""
    triple, passage = stored.triple, stored.passage
    ends = {normalise_entity(triple.subject), normalise_entity(triple.object)} - {""}
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
        "ends": sorted(ends),
    }
    more = {
        schema.PASSAGE: triple.passage_id,
        schema.ENDS: sorted(ends),
        **_searched("triples", triple.text, vector),
    }
    return _document(schema.triple_id(triple.id), "triple", triple.id, row, more)


def entity_documents(names: Sequence[EntityName], synonymy: Sparse) -> Iterator[IndexDocument]:
    """Names with their synonyms, nearest first, of equal ones the first stored; `synonymy` are the
    cosines of synonyms, (names, names).
    """
    for node in range(len(names)):
        run = slice(synonymy.indptr[node], synonymy.indptr[node + 1])
        pairs = zip(synonymy.indices[run].tolist(), synonymy.data[run].tolist(), strict=True)
        near = sorted(pairs, key=lambda pair: (-pair[1], pair[0]))
        normal, name = names[node]
        row = {
            "name": name,
            "normal": normal,
            "synonyms": [[*names[other], cosine] for other, cosine in near],
        }
        yield _document(schema.entity_id(normal), "entity", node, row)


def word_documents(over: Over, counts: WordHashes) -> Iterator[IndexDocument]:
    """In how many texts each word is."""
    for number, chunk in enumerate(words.chunks(counts)):
        row = {"over": over, **chunk}
        yield _document(f"w{over[0]}{number}", "words", number, row)


def question_documents(questions: Sequence[Question]) -> Iterator[IndexDocument]:
    """Questions, in order."""
    for number, question in enumerate(questions):
        yield _document(f"q{number}", "question", number, asdict(question))


def other_documents(
    names: Sequence[EntityName],
    synonymy: Sparse,
    vocabularies: Iterable[WordHashes],
    questions: Sequence[Question],
) -> Iterator[IndexDocument]:
    """What is no passage's alone: names, the words of passages and of triples, questions."""
    yield from entity_documents(names, synonymy)
    for over, vocabulary in zip(schema.KIND_OF, vocabularies, strict=True):
        yield from word_documents(over, vocabulary)
    yield from question_documents(questions)


def passage_of(number: int, row: Mapping[str, Any]) -> Passage:
    """A passage from its row."""
    return Passage(
        number,
        row["key"],
        row["title"],
        row["text"],
        row.get("document"),
        row["start"],
        row["end"],
    )


def triple_of(number: int, row: Mapping[str, Any]) -> StoredTriple:
    """A triple from its row."""
    span = Span(*row["span"]) if row.get("span") else None
    words_ = row["subject"], row["predicate"], row["object"]
    triple = Triple(number, row["passage"], *words_, span, row["closest"])
    return StoredTriple(triple, PassageName(row["key"], row["title"]), row["sentence"])


def question_of(row: Mapping[str, Any]) -> Question:
    """A question from its row."""
    several = {name: tuple(row[name]) for name in ("answers", "supporting_keys", "relevance")}
    hops = tuple(Hop(**hop) for hop in row["decomposition"])
    return Question(**{**row, **several, "decomposition": hops})


def encoded(vectors: Vectors) -> str:
    """An array's float32 as text."""
    return base64.b64encode(np.ascontiguousarray(vectors, "<f4").tobytes()).decode()


def decoded(text: str, dimension: int) -> Vectors:
    """(n, d) from such a text, which a server gives back without the padding at its end."""
    padded = text + "=" * (-len(text) % 4)
    rows = np.frombuffer(base64.b64decode(padded, validate=True), "<f4").reshape(-1, dimension)
    return np.asarray(rows, np.float32)


class PassageRow(NamedTuple):
    """What a passage names, each once; its sentences' vectors; and both as its row tells them."""

    names: list[str]
    vectors: Vectors
    row: dict[str, Any]


class MentionRows:
    """What each passage names, from arrays of some or all passages of a collection."""

    def __init__(
        self,
        arrays: MentionArrays,
        vectors: Vectors,
        shared: NDArray[np.bool_],
        common: NDArray[np.bool_],
    ) -> None:
        """`vectors` are the sentences'. Of each mention, `shared`: it links passages of the
        collection, since several and not too many hold it; `common`: it is an ordinary word.
        """
        self._arrays, self._vectors = arrays, vectors
        self._shared, self._common = shared, common

    def of(self, position: int) -> PassageRow:
        """The passage at this position among those of the arrays. `links` in its row are the
        mentions that it shares with others; `common` those of them that are ordinary words.
        """
        arrays = self._arrays
        first, last = np.searchsorted(arrays.sentence_passages, [position, position + 1])
        titled = arrays.in_titles[_run(arrays.in_titles[:, 0], position, position + 1), 1]
        spans, inside = arrays.spans[first:last].tolist(), []
        for sentence in range(int(first), int(last)):
            inside.append(
                arrays.in_sentences[_run(arrays.in_sentences[:, 0], sentence, sentence + 1), 1]
            )
        held = np.unique(np.concatenate([titled, *inside]))
        links = held[self._shared[held]]
        row = {
            "titled": self._names(titled),
            "sentences": [
                [*span, self._names(of_sentence)]
                for span, of_sentence in zip(spans, inside, strict=True)
            ],
            "links": self._names(links),
            "common": self._names(links[self._common[links]]),
        }
        vectors = np.asarray(self._vectors[first:last], np.float32)
        return PassageRow(self._names(held), vectors, row)

    def _names(self, places: Any) -> list[str]:  # noqa: ANN401
        return [self._arrays.names[place] for place in places.tolist()]


def _run(column: Any, first: int, last: int) -> slice:  # noqa: ANN401
    """Where a sorted column has values from first to before last."""
    return slice(*np.searchsorted(column, [first, last]).tolist())


def _searched(over: Over, text: str, vector: Vectors) -> dict[str, Any]:
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
