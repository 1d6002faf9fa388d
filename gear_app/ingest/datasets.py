"""Data sets are recognised by what their objects hold, and turned into passages, questions and
triples.

A passage that a file does not name gets the key that is derived from its words, so that the same
passage has the same key in every file.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from gear_app.errors import BadInput, Refused
from gear_app.ingest import openie
from gear_app.ingest.batch import derived_key
from gear_app.ingest.contents import Contents
from gear_app.ingest.forms import (
    ANSWERS,
    ANY_FORM,
    FORMS,
    NO_FIELDS,
    OTHER_NAMES,
    QUESTION,
    QUESTIONS,
    TOLD,
    Fields,
    QuestionForm,
    are_told,
    as_told,
    corpus_row,
    flat,
    needed_words,
    unfolded,
    unknown_words,
    unpacked,
)
from gear_app.ingest.qrels import add_judgment, is_judgment, is_queries
from gear_app.ingest.question_rows import add_question
from gear_app.ingest.rows import (
    CORPUS,
    ID,
    MOST_ROWS,
    TABLE,
    TEXT,
    TITLE,
    WRONG_SHAPE,
    JsonLines,
    Row,
    add_row,
    as_table,
    first,
    has,
    parquet_rows,
    parse_json,
    read_corpus,
    said,
    words,
)
from gear_app.ingest.tables import csv_table
from gear_app.text import count

# What columns of a table of questions may be called, without what is between their words.
_COLUMNS = {
    "question": "question query questions questiontext",
    "answer": "goldanswer groundtruth expectedanswer answer answers",
    "id": "id questionid questionidentifier qid",
    "supporting_ids": "documentidentifier documentid passageid supportingids gold contextid",
    "type": "type questiontype",
}
_UNFIT = re.compile(r"\W+")
_FIELDS = {name: field for field, names in _COLUMNS.items() for name in names.split()}
# Fields that look like answers, gold or passages.
_TELLING = re.compile(
    r"(?i)(?!.*_ids?$)(?:.*_)?(?:answer|gold|ground_?truth|evidence|support|relevan|reference"
    r"|context|ctxs|passages?$|paragraphs?$|documents?$)"
)


class Format(NamedTuple):
    """One kind of row: how it is called in reports, how it is recognised, what adds it to a file's
    contents, and which of the fields it uses that look like answers or gold.
    """

    name: str
    fits: Callable[[Row], bool]
    add: Callable[[Contents, Row, str], None]
    uses: frozenset[str] = frozenset()


def read_json(
    text: str, name: str, title: str, kind: str = "", fields: Fields = NO_FIELDS
) -> Contents:
    """Read a .json or .jsonl file of any known format; `name` is the file's, `title` what a table
    would be called. `kind` is what slices of the file before this one were recognised as; `fields`
    say what somebody calls a question, its answers and so on (forms.ROLES). Raises BadInput,
    Refused.
    """
    value = parse_json(text)
    if isinstance(value, JsonLines):
        return read_lines(value, name, title, kind, fields)
    try:
        rows = unfolded(value)
    except WRONG_SHAPE as error:
        raise BadInput(unknown_words(value)) from error
    return _read(rows, name, title, kind or (CORPUS if isinstance(rows, list) else ""), fields)


def read_lines(
    lines: JsonLines, name: str, title: str, kind: str = "", fields: Fields = NO_FIELDS
) -> Contents:
    """The same of a file's lines."""
    contents = _read(lines, name, title, kind, fields)
    notes = lines.notes
    notes.add(contents.notes)
    contents.notes = notes
    return contents


