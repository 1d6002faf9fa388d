"""Documents come into a collection: at once, or as a job of the worker's; what an import stored
can be taken out again.
"""

from __future__ import annotations

import secrets
import shutil
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from gear_app.core import demonstration
from gear_app.core.errors import BadInput, NotReady, Refused, StoreFailed
from gear_app.core.paths import imports_folder, private_folder
from gear_app.core.types import PASTED
from gear_app.documents.files import Origin
from gear_app.documents.items import NO_FIELDS, FileReport
from gear_app.store.collections import check_here
from gear_app.store.processes import at_work
from gear_app.workspace.collections.importer import ORIGIN, REPORTS
from gear_app.workspace.connection import Connection, Service
from gear_app.workspace.jobs.service import JobService, OnProgress, import_folder

ABANDONED_S = 3600.0  # a working folder that no import names for so long is removed


class Pasted(NamedTuple):
    """A text that somebody typed or pasted."""

    title: str
    text: str


Uploads = Sequence[tuple[str, bytes]]  # names and contents
Material = Path | Uploads | Pasted  # a path is of a file or folder of this machine


class ImportService(Service):
    """The way documents come into a workspace."""

    def __init__(self, connection: Connection, jobs: JobService) -> None:
        super().__init__(connection)
        self._jobs = jobs

    def do(
        self,
        material: Material,
        collection: str,
        progress: OnProgress = lambda job: None,
        fields: Mapping[str, str] = NO_FIELDS,
    ) -> list[FileReport]:
        """Read material into a collection in this process, which is made if need be and leaves no
        empty one; what became of each file. Raises BadInput where there is nothing at a path.

        `fields` say what rows call a question, its answers and so on (documents.items.ROLES). An
        unfinished import of the same path is resumed; where another process runs it, it is
        followed.
        """
        job = self._store.tasks.job(self.enqueue(material, collection, fields=fields))
        try:
            job = self._jobs.run(job.id, progress)
            if job.state != "done":
                raise NotReady(f"The import was not finished: {job.message}")
            return self.reports(job.id)
        finally:
            row = self._store.collections.find(job.collection_id)
            if job.request["made"] and row is not None and not row.revision:
                # Another process may go on with it.
                going = any(other.going for other in self._store.tasks.jobs(row.id))
                if not going and not any(self._store.passages.counts(row.id).values()):
                    self._store.collections.delete(row.name)

    def enqueue(
        self,
        material: Material,
        collection: str,
        *,
        extract: bool = False,
        owner: str = "",
        fields: Mapping[str, str] = NO_FIELDS,
    ) -> int:
        """Ask the worker to import material; the job's id. What was uploaded or pasted is kept
        beside the workspace until it is stored. Raises as `do`.
        """
        token, tasks = secrets.token_hex(8), self._store.tasks
        name, origin = self._origin(material, imports_folder(self.connection.path) / token, fields)
        request = {"name": name, "origin": ORIGIN.dump_python(origin, mode="json")}
        request |= {"folder": token, "extract": extract}
        with self._store.transaction():
            existing = self._store.collections.find(collection)
            row = existing or self._store.collections.create(collection)
            check_here(row)
            for job in tasks.jobs(row.id) if origin.path else ():
                unfinished = job.state != "done" and not job.undone
                if unfinished and job.request.get("origin") == request["origin"]:
                    tasks.again(job.id)
                    return job.id
            request["made"] = existing is None
            job = tasks.add_job("import", row.id, request=request, owner=owner, message=name)
        return job.id

    def reports(self, job_id: int) -> list[FileReport]:
        """The result of each file of an import; [] before it is done. Raises Unknown."""
        return REPORTS.validate_json(self._store.tasks.job(job_id).report)

    def undo(self, job_id: int) -> None:
        """Take out again what an import has stored; runs made before can still be replayed.

        What another document states in the same words stays. One that runs is cancelled first.
        Raises Unknown, BadInput for one that was undone before, and NotReady while it has not
        stopped yet.
        """
        self._store.tasks.cancel(job_id)
        with self._store.transaction():
            job = self._store.tasks.job(job_id)
            if job.going:
                raise NotReady(
                    f"The import is being stopped: {at_work(job.process, job.started)}. Undo it in"
                    " a moment."
                )
            if job.undone:  # its questions may have come again with a later import
                raise BadInput(f"Import {job_id} was undone already.")
            collection = job.collection_id or 0  # a job is deleted with it
            revision = self._store.collections.raise_revision(collection, passages=True)
            for document_id in self._store.documents.added_by(job_id):
                self._store.documents.retire(document_id, revision)
            self._store.tasks.undo_import(job, revision)
        shutil.rmtree(import_folder(self.connection.path, job), ignore_errors=True)

    def tidy(self) -> None:
        """Remove working folders that no import needs any more."""
        folder = imports_folder(self.connection.path)
        jobs = self._store.tasks.jobs()
        needed = {job.request.get("folder") for job in jobs if job.going}
        for place in folder.iterdir() if folder.is_dir() else ():
            with suppress(OSError):
                if place.name not in needed and time.time() - place.stat().st_mtime > ABANDONED_S:
                    shutil.rmtree(place)

    def _origin(
        self, material: Material, folder: Path, fields: Mapping[str, str]
    ) -> tuple[str, Origin]:
        """The name of an import and its origin; uploads and pasted text are written to a folder."""
        if isinstance(material, Path):
            path = material.expanduser().absolute()
            if not path.exists():
                raise BadInput(f"No such file or folder: {material}")
            return path.name, Origin(path=str(path), fields=tuple(fields.items()))
        if self.connection.restricted:
            raise Refused(demonstration.WAY_OUT)
        if isinstance(material, Pasted):
            files = [(material.title, material.text.encode("utf-8", "replace"))]
        else:
            files = list(material)
        places = [folder / str(number) for number, _ in enumerate(files, start=1)]
        try:
            private_folder(folder)
            for place, (_, content) in zip(places, files, strict=True):
                place.write_bytes(content)
        except OSError as error:
            raise StoreFailed(f"What was handed in cannot be kept: {error.strerror}.") from error
        name = files[0][0] if len(files) == 1 else f"{len(files)} files"
        if isinstance(material, Pasted):
            return name or PASTED, Origin(text=str(places[0]), title=name)
        uploads = zip((name for name, _ in files), map(str, places), strict=True)
        return name, Origin(files=tuple(uploads), fields=tuple(fields.items()))
