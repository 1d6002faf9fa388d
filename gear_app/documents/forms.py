"""Forms of rows: what a row is by the names of its fields, and how it is added to a batch; triples
and entities that others extracted.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import PurePath, PurePosixPath
from typing import Any

from gear_app.core.errors import BadInput
from gear_app.core.text import count, cut, normalise_entity
from gear_app.documents.blocks import ReadDocument, visible
from gear_app.documents.files import Source, is_named, is_qrels, open_text
from gear_app.documents.items import Batch, Fields, Limits, NewTriple, Notes, derived_key
from gear_app.documents.passages import add_document, add_passage
from gear_app.documents.questions import CONTENT, QUESTION, QUESTION_ID, add_question
from gear_app.documents.rows import (
    ID,
    JUDGEMENT,
    TABLES,
    TEXT,
    TITLE,
    WRONG_SHAPE,
    Row,
    first,
    grade,
    joined,
    json_value,
    judgements,
    parquet_rows,
    plain_name,
    plain_row,
    table_rows,
    unpacked,
    words,
)

IMPORTED = "imported"  # the set of triples whose file names none
LONGEST_NAME = 1_000
# `triples.NAME.jsonl`, and HippoRAG's files by their model: `openie_results_ner_MODEL.json`.
_NAMED = re.compile(
    r"(?:^(?:triples|entities)\.|results_ner_)(?!\w+\.gz$)(.+?)(?:_\d+)?\.\w+(?:\.gz)?$",
    re.IGNORECASE,
)
SUBJECT = ("subject", "head", "subj")
PREDICATE = ("predicate", "relation", "relationship", "rel")
OBJECT = ("object", "tail", "obj")
_PASSAGES = ("passage_id", "passage", "chunk_id", "source_id", "text_unit_ids", "doc_id")


def add_triple(batch: Batch, row: Row) -> None:
    """Add a triple, to each passage that the row names. Raises IndexError where it names none."""
    parts = [first(row, names) for names in (SUBJECT, PREDICATE, OBJECT)]
    keys = unpacked([row[name] for name in _PASSAGES if row.get(name)][0])  # noqa: RUF015
    for key in keys if isinstance(keys, list) else [keys]:
        _append(batch, _set_name(batch, row), words(key), parts, first(row, ("sentence",)))


def _append(batch: Batch, set_name: str, key: str, parts: object, sentence: str = "") -> None:
    names = _names(parts)
    if len(names) == 3 and _is_name(names[0]) and _is_name(names[2]):
        triple = NewTriple(key, names[0], names[1], names[2], sentence)
        batch.triples.setdefault(set_name, []).append(triple)
    else:
        batch.notes.count("triple", "left out: not of three words")


def _names(values: object) -> list[str]:
    return [
        words(part) if isinstance(part, str | int | float) else ""
        for part in (values if isinstance(values, list) else ())
    ]


def _is_name(name: str) -> bool:
    return len(name) <= LONGEST_NAME and bool(normalise_entity(name))


def add_openie(batch: Batch, row: Row) -> None:
    """Add a passage of an OpenIE file with its triples and entities. Version 2 has the title in the
    first line. A passage that is too long is cut into parts, which its triples do not belong to.
    """
    title, text = first(row, ("title",)), first(row, ("text",))
    if not text:
        title, _, text = words(row["passage"]).partition("\n")
        title, text = (title.strip(), text.strip()) if text.strip() else ("", title)
    key, set_name = derived_key(title, text), _set_name(batch, row)
    add_passage(batch, key, title, text)
    entities = dict.fromkeys(filter(_is_name, _names(row.get("extracted_entities"))))
    batch.entities.setdefault(set_name, {})[key] = tuple(entities)
    for parts in row["extracted_triples"]:
        _append(batch, set_name, key, parts)


def _set_name(batch: Batch, row: Row) -> str:
    """Set of a row, by the file's name, else by its `source` without remarks in brackets."""
    named = _NAMED.search(PurePath(batch.name).name)
    return named[1] if named else first(row, ("source",)).partition(" (")[0] or IMPORTED


# Further names in a corpus, where no field has a usual one.
_CORPUS_TEXT = (*TEXT, "context", "document", "page_content", "chunk")
_CORPUS_TITLE = (*TITLE, "corpus_name", "doc_title", "wikipedia_title")
_CORPUS_ID = (
    *(*ID, "passage_id", "psg_id", "pid", "docno", "docid", "doc_id"),
    *("corpus_id", "chunk_id"),
)
_CORPUS = (*_CORPUS_TEXT, *_CORPUS_TITLE, *_CORPUS_ID, "metadata")


