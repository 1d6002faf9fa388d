"""Runs as JSON: what a page of runs carries, and what comes in again as recorded runs.

A file may come from anybody. It is read within bounds, and nothing of it is executed: its passages
become a collection of their own in which nothing is run (store.collections.check_complete), and
settings that name a model or a path are left out.
"""

from __future__ import annotations

import base64
import itertools
import json
import mmap
import re
import secrets
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, BaseModel, Field, PlainValidator

import gear_app
from gear_app.core.errors import BadInput, NotReady
from gear_app.core.overrides import models_named, overridden, settings
from gear_app.core.text import MOST_NAME, count, cut, question_words, reason
from gear_app.core.types import Passage, Question
from gear_app.methods import config_for
from gear_app.models.server import Spec
from gear_app.store import Store
from gear_app.store.rows import RunInfo
from gear_app.trace.events import KINDS, Event, from_row, to_row
from gear_app.trace.events.values import ids_of, renumbered
from gear_app.trace.evidence import labelled, named_passages
from gear_app.workspace.runs.request import MOST_PASSAGES, Options, codec

ELEMENT = "application/vnd.gear-app.runs"  # type of the element of a page that carries runs
MOST_JSON = 30_000_000  # bytes
MOST_EVENTS, MOST_RUNS = 5_000, 20
MOST_ITERATIONS = 1_000  # of a run
# Columns of a recorded run, besides its request, its collection and what was spent.
RECORDED = (
    "id",
    "question",
    "revision",
    "triple_set",
    "gold",
    "gold_marked",
    "answers",
    "state",
    "message",
    "created",
    "ms",
    "loading_ms",
    "iterations",
    "versions",
    "corpus_hash",
    "model",
    "budget",
)
_OPENING = f'<script type="{ELEMENT}" id="runs">'.encode()
_FORMAT = re.compile(rb'\s*\{\s*"gear_app_runs"\s*:')  # how a JSON file begins
_PLAIN = r"^[^\x00-\x1f\x7f-\x9f]*$"  # without control characters

_Name = Annotated[str, Field(max_length=MOST_NAME, pattern=_PLAIN)]
_Key = Annotated[str, Field(max_length=1_000, pattern=_PLAIN)]
_Value = Annotated[str, Field(max_length=2_000)]
_Time = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")]


def _model(text: str) -> str:
    return Spec.from_json(text).to_json() if text else ""


def _event(row: Any) -> Event:  # noqa: ANN401
    kind = str(row.get("kind")) if isinstance(row, dict) else ""
    if kind not in KINDS:
        raise ValueError(f"the kind {cut(kind, 40)!r} is not known")
    event = from_row(row)
    if not 0 <= event.iteration <= MOST_ITERATIONS:
        raise ValueError(f"the iteration is {event.iteration}")
    return event


class RecordedPassage(BaseModel, extra="forbid"):
    """A passage that a run names, or that is gold of it."""

    id: int
    key: _Key
    title: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRun(RunInfo):
    """A run of a file, with bounds, and its events, each with the milliseconds since the run began.
    Of its fields those in RECORDED are used.
    """

    id: Annotated[str, Field(pattern="^[0-9a-f]{10}$")]
    question: Annotated[str, AfterValidator(question_words)]
    config: Mapping[_Name, bool | int | float | _Value | None]
    reader: _Name
    k: Annotated[int, Field(ge=1, le=MOST_PASSAGES)]
    collection: _Name
    triple_set: _Name | None
    state: Literal["done", "failed", "cancelled", "interrupted"]
    created: _Time
    iterations: Annotated[int, Field(le=MOST_ITERATIONS)]
    model: Annotated[_Value, AfterValidator(_model)]
    events: Annotated[
        list[tuple[float, Annotated[Event, PlainValidator(_event)]]], Field(max_length=MOST_EVENTS)
    ]


class RunFile(BaseModel, extra="forbid"):
    """All of a file: runs of one collection, and the passages that they name."""

    gear_app_runs: Literal[1]  # version of the format
    program: str
    runs: Annotated[list[RecordedRun], Field(min_length=1, max_length=MOST_RUNS)]
    passages: list[RecordedPassage]
    questions: list[Question]


class ImportedRuns(NamedTuple):
    """The collection and the runs of an imported file. `existing`: these runs were here already."""

    collection: str
    runs: tuple[str, ...]
    existing: bool

    @property
    def sentence(self) -> str:
        """The result in one sentence."""
        runs = count(len(self.runs), "recorded run")
        if self.existing:
            return f"{runs} of this file: here already, nothing was changed."
        return f"{runs} imported into the collection {self.collection!r}."


