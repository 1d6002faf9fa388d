"""Files to batches. Errors of a file end up in its report."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from gear_app.core.errors import BadInput, Refused
from gear_app.core.text import count, cut, section_title
from gear_app.core.types import PASTED
from gear_app.documents import questions, triples
from gear_app.documents.blocks import naming_column
from gear_app.documents.files import (
    Origin,
    Source,
    check_office,
    in_memory,
    is_qrels,
    load,
    on_disk,
    opened,
    sources,
)
from gear_app.documents.items import (
    MEGABYTE,
    NO_FIELDS,
    UNKNOWN,
    Batch,
    Fields,
    Limits,
    Notes,
    Skipped,
    derived_key,
    refused,
)
from gear_app.documents.kinds import DOCUMENTS, ROWS, TEXTS, advice
from gear_app.documents.passages import (
    TableRow,
    add_document,
    add_passage,
    add_table,
    add_text,
    first_heading,
)
from gear_app.documents.rows import (
    ID,
    TEXT,
    TITLE,
    WRONG_SHAPE,
    Row,
    Table,
    first,
    json_rows,
    open_text,
    pairs,
    parquet_rows,
    plain_name,
    plain_row,
    read_table,
    unpacked,
)

_ROWS_A_PART = 50_000
_LIGHT_BYTES = 5_000  # of documents: a parser may take the square
_LISTED = 20  # fields in a message
# Further names in a corpus, where no field has a usual one.
_CORPUS_TEXT = (*TEXT, "context", "document", "page_content", "chunk")
_CORPUS_TITLE = (*TITLE, "corpus_name", "doc_title")
_CORPUS_ID = (
    *(*ID, "passage_id", "psg_id", "pid", "docno", "docid", "doc_id"),
    *("corpus_id", "chunk_id"),
)
_QUOTED = re.compile(r"\"([^\n]+)\"\n")  # title of a passage of FlashRAG's corpora
# Fields that look like answers, gold or passages.
_TELLING = re.compile(
    r"(?!.*_ids?$)(?:.*_)?(?:answer|gold|ground_?truth|evidence|support|relevan|reference"
    r"|context|ctxs|passages?$|paragraphs?$|documents?$)"
)
# Base64 as mails and pages embed pictures.
_DATA = re.compile(
    r"(?:data:[\w/+.-]+;base64,)?[A-Za-z0-9+/]{200,}={0,2}(?:\s+[A-Za-z0-9+/=]{40,})*"
)


def read_origin(origin: Origin, limits: Limits | None = None) -> Iterator[Batch]:
    """All files of an origin. Raises BadInput where nothing is at its path."""
    if origin.text:
        yield read_text(origin.title, Path(origin.text).read_text(encoding="utf-8"))
        return
    for source in sources(origin, limits or Limits()):
        yield from read_source(source, limits or Limits(), dict(origin.fields))


def read_text(title: str, text: str) -> Batch:
    """Pasted text. Without a title it gets its heading, else its first words."""
    name = title.strip() or first_heading(text) or " ".join(text.split(None, 8)[:8])[:80]
    try:
        if not text.strip():
            raise Skipped("it is empty")
        batch = Batch(PASTED, read_as="plain text")
        add_text(batch, name, text)
        batch.name = name
    except BadInput as error:
        return refused(name or PASTED, error)
    return batch


def is_light(origin: Origin) -> bool:
    """Whether reading it costs little: a megabyte of text and rows at most, or a short page."""
    parsed = {ending for ending, kind in DOCUMENTS.items() if kind.text}
    try:
        if origin.text:
            return Path(origin.text).stat().st_size <= MEGABYTE
        if origin.path and not Path(origin.path).is_dir():
            files = [on_disk(Path(origin.path), origin.path)]
        elif origin.path:
            files = list(sources(origin, Limits()))
        else:
            files = [on_disk(Path(place), name) for name, place in origin.files]
    except (BadInput, OSError):
        return True  # which the reading will say
    most = _LIGHT_BYTES if any(source.ending in parsed for source in files) else MEGABYTE
    small = sum(source.size for source in files) <= most
    light = {*TEXTS, *ROWS, *parsed}
    return small and all(source.ending in light and not source.packed for source in files)


def read_source(source: Source, limits: Limits, fields: Fields = NO_FIELDS) -> Iterator[Batch]:
    """A file, in parts where it is large."""
    part = 0
    try:
        if source.error is not None:
            raise source.error
        for batch in _read(source, limits, fields):
            part = batch.part
            yield batch
    except BadInput as error:
        yield refused(source.name, error, part and part + 1)
    except RecursionError:
        yield refused(source.name, Refused("it is nested too deeply"), part and part + 1)
    except MemoryError:
        yield refused(source.name, Refused(too_much_memory(limits)), part and part + 1)


def too_much_memory(limits: Limits) -> str:
    """Reason why a file that needs more memory than the limit is left out."""
    most = limits.memory_bytes // MEGABYTE
    return f"reading it takes more than {most:,} MB of memory; import it in parts"


def _read(source: Source, limits: Limits, fields: Fields) -> Iterator[Batch]:
    ending = source.ending
    reader = _RowsReader(source, limits, fields)
    if ending in DOCUMENTS:
        yield from _document(source, reader.title, limits)
    elif ending == ".parquet":
        yield from reader.json(parquet_rows(source), "Parquet", lines=True)
    elif ending in ROWS or ending in TEXTS or is_qrels(source.path):
        with open_text(source, limits, reader.notes) as text:
            if is_qrels(source.path):
                yield from reader.parts(questions.judgements(text), _JUDGEMENTS, "")
            elif ending in (".json", ".jsonl"):
                value, lines = json_rows(text, source, limits, reader.notes)
                yield from reader.json(value, "JSON", lines=lines)
            elif ending in (".csv", ".tsv"):
                yield from reader.table(read_table(text))
            else:
                yield from _text(text, source, reader)
    else:
        raise Skipped(advice(ending))


def _text(text: TextIO, source: Source, reader: _RowsReader) -> Iterator[Batch]:
    """A plain text, a large one in parts that end with a paragraph."""
    most = reader.limits.part_characters
    content = text.read(most)
    title = first_heading(content) or reader.title
    for part in itertools.count(1):
        more = "" if len(content) < most else text.read(most)
        end = max(content.rfind("\n\n"), len(content) // 2) if more else len(content)
        batch = Batch(source.name, part, read_as="plain text", notes=reader.notes)
        words, number = _DATA.subn("", content[:end])
        batch.notes.count("embedded file", "left out", number)
        if words.strip():
            add_text(batch, f"{title} (part {part})" if part > 1 or more else title, words)
        yield batch
        content, reader.notes = content[end:] + more, Notes()
        if not content:
            return


def _document(source: Source, title: str, limits: Limits) -> Iterator[Batch]:
    kind = DOCUMENTS[source.ending]
    content = load(source, limits.text_bytes if kind.text else limits.file_bytes, limits)
    if kind.office:
        check_office(content, limits)
    document = kind.read(content)
    if not document.blocks and not document.attached:
        raise Skipped("; ".join(["there is no text in it", *document.remarks()]))
    batch = Batch(source.name, read_as=kind.name)
    add_document(batch, document, title)
    yield batch
    for name, attached in document.attached:
        for inner in opened(in_memory(f"{source.name}/{name}", attached), limits):
            yield from read_source(inner, limits)


# Rows


class RowFormat(NamedTuple):
    """A format of rows: its name in reports, and the function that adds a row to a batch."""

    name: str
    add: Callable[[Batch, Row], None]


def _add_question(batch: Batch, row: Row) -> None:
    """Add a question; a text between questions is a passage."""
    if first(row, TEXT) and first(row, ID) and not first(row, questions.QUESTION):
        _add_corpus_row(batch, row)
    else:
        questions.add_question(batch, row)


def _add_beir_question(batch: Batch, row: Row) -> None:
    """Add a line of BEIR's queries.jsonl, which looks like a passage."""
    fields = {name: value for name, value in row.items() if name not in TEXT}
    questions.add_question(batch, {**fields, "question": first(row, TEXT)})


