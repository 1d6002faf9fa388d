"""Runs from a file into a workspace: from a bundle, or from a page that carries one.

The file may come from anybody. It is taken out of the page without reading the page, unpacked no
further than a limit, looked at as a file (store.foreign), and copied row by row; events are read
and written anew. Nothing of it is run. Vectors are taken only where their model is not here: those
of a model that is here are made again, so no file can say where a text of this workspace lies.
Then each run is made again, and what that came to is said.
"""

from __future__ import annotations

import base64
import binascii
import json
import mmap
import re
import secrets
import shutil
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, BinaryIO, NamedTuple

import numpy as np
from pydantic import AfterValidator, Field, Json, TypeAdapter, ValidationError

from gear_app.bounds import MOST_NAME, is_method, is_time, name_words, question_words
from gear_app.config import MOST_ITERATIONS
from gear_app.errors import BadInput, GearError, Unknown
from gear_app.events import Event, from_row
from gear_app.events.ids import shifted
from gear_app.ingest.question_rows import MOST_HOPS
from gear_app.llm.server import Spec
from gear_app.overrides import overridden, settings
from gear_app.paths import private_file
from gear_app.retrievers import config_for
from gear_app.runs.bundle import ELEMENT
from gear_app.runs.replay import Replay
from gear_app.runs.request import MOST_PASSAGES, Options, check_cost
from gear_app.runs.runner import Runner
from gear_app.store import Store
from gear_app.store.bundle import adopt, adopt_vectors
from gear_app.store.foreign import HEADER, check
from gear_app.store.rows import ENDED, CollectionRow
from gear_app.text import LONGEST_REPLY, count, cut
from gear_app.types import Hop

MOST_BYTES = 500_000_000  # of an unpacked bundle
# Of unpacked events, which take twenty times as much memory: of one, and of all.
MOST_OF_EVENT, MOST_OF_EVENTS = 8_000_000, 30_000_000
MOST_OF_VALUES = 250_000  # of an event
MOST_ITERATION = 1_000  # far above any limit of a method
CHUNK = 1 << 20  # bytes, of what is unpacked at once
_OPENING = f'<script type="{ELEMENT}" id="bundle">'.encode()
_CLOSING = b"</script>"
_RUN_ID = re.compile("[0-9a-f]{10}")
_PLAIN = r"^[^\x00-\x1f\x7f-\x9f]*$"  # without controls
_NUMBER = 10**12  # no count and no time is greater


def _fitting(fits: Callable[[str], bool]) -> Callable[[str], str]:
    """A check of a column, for pydantic."""

    def check(text: str) -> str:
        if not fits(text):
            raise ValueError(f"{cut(text, 40)!r} is none that gear-app writes")
        return text

    return check


_Words = Annotated[str, Field(max_length=MOST_NAME, pattern=_PLAIN)]
_Key = Annotated[str, Field(max_length=1_000, pattern=_PLAIN)]
_Question = Annotated[str, AfterValidator(_fitting(lambda text: text == question_words(text)))]
_Whole = Annotated[int, Field(ge=0, le=_NUMBER)]
_Amount = Annotated[float, Field(ge=0, le=_NUMBER, allow_inf_nan=False)]
_Value = (
    bool
    | Annotated[int, Field(ge=-_NUMBER, le=_NUMBER)]
    | Annotated[float, Field(ge=-_NUMBER, le=_NUMBER, allow_inf_nan=False)]
    | _Words
    | None
)
_Time = Annotated[str, AfterValidator(_fitting(is_time))]


