"""A workspace: one file, and everything that can be done with it.

`gear_app.open(path)` gives one. Opening loads no model; what a screen needs never does. The work is
done by its parts, each of which has a noun: `collections`, `curation`, `imports`, `runs`, `jobs`,
`costs`. A part, and what it imports, is made when it is first used.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from functools import cached_property
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from gear_app.trace.events import Emit, ignore
from gear_app.workspace.connection import Connection

if TYPE_CHECKING:
    from gear_app.core.protocols import Embedder, Extractor
    from gear_app.documents.items import FileReport
    from gear_app.models.budget import Budget
    from gear_app.models.server import Spec
    from gear_app.store import Store
    from gear_app.store.rows import JobInfo
    from gear_app.workspace.collections.curation import CurationService
    from gear_app.workspace.collections.service import CollectionService
    from gear_app.workspace.corpus.clusters import ClusterService
    from gear_app.workspace.corpus.corpora import Corpora
    from gear_app.workspace.jobs.imports import ImportService
    from gear_app.workspace.jobs.service import JobService, OnProgress
    from gear_app.workspace.models import Models
    from gear_app.workspace.runs.annotations import AnnotationService
    from gear_app.workspace.runs.costs import CostService
    from gear_app.workspace.runs.rerun import RerunService
    from gear_app.workspace.runs.runner import Runner
    from gear_app.workspace.runs.service import Answer, RunService
    from gear_app.workspace.runs.why_not import WhyNotService
    from gear_app.workspace.worker import Scheduler, Supervisor, Worker

P = TypeVar("P")


class WorkspacePart(cached_property[P]):
    """A part of a workspace, made when it is first used: once, whichever thread comes first."""

    def __get__(self, workspace: Workspace, owner: type[Workspace] | None = None) -> P:  # type: ignore[override]
        with workspace.making:
            return super().__get__(workspace, owner)


def _part(place: str, *needs: Callable[[Workspace], Any]) -> Any:  # noqa: ANN401
    """The part of this class, "module:Name", which is imported with it, over what it needs."""
    module, name = place.split(":")

    def make(workspace: Workspace) -> object:
        kind = getattr(import_module(f"gear_app.workspace.{module}"), name)
        return kind(*(need(workspace) for need in needs))

    return WorkspacePart(make)


_connection = attrgetter("connection")
_models, _corpora, _jobs = attrgetter("models"), attrgetter("corpora"), attrgetter("jobs")


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
        """`embedder` and `extractor` take the place of the built-in ones. `create`: a file that is
        not there is made when it is first used.
        """
        self.connection = Connection(path, create=create)
        self.making = threading.RLock()  # held while a part is made
        self._embedder, self._extractor = embedder, extractor
        self._supervisor: Supervisor | None = None

    # Every embedder, extractor and reader; what runs compute on.
    models: Models = _part(
        "models:Models", lambda w: lambda: w.store, lambda w: w._embedder, lambda w: w._extractor
    )
    corpora: Corpora = _part(
        "corpus.corpora:Corpora", lambda w: lambda: w.store, _models, attrgetter("path")
    )
    # Collections with their documents, passages, triples and questions; those in a cluster; their
    # corrections of triples by hand.
    collections: CollectionService = _part(
        "collections.service:CollectionService", _connection, lambda w: lambda: w.corpora.remote
    )
    clusters: ClusterService = _part(
        "corpus.clusters:ClusterService", _connection, _models, _corpora
    )
    curation: CurationService = _part("collections.curation:CurationService", _connection)
    # Background jobs; files and folders that come in.
    jobs: JobService = _part("jobs.service:JobService", _connection, _models, _corpora)
    imports: ImportService = _part("jobs.imports:ImportService", _connection, _jobs)
    # What makes runs in this process; stored runs, and those to be made; why they miss a passage;
    # runs made again; labels of people; prices, estimates and spending.
    runner: Runner = _part("runs.runner:Runner", _connection, _models, _corpora)
    runs: RunService = _part("runs.service:RunService", _connection)
    why_not: WhyNotService = _part("runs.why_not:WhyNotService", _connection)
    reruns: RerunService = _part("runs.rerun:RerunService", attrgetter("runner"))
    annotations: AnnotationService = _part(
        "runs.annotations:AnnotationService", _connection, attrgetter("why_not")
    )
    costs: CostService = _part("runs.costs:CostService", _connection)

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
        """Whether nothing but runs can be stored here: the file may not be written, or it is a
        demonstration.
        """
        return self.store.db.read_only or self.connection.restricted

    def close(self) -> None:
        """Close this thread's store; it opens again when it is needed."""
        self.connection.close()

    def import_path(
        self,
        path: str | Path,
        collection: str,
        progress: OnProgress = lambda job: None,
        fields: Mapping[str, str] = MappingProxyType({}),
    ) -> list[FileReport]:
        """Read a file or a folder into a collection, which is made if need be; what became of each
        file. Raises BadInput where there is nothing at the path.
        """
        return self.imports.do(Path(path), collection, progress, fields)

    def extract(
        self,
        collection: str,
        extractor: str = "local",
        triples: str | None = None,
        progress: OnProgress = lambda job: None,
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
        **fields: Any,  # noqa: ANN401
    ) -> Answer:
        """Answer a question in this process; the run is stored with its events, also where it
        fails. `fields` are those of RunRequest.

        Several runs can share a Budget. Whoever calls this has all rights, unless `rights` says
        otherwise. Raises BadInput or NotReady before anything is stored, and
        GearError as the run did.
        """
        from gear_app.models.budget import Budget
        from gear_app.workspace.runs.request import ALL_RIGHTS, RunRequest

        fields.setdefault("rights", ALL_RIGHTS)
        shared = budget if isinstance(budget, Budget) else None
        tokens = None if isinstance(budget, Budget) else budget
        request = RunRequest(question, collection, method, budget=tokens, **fields)
        return self.runner.ask(request, emit, shared)

    def scheduler(self) -> Scheduler:
        """Scheduler of the queued runs and jobs of this workspace, in this process."""
        from gear_app.workspace.worker import Scheduler

        return Scheduler(self.connection, self.runner, self.jobs)

    def worker(self, *, once: bool = False) -> Worker:
        """The worker of this workspace, to be this process. `once`: it ends when nothing waits."""
        from gear_app.workspace.worker import Worker

        return Worker(
            self.connection,
            self.scheduler(),
            load=lambda: self.models.embedder.embed([]),
            tidy=self.imports.tidy,
            once=once,
        )

    def ensure_worker(self) -> None:
        """See to it that the workspace has its worker, now and as long as this process lives;
        returns at once.

        `GEAR_WORKER=off` in the environment leaves it to the operator to start one.
        """
        if self._supervisor is None and os.environ.get("GEAR_WORKER") != "off":
            from gear_app.workspace.worker import Supervisor

            self._supervisor = Supervisor(self.path, lambda: self.store)
            self._supervisor.start()
