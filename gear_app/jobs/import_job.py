"""The background job that imports: read in a process of its own, then stored chunk by chunk.

An interrupted one begins again: what was read whole is not read again, what was stored is there
already and counts as this import's.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from pydantic import TypeAdapter

from gear_app.collections.importer import BatchImport
from gear_app.errors import NotReady
from gear_app.ingest.files import Origin
from gear_app.ingest.items import Batches, FileReport, Limits
from gear_app.ingest.process import ReadingProcess
from gear_app.ingest.read import is_light, read_origin
from gear_app.jobs.extraction_job import Job
from gear_app.paths import private_folder
from gear_app.store import Store
from gear_app.store.rows import CollectionRow, JobInfo, JobRequest
from gear_app.text import count

READ_S = 0.2  # of waiting for the reading process in a slice: a question may come in between
LOCAL = "local"  # the extractor that is asked for afterwards, and its triple set
ORIGIN = TypeAdapter(Origin)
LIMITS = Limits()
READERS = threading.BoundedSemaphore(2)  # processes that read at once; others wait their turn
REPORTS = TypeAdapter(list[FileReport])


class ImportJob(Job):
    """What one origin holds, on its way into a collection."""

    def __init__(self, store: Store, job: JobInfo, folder: Path) -> None:
        """Work on this thread's store, and in `folder`."""
        self._store, self._job, self._folder = store, job, folder
        self._import = store.imports.get(job.id)
        self._origin = ORIGIN.validate_json(self._import.origin)
        self._reading: ReadingProcess | None = None
        self._importing: BatchImport | None = None
        self._steps: Iterator[int] = iter(())
        self._total = 0

    def slice(self) -> bool:
        """Wait a moment for what is being read, or store a chunk of what was."""
        began = time.perf_counter()
        if self._importing is None:
            batches = self._read()
            if batches is not None:
                self._begin(batches)
            return True
        done = next(self._steps, None)
        if done is None:
            self._finish(self._importing)
            return False
        self._progress(done, f"Storing {self._import.name}", time.perf_counter() - began)
        return True

    def stop(self) -> None:
        """Stop reading; what is stored stays."""
        if self._reading is not None:
            self._reading.close()
            self._reading = None
            READERS.release()

    def follow_up(self) -> None:
        """Remove what was only needed to read."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def summary(self) -> str:
        """What came of it, in a sentence."""
        reports = REPORTS.validate_json(self._store.imports.get(self._job.id).reports)
        passages = sum(report.passages for report in reports)
        taken = sum(report.status == "accepted" for report in reports)
        left = len(reports) - taken
        others = f", {left} not" if left else ""
        return f"{taken} of {count(len(reports), 'file')} taken{others}: {passages:,} new passages."

    def _read(self) -> Batches | None:
        """The batches once all are read. Raises BadInput, NotReady."""
        if self._reading is None:
            self._check_origin()
            if is_light(self._origin):
                batches = list(read_origin(self._origin, LIMITS))
                self._total = sum(len(batch.passages) for batch in batches)
                return batches
            if not READERS.acquire(timeout=READ_S / 4):
                return None
            self._reading = self._start_reading()
        files = self._reading.step(READ_S)
        if files is not None:
            self.stop()
            self._total = files.passages
            return files
        at = self._reading.file
        self._progress(0, f"Reading {at} (file {self._reading.number})" if at else "Reading")
        return None

    def _start_reading(self) -> ReadingProcess:
        """The process that reads, for which a place was taken; that is given back where it cannot
        be started. Raises NotReady.
        """
        try:
            private_folder(self._folder.parent)
            private_folder(self._folder)
            return ReadingProcess(self._origin, self._folder, LIMITS)
        except OSError as error:
            READERS.release()
            raise NotReady(f"Nothing can be read now: {error.strerror}. Try again.") from error

    def _check_origin(self) -> None:
        """Uploads lie in the job's folder, which somebody may have removed."""
        if not self._origin.path and not self._folder.is_dir():
            raise NotReady(f"What was uploaded is gone from {self._folder}. Add the files again.")

    def _begin(self, batches: Batches) -> None:
        self._importing = BatchImport(
            self._store, self._collection(), batches, self._job.id, self._import.progress
        )
        self._steps = self._importing.steps()
        self._progress(0, f"Storing {self._import.name}")

    def _finish(self, importing: BatchImport) -> None:
        """Keep the reports, and ask for the triples and vectors of what was stored."""
        collection = self._collection()
        with self._store.transaction():
            reports = importing.reports()
            self._store.imports.report(self._job.id, REPORTS.dump_json(reports).decode())
            if self._import.extract and any(report.passages for report in reports):
                set_ = self._store.collections.ensure_set(collection.id, LOCAL, LOCAL)
                self._store.jobs.ensure(
                    "extraction", collection.id, set_.id, JobRequest(LOCAL, self._job.owner)
                )
            if importing.has_content:
                _want_vectors(self._store, collection.id)

    def _collection(self) -> CollectionRow:
        row = self._store.collections.by_id(self._job.collection_id)
        if row is None:
            raise NotReady(f"The collection {self._job.collection!r} was deleted meanwhile.")
        return row

    def _progress(self, done: int, message: str, worked_s: float = 0.0) -> None:
        self._store.jobs.progress(
            self._job, message, done=done, total=self._total, worked_s=worked_s
        )


def _want_vectors(store: Store, collection_id: int) -> None:
    """Ask the worker to make what was stored searchable. The vectors of a set's triples come after
    those of the passages; where there are no triples yet, the passages' do not wait for them.
    """
    sets = [row.id for row in store.collections.sets(collection_id)]
    if not all(store.triples.count(set_id) for set_id in sets) or not sets:
        store.jobs.ensure("vectors", collection_id, None)
    for set_id in sets:
        store.jobs.ensure("vectors", collection_id, set_id)