@dataclass(frozen=True, slots=True)
class _RunRow:
    """The columns of a run, and what may be in them."""

    question: _Question
    method: Annotated[str, AfterValidator(_fitting(is_method))]
    config: Json[dict[_Words, _Value]]
    reader: _Words
    collection: _Words
    triple_set: _Words | None
    corpus_hash: _Words
    versions: Json[dict[_Words, Annotated[str, Field(max_length=2_000)]]]
    gold: Json[list[str]]
    gold_marked: _Time | None
    message: Annotated[str, Field(max_length=LONGEST_REPLY)]
    created: _Time
    started: _Amount | None
    ms: _Amount | None
    loading_ms: _Amount | None
    iterations: Annotated[int, Field(ge=0, le=MOST_ITERATION)]
    calls: _Whole
    kept: _Whole
    unusable: _Whole
    input_tokens: _Whole
    output_tokens: _Whole
    taken: _Whole
    cost: _Amount | None
    budget: _Whole | None
    options: Json[Options]
    answers: Json[list[str]]


@dataclass(frozen=True, slots=True)
class _QuestionRow:
    """The same of a question of the collection."""

    key: _Key
    question: _Question
    type: _Key | None
    hops: Annotated[int, Field(ge=1, le=MOST_HOPS)] | None
    answers: Json[list[str]]
    decomposition: Json[list[Hop]]


_RUN, _QUESTION = TypeAdapter(_RunRow), TypeAdapter(_QuestionRow)
_FORGOTTEN: Mapping[str, Any] = {
    "owner": "",
    "process": None,
    "key_from": "",
    "heartbeat": None,
    "cancel": 0,
}


class ImportedRuns(NamedTuple):
    """What came of a file: the collection that its runs are in, "" for runs of a deleted one;
    their ids; whether all of them were here already. `remarks` say which run does not give the
    identical ranking here, and why, where they were `replayed`.
    """

    collection: str
    runs: tuple[str, ...]
    there: bool
    replayed: bool = False
    remarks: tuple[str, ...] = ()


def carries_bundle(path: Path) -> bool:
    """Whether a file is a bundle, or a page with one inside. Cheap: no more is read than to find
    it.
    """
    if not path.is_file() or not path.stat().st_size:
        return False
    with path.open("rb") as file:
        if file.read(len(HEADER)) == HEADER:
            return True
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return content.find(_OPENING) >= 0


def import_bundle(
    runner: Runner, path: Path, collection: str = "", *, replay: bool = True
) -> ImportedRuns:
    """Take the runs of a bundle, or of a page that carries one, with their collection, under the
    name it had, or `collection`, or one that is free; and make each run again, unless `replay` is
    False: it may take as long as making all vectors of the collection.

    Raises BadInput where there is no bundle, or none as this program makes them.
    """
    with TemporaryDirectory(prefix="gear-app-") as folder:
        unpacked = private_file(Path(folder) / "bundle.db")
        _unpack(path, unpacked)
        check(unpacked)
        origin = Store(unpacked)
        try:
            found = _Origin(origin)
            there = _already(runner.connection.store, found)
            if there:
                return there
            imported = found.into(runner.connection.store, unpacked, collection, _here(runner))
        finally:
            origin.close()
    if not replay:
        return imported
    again = Replay(runner)
    remarks = [_remark(again, run_id) for run_id in imported.runs]
    return imported._replace(replayed=True, remarks=tuple(filter(None, remarks)))


def _unpack(path: Path, into: Path) -> None:
    """Write a bundle's file, piece by piece. Raises BadInput where there is none, or it is too
    large.
    """
    if path.stat().st_size > MOST_BYTES:
        raise BadInput(_too_large(path))
    with path.open("rb") as file, into.open("wb") as out:
        if file.read(len(HEADER)) == HEADER:
            file.seek(0)
            shutil.copyfileobj(file, out)
            return
        for piece in _pieces(path, file):
            out.write(piece)
            if out.tell() > MOST_BYTES:
                raise BadInput(_too_large(path))


