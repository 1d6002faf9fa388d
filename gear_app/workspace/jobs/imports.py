"""Documents come into a collection: at once, or as a job of the worker's; what an import stored
can be taken out again.
"""

from __future__ import annotations

import json
import secrets
import shutil
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from gear_app.core import demonstration
from gear_app.core.errors import BadInput, NotReady, Refused, StoreFailed
from gear_app.core.paths import imports_folder, private_folder
from gear_app.core.types import PASTED
from gear_app.documents.files import Origin
from gear_app.documents.items import NO_FIELDS, FileReport
from gear_app.store.collections import check_complete, check_here
from gear_app.store.processes import at_work
from gear_app.store.rows import CollectionRow, JobInfo
from gear_app.workspace.collections.service import delete_document
from gear_app.workspace.connection import Connection, Service
from gear_app.workspace.jobs.import_job import REPORTS
from gear_app.workspace.jobs.service import JobService, OnProgress, import_folder

ABANDONED_S = 3600.0  # a working folder that no import names for so long is removed


class _Given(NamedTuple):
    """Import that somebody asked for: its name, its origin, and its working folder."""

    name: str
    origin: Origin
    folder: str


class ImportService(Service):
    """The way documents come into a workspace."""

    def __init__(self, connection: Connection, jobs: JobService) -> None:
        super().__init__(connection)
        self._jobs = jobs

    def path(
        self,
        path: str | Path,
        collection: str,
        progress: OnProgress = lambda job: None,
        fields: Mapping[str, str] = NO_FIELDS,
    ) -> list[FileReport]:
        """Read a file or a folder into a collection, which is made if need be; what became of each
        file. `fields` say what rows call a question, its answers and so on (ingest.items.ROLES).
        Raises BadInput where there is nothing at the path.

        An unfinished import of the same path is resumed; where another process runs it, it is
        followed.
        """
        return self._import(self._path(path, fields), collection, progress)

    def files(self, files: Iterable[tuple[str, bytes]], collection: str) -> list[FileReport]:
        """Read uploads, (name, content), into a collection."""
        return self._import(self._uploads(files), collection)

    def text(self, title: str, text: str, collection: str) -> list[FileReport]:
        """Read pasted text into a collection."""
        return self._import(self._text(title, text), collection)

    def enqueue_path(
        self,
        path: str | Path,
        collection: str,
        *,
        extract: bool = False,
        owner: str = "",
        fields: Mapping[str, str] = NO_FIELDS,
    ) -> int:
        """Ask the worker to import a file or a folder of this machine; the job's id."""
        return self._enqueue(self._path(path, fields), collection, extract=extract, owner=owner)

    def enqueue_files(
        self,
        files: Iterable[tuple[str, bytes]],
        collection: str,
        *,
        extract: bool = False,
        owner: str = "",
        fields: Mapping[str, str] = NO_FIELDS,
    ) -> int:
        """Ask the worker to import uploads, (name, content); the job's id. They are kept beside the
        workspace until they are stored.
        """
        return self._enqueue(self._uploads(files, fields), collection, extract=extract, owner=owner)

    def enqueue_text(
        self, title: str, text: str, collection: str, *, extract: bool = False, owner: str = ""
    ) -> int:
        """Ask the worker to import pasted text; the job's id."""
        return self._enqueue(self._text(title, text), collection, extract=extract, owner=owner)

    def reports(self, job_id: int) -> list[FileReport]:
        """The result of each file of an import; [] before it is done. Raises Unknown."""
        return REPORTS.validate_json(self._store.tasks.reports(job_id))

    def unfinished(self, collection: str) -> list[JobInfo]:
        """The imports of a collection that wait, run, failed or were cancelled, oldest first."""
        return self._store.tasks.imports(self._store.collections.get(collection).id)

    def undo(self, job_id: int) -> None:
        """Take out again what an import has stored; runs made before can still be replayed.

        What another document states in the same words stays. One that runs is cancelled first.
        Raises Unknown, BadInput for one that was undone before, and NotReady while it has not
        stopped yet.
        """
        self._store.tasks.cancel(job_id)
        job = self._store.tasks.job(job_id)
        if job.going:
            raise NotReady(
                f"The import is being stopped: {at_work(job.process, job.started)}. Undo it in a"
                " moment."
            )
        with self._store.transaction():
            job = self._store.tasks.job(job_id)
            if job.undone:  # its questions may have come again with a later import
                raise BadInput(f"Import {job_id} was undone already.")
            collection, revisions = _collection_of(job), self._store.tasks.revisions(job_id)
            for document in self._store.documents.added_at(collection, revisions):
                delete_document(self._store, collection, document.id)
            revision = self._store.collections.raise_revision(collection, passages=True)
            self._store.tasks.undo_import(job, revision)
        shutil.rmtree(self._folder(job), ignore_errors=True)

    def _folder(self, job: JobInfo) -> Path:
        return import_folder(self.connection.path, job)

    def tidy(self) -> None:
        """Remove working folders that no import needs any more."""
        folder = imports_folder(self.connection.path)
        needed = {
            job.request.get("folder") for job in self._store.tasks.jobs(limit=-1) if job.going
        }
        for place in folder.iterdir() if folder.is_dir() else ():
            with suppress(OSError):
                if place.name not in needed and time.time() - place.stat().st_mtime > ABANDONED_S:
                    shutil.rmtree(place)

    def _import(
        self, source: _Given, collection: str, progress: OnProgress = lambda job: None
    ) -> list[FileReport]:
        """Import in this process, and leave no empty collection that was made for nothing."""
        job = self._store.tasks.job(self._enqueue(source, collection))
        try:
            job = self._jobs.run(job.id, progress)
            if job.state != "done":
                raise NotReady(f"The import was not finished: {job.message}")
            return self.reports(job.id)
        finally:
            if job.request["made"]:
                self._drop_if_empty(_collection_of(job))

    def _drop_if_empty(self, collection_id: int) -> None:
        row = self._store.collections.by_id(collection_id)
        if row is not None and row.revision == 0:
            counts = self._store.passages.counts(row.id)
            going = self._store.tasks.unfinished(row.id)  # as where another process is at it
            if not (any(counts) or going or self._store.collections.sets(row.id)):
                self._store.collections.delete(row.name)

    def _enqueue(
        self, source: _Given, collection: str, *, extract: bool = False, owner: str = ""
    ) -> int:
        origin = asdict(source.origin)
        with self._store.transaction():
            row, created = self._ensure_collection(collection)
            request: dict[str, object] = {"name": source.name, "origin": origin}
            request |= {"folder": source.folder, "extract": extract, "made": created}
            for job in self._store.tasks.imports(row.id) if source.origin.path else ():
                if job.request["origin"] == json.loads(json.dumps(origin)):
                    if not job.going:  # the files may have been mended since
                        shutil.rmtree(self._folder(job), ignore_errors=True)
                    self._store.tasks.again(job.id)
                    return job.id
            return self._store.tasks.add_job(
                "import", row.id, request=request, owner=owner, message=source.name
            ).id

    def _path(self, path: str | Path, fields: Mapping[str, str]) -> _Given:
        absolute = Path(path).expanduser().absolute()
        if not absolute.exists():
            raise BadInput(f"No such file or folder: {path}")
        return _Given(
            absolute.name,
            Origin(path=str(absolute), fields=tuple(fields.items())),
            secrets.token_hex(8),
        )

    def _uploads(
        self, files: Iterable[tuple[str, bytes]], fields: Mapping[str, str] = NO_FIELDS
    ) -> _Given:
        uploads = list(files)
        token, folder = self._new_folder()
        places = [(name, folder / str(number)) for number, (name, _) in enumerate(uploads, start=1)]
        for (_, content), (_, place) in zip(uploads, places, strict=True):
            _write(place, content)
        name = uploads[0][0] if len(uploads) == 1 else f"{len(uploads)} files"
        stored = tuple((name, str(place)) for name, place in places)
        return _Given(name, Origin(files=stored, fields=tuple(fields.items())), token)

    def _text(self, title: str, text: str) -> _Given:
        token, folder = self._new_folder()
        place = folder / "text"
        _write(place, text.encode("utf-8", "replace"))
        return _Given(title or PASTED, Origin(text=str(place), title=title), token)

    def _new_folder(self) -> tuple[str, Path]:
        if self.connection.restricted:
            raise Refused(demonstration.WAY_OUT)
        token = secrets.token_hex(8)
        folder = imports_folder(self.connection.path) / token
        try:
            private_folder(folder.parent)
            private_folder(folder)
        except OSError as error:
            raise StoreFailed(f"{folder} cannot be made: {error.strerror}.") from error
        return token, folder

    def _ensure_collection(self, collection: str) -> tuple[CollectionRow, bool]:
        existing = self._store.collections.find(collection)
        if existing:
            check_here(existing)
            check_complete(existing)
        return (existing, False) if existing else (self._store.collections.create(collection), True)


def _collection_of(job: JobInfo) -> int:
    """The collection of a job: a job is deleted with it."""
    assert job.collection_id is not None
    return job.collection_id


def _write(place: Path, content: bytes) -> None:
    try:
        place.write_bytes(content)
    except OSError as error:
        raise StoreFailed(f"What was handed in cannot be kept: {error.strerror}.") from error
