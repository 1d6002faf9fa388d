"""Background jobs: asked for by a screen or a command, done by the worker or, slice by slice, in
this process.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gear_app.connection import Connection, Service
from gear_app.corpus.corpora import Corpora
from gear_app.errors import Cancelled, Deleted, GearError, NotReady, application_error
from gear_app.extract import LLM_EXTRACTORS
from gear_app.jobs.extraction_job import ExtractionJob, Job
from gear_app.jobs.import_job import ImportJob
from gear_app.jobs.vectors_job import VectorsJob
from gear_app.llm.budget import Budget
from gear_app.llm.errors import BudgetReached, KeyEnded
from gear_app.llm.server import Spec
from gear_app.models import Models, spec_for
from gear_app.paths import imports_folder
from gear_app.store.collections import check_complete, check_here
from gear_app.store.extractions import Failure
from gear_app.store.processes import ProcessRow, at_work
from gear_app.store.rows import JobInfo, JobRequest, JobState, asked_at
from gear_app.thread_context import asked_for, stoppable

Progress = Callable[[JobInfo], None]
FOLLOWED_S = 0.2
DOING = {
    "import": "documents were imported into it",
    "extraction": "triples were extracted from it",
    "vectors": "vectors of its texts were made",
}
SILENT_S = 5.0  # a worker leaves a sign of life every second


class JobService(Service):
    """A workspace's background jobs."""

    def __init__(self, connection: Connection, models: Models, corpora: Corpora) -> None:
        super().__init__(connection)
        self._models, self._corpora = models, corpora

    def enqueue_extraction(
        self,
        collection: str,
        extractor: str = "local",
        triples: str | None = None,
        owner: str = "",
        *,
        model: Spec | None = None,
        budget: int | None = None,
    ) -> int:
        """Ask for the triples of every passage that has none in the set yet; the job's id. Raises
        Unknown.

        Passages that failed before are tried again. An unfinished job for the set is returned as it
        is. The set's name defaults to the extractor's. `model` is the one that the extractors "llm"
        and "llm:two" ask, by default that of the environment; `budget` is how many tokens the job
        may take. Raises NotReady, and changes nothing, where the set's unfinished job is another
        extractor's, or asks another model or with another key.
        """
        self._models.check_extractor(extractor, model)
        spec = spec_for(model) if extractor in LLM_EXTRACTORS else None
        with self._store.transaction():
            row = self._store.collections.get(collection)
            check_here(row)
            check_complete(row)
            set_ = self._store.collections.ensure_set(row.id, triples or extractor, extractor)
            total = self._store.passages.counts(row.id).passages
            asked, key_from = (spec.to_json(), spec.key_from) if spec else ("", "")
            request = JobRequest(extractor, owner, total, asked, key_from, budget)
            job = self._store.jobs.ensure("extraction", row.id, set_.id, request)
            self._store.extractions.retry_failed(set_.id)
        return job.id

    def extract(
        self,
        collection: str,
        extractor: str = "local",
        triples: str | None = None,
        progress: Progress = lambda job: None,
        *,
        model: Spec | None = None,
        budget: int | None = None,
    ) -> JobInfo:
        """Extract in this process until everything is searchable; resumes what was begun.

        Vectors of names and partial triples are left to the worker, or to `encode`. `progress` is
        told after every slice. Where another process does the same, it is followed until it ends.
        """
        job = self.enqueue_extraction(collection, extractor, triples, model=model, budget=budget)
        return self.run(job, progress)

    def encode(
        self, collection: str, triples: str | None, progress: Progress = lambda job: None
    ) -> JobInfo:
        """Make all vectors of a collection and one triple set in this process, those of partial
        triples too.
        """
        row = self._store.collections.get(collection)
        check_here(row)
        set_ = self._store.collections.find_set(row.id, triples) if triples else None
        job = self._store.jobs.ensure("vectors", row.id, set_.id if set_ else None)
        return self.run(job.id, progress)

    def get(self, job_id: int) -> JobInfo:
        """A job. Raises Unknown."""
        return self._store.jobs.get(job_id)

    def recent(self, collection: str | None = None, limit: int = 20) -> list[JobInfo]:
        """The newest first, of one collection or of all."""
        row = None if collection is None else self._store.collections.get(collection)
        return self._store.jobs.recent(row.id if row else None, limit)

    def cancel(self, job_id: int) -> None:
        """Stop a job at once, or as soon as a question that is being answered is; what it made
        stays.
        """
        self._store.jobs.cancel(job_id)

    def failures(self, collection: str, triples: str) -> list[Failure]:
        """The passages that could not be extracted, and why."""
        row = self._store.collections.get(collection)
        set_ = self._store.collections.find_set(row.id, triples)
        return self._store.extractions.failures(set_.id) if set_ else []

    def shortfalls(self, collection: str, triples: str, limit: int = 100) -> list[Failure]:
        """The passages that failed, that gave no triples, or of whose reply not all could be used,
        in this order; those of one document and title are told apart by it.
        """
        row = self._store.collections.get(collection)
        set_ = self._store.collections.find_set(row.id, triples)
        found = self._store.extractions.shortfalls(set_.id, limit) if set_ else []
        passages = self._store.passages.by_key(row.id, [one.passage_key for one in found])
        labels = self._store.passages.labels([passage.id for passage in passages.values()])
        titles = {key: labels.get(passage.id) for key, passage in passages.items()}
        return [one._replace(title=titles.get(one.passage_key) or one.title) for one in found]

    def retry_empty(self, collection: str, triples: str) -> int:
        """Let the next extraction of a set try the passages again that gave no triples; how many
        there are.

        A language model is asked anew: its replies without triples are not kept.
        """
        row = self._store.collections.get(collection)
        set_ = self._store.collections.find_set(row.id, triples)
        return self._store.extractions.retry_empty(set_.id) if set_ else 0

    def worker_status(self) -> str:
        """`starting`, `ready`, `busy` or `not running`."""
        worker = self._worker()
        return worker.state if worker else "not running"

    def worker_doing(self) -> str:
        """What it computes, and since when, to go on from "the worker"; "" for nothing."""
        worker = self._worker()
        return worker.message if worker else ""

    def _worker(self) -> ProcessRow | None:
        last = self._store.processes.last("worker")
        # Seen in the future: the clock was set back since.
        return last if last and abs(time.time() - last.seen) < SILENT_S else None

    def begin(self, job: JobInfo) -> Job:
        """The work of a job, to be done in slices on this thread. Raises GearError as it cannot
        begin.
        """
        with self._finishing_job(job), asked_for(asked_at(job.created)):
            if job.kind == "extraction":
                budget = None if job.budget is None else Budget(job.budget, job.spent.taken)
                extractor = self._models.extractor(job.extractor, job.model, job.key_from, budget)
                return ExtractionJob(self._store, job, extractor, self._models.uncached_embedder)
            if job.kind == "import":
                return ImportJob(self._store, job, import_folder(self.connection, job.id))
            return VectorsJob(
                self._store, job, self._models.uncached_embedder, self._corpora.synonymy
            )

    def slice(self, job: JobInfo, work: Job) -> bool:
        """Do one slice of a claimed job and note how it goes; False when the job has ended."""
        with (
            suppress(Cancelled, KeyEnded, BudgetReached),
            self._finishing_job(job),
            _stop_on_error(work),
        ):
            self._check(job)
            with stoppable(lambda: self._check(job)), asked_for(asked_at(job.created)):
                more = work.slice()
            if more:
                return True
            ended = self._store.jobs.finish(job.id, self.connection.process, "done", work.summary())
            if ended:
                work.follow_up()
        return False

    def _check(self, job: JobInfo) -> None:
        if self._store.jobs.cancel_requested(job.id):
            raise Cancelled("Cancelled. What was done is kept.")
        # Not held any more, as after this process slept for longer than store.processes.STALE_S.
        if job.id not in self._store.jobs.held_ids(self.connection.process):
            raise Cancelled("Another process has taken this job over. What was done is kept.")

    def run(self, job_id: int, progress: Progress) -> JobInfo:
        """Do a job in this process, or follow who does it, until it has ended. Raises Deleted where
        its collection went meanwhile.
        """
        job = self._store.jobs.get(job_id)
        try:
            return self._done(job_id, progress)
        except GearError as error:
            if self._store.collections.by_id(job.collection_id) is not None:
                raise
            raise Deleted(
                job.collection,
                DOING.get(job.kind, f"its {job.kind} was under way"),
                "What was made of it is gone with it.",
            ) from error

    def _done(self, job_id: int, progress: Progress) -> JobInfo:
        """Where another process is quicker, or takes the job over meanwhile, it is followed.
        Interrupted from the keyboard, an import ends; other jobs are gone on with by others.
        """
        with self.connection.alive():
            try:
                while (job := self._claim(job_id, progress)).going:
                    work = self.begin(job)
                    while self.slice(job, work):
                        progress(self._store.jobs.get(job_id))
            except KeyboardInterrupt:
                if self._store.jobs.get(job_id).kind == "import":
                    self._store.jobs.finish(
                        job_id, self.connection.process, "cancelled", "Interrupted."
                    )
                raise
        return job

    def _claim(self, job_id: int, progress: Progress) -> JobInfo:
        """The job, once this process holds it or it has ended."""
        while not self._store.jobs.claim(job_id, self.connection.process):
            job = self._store.jobs.get(job_id)
            if not job.going:
                return job
            self.connection.report(
                f"Waiting for this {job.kind}: {at_work(job.process, job.since)}. Ctrl+C ends the"
                " waiting and nothing else."
            )
            progress(job)
            time.sleep(FOLLOWED_S)
        return self._store.jobs.get(job_id)

    @contextmanager
    def _finishing_job(self, job: JobInfo) -> Iterator[None]:
        """Store how a job ends that cannot go on. A killed process's job is resumed instead."""
        try:
            yield
        except GearError as error:
            state = _state(error)
            ended = self._store.jobs.finish(job.id, self.connection.process, state, str(error))
            if ended and state == "paused" and job.kind == "extraction":
                # Of what was extracted.
                self._store.jobs.ensure("vectors", job.collection_id, job.set_id)
            raise
        except Exception as bug:
            self._store.jobs.finish(
                job.id,
                self.connection.process,
                "failed",
                application_error(bug),
            )
            raise


def import_folder(connection: Connection, job_id: int) -> Path:
    """Where an import's uploads lie, and what was read of them. Raises Unknown."""
    return imports_folder(connection.path) / connection.store.imports.get(job_id).folder


@contextmanager
def _stop_on_error(work: Job) -> Iterator[None]:
    """However a job's slice is left before its end, what is under way is ended, and what came in is
    kept.
    """
    try:
        yield
    except BaseException:
        work.stop()
        raise


def _state(error: GearError) -> JobState:
    """How a job ends; "paused" where nothing is wrong and a new job goes on from there."""
    if isinstance(error, Cancelled):
        return "cancelled"
    return "paused" if isinstance(error, NotReady | BudgetReached) else "failed"