def _add_text(batch: Batch, row: Row) -> None:
    """Add a text; that of a table's row without an id is under lines of the other fields."""
    title, text, id_ = (first(row, names) for names in (_CORPUS_TITLE, _CORPUS_TEXT, _CORPUS_ID))
    text = text or joined(next((row[name] for name in TEXT if _is_text(row.get(name))), ""))
    quoted = re.match(r"\"([^\n]+)\"\n", text)  # the title in FlashRAG's corpora
    if quoted and not title:
        title, text = quoted[1].replace('""', '"'), text[quoted.end() :].strip()
    of_table = batch.name.lower().endswith((".csv", ".tsv")) and bool(first(row, TEXT))
    if of_table and not id_:
        title = title or PurePosixPath(batch.name).stem
        lines = [
            f"{name.replace('_', ' ')}: {' '.join(row[name].split())}"
            for name in row
            if name not in (*TEXT, *TITLE) and row[name]
        ]
        text = "\n\n".join(filter(None, ["\n".join(lines), text]))
    if text:
        add_passage(batch, id_ or ("" if of_table else derived_key(title, text)), title, text)
    else:
        batch.notes.count("row", "without a text left out")


def _add_question(batch: Batch, row: Row) -> None:
    """Add a question; a text between questions is a passage."""
    passage = first(row, TEXT) and not first(row, QUESTION)
    (_add_text if passage else add_question)(batch, row)


def _add_judgement(batch: Batch, row: Row) -> None:
    question, passage, relevance = (first(row, names) for names in JUDGEMENT)
    batch.gold.setdefault(question, {})[passage] = grade(relevance)
    batch.notes.count("passage", "judged not relevant", grade(relevance) <= 0)


# Forms of rows: the name in reports, the function that adds a row, and names of fields, one of each
# tuple of which every row has.
_FORMS: tuple[tuple[str, Callable[[Batch, Row], None], tuple[tuple[str, ...], ...]], ...] = (
    ("an OpenIE file", add_openie, (("extracted_triples",),)),
    ("relevance judgements", _add_judgement, JUDGEMENT),
    ("a corpus", _add_text, (TEXT,)),
    ("triples", add_triple, (SUBJECT, PREDICATE, OBJECT)),
    ("questions", _add_question, (QUESTION, CONTENT)),
    ("questions", _add_question, (("input",), ("output",), ID)),  # KILT
    ("a corpus", _add_text, (_CORPUS_TEXT,)),
)


def renaming(head: Row, fields: Fields, path: PurePosixPath) -> Callable[[Row], Row]:
    """Function that gives the fields of rows their usual names, by the first row: to those that
    somebody has named by their roles, and to a text that is a question.
    """
    roles = {role: plain_name(name) for role, name in fields.items()}
    if any(roles.get(role) in head for role in ("question", "text", "subject")):
        return partial(_by_roles, roles)
    if is_named(path, "queries") and not first(head, QUESTION) and first(head, TEXT):
        return lambda row: (
            {n: row[n] for n in row if n not in TEXT} | {"question": first(row, TEXT)}
        )
    return lambda row: row


def _by_roles(roles: Mapping[str, str], row: Row) -> Row:
    named = {
        "passage_id" if role == "passage" else role: row.get(name) for role, name in roles.items()
    }
    if "question" in roles and "text" in roles:
        named["paragraphs"] = [{"title": named.get("title"), "text": named.pop("text")}]
    return {name: row[name] for name in QUESTION_ID if name in row} | named


def _fields_needed(head: Row) -> str:
    names = cut(" ".join(", ".join(map(str, head)).split()), 1_000)
    return (
        f"Its fields: {names or 'none'}. Needed: a text, or a question with answers or gold, or a"
        " triple with the id of its passage. Say which is which: --fields question=…,answers=…,"
        "gold=…,text=…,title=…,subject=…,predicate=…,object=…,passage=…"
    )


# Reading

_ROW = 160  # characters that a row counts in memory besides its passages


def document_batch(source: Source, document: ReadDocument, read_as: str) -> Batch:
    """Batch of a file that is one document."""
    batch = Batch(source.name, read_as=read_as)
    add_document(batch, document, document.named(visible(source.path.stem.replace("_", " "))))
    return batch


