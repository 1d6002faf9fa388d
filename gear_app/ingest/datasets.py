"""Data sets are recognised by what their objects hold, and turned into passages, questions and
triples.

A passage that a file does not name gets the key that is derived from its words, so that the same
passage has the same key in every file.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import PurePath
from typing import Any, NamedTuple

from gear_app.errors import BadInput, Refused
from gear_app.ingest import openie
from gear_app.ingest.batch import derived_key
from gear_app.ingest.contents import Contents
from gear_app.ingest.decode import storable
from gear_app.ingest.rows import (
    CORPUS,
    MOST_ROWS,
    TABLE,
    TEXT,
    WRONG_SHAPE,
    JsonLines,
    Row,
    add_row,
    as_table,
    first,
    grade,
    has,
    parquet_rows,
    parse_json,
    read_corpus,
    said,
    words,
)
from gear_app.ingest.tables import csv_table
from gear_app.text import count
from gear_app.types import Hop, Question

HOTPOT, TWO_WIKI, MUSIQUE = "hotpotqa", "2wikimultihopqa", "musique"
_TWO_WIKI_TYPES = ("compositional", "inference", "bridge_comparison")
MOST_HOPS = 99
# PopQA has the last four.
ANSWERS = (
    "answers",
    "answer",
    "answer_aliases",
    "obj",
    "possible_answers",
    "o_wiki_title",
    "o_aliases",
)
# What columns of a table of questions may be called, without what is between their words.
_COLUMNS = {
    "question": "question query questions questiontext",
    "answer": "goldanswer groundtruth expectedanswer answer answers",
    "id": "id questionid questionidentifier qid",
    "supporting_ids": "documentidentifier documentid passageid supportingids gold contextid",
    "type": "type questiontype",
}
_FIELDS = {name: field for field, names in _COLUMNS.items() for name in names.split()}
_TELLING = re.compile(
    r"(?i)(?!.*_ids?$)(?:answer|gold|ground_?truth|evidence|support|relevan|reference)"
)
_IDS = re.compile(r"\s*[,;|]\s*")
_QUERIES = re.compile(r"queries\.jsonl(?:\.gz)?")
_HOPS = re.compile(r"(\d)hop\d?")


class Format(NamedTuple):
    """One kind of row: how it is called in reports, how it is recognised, what adds it to a file's
    contents, and which of the fields it uses that look like answers or gold.
    """

    name: str
    fits: Callable[[Row], bool]
    add: Callable[[Contents, Row, str], None]
    uses: frozenset[str] = frozenset()


def read_json(text: str, name: str, title: str, kind: str = "") -> Contents:
    """Read a .json or .jsonl file of any known format; `name` is the file's, `title` what a table
    would be called. `kind` is what slices of the file before this one were recognised as.
    """
    value = parse_json(text)
    if isinstance(value, JsonLines):
        return read_lines(value, name, title, kind)
    return _read(value, name, title, kind or (CORPUS if isinstance(value, list) else ""))


def read_lines(lines: JsonLines, name: str, title: str, kind: str = "") -> Contents:
    """The same of a file's lines."""
    contents = _read(lines, name, title, kind)
    notes = lines.notes
    notes.add(contents.notes)
    contents.notes = notes
    return contents


def read_table(text: str, name: str, title: str, kind: str = "") -> Contents:
    """Read a table: questions where its columns say so, in any letters; else a document of its
    rows. `kind` as in read_json. Raises BadInput, Refused.
    """
    found = csv_table(text)
    rows = [_named(row) for row in found.rows]
    questions = all(row.get("question") for row in rows) and any(first(r, ANSWERS) for r in rows)
    if kind == FORMATS[-1].name or (kind != TABLE and questions):
        contents = _of_kind(FORMATS[-1], rows, name)
    else:
        spelled = not any(first(row, TEXT) for row in found.rows)
        rows_said = [said(row, spelled=spelled) for row in found.rows]
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


def read_parquet(content: bytes, name: str, title: str, kind: str = "") -> Contents:
    """Read the rows of a Parquet file as those of a .jsonl file. Raises BadInput, Refused."""
    return _read(parquet_rows(content), name, title, kind)


