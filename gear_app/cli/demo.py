"""The command `demo`: the collections that come with the application, imported and asked."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from gear_app.cli.options import Commands, add_command
from gear_app.cli.output import Progress, note, open_workspace, write, write_json
from gear_app.core.paths import DEMO, GARDEN, WALKTHROUGH, packaged_data
from gear_app.models.reader import TABLE_SIX
from gear_app.workspace.collections.first_method import USUAL

if TYPE_CHECKING:
    from gear_app.workspace.workspace import Workspace

DEMO_TRIPLES = "curated"
GARDEN_EVALUATED = ("hybrid", "chain", "gear", "gear:chain")


def add_to(commands: Commands) -> None:
    """Add `demo`."""
    add_command(commands, "demo", demo, json=True, creates=True)


def demo(arguments: argparse.Namespace) -> int:
    """Make the collections walkthrough, garden and demo, or finish making them."""
    workspace = open_workspace(arguments)
    _make_walkthrough(workspace)
    _make_garden(workspace)
    run = _make_demo(workspace)  # last: the newest run is then this one
    if arguments.json:
        collection = asdict(workspace.collections.get(DEMO))
        write_json({"workspace": str(workspace.path), "collection": collection, "run": run})
    else:
        write(
            f"The collections demo, garden and walkthrough are ready in {workspace.path}. Next:"
            " gear-app serve"
        )
    return 0


def _make_demo(workspace: Workspace) -> str:
    """Import, extract, encode, answer the featured question, and pin its GEAR run; that run's id.
    What is there is kept.

    Vectors of the local set's names and partial triples are left to the worker: they would take
    another minute.
    """
    folder, progress = packaged_data(DEMO), Progress().of_job
    note("Importing passages, questions and curated triples")
    workspace.import_path(folder, DEMO)
    workspace.collections.activate(DEMO, DEMO_TRIPLES)
    note("Encoding the curated triples")
    workspace.jobs.encode(DEMO, DEMO_TRIPLES, progress)
    note("Extracting triples with the local extractor and encoding them")
    workspace.extract(DEMO, progress=progress)
    question = _featured(folder)
    note(f"Asking: {question}")
    # Compare begins with these runs.
    run = [_run(workspace, question, method) for method in _compared("always", "with triples")][-1]
    _pin(workspace, DEMO, run)
    # Judgements of failures; their runs are made when somebody wants to see them.
    judged = (folder / "annotations.jsonl").read_text(encoding="utf-8")
    workspace.annotations.import_lines(DEMO, judged.split("\n"))
    return run


def _make_walkthrough(workspace: Workspace) -> None:
    """Import, and make GEAR's run of its Table 6 and runs that fail, each with its recorded
    replies and judged. What is there is kept.
    """
    from gear_app.workspace.runs.request import RunRequest

    folder = packaged_data(WALKTHROUGH)
    note("Importing GEAR's own example, with runs that fail")
    workspace.import_path(folder, WALKTHROUGH)
    workspace.jobs.encode(WALKTHROUGH, DEMO_TRIPLES, Progress().of_job)
    judged = (folder / "annotations.jsonl").read_text(encoding="utf-8")
    workspace.annotations.import_lines(WALKTHROUGH, judged.split("\n"))
    table = RunRequest(_featured(folder), WALKTHROUGH, "gear", DEMO_TRIPLES, reader=TABLE_SIX)
    for request in (table, *workspace.annotations.requests(WALKTHROUGH)):
        if not workspace.runs.same(request):
            workspace.runner.ask(request)


def _make_garden(workspace: Workspace) -> None:
    """Import, extract, answer the featured question, and pin its run. What is there is kept."""
    folder = packaged_data(GARDEN)
    note("Importing everyday documents and their questions")
    workspace.import_path(folder, GARDEN)
    note("Extracting their triples with the local extractor")
    workspace.extract(GARDEN, progress=Progress().of_job)
    question = _featured(folder)
    note(f"Asking: {question}")
    # Everyday documents, on which chain is at home.
    run = [_run(workspace, question, method, GARDEN, None) for method in _compared("always")][-1]
    _pin(workspace, GARDEN, run)
    _evaluate(workspace)


def _compared(*when: str) -> list[str]:
    """Names of the methods that Compare begins with, GEAR last."""
    from gear_app.methods import METHODS

    names = [name for name, method in METHODS.items() if method.compared in when]
    return sorted(names, key=USUAL.__eq__)


def _evaluate(workspace: Workspace) -> None:
    """Measure a few methods on the garden's questions, so that Evaluate has something to show."""
    # Imported where it is needed: it brings the measuring libraries, which take a second.
    from gear_app.evaluation.definition import define
    from gear_app.evaluation.service import EvaluationService

    note(f"Evaluating {', '.join(GARDEN_EVALUATED)} on their questions")
    service = EvaluationService(workspace)
    evaluation = service.create(define(workspace, GARDEN, GARDEN_EVALUATED), DEMO)
    service.start(evaluation)
    service.work(evaluation)


def _pin(workspace: Workspace, collection: str, run: str) -> None:
    """Let the collection open with this run, unless somebody pinned another."""
    first = workspace.runs.featured(collection)
    if first is None or not first.pinned:
        workspace.runs.pin(run)


def _run(
    workspace: Workspace,
    question: str,
    method: str,
    collection: str = DEMO,
    triples: str | None = DEMO_TRIPLES,
) -> str:
    """The demo's own run of the question, if nothing has changed since; else a new one."""
    key = question, method, DEMO, "done", False
    for run in workspace.runs.recent(collection, limit=1000):
        if (run.question, run.method, run.owner, run.state, run.stale) == key:
            return run.id
    return workspace.ask(question, collection, method, triples=triples, owner=DEMO).run


def _featured(folder: Path) -> str:
    """The question marked as featured, else the first."""
    lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line) for line in lines if line.strip()]
    return str(next((q for q in questions if q.get("featured")), questions[0])["question"])
