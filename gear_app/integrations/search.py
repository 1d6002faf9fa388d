"""A collection asked by a method: the passages of each question, as plain values."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from gear_app.core.errors import NotReady
from gear_app.integrations import APP
from gear_app.workspace.collections.service import first_method
from gear_app.workspace.runs.request import ALL_RIGHTS, RunRequest
from gear_app.workspace.workspace import Workspace

NO_SETTINGS: Mapping[str, str | int | float | bool] = MappingProxyType({})


class FoundPassage(NamedTuple):
    """A line of a ranking with its text; the rank is from 1. `address` is where a person sees how
    it was found, "" where the run was not stored.
    """

    key: str
    title: str
    text: str
    score: float
    rank: int
    address: str

    @property
    def metadata(self) -> dict[str, Any]:
        """All but the text, by name, as frameworks keep it beside the text."""
        return {name: value for name, value in self._asdict().items() if name != "text"}


class PassageSearch:
    """Asks one collection of a workspace, one question at a time, from any thread."""

    def __init__(
        self,
        workspace: Workspace | str | Path | None,
        collection: str,
        method: str = "",
        *,
        k: int = 10,
        settings: Mapping[str, str | int | float | bool] = NO_SETTINGS,
        store: bool = True,
        app: str = APP,
    ) -> None:
        """The collection is looked up, and nothing loaded yet. Raises Unknown, and NotReady where
        there is no workspace.

        A workspace is one that is open, its file, or None for the usual one. The method "" is the
        one that the collection is asked by on the screen. Without `store` no run is kept.
        """
        if not isinstance(workspace, Workspace):
            workspace = Workspace(workspace, create=False)
        self._workspace = workspace
        info = self._workspace.collections.get(collection)
        self._collection, self._method = info.name, method or first_method(info)
        self._k, self._settings, self._store = k, dict(settings), store
        self._app = app.rstrip("/")
        self._turn = threading.Lock()

    def ask(self, question: str) -> list[FoundPassage]:
        """The first k passages for a question, best first. Raises GearError."""
        request = RunRequest(
            question,
            self._collection,
            self._method,
            settings=self._settings,
            k=self._k,
            rights=ALL_RIGHTS,  # the settings come from the calling program
        )
        runner, address = self._workspace.runner, ""
        with self._turn:
            if self._store:
                answer = runner.ask(request)
                ranking, address = answer.ranking, f"{self._app}/explore?run={answer.run}"
            else:
                ranking = runner.rank(request)
            first = ranking[: request.k]
            ids = [line.id for line in first]
            passages = self._workspace.store.passages.with_ids(ids)
            labels = self._workspace.store.passages.labels(ids)
        return [
            FoundPassage(
                key=line.key,
                title=labels.get(line.id) or line.name,
                text=passages[line.id].text if line.id in passages else "",
                score=line.score,
                rank=rank,
                address=f"{address}#{line.id}" if address else "",
            )
            for rank, line in enumerate(first, start=1)
        ]


def missing(package: str, extra: str) -> NotReady:
    """Error of a file of a framework whose package is not installed."""
    return NotReady(f"{package} is not installed. Run: pip install 'gear-app[{extra}]'")