def _read(value: Any, name: str, title: str, kind: str) -> Contents:  # noqa: ANN401
    if has(value, "docs") and isinstance(value["docs"], list):
        return openie.read(value["docs"], name)
    if isinstance(value, Mapping) and value and all(map(_is_sentences, value.values())):
        return _titled_sentences(value, name)
    if isinstance(value, list) and len(value) > MOST_ROWS:
        raise Refused(f"it has more than {MOST_ROWS:,} rows; split it")
    others = Contents()
    rows = _rows_of(value, others)
    if _QUERIES.fullmatch(PurePath(name).name):
        rows = map(_beir_question, rows)
    head = next(rows, None)
    if head is not None:
        rows = itertools.chain([head], rows)
        named = [one for one in FORMATS if one.name == kind]
        for fitting in named or FORMATS:
            if named or (kind != TABLE and fitting.fits(head)):
                found: Contents | None = _of_kind(fitting, rows, name)
                break
        else:
            found = read_corpus(rows, title, name, kind)
        if found is not None:
            found.notes.add(others.notes)
            return found
    raise BadInput("it is JSON, but of no known format: no text, question or triple in it")


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
        fields.update((field, None) for field, value in row.items() if value)
        try:
            kind.add(contents, row, name)
        except WRONG_SHAPE:
            wrong.append(number)
    if len(wrong) == number:
        raise BadInput(
            f"it looks like {kind.name}, but none of its {count(number, 'row')} can be used"
        )
    for place in wrong:
        contents.notes.count("row", f"not in the format of {kind.name}", place=place)
    unused = [name for name in fields if _TELLING.search(name) and name not in kind.uses]
    if kind.uses and unused:
        contents.notes.say(f"not used, though it may be answers or gold: {', '.join(unused)}")
    return contents


def _add_musique(contents: Contents, row: Row, name: str) -> None:
    paragraphs: list[tuple[str, str]] = []
    keys: dict[object, str] = {}
    gold: list[str] = []
    for place, paragraph in enumerate(row["paragraphs"]):
        title = "" if paragraph.get("title") is None else words(paragraph["title"])
        paragraphs.append((title, first(paragraph, ("paragraph_text", *TEXT))))
        key = keys[paragraph.get("idx", place)] = derived_key(*paragraphs[-1])
        gold += [key] if paragraph.get("is_supporting") else []
    hops = _steps(
        row.get("question_decomposition"),
        lambda step: keys.get(step.get("paragraph_support_idx"), ""),
    )
    question = _question(contents, row, gold, hops)
    if row.get("answerable") is False:
        # A twin with the same id and question can be answered.
        contents.notes.count("question", "left out: marked as unanswerable")
    else:
        _keep(contents, question, MUSIQUE if _HOPS.match(question.id) else "")
    _add_paragraphs(contents, paragraphs, name)


def _steps(steps: Any, key: Callable[[Row], str]) -> tuple[Hop, ...]:  # noqa: ANN401
    """The steps of a question, each with the key of the passage that answers it."""
    return tuple(
        Hop(words(step["question"]), first(step, ("answer",)), key(step)) for step in steps or ()
    )


def _add_hotpot(contents: Contents, row: Row, name: str) -> None:
    two_wiki = "evidences" in row or row.get("type") in _TWO_WIKI_TYPES
    context = [
        (words(title), (" " if two_wiki else "").join(sentences).strip())
        for title, sentences in _context(contents, row["context"])
    ]
    keys = {title: derived_key(title, text) for title, text in reversed(context)}
    facts = row.get("supporting_facts") or ()
    titles = facts["title"] if isinstance(facts, Mapping) else [fact[0] for fact in facts]
    named = contents.words_in("gold passage", list(titles))
    gold = [keys[title] for title in named if title in keys]
    _keep(contents, _question(contents, row, gold), TWO_WIKI if two_wiki else HOTPOT)
    _add_paragraphs(contents, context, name)


def _add_question(contents: Contents, row: Row, _: str) -> None:
    hops = _steps(row.get("decomposition"), lambda step: first(step, ("supporting_id",)))
    named = _unpacked(row.get("supporting_ids") or [])
    gold = contents.words_in("gold passage", _IDS.split(named) if isinstance(named, str) else named)
    question = _question(contents, row, gold, hops)
    grades = row.get("supporting_grades")
    if grades:
        question = question.with_gold(dict(zip(gold, map(grade, grades), strict=True)))
    _keep(contents, question, first(row, ("dataset",)))


