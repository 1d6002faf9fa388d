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
import zlib
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError

from gear_app.errors import BadInput, GearError, Unknown
from gear_app.events import Event, from_row
from gear_app.events.ids import shifted
from gear_app.llm.server import Spec
from gear_app.overrides import overridden, settings
from gear_app.paths import private_file
from gear_app.retrievers import config_for
from gear_app.runs.bundle import ELEMENT
from gear_app.runs.replay import Replay
from gear_app.runs.request import Options, check_cost
from gear_app.runs.runner import Runner
from gear_app.store import Store
from gear_app.store.bundle import adopt, adopt_vectors
from gear_app.store.foreign import HEADER, check
from gear_app.text import count

MOST_BYTES = 500_000_000  # of an unpacked bundle
MOST_EVENTS = 200_000_000  # of all unpacked events: small files unpack to more than memory holds
STATES = ("done", "failed", "cancelled", "interrupted")
_OPENING = f'<script type="{ELEMENT}" id="bundle">'.encode()
_CLOSING = b"</script>"
_RUN_ID = re.compile("[0-9a-f]{10}")
_JSON: Mapping[str, TypeAdapter[Any]] = {  # columns of a run
    "config": TypeAdapter(dict[str, str | int | float | bool | None]),
    "versions": TypeAdapter(dict[str, str]),
    "gold": TypeAdapter(list[str]),
    "options": TypeAdapter(Options),
    "answers": TypeAdapter(list[str]),
}
_FORGOTTEN: Mapping[str, Any] = {
    "owner": "",
    "process": None,
    "key_from": "",
    "heartbeat": None,
    "cancel": 0,
    "trips": 0,  # this and the next are told with the events, which are written anew
    "waited_ms": 0.0,
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
        unpacked.write_bytes(_bundle_of(path))
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


def _bundle_of(path: Path) -> bytes:
    """The bytes of a bundle's file. Raises BadInput where there is none, or it is too large."""
    if path.stat().st_size > MOST_BYTES:
        raise BadInput(_too_large(path))
    content = path.read_bytes()
    if content.startswith(HEADER):
        return content
    begin = content.find(_OPENING)
    end = content.find(_CLOSING, begin)
    if begin < 0 or end < 0:
        raise BadInput(f"{path.name} carries no run. Pages of `gear-app export --html` do.")
    try:
        packed = base64.b64decode(content[begin + len(_OPENING) : end], validate=True)
        unpacking = zlib.decompressobj(wbits=31)
        found = unpacking.decompress(packed, MOST_BYTES + 1)
    except (binascii.Error, zlib.error) as error:
        raise BadInput(f"The run in {path.name} is damaged: {error}.") from error
    if len(found) > MOST_BYTES:
        raise BadInput(_too_large(path))
    if not unpacking.eof or not found.startswith(HEADER):
        raise BadInput(
            f"The run in {path.name} is damaged: it ends too soon, or is something else."
        )
    return found


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
        self.models = [str(one) for (one,) in store.db.tuples("SELECT fingerprint FROM models")]
        if len(self.models) > 1:
            raise BadInput("The file has vectors of several models, which no exported run has.")
        self._store = store
        self._left = MOST_EVENTS

    def events(self, number: int) -> list[tuple[int, float, Event]]:
        """A run's events with their positions and times, each read as an event. Raises BadInput
        where those of the file are more than any that are exported.
        """
        found = self._store.db.rows(
            "SELECT position, at_ms, payload FROM events WHERE run = ? ORDER BY position", [number]
        )
        return [(one["position"], one["at_ms"], self._event(one["payload"])) for one in found]

    def _event(self, payload: bytes) -> Event:
        unpacking = zlib.decompressobj()
        try:
            text = unpacking.decompress(payload, self._left)
            self._left -= len(text)
            if not unpacking.eof or self._left <= 0:
                raise BadInput("The events in the file are larger than any that gear-app makes.")
            return from_row(json.loads(text))
        except (zlib.error, ValueError, KeyError, TypeError, RecursionError) as error:
            raise BadInput(f"An event in the file cannot be read: {error}") from error

    def into(
        self, store: Store, path: Path, wanted: str, here: Callable[[str], bool]
    ) -> ImportedRuns:
        """Copy collection and runs into a workspace, all or nothing. `here` says whether a model's
        vectors are made there.
        """
        events = {row["number"]: self.events(row["number"]) for row in self.rows}
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
                for position, at_ms, event in events[row["number"]]:
                    store.events.add(number, position, at_ms, shifted(event, shift))
            _read_back(store, ids, name)
        return ImportedRuns(name if self.collection else "", tuple(ids), there=False)


def _check_run(row: Mapping[str, Any]) -> None:
    """Raise BadInput unless the row is that of a run that has ended, as this program makes them."""
    try:
        for column, adapter in _JSON.items():
            adapter.validate_json(row[column])
        Options.of(json.loads(row["options"]))
        if row["model"]:
            Spec.from_json(row["model"])
    except (ValidationError, ValueError, TypeError, KeyError, GearError) as error:
        raise BadInput(f"A run in the file is none that gear-app makes: {error}") from error
    _check_settings(row)
    if not _RUN_ID.fullmatch(row["id"]) or row["state"] not in STATES:
        raise BadInput("A run in the file has no id of ours, or has not ended.")
    if row["gold_marked"] is not None and len(row["gold_marked"]) > 40:
        raise BadInput("A run in the file has gold that was marked at no time.")


def _check_settings(row: Mapping[str, Any]) -> None:
    """Raise BadInput for settings that nobody could ask for here: the run is made again with them.
    Those that this program does not know are not looked at, for it makes nothing of them.
    """
    try:
        config = config_for(row["method"])
    except GearError:
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
    name, number = " ".join(wanted.split())[:200] or "imported", 1
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