def read_table(
    text: str, name: str, title: str, kind: str = "", fields: Fields = NO_FIELDS
) -> Contents:
    """Read a table: questions where its columns say so, in any letters; else a document of its
    rows. `kind` and `fields` as in read_json. Raises BadInput, Refused.
    """
    found = csv_table(text)
    head = list(found.rows[0]) if found.rows else []
    if len(head) == 2 and isinstance(unpacked(head[1]), list):  # DPR's have no names of columns
        cells = [head, *(list(row.values()) for row in found.rows)]
        asked = [dict(zip(("question", "answers"), row, strict=False)) for row in cells]
        return _of_kind(FORMATS[-1], asked, name)
    rows = [_named(row) for row in found.rows]
    answers = ANSWERS.split()
    questions = all(row.get("question") for row in rows) and any(first(r, answers) for r in rows)
    plain = {name: _UNFIT.sub("_", name.lower()) for name in head}
    told = [{plain[name]: row[name] for name in row} for row in found.rows[:1]]
    form = _fitting((JUDGMENTS, *PUBLISHED), told[0], kind) if told and kind != TABLE else None
    if found.rows and are_told(fields, found.rows[0]):
        contents = _as_told(found.rows, fields, title, name, kind)
    elif form is not None:
        rows = [{plain[name]: cell for name, cell in row.items()} for row in found.rows]
        contents = _of_kind(form, rows, name)
    elif kind == QUESTIONS or (kind != TABLE and questions):
        contents = _of_kind(FORMATS[-1], rows, name)
    else:
        spelled = not any(first(row, TEXT) for row in found.rows)
        rows_said = [
            said(row if spelled else corpus_row(row), spelled=spelled) for row in found.rows
        ]
        contents = as_table(rows_said, title, name, found.preamble)
    longer = "with more cells than columns, joined to the last"
    contents.notes.count("row", longer, found.longer)
    of_questions = " of questions" if contents.kind != TABLE else ""
    contents.read_as = f"a table{of_questions} with {found.parted_by} between cells"
    return contents


def _named(row: Mapping[str, str]) -> dict[str, str]:
    """A row by what its columns are; of two for one field the first in `_COLUMNS`, the others
    are called so.
    """
    plain = {name: re.sub(r"[\W_]+", "", name.lower()) for name in row}
    field_of = {name: _FIELDS.get(plain[name], name) for name in row}
    order = list(_FIELDS)
    best: dict[str, str] = {}
    for name, field in field_of.items():
        if field not in best or order.index(plain[name]) < order.index(plain[best[field]]):
            best[field] = name
    return {
        field if best[field] == name else f"{name} (other)": row[name]
        for name, field in field_of.items()
    }


def read_parquet(
    content: bytes, name: str, title: str, kind: str = "", fields: Fields = NO_FIELDS
) -> Contents:
    """Read the rows of a Parquet file as those of a .jsonl file. Raises BadInput, Refused."""
    return _read(parquet_rows(content), name, title, kind, fields)


def _read(value: Any, name: str, title: str, kind: str, fields: Fields) -> Contents:  # noqa: ANN401
    if has(value, "docs") and isinstance(value["docs"], list):
        return openie.read(value["docs"], name)
    if isinstance(value, Mapping) and value and all(map(_is_sentences, value.values())):
        return _titled_sentences(value, name)
    if isinstance(value, list) and len(value) > MOST_ROWS:
        raise Refused(f"it has more than {MOST_ROWS:,} rows; split it")
    others = Contents()
    rows = _rows_of(value, others)
    head = next(rows, None)
    if head is None:
        raise BadInput(unknown_words({}))
    found = _of_rows(head, itertools.chain([head], rows), name, title, kind, fields)
    found.notes.add(others.notes)
    return found


def _of_rows(
    head: Row, rows: Iterable[Row], name: str, title: str, kind: str, fields: Fields
) -> Contents:
    """Rows that begin with `head`. Raises BadInput for those that nobody knows."""
    if are_told(fields, head):
        return _as_told(rows, fields, title, name, kind)
    if is_queries(PurePosixPath(name)) and not first(head, QUESTION):
        head, rows = _beir_question(head), map(_beir_question, rows)
    form = _fitting(FORMATS, head, kind) if kind != TABLE else None
    if form is not None:
        return _of_kind(form, rows, name)
    contents = read_corpus(map(corpus_row, rows), title, name, kind)
    if contents is None:
        raise BadInput(unknown_words(head))
    return contents