def _beir_question(row: Row) -> Row:
    """A line of BEIR's queries.jsonl, which looks like a passage, as a question of a pack. Some
    sets keep the answer beside it.
    """
    beside = row.get("metadata")
    known = beside if isinstance(beside, Mapping) else {}
    return {
        "question": first(row, TEXT),
        "id": first(row, ("_id", "id")),
        **{name: known[name] for name in (*ANSWERS, "type", "hops") if name in known},
    }


def _question(
    contents: Contents, row: Row, gold: list[str], decomposition: tuple[Hop, ...] = ()
) -> Question:
    question = words(row["question"])
    if not question:
        raise ValueError("an empty question")
    id_ = first(row, ("id", "_id")) or "q" + derived_key("", question)[1:]
    gold = list(dict.fromkeys(gold))
    named = _HOPS.match(id_)
    hops = _hops(row.get("hops") or (named[1] if named else len(gold)))
    type_ = first(row, ("type",)) or (named[0] if named else None)
    answers = _answers(contents, row)
    return Question(id_, question, answers, tuple(gold), type_, hops, decomposition)


def _hops(given: Any) -> int | None:  # noqa: ANN401
    """A number of steps that makes sense, else None. Raises TypeError or ValueError for what is no
    number.
    """
    try:
        return int(given) if 1 <= int(given) <= MOST_HOPS else None
    except OverflowError:  # JSON's 1e400 is infinite
        return None


def _answers(contents: Contents, row: Row) -> tuple[str, ...]:
    """The answer and its aliases, each once."""
    given: list[object] = []
    for name in ANSWERS:
        value = _unpacked(row.get(name))
        given += value if isinstance(value, list) else [] if value is None else [value]
    return tuple(contents.words_in("answer", given))


def _unpacked(value: object) -> object:
    """A list that was written into a text, as PopQA's are; anything else as it is."""
    if isinstance(value, str) and value.startswith("["):
        with suppress(ValueError, RecursionError):
            found = json.loads(value)
            return found if isinstance(found, list) else value
    return value


def _keep(contents: Contents, question: Question, dataset: str) -> None:
    contents.questions.append(question)
    contents.datasets.add(dataset)


def _add_paragraphs(contents: Contents, paragraphs: list[tuple[str, str]], source: str) -> None:
    for title, text in paragraphs:
        if text:
            add_row(contents, derived_key(title, text), title, text, source)


def _context(contents: Contents, context: Any) -> list[tuple[str, list[str]]]:  # noqa: ANN401
    """HotpotQA's pairs of title and sentences, or the same as two lists, as the copies on dataset
    hubs have it.
    """
    pairs = (
        zip(context["title"], context["sentences"], strict=True)
        if isinstance(context, Mapping)
        else context
    )

    def texts(sentences: Iterable[object]) -> Iterator[str]:
        for sentence in sentences:
            if isinstance(sentence, str):
                yield storable(sentence)
            else:
                contents.leave_out("sentence", sentence)

    return [(title, list(texts(sentences))) for title, sentences in pairs]


def _is_sentences(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, str) for item in value)


def _titled_sentences(corpus: Mapping[str, list[str]], name: str) -> Contents:
    contents = Contents()
    _add_paragraphs(
        contents,
        [(words(title), words("".join(sentences))) for title, sentences in corpus.items()],
        name,
    )
    return contents


FORMATS = (
    Format(
        "triples",
        lambda row: has(row, "passage_id", "subject", "predicate", "object"),
        openie.add_triple,
    ),
    Format("entities", lambda row: has(row, "passage_id", "entities"), openie.add_entities),
    Format(
        "MuSiQue questions",
        lambda row: has(row, "question", "paragraphs"),
        _add_musique,
        frozenset({*ANSWERS, "answerable"}),
    ),
    Format(
        "HotpotQA questions",
        lambda row: has(row, "question", "context"),
        _add_hotpot,
        frozenset({*ANSWERS, "supporting_facts", "evidences"}),
    ),
    Format(
        "questions",
        lambda row: has(row, "question") and not first(row, TEXT),
        _add_question,
        frozenset({*ANSWERS, "supporting_ids", "supporting_grades"}),
    ),
)
