"""What-ifs over the demo collection: the changes that its runs can be given, and whether their
reruns are the runs that somebody makes with them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from gear_app.display.settings import BASE, dials
from gear_app.models.embedders.local import HashingEmbedder
from gear_app.store.rows import RunInfo
from gear_app.workspace.runs.request import request_of
from gear_app.workspace.runs.rerun import RerunService, RunChange
from gear_app.workspace.runs.service import Answer, RunService
from gear_app.workspace.workspace import Workspace
from tests.demo import DEMO

SEARCHES = ("hybrid", "chain", "sync_ge", "hipporag", "griever")
LOOPS = ("gear", "ircot:sync_ge", "bdtr")  # over such searches, and ten times as long


def demo_workspace(folder: Path) -> Workspace:
    """The demo collection with its curated triples and hashed vectors."""
    workspace = Workspace(folder / "workspace.db", embedder=HashingEmbedder())
    workspace.imports.do(DEMO, "demo")
    return workspace


def asked(workspace: Workspace, method: str, apart: int = 1) -> Iterator[RunInfo]:
    """A run of every question of the demo collection, or of every second, third …"""
    for question in workspace.collections["demo"].questions()[::apart]:
        yield workspace.runs.get(workspace.ask(question.question, "demo", method).run)


def stops(run: RunInfo) -> dict[str, list[str]]:
    """The values that each setting of a run can be turned to besides its own, by name."""
    return {dial.name: [stop for stop in dial.stops if stop != dial.now] for dial in dials(run)}


def change_of(turned: Mapping[str, str]) -> RunChange:
    """The change that makes these settings, by name; BASE is among them."""
    settings = {name: value for name, value in turned.items() if name != BASE}
    return RunChange(settings, turned.get(BASE, ""))


def singly(run: RunInfo) -> list[RunChange]:
    """Every stop as a change of its own."""
    return [change_of({name: value}) for name, of in stops(run).items() for value in of]


def together(run: RunInfo) -> list[RunChange]:
    """Changes of several settings at once, with every stop among them. A base goes alone, since
    another one has other settings.
    """
    turned = stops(run)
    alone = [change_of({BASE: base}) for base in turned.pop(BASE, [])]
    mixed = [
        {name: of[(row + place) % len(of)] for place, (name, of) in enumerate(turned.items())}
        for row in range(max(map(len, turned.values())))
    ]
    return [change_of(values) for values in mixed] + alone


def differing(
    workspace: Workspace, run: RunInfo, changes: Sequence[RunChange]
) -> list[tuple[str, RunChange]]:
    """The changes whose rerun is not the run that somebody makes with them, event by event; each
    after the question.
    """
    return [
        (run.question, change)
        for change in changes
        if workspace.reruns.rerun(run.id, change)
        != [*workspace.runner.ask(change.applied(request_of(workspace.runs.get(run.id)))).events]
    ]


def drafted(service: RerunService, run: str, change: RunChange, **_: object) -> Answer:
    """A draft as if a worker made it while the page waits."""
    answer = RunService(service.connection).answer(run)
    return replace(answer, events=tuple(service.rerun(run, change)))
