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
from gear_app.documents.names import CONTENT, ID, JUDGEMENT, NAMES, TEXT, TITLE, TRIPLE
from gear_app.documents.passages import add_document, add_passage
from gear_app.documents.questions import add_question
from gear_app.documents.rows import (
    TABLES,
    WRONG_SHAPE,
    Row,
    first,
    grade,
    joined,
    json_value,
    judgements,
    objects,
    parquet_rows,
    plain_name,
    plain_row,
    table_rows,
    tagged_rows,
    unpacked,
    words,
)

# In the names of files with questions.
_QUESTION_FILES = ("queries", "questions", "topics", "topic")
# `triples.NAME.jsonl`, and HippoRAG's files by their model: `openie_results_ner_MODEL.json`.
_NAMED = re.compile(
    r"(?:^(?:triples|entities)\.|results_ner_)(?!\w+\.gz$)(.+?)(?:_\d+)?\.\w+(?:\.gz)?$",
    re.IGNORECASE,
)


def add_triple(batch: Batch, row: Row) -> None:
    """Add a triple, to each passage that the row names. Raises IndexError where it names none."""
    keys = unpacked([row[name] for name in NAMES["passage of a triple"] if row.get(name)][0])  # noqa: RUF015
    for key in keys if isinstance(keys, list) else [keys]:
        _append(
            batch,
            _set_name(batch, row),
            words(key),
            [first(row, n) for n in TRIPLE],
            first(row, ("sentence",)),
        )


def _append(batch: Batch, set_name: str, key: str, parts: object, sentence: str = "") -> None:
    names = _names(parts)
    if len(names) == 3 and _is_name(names[0]) and _is_name(names[2]):
        batch.triples.setdefault(set_name, []).append(
            NewTriple(key, names[0], names[1], names[2], sentence)
        )
    else:
        batch.notes.count("triple", "left out: not of three words")


def _names(values: object) -> list[str]:
    return [
        words(part) if isinstance(part, str | int | float) else ""
        for part in (values if isinstance(values, list) else ())
    ]


def _is_name(name: str) -> bool:
    return len(name) <= 1_000 and bool(normalise_entity(name))


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
    batch.entities.setdefault(set_name, {})[key] = tuple(
        dict.fromkeys(filter(_is_name, _names(row.get("extracted_entities"))))
    )
    for parts in row["extracted_triples"]:
        _append(batch, set_name, key, parts)


def _set_name(batch: Batch, row: Row) -> str:
    named = _NAMED.search(PurePath(batch.name).name)
    return named[1] if named else first(row, ("source",)).partition(" (")[0] or "imported"


def _add_text(batch: Batch, row: Row) -> None:
    """Add a text; that of a table's row without an id is under lines of the other fields."""
    title, text, id_ = (
        first(row, names)
        for names in (NAMES["corpus title"], NAMES["corpus text"], NAMES["corpus id"])
    )
    text = text or joined(next((row[n] for n in NAMES["article"] if _is_text(row.get(n))), ""))
    # The title in FlashRAG's corpora.
    if not title and (quoted := re.match(r"\"([^\n]+)\"\n", text)):
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
    passage = first(row, TEXT) and not first(row, NAMES["question"])
    (_add_text if passage else add_question)(batch, row)


def _add_judgement(batch: Batch, row: Row) -> None:
    question, passage, relevance = (first(row, names) for names in JUDGEMENT)
    batch.gold.setdefault(question, {})[passage] = grade(relevance or 1)
    batch.notes.count("passage", "judged not relevant", grade(relevance or 1) <= 0)


# Forms of rows: the name in reports, the function that adds a row, and names of fields, one of each
# tuple of which every row has.
_FORMS: tuple[tuple[str, Callable[[Batch, Row], None], tuple[tuple[str, ...], ...]], ...] = (
    ("an OpenIE file", add_openie, (("extracted_triples",),)),
    ("relevance judgements", _add_judgement, JUDGEMENT),
    ("questions", _add_question, (NAMES["question"], NAMES["usual answers"])),
    ("a corpus", _add_text, (TEXT,)),
    ("triples", add_triple, TRIPLE),
    ("questions", _add_question, (NAMES["question"], CONTENT)),
    ("questions", _add_question, (("input",), ("output",), ID)),  # KILT
    ("a corpus", _add_text, (NAMES["corpus text"],)),
    ("a corpus", _add_text, (NAMES["article"], NAMES["corpus id"][2:])),
    ("relevance judgements", _add_judgement, JUDGEMENT[:2]),
)


def renaming(head: Row, fields: Fields, path: PurePosixPath) -> Callable[[Row], Row]:
    """Function that gives the fields of rows their usual names, by the first row: to those that
    somebody has named by their roles, and to a text that is a question.
    """
    roles = {role: plain_name(name) for role, name in fields.items()}
    if any(roles.get(role) in head for role in ("question", "text", "subject")):
        return partial(_by_roles, roles)
    text = first(head, (*TEXT, *TITLE))
    if (
        text
        and not first(head, NAMES["question"])
        and (
            is_named(path, *_QUESTION_FILES)
            or (text.endswith("?") and any(map(head.get, NAMES["usual answers"])))
        )
    ):
        return lambda row: (
            {n: row[n] for n in row if n not in TEXT} | {"question": first(row, (*TEXT, *TITLE))}
        )
    return lambda row: row