def _pieces(path: Path, page: BinaryIO) -> Iterator[bytes]:
    """What the bundle in a page unpacks to. Raises BadInput."""
    if not path.stat().st_size:
        raise BadInput(_no_run(path))
    with mmap.mmap(page.fileno(), 0, access=mmap.ACCESS_READ) as content:
        opening = content.find(_OPENING)
        begin, end = opening + len(_OPENING), content.find(_CLOSING, max(opening, 0))
        if opening < 0 or end < 0:
            raise BadInput(_no_run(path))
        unpacking, first = zlib.decompressobj(wbits=31), True
        try:
            for start in range(begin, end, CHUNK):
                packed = base64.b64decode(content[start : min(start + CHUNK, end)], validate=True)
                while not unpacking.eof:
                    piece = unpacking.decompress(packed, CHUNK)
                    packed = unpacking.unconsumed_tail
                    if not piece and not packed:
                        break
                    if first and not HEADER.startswith(piece[: len(HEADER)]):
                        raise BadInput(_damaged(path, "it is something else"))
                    first = False
                    yield piece
        except (binascii.Error, zlib.error) as error:
            raise BadInput(_damaged(path, str(error))) from error
        if not unpacking.eof:
            raise BadInput(_damaged(path, "it ends too soon"))


def _no_run(path: Path) -> str:
    return f"{path.name} carries no run. Pages of `gear-app export --html` do."


def _damaged(path: Path, why: str) -> str:
    return f"The run in {path.name} is damaged: {why}."


def _too_large(path: Path) -> str:
    return f"{path.name} holds more than {MOST_BYTES // 1_000_000} MB, which is not taken."


def _here(runner: Runner) -> Callable[[str], bool]:
    """Whether the embedding model of a fingerprint makes vectors here."""
    return lambda fingerprint: runner.models.embedder.fingerprint == fingerprint


def _remark(replay: Replay, run_id: str) -> str:
    """Why the run does not give the identical ranking here; "" where it does."""
    try:
        why = replay.replay(run_id).difference
    except GearError as error:
        why = str(error)
    return f"Run {run_id}: {why}" if why else ""


class _Origin:
    """A bundle that was looked at, and what of it is taken over."""

    def __init__(self, store: Store) -> None:
        """Read its runs. Raises BadInput for one that no run of ours is like."""
        self.rows = store.db.rows("SELECT * FROM runs ORDER BY number")
        for row in self.rows:
            _check_run(row)
        if not self.rows:
            raise BadInput("There is no run in the file.")
        collections = store.collections.all()
        if len(collections) > 1:
            raise BadInput("The file is a workspace with several collections, no exported run.")
        self.collection = collections[0] if collections else None
        if self.collection and self.collection.cluster:  # it would be sent this machine's login
            raise BadInput("The collection in the file is in a cluster, as of no exported run.")
        for one in collections:
            _check_collection(store, one)
        self.models = [str(one) for (one,) in store.db.tuples("SELECT fingerprint FROM models")]
        if len(self.models) > 1:
            raise BadInput("The file has vectors of several models, which no exported run has.")
        _check_vectors(store)
        self._store = store
        self._left = MOST_OF_EVENTS

    def events(self, number: int) -> Iterator[tuple[int, float, Event]]:
        """A run's events with their positions and times, each read as an event, one after the
        other: all together may be more than memory holds. Raises BadInput where those of the file
        are more than any that are exported.
        """
        for position, at_ms, payload in self._store.db.tuples(
            "SELECT position, at_ms, payload FROM events WHERE run = ? ORDER BY position", [number]
        ):
            yield position, at_ms, self._event(payload)

    def _event(self, payload: bytes) -> Event:
        unpacking = zlib.decompressobj()
        try:
            text = unpacking.decompress(payload, min(self._left, MOST_OF_EVENT))
            self._left -= len(text)
            if not unpacking.eof or self._left <= 0:
                raise BadInput("The events in the file are larger than any that gear-app makes.")
            event = from_row(_parsed(text))
            if not 0 <= event.iteration <= MOST_ITERATION:
                raise ValueError(f"iteration {event.iteration}")
            _check_references(event)
        except (zlib.error, ValueError, KeyError, TypeError, RecursionError) as error:
            raise BadInput(f"An event in the file cannot be read: {_why(error)}") from error
        return event

    def into(
        self, store: Store, path: Path, wanted: str, here: Callable[[str], bool]
    ) -> ImportedRuns:
        """Copy collection and runs into a workspace, all or nothing. `here` says whether a model's
        vectors are made there.
        """
        name = _free_name(store, wanted or (self.collection.name if self.collection else ""))
        model = store.embeddings.model_id(self.models[0]) if self.models else None
        ids = []
        with store.db.beside(str(path)):
            shift = adopt(store.db, name, model)
            if model is not None and not here(self.models[0]):
                adopt_vectors(store.db, model)
            for row in self.rows:
                number, id_ = _keep_run(store, row, shift)
                ids.append(id_)
                for position, at_ms, event in self.events(row["number"]):
                    _keep_event(store, number, position, at_ms, shifted(event, shift))
            _read_back(store, ids, name)
        return ImportedRuns(name if self.collection else "", tuple(ids), there=False)


