"""Files to batches. Errors of a file end up in its report."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from gear_app.errors import BadInput, Refused
from gear_app.ingest import forms, questions, triples
from gear_app.ingest.files import (
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
from gear_app.ingest.forms import ID, QUESTION, QUESTION_ID, TEXT, TITLE, QuestionForm
from gear_app.ingest.items import (
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
from gear_app.ingest.kinds import DOCUMENTS, ROWS, TEXTS, advice
from gear_app.ingest.passages import (
    LONGEST_ROW,
    TableRow,
    add_document,
    add_passage,
    add_table,
    add_text,
    first_heading,
)
from gear_app.ingest.rows import (
    WRONG_SHAPE,
    Row,
    Table,
    first,
    flat,
    json_rows,
    open_text,
    pairs,
    parquet_rows,
    read_table,
    unpacked,
)
from gear_app.text import count, cut, section_title
from gear_app.types import PASTED

_ROWS_A_PART = 50_000
_LIGHT_BYTES = 5_000  # of documents: a parser may take the square
_LISTED = 20  # fields in a message
_UNFIT = re.compile(r"\W+")
_QUOTED = re.compile(r"\"([^\n]+)\"\n")  # title of a passage of FlashRAG's corpora
# Fields that look like answers, gold or passages.
_TELLING = re.compile(
    r"(?i)(?!.*_ids?$)(?:.*_)?(?:answer|gold|ground_?truth|evidence|support|relevan|reference"
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


def read_files(files: Iterable[tuple[str, bytes]], limits: Limits | None = None) -> list[Batch]:
    """Files in memory, by name."""
    limits = limits or Limits()
    given = (in_memory(name, content) for name, content in files)
    inside = (source for upload in given for source in opened(upload, limits))
    return [batch for source in inside for batch in read_source(source, limits)]


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
    light = {*TEXTS, *ROWS, *parsed}
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
    most = MEGABYTE if all(source.ending not in parsed for source in files) else _LIGHT_BYTES
    small = sum(source.size for source in files) <= most
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
    ending, title = source.ending, " ".join(source.path.stem.replace("_", " ").split())
    reader = _RowsReader(source, title, limits, fields)
    if ending in DOCUMENTS:
        yield from _document(source, title, limits)
    elif ending == ".parquet":
        yield from reader.json(parquet_rows(source), "Parquet", lines=True)
    elif ending in ROWS or ending in TEXTS or is_qrels(source.path):
        with open_text(source, limits, reader.notes) as text:
            if is_qrels(source.path):
                yield from reader.judgements(text)
            elif ending in (".json", ".jsonl"):
                value, lines = json_rows(text, source, limits, reader.notes)
                yield from reader.json(value, "JSON", lines=lines)
            elif ending in (".csv", ".tsv"):
                yield from reader.table(read_table(text))
            else:
                yield from _text(text, source, title, limits, reader.notes)
    else:
        raise Skipped(advice(ending))


def _text(
    text: TextIO, source: Source, title: str, limits: Limits, notes: Notes
) -> Iterator[Batch]:
    """A plain text, a large one in parts that end with a paragraph."""
    content = text.read(limits.part_characters)
    title = first_heading(content) or title
    for part in itertools.count(1):
        more = "" if len(content) < limits.part_characters else text.read(limits.part_characters)
        end = max(content.rfind("\n\n"), len(content) // 2) if more else len(content)
        batch = Batch(source.name, part, read_as="plain text", notes=notes)
        number = len(_DATA.findall(content[:end]))
        kept = _DATA.sub("", content[:end]) if number else content[:end]
        notes.count("embedded file", "left out", number)
        if kept.strip():
            add_text(batch, f"{title} (part {part})" if part > 1 or more else title, kept)
        yield batch
        content, notes = content[end:] + more, Notes()
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


class RowFormat(NamedTuple):
    """A format of rows: its name in reports, what adds a row to a batch, and the fields it uses."""

    name: str
    add: Callable[[Batch, Row], None]
    uses: frozenset[str] = frozenset()


@dataclass(slots=True)
class _RowsReader:
    """Reads the rows of a file; what they are is decided by the first."""

    source: Source
    title: str
    limits: Limits
    fields: Fields
    notes: Notes = field(default_factory=Notes)

    def judgements(self, text: TextIO) -> Iterator[Batch]:
        """Judgements of BEIR or TREC."""
        lines = (line for line in enumerate(text, start=1) if line[1].strip())
        number, head = next(lines)
        rows = itertools.chain([(number, head)], lines)

        def judged() -> Iterator[Row]:
            for number, line in rows:
                row = questions.judgement_of(line)
                named = number == 1 and not row.get("score", "").lstrip("-").isdigit()
                if not named:
                    yield {**row, "line": number}

        name = RowFormat("relevance judgements", _add_line)
        yield from self._parts(judged(), name, name.name)

    def table(self, table: Table) -> Iterator[Batch]:
        """A table: questions or triples where its columns say so, else a document of its rows."""
        if len(table.names) == 2 and isinstance(unpacked(table.names[1]), list):  # DPR's
            rest = itertools.chain([table.names], table.records)
            table = table._replace(names=[], records=rest)
        head = next(table.records)
        width = max(len(table.names), len(head))
        names = table.names or _names_without_head(head, self._is_queries())
        wide = table._replace(
            names=[*names, *[""] * (width - len(names))],
            records=itertools.chain([head], table.records),
        )
        read_as = f"a table with {table.separator} between cells"
        rows = wide.rows(self.notes)
        first_row = next(rows)
        rows = itertools.chain([first_row], rows)
        plain = {name: _UNFIT.sub("_", name.strip().lower()) for name in first_row}
        format_ = self._mapped(first_row) or self._known(
            _renamed(first_row, plain), strict=bool(table.names)
        )
        if format_ is not None:
            names_kept = self._mapped(first_row) is not None
            renamed = rows if names_kept else (_renamed(row, plain) for row in rows)
            read_as = f"{format_.name}, {read_as}"
            yield from self._parts(renamed, format_, read_as)
        elif names == ["id", "text"] and not table.names:
            yield from self._parts(rows, _CORPUS, f"a corpus, {read_as}")
        else:
            spelled = not any(first(first_row, [name]) for name in TEXT)
            preamble = [TableRow(None, self.title, table.preamble)] if table.preamble else []
            yield from self._documents(rows, read_as, spelled=spelled, preamble=preamble)

    def json(self, value: Any, read_as: str, *, lines: bool) -> Iterator[Batch]:  # noqa: ANN401
        """Rows of a JSON value, or of lines or Parquet."""
        openie = isinstance(value, Mapping) and isinstance(value.get("docs"), list)
        try:
            value = value["docs"] if openie else value if lines else forms.unfold(value)
        except WRONG_SHAPE as error:
            raise BadInput(_unknown(value)) from error
        rows = self._objects(value if lines or isinstance(value, list) else [value])
        head = next(rows, None)
        if head is None:
            raise BadInput(_unknown({}))
        rows = itertools.chain([head], rows)
        format_ = self._mapped(head) or self._known(head, strict=False)
        listed = isinstance(value, list)
        if format_ is None and not first(_corpus_row(head), TEXT):
            raise BadInput(_unknown(head))
        if format_ is None and (listed or first(_corpus_row(head), ID)):
            format_ = _CORPUS
        if format_ is not None:
            yield from self._parts(rows, format_, f"{read_as}, {format_.name}")
        else:
            rows = map(_corpus_row, rows)
            yield from self._documents(rows, f"{read_as}, a table", spelled=False)

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

    def _mapped(self, head: Row) -> RowFormat | None:
        """Format of rows whose fields somebody has named."""
        main = self.fields.get("question") or self.fields.get("text") or self.fields.get("subject")
        if main not in flat(head):
            return None
        if "question" in self.fields:
            add, name = _question_adder(forms.MAPPED), forms.QUESTIONS
        elif "text" in self.fields:
            add, name = _add_corpus_row, _CORPUS.name
        else:
            add, name = triples.add_triple, "triples"

        def add_mapped(batch: Batch, row: Row) -> None:
            fields = flat(row)
            ids = {n: fields[n] for n in QUESTION_ID if n in fields and "id" not in self.fields}
            add(batch, ids | {role: fields.get(name) for role, name in self.fields.items()})

        return RowFormat(name, add_mapped)

    def _known(self, head: Row, *, strict: bool) -> RowFormat | None:
        """Format of rows that begin with this one, None for a corpus or a table."""
        if self._is_queries() and not first(head, QUESTION) and first(head, TEXT):
            return RowFormat(forms.QUESTIONS, _add_beir_question)
        if triples.is_openie(head):
            return RowFormat("an OpenIE file", triples.add_openie)
        if triples.is_triple(head) and not first(head, (*QUESTION, *TEXT)):
            return RowFormat("triples", triples.add_triple)
        if triples.is_entities(head):
            return RowFormat("entities", triples.add_entities)
        if questions.is_judgement(head):
            return RowFormat("relevance judgements", questions.add_judgement)
        form = forms.form_of(head, strict=strict)
        if form is None:
            return None
        used = form.uses | {"evidences", "answerable"}
        return RowFormat(form.name, _question_adder(form), used)

    def _parts(self, rows: Iterable[Row], format_: RowFormat, read_as: str) -> Iterator[Batch]:
        """Batches of rows of one format. Raises BadInput where no row can be used."""
        batch, size, wrong = Batch(self.source.name, 1, read_as=read_as), 0, 0
        fields: dict[str, None] = {}
        number = 0
        for number, row in enumerate(rows, start=1):
            before = len(batch.passages)
            if number <= _ROWS_A_PART:
                fields.update((name, None) for name, value in flat(row).items() if value)
            try:
                format_.add(batch, row)
            except (*WRONG_SHAPE, RecursionError):
                wrong += 1
                place = f"line {row['line']}" if "line" in row else f"number {number}"
                noun = "line" if "line" in row else "row"
                what = f"not in the format of {format_.name}"
                batch.notes.count(noun, what, example=f"the first is {place}")
            size += sum(len(passage.text) for passage in batch.passages[before:])
            if size > self.limits.part_characters or number % _ROWS_A_PART == 0:
                yield self._closed(batch)
                batch, size = Batch(self.source.name, batch.part + 1, read_as=read_as), 0
        if wrong == number:
            raise BadInput(
                f"it looks like {format_.name}, but none of its {count(number, 'row')} can be used."
                f" {_needed(fields)}"
            )
        unused = [n for n in fields if _TELLING.search(n) and n not in format_.uses]
        if format_.uses and unused:
            batch.notes.add_sentence(
                f"not used, though it may be answers or gold: {', '.join(unused)}"
            )
        yield self._closed(batch)

    def _documents(
        self, rows: Iterable[Row], read_as: str, *, spelled: bool, preamble: Iterable[TableRow] = ()
    ) -> Iterator[Batch]:
        """Batches with a document of rows; `spelled`: they have no text, and all of their fields
        are.
        """
        pending, size, part = list(preamble), 0, 1
        for row in rows:
            if table_row := self._table_row(row, spelled=spelled):
                pending.append(table_row)
                size += len(table_row.text)
            if size > self.limits.part_characters:
                yield self._document(pending, read_as, part, last=False)
                pending, size, part = [], 0, part + 1
        if pending or part == 1:
            yield self._document(pending, read_as, part, last=True)

    def _document(self, rows: list[TableRow], read_as: str, part: int, *, last: bool) -> Batch:
        batch = Batch(self.source.name, part, read_as=read_as)
        if rows:
            add_table(
                batch, self.title if last and part == 1 else f"{self.title} (part {part})", rows
            )
        return self._closed(batch)

    def _table_row(self, row: Row, *, spelled: bool) -> TableRow | None:
        """A row's text under lines `field: value`; or such lines alone. None without a text."""
        used = [
            next((name for name in names if first(row, [name])), "") for names in (TEXT, TITLE, ID)
        ]
        inner = [pair for n, v in row.items() if spelled or n not in used for pair in pairs(n, v)]
        text = "" if spelled else first(row, TEXT)
        if not spelled and not text:
            self.notes.count("row", "without a text left out")
            return None
        lines = "\n".join(": ".join(filter(None, pair)) for pair in inner)
        content = "\n\n".join(filter(None, [lines, text]))
        if not content:
            return None
        title = first(row, TITLE)
        short = title and len(content.split()) <= LONGEST_ROW
        key = first(row, ID) or (derived_key(title, content) if short else None)
        above = section_title(self.title, [title]) if spelled else title or self.title
        return TableRow(key, above, content)

    def _closed(self, batch: Batch) -> Batch:
        """The batch with the remarks about what was read for it."""
        notes, self.notes = self.notes, Notes()
        notes.add(batch.notes)
        batch.notes = notes
        self.notes = Notes()
        return batch


