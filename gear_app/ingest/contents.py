"""The contents of one file: documents, passages, questions and triples, before they are joined
with those of other files.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gear_app.ingest.batch import NewEntities, NewPassage, NewTriple
from gear_app.ingest.decode import storable
from gear_app.ingest.split import split
from gear_app.types import Document, Question, Span

PASSAGE_WORDS = 100
AS_IT_IS = 2 * PASSAGE_WORDS  # a row of a table up to this many words is one passage


@dataclass(slots=True)
class Contents:
    """Grows while a file is read. `notes` are sentences for its report; `datasets` the question
    sets' names; `unanswerable` counts questions that their file marks so, which are left out.
    """

    documents: list[Document] = field(default_factory=list)
    passages: list[NewPassage] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    triples: dict[str, list[NewTriple]] = field(default_factory=dict)
    entities: dict[str, list[NewEntities]] = field(default_factory=dict)
    datasets: set[str] = field(default_factory=set)
    unanswerable: int = 0
    notes: list[str] = field(default_factory=list)


def document(title: str, text: str, source: str) -> Contents:
    """A document, cut into passages that carry its title."""
    contents = Contents(documents=[Document(storable(title), storable(text), source)])
    _cut(contents, None, contents.documents[0].title, Span(0, len(text)))
    return contents


def add_passage(contents: Contents, key: str | None, title: str, text: str) -> None:
    """A passage as it stands, of no document."""
    contents.passages.append(
        NewPassage(storable(key) if key else None, storable(title), storable(text))
    )


def table(rows: list[tuple[str | None, str, str]], title: str, source: str) -> Contents:
    """A table as one document, rows (key, title, text) apart by a blank line, each one passage or,
    if long, several.
    """
    rows = [(key, storable(row_title), storable(text)) for key, row_title, text in rows]
    contents = Contents(
        documents=[Document(storable(title), "\n\n".join(text for _, _, text in rows), source)]
    )
    start = 0
    for key, row_title, text in rows:
        row = Span(start, start + len(text))
        if len(text.split()) > AS_IT_IS or len(text) > 10 * AS_IT_IS:
            _cut(contents, key, row_title, row)
        else:
            contents.passages.append(NewPassage(key, row_title, text, 0, *row))
        start = row.end + 2
    return contents


def long_passage(contents: Contents, key: str, title: str, text: str, source: str) -> None:
    """A passage too long to be searched as one: it becomes a document with parts `key#1`, `key#2`
    and so on.
    """
    contents.documents.append(Document(storable(title), storable(text), source))
    _cut(contents, storable(key), storable(title), Span(0, len(text)))


def _cut(contents: Contents, key: str | None, title: str, area: Span) -> None:
    number = len(contents.documents) - 1
    text = contents.documents[number].text
    for n, span in enumerate(split(text[area.start : area.end], PASSAGE_WORDS), start=1):
        start, end = area.start + span.start, area.start + span.end
        part = f"{key}#{n}" if key else None
        contents.passages.append(NewPassage(part, title, text[start:end], number, start, end))