def _rows(source: Source, limits: Limits, notes: Notes) -> Iterator[Row]:
    if source.ending == ".parquet":
        yield from parquet_rows(source)
        return
    with open_text(source, limits, notes) as text:
        if is_qrels(source.path):
            yield from judgements(text)
        elif source.ending in TABLES:
            questions = is_named(source.path, "queries", "questions", "topics")
            yield from table_rows(text, "question" if questions else "text")
        else:
            yield from unfold(json_value(text, source, notes))


def read_rows(source: Source, limits: Limits, fields: Fields) -> Iterator[Batch]:
    """Rows of the form that the fields of the first say; a table of another is a document."""
    batch = Batch(source.name)
    rows = _rows(source, limits, batch.notes)
    head = next(rows, {})
    rename = renaming(plain_row(head), fields, source.path)
    usual = rename(plain_row(head))
    rows = itertools.chain([head], rows)
    for batch.read_as, add, fields_of_form in _FORMS:
        if all(any(name in usual for name in names) for names in fields_of_form):
            if add is _add_text and source.ending not in TABLES:
                unused = ", ".join(n for n in usual if usual[n] and n not in _CORPUS)
                batch.notes.add_sentence(
                    f"without their fields {cut(unused, 200)}" if unused else ""
                )
            yield from _parts((rename(plain_row(row)) for row in rows), add, batch, limits)
            return
    if source.ending not in TABLES:
        raise BadInput(f"it is of no known form. {_fields_needed(head)}")
    document = ReadDocument(notes=batch.notes.sentences())
    document.add_table([list(head), *(list(row.values()) for row in rows)], head=True)
    yield document_batch(source, document, "a table")


def _parts(
    rows: Iterable[Row], add: Callable[[Batch, Row], None], batch: Batch, limits: Limits
) -> Iterator[Batch]:
    row: Row = {}
    size = number = wrong = 0
    for number, row in enumerate(rows, start=1):
        before = len(batch.passages)
        try:
            add(batch, row)
        except WRONG_SHAPE:
            wrong += 1
            rest = f"not in the form of {batch.read_as}"
            batch.notes.count("row", rest, example=f"the first is number {number}")
        size += _ROW + sum(len(passage.text) for passage in batch.passages[before:])
        if size > limits.part_characters:
            yield batch
            batch, size = Batch(batch.name, read_as=batch.read_as), 0
    if wrong == number:
        raise BadInput(
            f"it looks like {batch.read_as}, but none of its {count(number, 'row')} can be used."
            f" {_fields_needed(row)}"
        )
    yield batch


# Containers of rows


def unfold(value: Any) -> Iterator[Row]:  # noqa: ANN401
    """Rows of a JSON value: of a list, whose words are texts, and of an object that has them."""
    rows = _unfolded(value) if isinstance(value, Mapping) and value else value
    for row in rows if hasattr(rows, "__iter__") and not isinstance(rows, str) else ():
        if isinstance(row, str | Mapping):
            yield {"text": row} if isinstance(row, str) else row


def _unfolded(value: Row) -> Iterable[Any]:
    """Rows in an object: SQuAD's paragraphs, LlamaIndex's objects, columns as pandas writes them,
    rows by id, texts by title, and rows among other values.
    """
    parts = list(value.values())
    if all(isinstance(value.get(name), Mapping) for name in ("queries", "relevant_docs")):
        gold = value["relevant_docs"]
        return [
            *({"id": n, "question": q, "gold": gold.get(n)} for n, q in value["queries"].items()),
            *({"id": n, "text": text} for n, text in (value.get("corpus") or {}).items()),
        ]
    if all(isinstance(part, Mapping) for part in parts):
        if all("0" in part for part in parts):
            return [{name: value[name].get(n) for name in value} for n in parts[0]]
        return [{"id": id_, **row} for id_, row in value.items()]
    if first(value, (*QUESTION, *TEXT, *TITLE, *ID)):
        return [value]
    if all(map(_is_text, parts)):
        return [{"title": title, "text": "".join(map(str, t))} for title, t in value.items()]
    lists = (part for part in parts if isinstance(part, list) and part)
    rows = [row for part in lists if isinstance(part[0], Mapping) for row in part] or [value]
    if not all("paragraphs" in row for row in rows):
        return rows
    return [
        question | {"title": article.get("title"), "context": paragraph.get("context")}
        for article in rows
        for paragraph in article["paragraphs"]
        for question in paragraph.get("qas", ())
    ]


def _is_text(value: object) -> bool:
    """Whether a value is a text whose name in an object is its title: three words, or sentences."""
    sentences = isinstance(value, list) and bool(value) and isinstance(value[0], str)
    return sentences or (isinstance(value, str) and len(value.split()) >= 3)