def _parsed(text: bytes) -> dict[str, Any]:
    """An event's JSON. Raises ValueError for more values, or others, than any event has."""
    if text.count(b",") > MOST_OF_VALUES:
        raise ValueError("it has too many values")
    found: dict[str, Any] = json.loads(
        text, parse_int=_whole, parse_float=_real, parse_constant=_real
    )
    return found


def _whole(text: str) -> int:
    """A whole number of an event: all are counts, places and ids."""
    value = int(text)
    if not 0 <= value <= _NUMBER:
        raise ValueError(f"{cut(text, 40)} is no count")
    return value


def _real(text: str) -> float:
    """Any other number of an event, NaN and Infinity among them."""
    value = float(text)
    if not abs(value) <= _NUMBER:
        raise ValueError(f"{cut(text, 40)} is no score")
    return value


def _check_references(event: Event) -> None:
    """Raise ValueError where a part of an event names another that is not there."""
    if not event.is_whole:
        raise ValueError("it names a part that it has not")


def _check_run(row: Mapping[str, Any]) -> None:
    """Raise BadInput unless the row is that of a run that has ended, as this program makes them."""
    if not _RUN_ID.fullmatch(row["id"]) or row["state"] not in ENDED:
        raise BadInput("A run in the file has no id of ours, or has not ended.")
    _check_row(_RUN, row, "A run")
    try:
        options = Options.of(json.loads(row["options"]))
        if not (0 <= options.proximal <= MOST_PASSAGES and len(options.lazy) <= MOST_NAME):
            raise ValueError(f"options {cut(row['options'], 200)}")
        if options.unlinked not in (0, 1):
            raise ValueError(f"options {cut(row['options'], 200)}")
        if row["model"]:
            Spec.from_json(row["model"])
    except (ValueError, TypeError, KeyError, GearError, RecursionError) as error:
        raise BadInput(f"A run in the file is none that gear-app makes: {_why(error)}") from error
    _check_settings(row)


def _check_row(adapter: TypeAdapter[Any], row: Mapping[str, Any], what: str) -> None:
    """Raise BadInput where a column holds what no row of ours has."""
    try:
        adapter.validate_python(row)
    except (ValueError, GearError) as error:
        raise BadInput(f"{what} in the file is none that gear-app makes: {_why(error)}") from error


def _why(error: Exception) -> str:
    """An error in a line: pydantic's have one for each thing that is wrong."""
    if isinstance(error, ValidationError):
        if error.error_count() > MOST_NAME:
            return f"{error.error_count():,} of its values are none that gear-app writes"
        (first, *_) = error.errors(include_url=False, include_context=False, include_input=False)
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return cut(" ".join(str(error).split()), 300)


def _check_vectors(store: Store) -> None:
    """Raise BadInput for vectors of several lengths, or with something that is no number."""
    lengths = set()
    for (vector,) in store.db.tuples("SELECT vector FROM embeddings"):
        lengths.add(len(vector))
        if (
            len(lengths) > 1
            or len(vector) % 4
            or not np.isfinite(np.frombuffer(vector, "<f4")).all()
        ):
            raise BadInput("The file has vectors that no model makes.")