def _add_line(batch: Batch, row: Row) -> None:
    questions.add_judgement(batch, row)


def _question_adder(form: QuestionForm) -> Callable[[Batch, Row], None]:
    """Adds rows of a form; texts between the questions are passages."""

    def add(batch: Batch, row: Row) -> None:
        if first(row, TEXT) and first(row, ID) and not first(row, QUESTION):
            _add_corpus_row(batch, row)
        else:
            questions.add_question(form, batch, row)

    return add


def _add_beir_question(batch: Batch, row: Row) -> None:
    """A line of BEIR's queries.jsonl, which looks like a passage."""
    fields = {name: value for name, value in flat(row).items() if name not in TEXT}
    question = {**fields, "question": first(row, TEXT), "id": first(row, ("_id", "id"))}
    questions.add_question(forms.ANY_FORM, batch, question)


def _add_corpus_row(batch: Batch, row: Row) -> None:
    corpus_row = _corpus_row(row)
    title, text = first(corpus_row, TITLE), first(corpus_row, TEXT)
    if not text:
        batch.notes.count("row", "without a text left out")
        return
    add_passage(batch, first(corpus_row, ID) or derived_key(title, text), title, text)


_CORPUS = RowFormat("a corpus", _add_corpus_row)


def _corpus_row(row: Row) -> Row:
    """A row of a corpus by the usual names; a title that is the first line of its `contents`, as in
    FlashRAG's, is taken from there.
    """
    named = dict(row)
    for target, usual, others in (
        ("text", TEXT, forms.CORPUS_TEXT),
        ("title", TITLE, forms.CORPUS_TITLE),
        ("id", ID, forms.CORPUS_ID),
    ):
        other = next((name for name in others if first(row, [name])), "")
        if other and not first(row, usual):
            named[target] = named.pop(other)
    text = named.get("contents")
    if isinstance(text, str) and not first(named, TITLE):
        quoted = _QUOTED.match(text)
        title = quoted[1].replace('""', '"') if quoted else first_heading(text)
        rest = text[quoted.end() :] if quoted else text.lstrip().removeprefix(title)
        if title and rest.strip():
            named |= {"title": title, "contents": rest.strip()}
    return named


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


def _renamed(row: Row, names: Mapping[str, str]) -> dict[str, Any]:
    return {names.get(name, name): value for name, value in row.items()}


def _unknown(row: Row) -> str:
    """Sentence on rows of no known form that begin with this one."""
    return f"it is of no known form. {_needed(flat(row) if isinstance(row, Mapping) else ())}"


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
