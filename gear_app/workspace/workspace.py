"""A workspace: one file, and everything that can be done with it.

`gear_app.open(path)` gives one. Opening loads no model; what a screen needs never does. The work is
done by its parts, each of which has a noun: `collections`, `imports`, `runs`, `jobs`, `costs`; what
belongs to one collection is bound to it, as in `workspace.collections["demo"].passages("harbour")`.
"""

from __future__ import annotations

import os
import threading
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gear_app.trace.events import Emit, ignore
from gear_app.workspace.connection import Connection

if TYPE_CHECKING:
    from gear_app.core.protocols import Embedder, Extractor
    from gear_app.workspace.collections.service import CollectionService
    from gear_app.workspace.corpus.corpora import Corpora
    from gear_app.workspace.corpus.remote import RemoteIndices
    from gear_app.workspace.jobs.imports import ImportService
    from gear_app.workspace.jobs.service import JobService
    from gear_app.workspace.models import Models
    from gear_app.workspace.runs.annotations import AnnotationService
    from gear_app.workspace.runs.costs import CostService
    from gear_app.workspace.runs.rerun import RerunService
    from gear_app.workspace.runs.runner import Runner
    from gear_app.workspace.runs.service import Answer, RunService
    from gear_app.workspace.worker import Supervisor, Worker


class Part(cached_property[Any]):
    """A part of a workspace, made when it is first used: once, whichever thread comes first."""

    def __get__(self, workspace: Workspace, owner: type[Workspace] | None = None) -> object:  # type: ignore[override]
        with workspace.making:
            return super().__get__(workspace, owner)


def _part(module: str, name: str, *needs: str) -> Any:  # noqa: ANN401
    """The part of this class, which is imported with it, over the connection and other parts."""

    def make(workspace: Workspace) -> object:
        kind = getattr(import_module(f"gear_app.workspace.{module}"), name)
        return kind(workspace, *(getattr(workspace, need) for need in needs))

    return Part(make)


class Workspace(Connection):
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
        super().__init__(path, create=create)
        self.making = threading.RLock()  # held while a part is made
        self.embedder, self.extractor = embedder, extractor
        self._supervisor: Supervisor | None = None

    # Every embedder, extractor and reader; what runs compute on.
    models: Models = _part("models", "Models", "embedder", "extractor")
    corpora: Corpora = _part("corpus.corpora", "Corpora", "models")
    # Collections with their documents, passages, triples, questions and corrections by hand; those
    # in a cluster.
    collections: CollectionService = _part("collections.service", "CollectionService", "remote")
    # Background jobs; files and folders that come in.
    jobs: JobService = _part("jobs.service", "JobService", "models", "corpora")
    imports: ImportService = _part("jobs.imports", "ImportService", "jobs")
    # What makes runs in this process; stored runs, and those to be made; why they miss a passage;
    # runs made again; labels of people; prices, estimates and spending.
    runner: Runner = _part("runs.runner", "Runner", "models", "corpora")
    runs: RunService = _part("runs.service", "RunService")
    reruns: RerunService = _part("runs.rerun", "RerunService", "runner")
    annotations: AnnotationService = _part("runs.annotations", "AnnotationService", "reruns")
    costs: CostService = _part("runs.costs", "CostService")

    def remote(self) -> RemoteIndices:
        """The indices of collections that are in a cluster."""
        return self.corpora.remote

    @property
    def read_only(self) -> bool:
        """Whether nothing but runs can be stored here: the file may not be written, or it is a
        demonstration.
        """
        return self.store.db.read_only or self.restricted

    def ask(
        self,
        question: str,
        collection: str,
        method: str,
        *,
        emit: Emit = ignore,
        **fields: Any,  # noqa: ANN401
    ) -> Answer:
        """Answer a question in this process (Runner.ask). `fields` are those of RunRequest; whoever
        calls this has all rights, unless `rights` says otherwise.
        """
        from gear_app.workspace.runs.request import ALL_RIGHTS, RunRequest

        fields = {"rights": ALL_RIGHTS, **fields}
        return self.runner.ask(RunRequest(question, collection, method, **fields), emit)

    def worker(self) -> Worker:
        """A worker of this workspace, which does its queued runs and jobs in this process."""
        from gear_app.workspace.worker import Worker

        return Worker(self, self.runner, self.jobs, self.imports)

    def ensure_worker(self) -> None:
        """See to it that the workspace has its worker, now and as long as this process lives;
        returns at once.

        `GEAR_WORKER=off` in the environment leaves it to the operator to start one.
        """
        if self._supervisor is None and os.environ.get("GEAR_WORKER") != "off":
            from gear_app.workspace.worker import Supervisor

            self._supervisor = Supervisor(self)
            self._supervisor.start()