def _by_roles(roles: Mapping[str, str], row: Row) -> Row:
    named = {
        "passage_id" if role == "passage" else role: row.get(name) for role, name in roles.items()
    }
    if "question" in roles and "text" in roles:
        named["paragraphs"] = [{"title": named.get("title"), "text": named.pop("text")}]
    return {name: row[name] for name in NAMES["question id"] if name in row} | named


def _fields_needed(head: Row) -> str:
    names = cut(" ".join(", ".join(map(str, head)).split()), 1_000)
    return (
        f"Its fields: {names or 'none'}. Needed: a text, or a question with answers or gold, or a"
        " triple with the id of its passage. Say which is which: --fields question=…,answers=…,"
        "gold=…,text=…,title=…,subject=…,predicate=…,object=…,passage=…"
    )


# Reading


def document_batch(source: Source, document: ReadDocument, read_as: str) -> Batch:
    """Batch of a file that is one document."""
    batch = Batch(source.name, read_as=read_as)
    add_document(batch, document, document.named(visible(source.path.stem.replace("_", " "))))
    return batch


def _rows(source: Source, limits: Limits, notes: Notes) -> Iterator[Row]:
    if source.ending == ".parquet":
        for row in parquet_rows(source):
            yield from questions_in(row) or [row]
        return
    with open_text(source, limits, notes) as text:
        if is_qrels(source.path):
            yield from judgements(text)
        elif source.ending in TABLES:
            yield from table_rows(
                text, "question" if is_named(source.path, *_QUESTION_FILES) else "text"
            )
        elif source.ending not in (".json", ".jsonl"):
            yield from tagged_rows(text.read())
        else:
            for row in unfold(json_value(text, source, notes)):
                yield from questions_in(row) or [row]


def read_rows(source: Source, limits: Limits, fields: Fields) -> Iterator[Batch]:
    """Rows of the form that the fields of the first say; a table of another is a document."""
    batch = Batch(source.name)
    rows = _rows(source, limits, batch.notes)
    top = list(itertools.islice(rows, 2))  # the first may say what follows
    head: Row = {}
    rows = itertools.chain(top, rows)
    for head, (batch.read_as, add, fields_of_form) in itertools.product(top, _FORMS):
        rename = renaming(plain_row(head), fields, source.path)
        usual = rename(plain_row(head))
        if all(any(name in usual for name in names) for names in fields_of_form):
            if add is _add_text and source.ending not in TABLES:
                used = {name for role in NAMES if "corpus" in role for name in NAMES[role]}
                unused = ", ".join(n for n in usual if usual[n] and n not in used | {"metadata"})
                batch.notes.count("", f"without their fields {cut(unused, 200)}", bool(unused))
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
            batch.notes.count(
                "row",
                f"not in the form of {batch.read_as}",
                example=f"the first is number {number}",
            )
        # 160 characters are what a row takes besides its passages.
        size += 160 + sum(len(passage.text) for passage in batch.passages[before:])
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
    """Rows in an object: LlamaIndex's objects, columns as pandas writes them, rows by id, also in
    parts, texts by title, and rows among other values.
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
        if all(isinstance(row, Mapping) for part in parts for row in part.values()):
            return [row for part in parts if part for row in _unfolded(part)]
        return [{"id": id_, **row} for id_, row in value.items()]
    if first(plain_row(value), (*NAMES["question"], *TEXT, *TITLE, *ID)):
        return [value]
    if all(map(_is_text, parts)):
        return [{"title": title, "text": "".join(map(str, t))} for title, t in value.items()]
    lists = (part for part in parts if isinstance(part, list) and part)
    return [row for part in lists if isinstance(part[0], Mapping) for row in part] or [value]


def questions_in(row: Row) -> list[Row]:
    """The questions inside a row, each with the fields around it; none where there are none."""
    plain = plain_row(row)
    if first(plain, NAMES["question"]):
        return [plain]
    for name, value in plain.items():
        parts = (part for part in objects(value) if part is not value)
        if inner := [question for part in parts for question in questions_in(part)]:
            return list(_with_fields(plain, name, inner))
    return []


def _with_fields(around: Row, name: str, questions: list[Row]) -> Iterator[Row]:
    outer, several = first(around, NAMES["question id"]), len(questions) > 1
    left_out = (name, *NAMES["gold"], *NAMES["answers"] * several)
    fields = {n: value for n, value in around.items() if n not in left_out}
    for number, question in enumerate(questions):
        # In CoQA the answers are next to the questions.
        each = (
            {"answers": answers[number : number + 1]}
            if several and isinstance(answers := around.get("answers"), list)
            else {}
        )
        id_ = first(question, NAMES["question id"]) or f"{outer}-{number}" * bool(outer and several)
        named = {"id": id_ or outer, "question": first(question, NAMES["question"])}
        yield {**fields, **each, **question, **named}


# A text whose name in an object is its title has three words, or sentences.
def _is_text(value: object) -> bool:
    return (isinstance(value, list) and bool(value) and isinstance(value[0], str)) or (
        isinstance(value, str) and len(value.split()) >= 3
    )