def _add_corpus_row(batch: Batch, row: Row) -> None:
    title, text = first(row, _CORPUS_TITLE), first(row, _CORPUS_TEXT)
    if not title and "contents" in row:  # FlashRAG's have their title in the first line
        quoted = _QUOTED.match(text)
        title = quoted[1].replace('""', '"') if quoted else first_heading(text)
        rest = text[quoted.end() :] if quoted else text.removeprefix(title)
        title, text = (title, rest.strip()) if rest.strip() else ("", text)
    if text:
        add_passage(batch, first(row, _CORPUS_ID) or derived_key(title, text), title, text)
    else:
        batch.notes.count("row", "without a text left out")


_QUESTIONS = RowFormat("questions", _add_question)
_JUDGEMENTS = RowFormat("relevance judgements", questions.add_judgement)
_CORPUS = RowFormat("a corpus", _add_corpus_row)


@dataclass(slots=True)
class _RowsReader:
    """Reads the rows of a file; what they are is decided by the first."""

    source: Source
    limits: Limits
    fields: Fields
    notes: Notes = field(default_factory=Notes)

    @property
    def title(self) -> str:
        """Title by the name of the file."""
        return " ".join(self.source.path.stem.replace("_", " ").split())

    def table(self, table: Table) -> Iterator[Batch]:
        """A table: questions or triples where its columns say so, else a document of its rows."""
        if len(table.names) == 2 and isinstance(unpacked(table.names[1]), list):  # DPR's
            records = itertools.chain([table.names], table.records)
            table = table._replace(names=[], top=[table.names, *table.top], records=records)
        headless = not table.names
        width = max(len(table.names), len(table.top[0]))
        names = table.names or _names_without_head(table.top[0], self._is_queries())
        table = table._replace(names=[*names, *[""] * (width - len(names))])
        rows = table.rows(self.notes)
        head = next(rows)
        rows = itertools.chain([head], rows)
        format_ = self._format(head, strict=not headless)
        if headless and names == ["id", "text"] and format_ is None:
            format_ = _CORPUS
        if format_ is not None:
            yield from self.parts(rows, format_, table.read_as)
        else:
            naming = naming_column(table.names, table.top)
            name = "" if naming is None else table.names[naming]
            above = [TableRow(None, self.title, table.preamble)] if table.preamble else []
            spelled = not first(plain_row(dict.fromkeys(head, "x")), TEXT)
            yield from self._documents(rows, table.read_as, above, name if spelled else None)

    def json(self, value: Any, read_as: str, *, lines: bool) -> Iterator[Batch]:  # noqa: ANN401
        """Rows of a JSON value, or of lines or Parquet."""
        try:
            value = value if lines else unfold(value)
        except WRONG_SHAPE as error:
            raise BadInput(_unknown(value)) from error
        rows = self._objects(value if lines or isinstance(value, list) else [value])
        head = next(rows, {})
        rows = itertools.chain([head], rows)
        format_ = self._format(head, strict=False)
        plain = plain_row(head)
        if format_ is None and not first(plain, _CORPUS_TEXT):
            raise BadInput(_unknown(head))
        if format_ is not None or isinstance(value, list) or first(plain, _CORPUS_ID):
            yield from self.parts(rows, format_ or _CORPUS, read_as)
        else:
            yield from self._documents(rows, f"{read_as}, a table", [], None)

    def _objects(self, values: Iterable[Any]) -> Iterator[Row]:
        for value in values:
            if isinstance(value, str):
                yield {"text": value}
            elif isinstance(value, Mapping):
                yield value
            else:
                example = f"as {cut(str(value), 60)}"
                self.notes.count("row", "left out: neither an object nor words", example=example)

    def _is_queries(self) -> bool:
        """Whether the file is one of questions by its name, as BEIR's, which look like passages."""
        path = self.source.path
        words = f"{path.name.partition('.')[0]}_{path.parent.name}".lower().replace("-", "_")
        return "queries" in words.split("_")

    def _format(self, head: Row, *, strict: bool) -> RowFormat | None:
        """Format of rows that begin with this one, None for a corpus or a table."""
        roles = {role: plain_name(name) for role, name in self.fields.items()}
        plain = plain_row(head)
        main = roles.get("question") or roles.get("text") or roles.get("subject")
        if main in plain:
            return _mapped(roles)
        if self._is_queries() and not first(plain, questions.QUESTION) and first(plain, TEXT):
            return RowFormat("questions", _add_beir_question)
        if triples.is_openie(plain):
            return RowFormat("an OpenIE file", triples.add_openie)
        if triples.is_triple(plain) and not first(plain, (*questions.QUESTION, *TEXT)):
            return RowFormat("triples", triples.add_triple)
        if triples.is_entities(plain):
            return RowFormat("entities", triples.add_entities)
        if questions.is_judgement(plain):
            return _JUDGEMENTS
        return _QUESTIONS if questions.is_question(plain, strict=strict) else None

    def parts(self, rows: Iterable[Row], format_: RowFormat, read_as: str) -> Iterator[Batch]:
        """Batches of rows of one format. Raises BadInput where no row can be used."""
        read_as = ", ".join(filter(None, [format_.name, read_as]))
        batch, size, wrong, number = Batch(self.source.name, 1, read_as=read_as), 0, 0, 0
        names: dict[str, None] = {}
        for number, row in enumerate(rows, start=1):
            before = len(batch.passages)
            plain = plain_row(row)
            if number <= _ROWS_A_PART:
                names.update((name, None) for name, value in plain.items() if value)
            try:
                format_.add(batch, plain)
            except (*WRONG_SHAPE, RecursionError):
                wrong += 1
                noun, place = ("line", f"line {row['line']}") if "line" in row else ("row", "")
                example = f"the first is {place or f'number {number}'}"
                batch.notes.count(noun, f"not in the format of {format_.name}", example=example)
            size += sum(len(passage.text) for passage in batch.passages[before:])
            if size > self.limits.part_characters or number % _ROWS_A_PART == 0:
                yield self._closed(batch)
                batch, size = Batch(self.source.name, batch.part + 1, read_as=read_as), 0
        if wrong == number:
            raise BadInput(
                f"it looks like {format_.name}, but none of its {count(number, 'row')} can be used."
                f" {_needed(names)}"
            )
        unused = [name for name in names if _TELLING.match(name) and name not in questions.USED]
        if format_ is _QUESTIONS and unused:
            batch.notes.add_sentence(
                f"not used, though it may be answers or gold: {', '.join(unused)}"
            )
        yield self._closed(batch)

    def _documents(
        self, rows: Iterable[Row], read_as: str, above: list[TableRow], name: str | None
    ) -> Iterator[Batch]:
        """Batches with a document of rows. All fields of a row are its text, and the one called
        `name` names it; if that is None, rows have a field with a text.
        """
        pending, size, part = above, 0, 1
        for row in rows:
            table_row = self._text_row(row) if name is None else self._spelled_row(row, name)
            if table_row.text:
                pending.append(table_row)
            elif name is None:
                self.notes.count("row", "without a text left out")
            size += len(table_row.text)
            if size > self.limits.part_characters:
                yield self._document(pending, read_as, part, f"{self.title} (part {part})")
                pending, size, part = [], 0, part + 1
        if pending or part == 1:
            title = f"{self.title} (part {part})" if part > 1 else self.title
            yield self._document(pending, read_as, part, title)

    def _document(self, rows: list[TableRow], read_as: str, part: int, title: str) -> Batch:
        batch = Batch(self.source.name, part, read_as=read_as)
        if rows:
            add_table(batch, title, rows)
        return self._closed(batch)

    def _spelled_row(self, row: Row, name: str) -> TableRow:
        title = section_title(self.title, [first(row, [name])])
        return TableRow(None, title, _spelled(row))

    def _text_row(self, row: Row) -> TableRow:
        """A row's text under lines `field: value`, with its own title and id."""
        plain = plain_row(row)
        used = [next((n for n in names if first(plain, [n])), "") for names in (TEXT, TITLE, ID)]
        text, title, key = (first(plain, [name]) for name in used)
        lines = _spelled({n: value for n, value in row.items() if plain_name(n) not in used})
        content = "\n\n".join(filter(None, [lines, text])) if text else ""
        return TableRow(key or None, title or self.title, content)

    def _closed(self, batch: Batch) -> Batch:
        """The batch with the remarks about what was read for it."""
        notes, self.notes = self.notes, Notes()
        notes.add(batch.notes)
        batch.notes = notes
        return batch


