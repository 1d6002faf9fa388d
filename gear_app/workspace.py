"""A workspace: one file, and everything that can be done with it.

`gear_app.open(path)` gives one. Opening loads no model; what a screen needs never does. The work is
done by its parts, each of which has a noun: `collections`, `curation`, `imports`, `runs`, `jobs`,
`costs`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Unpack

from gear_app.cluster.service import ClusterService
from gear_app.collections.curation import CurationService
from gear_app.collections.edit_steps import Edit, TripleChange, TripleDraft
from gear_app.collections.index_state import ArrayFiles, IndexService, IndexState
from gear_app.collections.service import CollectionService, is_markable, is_own
from gear_app.connection import Connection
from gear_app.corpus.corpora import Corpora
from gear_app.corpus.neighbourhood import Edge, Neighbourhood, Node
from gear_app.events import Emit, ignore
from gear_app.extract.difference import TripleDifference
from gear_app.ingest import NO_FIELDS, FileReport
from gear_app.jobs.imports import ImportService
from gear_app.jobs.service import JobService, Progress
from gear_app.llm.budget import Budget
from gear_app.llm.server import Spec
from gear_app.models import Models
from gear_app.paths import default_path
from gear_app.runs.annotations import AnnotationService
from gear_app.runs.bundle import Bundle
from gear_app.runs.costs import CostService, Estimate
from gear_app.runs.replay import ReplayResult
from gear_app.runs.request import EVALUATION, Options, RunFields, RunRequest
from gear_app.runs.runner import Answer, Runner
from gear_app.runs.service import RunService
from gear_app.runs.what_if import RunChange, RunVariant, WhatIfService
from gear_app.runs.why_not import Trial, WhyNotService
from gear_app.seams import Embedder, Extractor
from gear_app.store import Store
from gear_app.store.entities import EntityCount
from gear_app.store.events import StoredEvent
from gear_app.store.extractions import Failure
from gear_app.store.passages import DocumentRow
from gear_app.store.rows import CollectionInfo, JobInfo, RunInfo, Spent, TripleSetInfo
from gear_app.store.spending import CacheSize, Spending
from gear_app.store.triples import TriplesSince
from gear_app.suggestions import Suggestion
from gear_app.worker import Scheduler, Supervisor, Worker


class Workspace:
    """One workspace file, by its parts."""

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        embedder: Embedder | None = None,
        extractor: Extractor | None = None,
        create: bool = True,
    ) -> None:
        """Nothing is opened or loaded yet. `embedder` and `extractor` take the place of the
        built-in ones. `create`: a file that is not there is made when it is first used.
        """
        self.connection = Connection(path, create=create)
        self.models = Models(lambda: self.store, embedder, extractor)
        # Keys that are lent no more are forgotten at once.
        self.connection.on_beat = self.models.keys.refresh
        self.corpora = Corpora(lambda: self.store, self.models, self.path)
        self.collections = CollectionService(self.connection, self.corpora.remote)
        self.clusters = ClusterService(self.connection, self.models, self.corpora)
        self.indices = IndexService(self.connection, self.models)
        self.curation = CurationService(self.connection)
        self.jobs = JobService(self.connection, self.models, self.corpora)
        self.imports = ImportService(self.connection, self.jobs)
        self.runner = Runner(self.connection, self.models, self.corpora)
        self.runs = RunService(self.connection, self.runner)
        self.why_not = WhyNotService(self.runner)
        self.what_if = WhatIfService(self.runner)
        self.annotations = AnnotationService(self.connection, self.why_not)
        self.costs = CostService(self.connection, self.models)
        self._supervisor: Supervisor | None = None

    @property
    def path(self) -> Path:
        """The file."""
        return self.connection.path

    @property
    def store(self) -> Store:
        """This thread's store. Raises StoreFailed or NotReady."""
        return self.connection.store

    @property
    def read_only(self) -> bool:
        """Whether the file may not be written here."""
        return self.store.db.read_only

    def close(self) -> None:
        """Close this thread's store; it opens again when it is needed."""
        self.connection.close()

    def import_path(
        self,
        path: str | Path,
        collection: str,
        progress: Progress = lambda job: None,
        fields: Mapping[str, str] = NO_FIELDS,
    ) -> list[FileReport]:
        """Read a file or a folder into a collection, which is made if need be; what became of each
        file. Raises BadInput where there is nothing at the path.
        """
        return self.imports.path(path, collection, progress, fields)

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
        """Extract triples in this process until everything is searchable (jobs.extract)."""
        return self.jobs.extract(
            collection, extractor, triples, progress, model=model, budget=budget
        )

    def ask(
        self,
        question: str,
        collection: str,
        method: str,
        *,
        budget: int | Budget | None = None,
        emit: Emit = ignore,
        **fields: Unpack[RunFields],
    ) -> Answer:
        """Answer a question in this process; the run is stored with its events, also where it
        fails.

        Several runs can share a Budget. Raises BadInput or NotReady before anything is stored, and
        GearError as the run did.
        """
        shared = budget if isinstance(budget, Budget) else None
        tokens = None if isinstance(budget, Budget) else budget
        request = RunRequest(question, collection, method, budget=tokens, **fields)
        return self.runner.ask(request, emit, shared)

    def backup(self, path: str | Path) -> None:
        """Write a consistent copy of the workspace to another file, also while it is in use."""
        self.store.db.backup(Path(path))

    def scheduler(self) -> Scheduler:
        """What does the queued runs and jobs of this workspace, in this process."""
        return Scheduler(self.connection, self.runner, self.jobs, self.what_if)

    def worker(self, *, once: bool = False) -> Worker:
        """The worker of this workspace, to be this process. `once`: it ends when nothing waits."""
        return Worker(
            self.connection,
            self.scheduler(),
            load=lambda: self.models.uncached_embedder.embed([]),
            tidy=self.imports.tidy,
            once=once,
        )

    def ensure_worker(self) -> None:
        """See to it that the workspace has its worker, now and as long as this process lives;
        returns at once.

        `GEAR_WORKER=off` in the environment leaves it to the operator to start one.
        """
        if self._supervisor is None and os.environ.get("GEAR_WORKER") != "off":
            self._supervisor = Supervisor(self.path, lambda: self.store)
            self._supervisor.start()

    def release_worker(self) -> None:
        """Watch over the worker no longer; it ends by itself when nobody needs it."""
        if self._supervisor is not None:
            self._supervisor.stop()
            self._supervisor = None


__all__ = [
    "EVALUATION",
    "Answer",
    "ArrayFiles",
    "Bundle",
    "CacheSize",
    "CollectionInfo",
    "DocumentRow",
    "Edge",
    "Edit",
    "EntityCount",
    "Estimate",
    "Failure",
    "IndexState",
    "JobInfo",
    "Neighbourhood",
    "Node",
    "Options",
    "ReplayResult",
    "RunChange",
    "RunInfo",
    "RunRequest",
    "RunVariant",
    "Spending",
    "Spent",
    "StoredEvent",
    "Suggestion",
    "Trial",
    "TripleChange",
    "TripleDifference",
    "TripleDraft",
    "TripleSetInfo",
    "TriplesSince",
    "Workspace",
    "default_path",
    "is_markable",
    "is_own",
]