def _as_told(rows: Iterable[Row], fields: Fields, title: str, name: str, kind: str) -> Contents:
    """Rows whose fields somebody has told: questions, or passages."""
    rows = (as_told(row, fields) for row in rows)
    if "question" in fields:
        return _of_kind(_asked(TOLD), rows, name)
    contents = read_corpus(rows, title, name, kind)
    if contents is None:
        raise BadInput(f"its field {fields['text']!r} holds no text")
    return contents


def _fitting(formats: Sequence[Format], head: Row, kind: str) -> Format | None:
    """The format of rows that begin with this one; `kind` is what it is known to be called."""
    named = [one for one in formats if one.name == kind]
    fitting = [one for one in named or formats if one.fits(head)]
    return next(iter([*fitting, *named]), None)


def _rows_of(value: Any, others: Contents) -> Iterator[Row]:  # noqa: ANN401
    """The objects of a JSON value or of a file's lines; words alone are a text. What is neither is
    counted in `others`.
    """
    for one in value if isinstance(value, list | JsonLines) else [value]:
        if isinstance(one, str):
            yield {"text": one}
        elif isinstance(one, Mapping):
            yield one
        else:
            others.leave_out("row", one)


def _of_kind(kind: Format, rows: Iterable[Row], name: str) -> Contents:
    contents = Contents(kind=kind.name)
    wrong: list[int] = []
    number = 0
    fields: dict[str, None] = {}  # that hold something in a row
    for number, row in enumerate(rows, start=1):
        fields.update((field, None) for field, value in flat(row).items() if value)
        try:
            kind.add(contents, row, name)
        except (*WRONG_SHAPE, RecursionError):
            wrong.append(number)
    if len(wrong) == number:
        raise BadInput(
            f"it looks like {kind.name}, but none of its {count(number, 'row')} can be used."
            f" {needed_words(fields)}"
        )
    for place in wrong:
        contents.notes.count("row", f"not in the format of {kind.name}", place=place)
    unused = [name for name in fields if _TELLING.search(name) and name not in kind.uses]
    if kind.uses and unused:
        contents.notes.say(f"not used, though it may be answers or gold: {', '.join(unused)}")
    return contents


def _beir_question(row: Row) -> Row:
    """A line of BEIR's queries.jsonl, which looks like a passage, as a question of a pack. Some
    sets keep the answer beside it.
    """
    beside = row.get("metadata")
    known = beside if isinstance(beside, Mapping) else {}
    return {
        "question": first(row, TEXT),
        "id": first(row, ("_id", "id")),
        **{name: known[name] for name in (*ANSWERS.split(), "type", "hops") if name in known},
    }


def _is_sentences(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, str) for item in value)


def _titled_sentences(corpus: Mapping[str, list[str]], name: str) -> Contents:
    contents = Contents()
    for title, sentences in corpus.items():
        passage = words(title), words("".join(sentences))
        if passage[1]:
            add_row(contents, derived_key(*passage), *passage, name)
    return contents


def _asked(form: QuestionForm) -> Format:
    """A form of questions as a format of rows. Texts between the questions are passages."""

    def add(contents: Contents, row: Row, name: str) -> None:
        text = first(row, TEXT)
        if text and first(row, ID) and not first(row, QUESTION):
            add_row(contents, first(row, ID), first(row, TITLE), text, name)
        else:
            add_question(form, contents, row)

    def fits(row: Row) -> bool:
        return form.fits(row) and not (form.name == QUESTIONS and first(row, TEXT))

    return Format(form.name, fits, add, form.uses | {"evidences", "answerable"})


JUDGMENTS = Format(
    "judgments", lambda row: is_judgment(row) and not first(row, QUESTION), add_judgment
)
PUBLISHED = tuple(map(_asked, FORMS))
FORMATS = (
    Format(
        "triples",
        lambda row: has(row, "passage_id", "subject", "predicate", "object"),
        openie.add_triple,
    ),
    Format("entities", lambda row: has(row, "passage_id", "entities"), openie.add_entities),
    JUDGMENTS,
    *PUBLISHED,
    *map(_asked, OTHER_NAMES),
    _asked(ANY_FORM),
)