def _check_collection(store: Store, row: CollectionRow) -> None:
    """Raise BadInput for a collection, its triple sets or questions that could not be made here."""
    last = row.revision
    name_words("The collection in the file", row.name)
    if row.max_iterations is not None and not 1 <= row.max_iterations <= MOST_ITERATIONS:
        raise BadInput(
            f"The collection in the file has a limit of {row.max_iterations} iterations."
        )
    for set_ in store.collections.sets(row.id):
        name_words("A triple set in the file", set_.name)
        name_words("What made a triple set in the file", set_.maker)
        if set_.index_name:
            raise BadInput("A triple set in the file is in a cluster, as of no exported run.")
    for question in store.db.rows("SELECT * FROM questions"):
        _check_row(_QUESTION, question, "A question")
    for table in ("documents", "passages", "triples"):
        if store.db.value(f"SELECT 1 FROM {table} WHERE added > ? OR retired <= added", [last]):
            raise BadInput(f"The file has {table} of a revision that its collection has not.")
    if store.db.value("SELECT 1 FROM runs WHERE revision > ?", [last]):
        raise BadInput("A run in the file saw a revision that its collection has not.")


def _check_settings(row: Mapping[str, Any]) -> None:
    """Raise BadInput for settings that nobody could ask for here: the run is made again with them.
    Those that this program does not know are not looked at, for it makes nothing of them.
    """
    try:
        check_cost({}, row["k"])
        config = config_for(row["method"])
    except Unknown:
        return
    known, found = settings(config), json.loads(row["config"])
    try:
        wanted = {name: value for name, value in found.items() if name in known}
        check_cost(settings(overridden(config, wanted)), row["k"])
    except BadInput as error:
        raise BadInput(f"A run in the file has settings that are not taken: {error}") from error


def _already(store: Store, found: _Origin) -> ImportedRuns | None:
    """The runs of the file that are here under their ids, if all of them are."""
    ids = [str(row["id"]) for row in found.rows]
    here = []
    for id_ in ids:
        try:
            here.append(store.runs.get(id_))
        except Unknown:
            return None
    return ImportedRuns(here[0].collection, tuple(ids), there=True)


def _free_name(store: Store, wanted: str) -> str:
    """The name, or the name with the first number that makes it new."""
    name, number = name_words("A collection", wanted or "imported"), 1
    plain = name
    while store.collections.find(name):
        number += 1
        name = f"{plain} ({number})"
    return name


def _keep_run(store: Store, row: Mapping[str, Any], shift: int) -> tuple[int, str]:
    """Store a run under its id, or another where that is taken; its number and its id here."""
    kept = {name: value for name, value in row.items() if name != "number"} | dict(_FORGOTTEN)
    for name in ("collection_id", "set_id"):
        kept[name] = None if row[name] is None else row[name] + shift
    if store.runs.ids_with_prefix(str(row["id"])):
        kept["id"] = secrets.token_hex(5)
    return store.db.insert("runs", kept), str(kept["id"])


def _keep_event(store: Store, number: int, position: int, at_ms: float, event: Event) -> None:
    try:
        store.events.add(number, position, at_ms, event)
    except ValueError as error:  # half a character, or words that were taken for a number
        raise BadInput(f"An event in the file cannot be kept: {_why(error)}") from error


def _read_back(store: Store, run_ids: list[str], collection: str) -> None:
    """Read what was stored as a screen would; raise BadInput where it cannot be read."""
    try:
        for run_id in run_ids:
            asdict(store.runs.get(run_id))
        row = store.collections.find(collection)
        if row is not None:
            store.questions.of(row.id)
            store.documents.of(row.id)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise BadInput(f"What the file holds cannot be read again: {error}") from error


def told(found: ImportedRuns) -> str:
    """What came of a file, in a sentence or two."""
    what = count(len(found.runs), "run")
    if found.there:
        return f"{what} of this file: here already, nothing was changed."
    where = f" and the collection {found.collection!r}" if found.collection else ""
    identical = "rankings are" if len(found.runs) > 1 else "ranking is"
    again = f" Made again, the {identical} identical."
    return f"{what}{where} imported.{again if found.replayed and not found.remarks else ''}"
