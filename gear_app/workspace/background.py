"""Background jobs: asked for by a screen or a command, done by the worker or, slice by slice, in this process."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from gear_app.errors import Cancelled, GearError
from gear_app.store.extractions import Failure
from gear_app.store.rows import JobInfo
from gear_app.workspace.core import Core
from gear_app.workspace.models import stoppable
from gear_app.workspace.slices import ExtractionJob, Job
from gear_app.workspace.vectors import VectorsJob

Progress = Callable[[JobInfo], None]
FOLLOWED_S = 0.2
SILENT_S = 5.0  # a worker leaves a sign of life every second


class Background(Core):
    """The part of a workspace that makes things searchable."""

    def enqueue_extraction(
        self, collection: str, extractor: str = "local", triples: str | None = None, owner: str = ""
    ) -> int:
        """Ask for the triples of every passage that has none in the set yet; the job's id. Raises Unknown.

        Passages that failed before are tried again. An unfinished job for the set is returned as it is. The set's
        name defaults to the extractor's.
        """
        self.models.check_extractor(extractor)
        with self.store.transaction():
            row = self.store.collections.get(collection)
            set_ = self.store.collections.ensure_set(row.id, triples or extractor, extractor)
            self.store.extractions.retry_failed(set_.id)
            total = self.store.passages.counts(row.id).passages
            job = self.store.jobs.ensure("extraction", row.id, set_.id, extractor=extractor, owner=owner, total=total)
        return job.id

    def extract(
        self,
        collection: str,
        extractor: str = "local",
        triples: str | None = None,
        progress: Progress = lambda job: None,
    ) -> JobInfo:
        """Extract in this process until everything is searchable; resumes what was begun.

        Vectors of names and partial triples are left to the worker, or to `encode`. `progress` is told after every
        slice. Where another process does the same, it is followed until it ends.
        """
        return self._do(self.enqueue_extraction(collection, extractor, triples), progress)

    def encode(self, collection: str, triples: str | None, progress: Progress = lambda job: None) -> JobInfo:
        """Make all vectors of a collection and one triple set in this process, those of partial triples too."""
        row = self.store.collections.get(collection)
        set_ = self.store.collections.find_set(row.id, triples) if triples else None
        job = self.store.jobs.ensure("vectors", row.id, set_.id if set_ else None)
        return self._do(job.id, progress)

    def job(self, job_id: int) -> JobInfo:
        """A job. Raises Unknown."""
        return self.store.jobs.get(job_id)

    def jobs(self, collection: str | None = None, limit: int = 20) -> list[JobInfo]:
        """The newest first, of one collection or of all."""
        row = None if collection is None else self.store.collections.get(collection)
        return self.store.jobs.recent(row.id if row else None, limit)

    def cancel_job(self, job_id: int) -> None:
        """Stop a job after its slice; what it made stays, and a new job goes on from there."""
        self.store.jobs.cancel(job_id)

    def failures(self, collection: str, triples: str) -> list[Failure]:
        """The passages that could not be extracted, and why."""
        row = self.store.collections.get(collection)
        set_ = self.store.collections.find_set(row.id, triples)
        return self.store.extractions.failures(set_.id) if set_ else []

    def worker_status(self) -> str:
        """`starting`, `ready`, `busy` or `not running`."""
        last = self.store.processes.last("worker")
        # Seen in the future: the clock was set back since.
        return last.state if last and abs(time.time() - last.seen) < SILENT_S else "not running"

    def begin(self, job: JobInfo) -> Job:
        """The work of a job, to be done in slices on this thread."""
        with self._finishing_job(job):
            if job.kind == "extraction":
                return ExtractionJob(self.store, job, self.models.extractor(job.extractor), self.models.inner)
        return VectorsJob(self.store, job, self.models.inner, self.corpora.synonymy)

    def slice(self, job: JobInfo, work: Job) -> bool:
        """Do one slice of a claimed job and note how it goes; False when the job has ended."""
        with self._finishing_job(job):
            self._check(job)
            with stoppable(lambda: self._check(job)):
                more = work.slice()
            if more:
                return True
            self.store.jobs.finish(job.id, "done", work.summary())
            if job.kind == "extraction":
                self.store.jobs.ensure("vectors", job.collection_id, job.set_id)
        return False

    def _check(self, job: JobInfo) -> None:
        if self.store.jobs.to_be_cancelled(job.id):
            raise Cancelled("Cancelled. What was done is kept.")

    def _do(self, job_id: int, progress: Progress) -> JobInfo:
        while not self.store.jobs.claim(job_id, self.process):  # the worker was quicker: it is followed
            job = self.store.jobs.get(job_id)
            if job.state not in ("queued", "running"):
                return job
            progress(job)
            time.sleep(FOLLOWED_S)
        job = self.store.jobs.get(job_id)
        work = self.begin(job)
        with self.alive():
            while self.slice(job, work):
                progress(self.store.jobs.get(job_id))
        return self.store.jobs.get(job_id)

    @contextmanager
    def _finishing_job(self, job: JobInfo) -> Iterator[None]:
        """Store how a job ends that cannot go on. A killed process's job is resumed instead."""
        try:
            yield
        except Cancelled as error:
            self.store.jobs.finish(job.id, "cancelled", str(error))
        except GearError as error:
            self.store.jobs.finish(job.id, "failed", str(error))
            raise
        finally:
            bug = sys.exc_info()[1]
            if isinstance(bug, Exception) and not isinstance(bug, GearError):
                self.store.jobs.finish(job.id, "failed", f"An error in the application: {type(bug).__name__}: {bug}")