def _spelled(row: Row) -> str:
    inner = (pair for name, value in row.items() for pair in pairs(name.strip(), value))
    return "\n".join(": ".join(filter(None, pair)) for pair in inner)


def _mapped(roles: Fields) -> RowFormat:
    """Format of rows whose fields somebody has named."""
    format_ = RowFormat("triples", triples.add_triple)
    if "question" in roles:
        format_ = _QUESTIONS
    elif "text" in roles:
        format_ = _CORPUS

    def add(batch: Batch, row: Row) -> None:
        ids = {n: row[n] for n in questions.QUESTION_ID if n in row and "id" not in roles}
        named = ids | {role: row.get(name) for role, name in roles.items()}
        if "question" in roles and "text" in roles:
            named["paragraphs"] = named.pop("text")
        format_.add(batch, named)

    return RowFormat(format_.name, add)


def _names_without_head(head: list[str], queries: bool) -> list[str]:
    """Names for the columns of a table without a head: MS MARCO's ids and texts, DPR's questions
    and answers.
    """
    if len(head) != 2:
        return []
    if isinstance(unpacked(head[1]), list):
        return ["question", "answers"]
    if head[0].isalnum() and " " in head[1]:
        return ["id", "question" if queries else "text"]
    return []


def _unknown(row: Row) -> str:
    """Sentence on rows of no known form that begin with this one."""
    return f"it is of no known form. {_needed(row if isinstance(row, Mapping) else ())}"


