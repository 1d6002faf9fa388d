"""The background job that imports: read in a process of its own, then stored chunk by chunk.

An interrupted one begins again: what was read whole is not read again, and of what was stored only
the rest is new.
"""

from __future__ import annotations

import threading
from collections.abc import Generator
from pathlib import Path

from pydantic import TypeAdapter

from gear_app.core.errors import NotReady
from gear_app.core.paths import private_folder
from gear_app.core.text import count
from gear_app.documents.files import Origin
from gear_app.documents.items import FileReport, Limits
from gear_app.documents.process import Batches, BatchFiles, read_apart
from gear_app.documents.read import is_light, read_origin
from gear_app.store import Store
from gear_app.store.rows import CollectionRow, JobInfo, Progress
from gear_app.workspace.collections.importer import BatchImport
from gear_app.workspace.jobs.extraction import Slices

READ_S = 0.2  # of waiting for the reading process in a slice: a question may come in between
LOCAL = "local"  # the extractor that is asked for afterwards, and its triple set
ORIGIN = TypeAdapter(Origin)
LIMITS = Limits()
READERS = threading.BoundedSemaphore(2)  # processes that read at once; others wait their turn
REPORTS = TypeAdapter(list[FileReport])


def import_slices(store: Store, job: JobInfo, folder: Path) -> Slices:
    """Read an origin, in `folder`, and store it in the job's collection. Raises BadInput and
    NotReady.
    """
    origin = ORIGIN.validate_python(job.request["origin"])
    if not origin.path and not folder.is_dir():
        raise NotReady(f"What was uploaded is gone from {folder}. Add the files again.")
    if is_light(origin):
        light = list(read_origin(origin, LIMITS))
        batches: Batches = light
        total = sum(len(batch.passages) for batch in light)
    else:
        batches = files = yield from _read(origin, folder)
        total = files.passages
    words = f"Storing {job.request['name']}"
    yield Progress(0, total, words)
    importing = BatchImport(store, _collection(store, job), batches, job.number)
    for done in importing.steps():
        yield Progress(done, total, words)
    with store.transaction():
        summary = _finish(store, job, importing)
    yield Progress(total, total, summary)


def _read(origin: Origin, folder: Path) -> Generator[Progress, None, BatchFiles]:
    while not READERS.acquire(timeout=READ_S / 4):
        yield Progress(0, 0, "Reading")
    try:
        private_folder(folder.parent)
        private_folder(folder)
        for number, file in read_apart(origin, folder, LIMITS, READ_S):
            yield Progress(0, 0, f"Reading {file} (file {number})" if number else "Reading")
        return BatchFiles(folder)
    except OSError as error:
        raise NotReady(f"Nothing can be read now: {error.strerror}. Try again.") from error
    finally:
        READERS.release()


def _finish(store: Store, job: JobInfo, importing: BatchImport) -> str:
    collection = _collection(store, job)
    reports = importing.reports()
    store.tasks.report(job.number, REPORTS.dump_json(reports).decode())
    passages = sum(report.passages for report in reports)
    if job.request["extract"] and passages:
        set_ = store.collections.ensure_set(collection.id, LOCAL, LOCAL)
        store.tasks.ensure("extraction", collection.id, set_.id, extractor=LOCAL, owner=job.owner)
    if importing.has_content:
        _want_vectors(store, collection.id)
    accepted = sum(report.status == "accepted" for report in reports)
    rejected = f", {len(reports) - accepted} not" if accepted < len(reports) else ""
    return (
        f"{accepted} of {count(len(reports), 'file')} taken{rejected}: {passages:,} new passages."
    )


def _collection(store: Store, job: JobInfo) -> CollectionRow:
    row = store.collections.by_id(job.collection_id)
    if row is None:
        raise NotReady(f"The collection {job.collection!r} was deleted meanwhile.")
    return row


def _want_vectors(store: Store, collection_id: int) -> None:
    """Ask the worker to make what was stored searchable. The vectors of a set's triples come after
    those of the passages; where there are no triples yet, the passages' do not wait for them.
    """
    sets = [row.id for row in store.collections.sets(collection_id)]
    if not all(store.triples.count(set_id) for set_id in sets) or not sets:
        store.tasks.ensure("vectors", collection_id)
    for set_id in sets:
        store.tasks.ensure("vectors", collection_id, set_id)