def to_json(store: Store, run_ids: Sequence[str]) -> str:
    """Finished runs as JSON, with the passages that they name and their gold passages. Passages
    that share a title have their labels as titles. Raises NotReady for a run that goes on.
    """
    runs = [store.runs.get(run_id) for run_id in dict.fromkeys(run_ids)]
    events = [store.events.of(run.number) for run in runs]
    ids = named_passages([row.event for rows in events for row in rows])
    passages, questions = store.passages.with_ids(sorted(ids)), dict[str, Question]()
    for run in runs:
        if run.going:
            raise NotReady(f"Run {run.id} is {run.state}. Export it when it has ended.")
        gold = store.passages.named(run.collection_id or 0, run.revision, run.gold)
        passages |= {passage.id: passage for passage in gold}
        if question := store.questions.find(run.collection_id or 0, run.question):
            questions[question.id] = question
    labels = store.passages.labels(list(passages))
    rows = []
    for run, stored in zip(runs, events, strict=True):
        titled = map(to_row, labelled([row.event for row in stored], labels))
        fields = {name: getattr(run, name) for name in (*RECORDED, "collection", "spent")}
        times = (row.at_ms for row in stored)
        rows.append({**fields, **run.request, "events": list(zip(times, titled, strict=True))})
    texts = [
        {"id": id_, "key": row.key, "title": labels.get(id_, row.title), "text": row.text}
        for id_, row in sorted(passages.items())
    ]
    contents = {
        "gear_app_runs": 1,
        "program": gear_app.__version__,
        "runs": rows,
        "passages": texts,
        "questions": list(questions.values()),
    }
    return json.dumps(contents, ensure_ascii=False, separators=(",", ":"), default=asdict)


def carries_runs(path: Path) -> bool:
    """Whether a file is a page with runs inside, or their JSON. Of a large file that begins with no
    tag only the beginning is looked at.
    """
    if not path.is_file() or not path.stat().st_size:
        return False
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        is_page = content[:1_000].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")
        return bool(_FORMAT.match(content)) or (is_page and content.find(_OPENING) >= 0)


def import_runs(store: Store, path: Path, collection: str = "") -> ImportedRuns:
    """Store the runs of a page or a JSON file, and their passages as a new collection: under this
    name, else under the name that it had, with a number where the name is taken. Raises BadInput.
    """
    try:
        file = _parsed(path)
        ids = [run.id for run in file.runs]
        present = [id_ for id_ in ids if store.runs.ids_with_prefix(id_)]
        if present == ids:
            return ImportedRuns(store.runs.get(ids[0]).collection, tuple(ids), existing=True)
        named = {passage.id for passage in file.passages}.union(
            *(ids_of(event) for run in file.runs for _, event in run.events)
        )
        with store.transaction():
            first = store.passages.reserve_ids(len(named))
            numbers = {id_: first + place for place, id_ in enumerate(sorted(named))}
            name, find = collection or file.runs[0].collection, store.collections.find
            names = (f"{name} ({number})" if number > 1 else name for number in itertools.count(1))
            free = next(name for name in names if not find(name))
            row = store.collections.create(free, recorded=True, revision=1)
            store.passages.add_recorded(
                row.id, [Passage(numbers[p.id], p.key, p.title, p.text) for p in file.passages]
            )
            store.questions.save(row.id, file.questions)
            ids = [secrets.token_hex(5) if id_ in present else id_ for id_ in ids]
            for id_, run in zip(ids, file.runs, strict=True):
                config = {
                    name: value
                    for name, value in run.config.items()
                    if not models_named({name: str(value)})
                }
                columns = {name: getattr(run, name) for name in RECORDED if name != "id"}
                columns |= {"request": replace(run, config=config).request, **asdict(run.spent)}
                place = {"id": id_, "collection_id": row.id, "collection": row.name}
                number = store.tasks.add("run", **columns, **place)
                for position, (at_ms, event) in enumerate(run.events, start=1):
                    store.events.add(number, position, at_ms, renumbered(event, numbers))
    except (ValueError, OverflowError, zlib.error) as error:
        raise BadInput(f"The runs in {path.name} cannot be read: {reason(error)}.") from error
    return ImportedRuns(row.name, tuple(ids), existing=False)


def _parsed(path: Path) -> RunFile:
    file = RunFile.model_validate_json(_text(path))
    if len({passage.id for passage in file.passages}) < len(file.passages):
        raise ValueError("several passages have one id")
    for run in file.runs:
        codec(Options).validate_python(run.options)
        config = config_for(run.method)
        values = {name: run.config[name] for name in settings(config) if name in run.config}
        overridden(config, {name: value for name, value in values.items() if value is not None})
    return file


def _text(path: Path) -> bytes:
    """The JSON of a file. Raises BadInput where there is none, or too much of it."""
    text = path.read_bytes() if path.is_file() else b""
    _, opening, rest = text.partition(_OPENING)
    if opening:
        packed = base64.b64decode(rest.partition(b"</script>")[0], validate=True)
        text = zlib.decompressobj(wbits=31).decompress(packed, MOST_JSON + 1)
    if len(text) > MOST_JSON:
        raise BadInput(f"{path.name} holds more than {MOST_JSON // 1_000_000} MB of runs.")
    if not _FORMAT.match(text):
        raise BadInput(f"{path.name} carries no run. Pages of `gear-app export --html` do.")
    return text
