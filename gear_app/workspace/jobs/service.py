"""Background jobs: asked for by a screen or a command, done by the worker or, slice by slice, in
this process.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from gear_app.core import demonstration
from gear_app.core.errors import (
    BadInput,
    Cancelled,
    GearError,
    NotReady,
    Refused,
    application_error,
)
from gear_app.core.paths import imports_folder
from gear_app.core.threads import check_stop, working
from gear_app.models.budget import Budget
from gear_app.models.errors import BudgetReached, KeyEnded
from gear_app.models.extractor import LLM_EXTRACTORS
from gear_app.models.server import Spec
from gear_app.store import Store
from gear_app.store.collections import check_here
from gear_app.store.extractions import Failure
from gear_app.store.processes import at_work
from gear_app.store.rows import JobInfo, Progress, asked_at
from gear_app.workspace.collections.importer import import_slices
from gear_app.workspace.connection import Connection, Service
from gear_app.workspace.corpus.corpora import Corpora
from gear_app.workspace.corpus.vectors import compare_names, encode_missing, keep_mentions
from gear_app.workspace.jobs.extraction import LOOKED_AT_ONCE, ExtractionJob
from gear_app.workspace.models import Models, spec_for

Slices = Generator[Progress, None, None]
OnProgress = Callable[[JobInfo], None]
FOLLOWED_S = 0.2
PARTS = "{0.subject} {0.predicate}", "{0.predicate} {0.object}"  # of a triple
Rows = Callable[[int, int, int], Sequence[Any]]  # of an owner, after an id, so many


class JobService(Service):
    """A workspace's background jobs."""

    def __init__(self, connection: Connection, models: Models, corpora: Corpora) -> None:
        super().__init__(connection)
        self._models, self._corpora = models, corpora
        self._workers: int | str = 1  # that extract at once

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
            set_ = self._store.collections.ensure_set(row.id, triples or extractor, extractor)
            job = self._store.tasks.ensure(
                "extraction",
                row.id,
                set_.id,
                extractor=extractor,
                owner=owner,
                total=self._store.passages.counts(row.id)["passages"],
                model=spec.to_json() if spec else "",
                key_from=spec.key_from if spec else "",
                budget=budget,
            )
            self._store.extractions.retry(set_.id)
        return job.id

    def extract(
        self,
        collection: str,
        extractor: str = "local",
        triples: str | None = None,
        progress: OnProgress = lambda job: None,
        *,
        model: Spec | None = None,
        budget: int | None = None,
        workers: int | str = 1,
    ) -> JobInfo:
        """Extract in this process until everything is searchable; resumes what was begun. Passages
        are read by so many processes, or on the Ray cluster at this address, where no language
        model does it.

        Vectors of names and partial triples are left to the worker, or to `encode`. `progress` is
        called after every slice. Where another process does the same, it is followed until it ends.
        Raises BadInput for a language model's extractor on a Ray cluster.
        """
        if isinstance(workers, str) and extractor in LLM_EXTRACTORS:
            raise BadInput("A language model is asked from here: its key is not sent to a cluster.")
        job = self.enqueue_extraction(collection, extractor, triples, model=model, budget=budget)
        self._workers = workers
        return self.run(job, progress)

    def encode(
        self, collection: str, triples: str | None, progress: OnProgress = lambda job: None
    ) -> JobInfo:
        """Make all vectors of a collection and one triple set in this process, those of partial
        triples too.
        """
        row = self._store.collections.get(collection)
        check_here(row)
        set_id = self._set_id(collection, triples) or None
        return self.run(self._store.tasks.ensure("vectors", row.id, set_id).id, progress)

    def recent(self, collection: str | None = None, limit: int = 20) -> list[JobInfo]:
        """The newest first, of one collection or of all."""
        id_ = self._store.collections.get(collection).id if collection else None
        return self._store.tasks.jobs(id_, limit)

    def cancel(self, job_id: int) -> None:
        """Stop a job at once, or as soon as a question that is being answered is; what it made
        stays. Raises Refused in a demonstration.
        """
        if self.connection.restricted:
            raise Refused(demonstration.WAY_OUT)
        self._store.tasks.cancel(job_id)

    def shortfalls(self, collection: str, triples: str, limit: int = 100) -> list[Failure]:
        """The passages that failed, that gave no triples, or of whose reply not all could be used,
        in this order; those of one document and title are told apart by it.
        """
        failures = self._store.extractions.shortfalls(self._set_id(collection, triples), limit)
        labels = self._store.passages.labels(failure.passage_id for failure in failures)
        return [
            failure._replace(title=labels.get(failure.passage_id, failure.title))
            for failure in failures
        ]

    def retry_empty(self, collection: str, triples: str) -> int:
        """Let the next extraction of a set try the passages again that gave no triples; how many
        there are.

        A language model is asked anew: its replies without triples are not kept.
        """
        return self._store.extractions.retry(self._set_id(collection, triples), empty=True)

    def _set_id(self, collection: str, triples: str | None) -> int:
        row = self._store.collections.get(collection)
        set_ = self._store.collections.find_set(row.id, triples)
        return set_.id if set_ else 0  # it is not made yet

    def work(self, job: JobInfo) -> Slices:
        """Do a claimed job on this thread, slice by slice, and store its progress and its end. A
        killed process's job is resumed by the next.

        Raises GearError as the job does, but not where it was stopped, or where it may not go on:
        then it is paused, and a new job goes on from there.
        """
        tasks, began, first = self._store.tasks, time.monotonic(), job.done
        message = job.message
        try:
            with closing(self._slices(job)) as slices:
                while True:
                    with working(check=partial(tasks.check, job), asked_at=asked_at(job.created)):
                        check_stop()
                        progress = next(slices, None)
                    if progress is None:
                        break
                    rate = (progress.done - first) / (time.monotonic() - began)
                    tasks.show(job, rate=rate, **progress._asdict())
                    message = progress.message
                    yield progress
        except Cancelled as error:
            tasks.finish(job, "cancelled", str(error))
        except (NotReady, BudgetReached) as error:
            if tasks.finish(job, "paused", str(error)) and job.kind == "extraction":
                # Of what was extracted.
                tasks.ensure("vectors", job.collection_id or 0, job.set_id)
            if not isinstance(error, KeyEnded | BudgetReached):
                raise
        except Exception as error:
            words = str(error) if isinstance(error, GearError) else application_error(error)
            tasks.finish(job, "failed", words)
            raise
        else:
            if tasks.finish(job, "done", message) and job.kind == "import":
                # What was only needed to read.
                shutil.rmtree(import_folder(self.connection.path, job), ignore_errors=True)

    def _slices(self, job: JobInfo) -> Slices:
        store, embedder = self._store, self._models.embedder.inner
        if job.kind == "import":
            yield from import_slices(store, job, import_folder(self.connection.path, job))
        elif job.kind == "vectors":
            yield from self._vectors(job, job.collection_id or 0, job.set_id or 0)
        else:
            budget = None if job.budget is None else Budget(job.budget, job.spent.taken)
            extractor = self._models.extractor(job.extractor, job.model, job.key_from, budget)
            yield from ExtractionJob(store, job, extractor, embedder, self._workers).slices()

    def _vectors(self, job: JobInfo, collection: int, set_id: int) -> Slices:
        """Vectors of all that methods and readers compare, where they are missing: passages first,
        then their sentences, the triples, partial triples and names; again where more came in
        meanwhile.

        Then the names of the collection, those of other sets too, are compared with each other:
        which of them mean the same (HippoRAG, GRIEVER); and the arrays are made that a first
        question needs.
        """
        store, embedder = self._store, self._models.embedder.inner
        sources: list[tuple[Rows, int, tuple[str, ...]]] = [
            (store.passages.after, collection, ("{0.indexed}",)),
            (store.mentions.after, collection, ("{0.text}",)),
            (store.triples.after, set_id, ("{0.text}",)),
            (store.triples.after, set_id, PARTS),
        ]
        texts = names = 0
        while texts + names < (total := _number_of_texts(store, collection, set_id)):
            texts = 0
            for number, (rows_after, owner, forms) in enumerate(sources):
                while number == 1 and keep_mentions(store, collection):
                    yield Progress(texts, total, "Finding what the passages name")
                last = 0
                while rows := rows_after(owner, last, LOOKED_AT_ONCE):
                    last = rows[-1].id
                    needed = [form.format(row) for row in rows for form in forms]
                    for _ in encode_missing(store, embedder, needed):
                        yield Progress(texts, max(texts, total), f"Vectors of {texts:,} texts")
                    texts += len(needed)
                    yield Progress(texts, max(texts, total), f"Vectors of {texts:,} texts")
            last, names = store.entities.counts(collection)
            for left, next_step in compare_names(
                *(store, self._corpora.folder, embedder), collection, last
            ):
                yield Progress(texts + names - left, total, next_step)
        for next_step in self._corpora.prepare(collection, set_id):
            yield Progress(total, total, next_step)
        pairs = len(store.synonyms.pairs(collection, embedder.fingerprint))
        synonyms = f", and {pairs:,} synonyms among {names:,} names" if names else ""
        yield Progress(total, total, f"Vectors of {texts:,} texts are there{synonyms}.")

    def run(self, job_id: int, progress: OnProgress) -> JobInfo:
        """Do a job in this process, or follow the process that does it, until it has ended.
        Interrupted from the keyboard, the job ends.
        """
        tasks = self._store.tasks
        with self.connection.alive():
            try:
                while (job := tasks.job(job_id)).going:
                    if tasks.claim(job_id, self.connection.process):
                        job = tasks.job(job_id)
                        with closing(self.work(job)) as work:  # no call goes on after Ctrl+C
                            for _ in work:
                                progress(tasks.job(job_id))
                    else:
                        self.connection.report(
                            f"Waiting for this {job.kind}: {at_work(job.process, job.started)}."
                            " Ctrl+C ends the waiting and nothing else."
                        )
                        progress(job)
                        time.sleep(FOLLOWED_S)
            except KeyboardInterrupt:
                tasks.finish(job, "cancelled", "Interrupted.")
                raise
        return job


def import_folder(workspace: Path, job: JobInfo) -> Path:
    """The folder of an import's uploads, and of the batches that were read."""
    return imports_folder(workspace) / str(job.request["folder"])


def _number_of_texts(store: Store, collection: int, set_id: int) -> int:
    sentences, _ = store.mentions.counts(collection)
    texts: int = store.passages.counts(collection)["passages"] + sentences
    return texts + 3 * store.triples.count(set_id) + store.entities.counts(collection)[1]