def _needed(fields: Iterable[str]) -> str:
    """Sentence on the fields there are, those needed, and how to say which is which."""
    names = [cut(" ".join(name.split()), 120) for name in fields]
    more = [f"and {len(names) - _LISTED:,} more"] if len(names) > _LISTED else []
    return (
        f"Its fields: {', '.join([*names[:_LISTED], *more]) or 'none'}. Needed: a text, or a"
        " question with answers or gold, or a triple with the id of its passage."
        f" {UNKNOWN}: --fields question=…,answers=…,gold=…,text=…,title=…,subject=…,predicate=…,"
        "object=…,passage=…"
    )


# Containers of rows

_TITLES_WORDS = 5  # of most texts of an object of titles and texts
_MANY = 50  # fields, so many of which are titles


def unfold(value: Any) -> Any:  # noqa: ANN401
    """Rows of a JSON file that does not list them: SQuAD's paragraphs, LlamaIndex's objects,
    columns, rows by id, texts by title, and rows in an object among other values.
    """
    if not isinstance(value, Mapping) or not value:
        return value
    parts = list(value.values())
    if all(isinstance(value.get(name), Mapping) for name in ("queries", "relevant_docs")):
        gold = value["relevant_docs"]
        query_rows = [
            {"id": n, "question": q, "gold": gold.get(n, [])} for n, q in value["queries"].items()
        ]
        return query_rows + [
            {"id": n, "text": text} for n, text in (value.get("corpus") or {}).items()
        ]
    if any(isinstance(value.get(name), list | Mapping) for name in (*questions.QUESTION, *TEXT)):
        lists = {name: cells for name, cells in value.items() if isinstance(cells, list | Mapping)}
        columns = [list(c.values() if isinstance(c, Mapping) else c) for c in lists.values()]
        return [dict(zip(lists, cells, strict=True)) for cells in zip(*columns, strict=True)]
    if all(isinstance(item, Mapping) for item in parts):
        return [{"id": id_, **row} for id_, row in value.items()]
    if all(isinstance(item, list) and item and isinstance(item[0], str) for item in parts):
        return [{"title": n, "text": "".join(map(str, pieces))} for n, pieces in value.items()]
    long = [isinstance(item, str) and len(item.split()) >= _TITLES_WORDS for item in parts]
    one_row = any(name in value for name in (*questions.QUESTION, *TEXT, *TITLE, *ID))
    texts = all(isinstance(item, str) for item in parts) and sum(long) > 0.8 * len(parts)
    if texts and not (one_row and len(parts) < _MANY):
        return [{"title": title, "text": text} for title, text in value.items()]
    lists_of_rows = [
        item for item in parts if isinstance(item, list) and item and isinstance(item[0], Mapping)
    ]
    if len(lists_of_rows) != 1 or one_row:
        return value
    rows = lists_of_rows[0]
    return list(_squad(rows)) if all("paragraphs" in row for row in rows) else rows


def _squad(articles: list[Row]) -> Iterator[Row]:
    for article in articles:
        title = str(article.get("title", "")).replace("_", " ")
        for paragraph in article["paragraphs"]:
            for question in paragraph.get("qas", ()):
                yield {**question, "title": title, "context": paragraph.get("context", "")}
