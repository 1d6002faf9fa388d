"""Small workspaces for tests: the collection of tests/small.py in a file, a model-free embedder, a
toy extractor. A file that many tests begin with is made once in a process, and copied.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from gear_app.core.errors import ModelFailed
from gear_app.core.types import ExtractedTriple, Extraction, Passage, Span
from gear_app.documents.items import Batch, FileReport
from gear_app.models.embedders.local import HashingEmbedder
from gear_app.store.extractions import Failure
from gear_app.store.passages import DocumentRow
from gear_app.workspace.collections.importer import BatchImport
from gear_app.workspace.workspace import Workspace
from tests.small import PASSAGES, QUESTION, TRIPLES

_FACT = re.compile(r"([A-Z]\w*(?: [A-Z]\w*)*) (was \w+ (?:by|in)|lies on|studied|built) ([^.]+)\.")


class ToyExtractor:
    """Finds 'Name verb rest.'; fails on passages that contain the word BROKEN; remembers what it
    was asked.
    """

    name = "toy"
    fingerprint = "toy-1"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def extract(self, passages: Sequence[Passage]) -> Iterator[Extraction]:
        for passage in passages:
            self.asked.append(passage.key)
            if "BROKEN" in passage.text:
                raise ModelFailed(f"cannot read {passage.key}")
            facts = list(_FACT.finditer(passage.text))
            triples = tuple(
                ExtractedTriple(m[1], m[2], m[3], Span(m.start(), m.end())) for m in facts
            )
            yield Extraction((passage.title,), triples)


_TEMPLATES = TemporaryDirectory(prefix="workspaces-")  # goes with the process


def copy_template(
    name: str, file: Path, fill: Callable[[Workspace], object] = lambda made: None
) -> None:
    """Make a workspace's file as `fill` makes it of an empty one: the first time of this name. Then
    it is a copy, which takes a tenth of the time.
    """
    template = Path(_TEMPLATES.name) / name / "workspace.db"
    if not template.exists():
        template.parent.mkdir(exist_ok=True)
        part = template.with_name(f"{len(list(template.parent.iterdir()))}.part")
        made = _light(part)
        fill(made)
        made.store.db.close()
        part.rename(template)
    shutil.copy(template, file)


def _light(file: Path, extractor: ToyExtractor | None = None) -> Workspace:
    """A workspace without heavy models."""
    return Workspace(file, embedder=HashingEmbedder(), extractor=extractor or ToyExtractor())


def workspace(path: Path) -> Workspace:
    """An empty workspace without heavy models."""
    return _light(path / "workspace.db")


def documents(made: Workspace, collection: str) -> list[DocumentRow]:
    """The documents of a collection."""
    return made.store.documents.of(made.store.collections.get(collection).id)


def store_batch(
    made: Workspace, collection: str, batch: Batch, job: int | None = None
) -> list[FileReport]:
    """Store a batch in a collection."""
    importing = BatchImport(made.store, made.store.collections.get(collection), [batch], job)
    list(importing.steps())
    return importing.reports()


def failures(made: Workspace, collection: str, triples: str) -> list[Failure]:
    """The passages of which the extraction failed."""
    return [f for f in made.jobs.shortfalls(collection, triples) if f.triples is None]


def entities(made: Workspace, collection: str, triples: str) -> dict[str, int]:
    """The entities of a triple set."""
    row = made.store.collections.get(collection)
    return made.store.entities.search(made.store.collections.get_set(row.id, triples).id, "", 100)


def pack(folder: Path) -> Path:
    """The small collection as a pack: eight passages, one question, the set `curated`."""
    folder.mkdir(exist_ok=True)
    _write(
        folder / "corpus.jsonl",
        [{"id": key, "title": title, "text": text} for key, title, text in PASSAGES],
    )
    _write(
        folder / "triples.jsonl",
        [
            {"passage_id": key, "subject": s, "predicate": p, "object": o, "source": "curated"}
            for key, s, p, o in TRIPLES
        ],
    )
    question = {
        "id": "q1",
        "dataset": "small",
        "question": QUESTION,
        "answers": ["Port Mira"],
        "supporting_ids": ["harbour", "quill"],
        "type": "bridge",
        "hops": 2,
        "decomposition": [
            {"question": "Who directed it?", "answer": "Ada Quill", "supporting_id": "harbour"}
        ],
    }
    _write(folder / "questions.jsonl", [question])
    return folder


def filled(path: Path) -> Workspace:
    """A workspace with the small collection as `films`, and its pack beside it."""
    folder = pack(path / "pack")
    copy_template("films", path / "workspace.db", lambda made: made.imports.do(folder, "films"))
    return workspace(path)


def bare(path: Path, extractor: ToyExtractor | None = None) -> Workspace:
    """The small collection as `films` with its question and without triples."""
    folder = pack(path / "bare")
    (folder / "triples.jsonl").unlink()
    copy_template("bare", path / "workspace.db", lambda made: made.imports.do(folder, "films"))
    return _light(path / "workspace.db", extractor)


def corpus_of(path: Path, count: int) -> Path:
    """A corpus file of `count` passages, each with one fact for the toy extractor."""
    rows = [
        {
            "id": f"p{n}",
            "title": f"Person{n}",
            "text": f"Person{n} was born in Town{n % 7}. Filler words {n}.",
        }
        for n in range(count)
    ]
    file = path / "corpus.jsonl"
    _write(file, rows)
    return file


def _write(file: Path, rows: Sequence[Mapping[str, object]]) -> None:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
