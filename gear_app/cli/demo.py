"""The commands `demo` and `fetch`: the collections that come with the application, imported and
asked, and models of the hub, downloaded after a confirmation.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from gear_app.cli.options import JSON, command, flag, option
from gear_app.cli.output import Progress, emit, note, open_workspace, write
from gear_app.core.errors import BadInput
from gear_app.core.paths import DEMO, GARDEN, WALKTHROUGH, packaged_data
from gear_app.core.text import count
from gear_app.models.reader import TABLE_SIX
from gear_app.workspace.collections.service import USUAL

if TYPE_CHECKING:
    from gear_app.workspace.workspace import Workspace


DEMO_TRIPLES = "curated"
GARDEN_EVALUATED = ("hybrid", "chain", "gear", "gear:chain")


@command("demo", JSON, creates=True)
def demo(arguments: argparse.Namespace) -> int:
    """Make the collections walkthrough, garden and demo, or finish making them. What is there is
    kept.
    """
    workspace = open_workspace(arguments)
    _walkthrough(workspace)
    _garden(workspace)
    run = _demo(workspace)  # last: the newest run is then this one
    collection = asdict(workspace.collections.get(DEMO))
    return emit(
        arguments,
        {"workspace": str(workspace.path), "collection": collection, "run": run},
        f"The collections demo, garden and walkthrough are ready in {workspace.path}. Next:"
        " gear-app serve",
    )


def _demo(workspace: Workspace) -> str:
    """Import, extract, encode, answer the featured question, and pin its GEAR run; that run's id.

    Vectors of the local set's names and partial triples are left to the worker: they would take
    another minute.
    """
    folder, progress = packaged_data(DEMO), Progress().of_job
    note("Importing passages, questions and curated triples")
    workspace.imports.do(folder, DEMO)
    workspace.collections[DEMO].activate(DEMO_TRIPLES)
    note("Encoding the curated triples")
    workspace.jobs.encode(DEMO, DEMO_TRIPLES, progress)
    note("Extracting triples with the local extractor and encoding them")
    workspace.jobs.extract(DEMO, progress=progress)
    run = _compare(workspace, DEMO, DEMO_TRIPLES, "always", "with triples")
    # Judgements of failures; their runs are made when somebody wants to see them.
    workspace.annotations.import_lines(DEMO, _lines(folder / "annotations.jsonl"))
    return run


def _walkthrough(workspace: Workspace) -> None:
    """Import, and make GEAR's run of its Table 6 and runs that fail, each with its recorded
    replies and judged.
    """
    from gear_app.workspace.runs.request import RunRequest

    folder = packaged_data(WALKTHROUGH)
    note("Importing GEAR's own example, with runs that fail")
    workspace.imports.do(folder, WALKTHROUGH)
    workspace.jobs.encode(WALKTHROUGH, DEMO_TRIPLES, Progress().of_job)
    workspace.annotations.import_lines(WALKTHROUGH, _lines(folder / "annotations.jsonl"))
    table = RunRequest(_featured(folder), WALKTHROUGH, "gear", DEMO_TRIPLES, reader=TABLE_SIX)
    for request in (table, *workspace.annotations.requests(WALKTHROUGH)):
        if not workspace.runs.same(request):
            workspace.runner.ask(request)


def _garden(workspace: Workspace) -> None:
    """Import, extract, answer the featured question, pin its run, and measure a few methods."""
    # Imported where it is needed: it brings the measuring libraries, which take a second.
    from gear_app.evaluation.definition import Definition, define
    from gear_app.evaluation.service import EvaluationService

    note("Importing everyday documents and their questions")
    workspace.imports.do(packaged_data(GARDEN), GARDEN)
    note("Extracting their triples with the local extractor")
    workspace.jobs.extract(GARDEN, progress=Progress().of_job)
    _compare(workspace, GARDEN, None, "always")
    note(f"Evaluating {', '.join(GARDEN_EVALUATED)} on their questions")
    service = EvaluationService(workspace)
    evaluation = service.create(define(workspace, Definition(GARDEN, GARDEN_EVALUATED)), DEMO)
    service.start(evaluation)
    service.work(evaluation)


def _compare(workspace: Workspace, collection: str, triples: str | None, *when: str) -> str:
    """Ask the featured question by the methods that Compare begins with, the usual one last, and
    pin its run, unless somebody pinned another; that run's id.
    """
    from gear_app.methods import METHODS

    question = _featured(packaged_data(collection))
    note(f"Asking: {question}")
    names = [name for name, method in METHODS.items() if method.compared in when]
    runs_by_method = {
        (run.question, run.method): run.id
        for run in reversed(workspace.runs.recent(collection, limit=1000))
        if (run.owner, run.state, run.stale) == (DEMO, "done", False)
    }
    run = ""
    for name in sorted(names, key=USUAL.__eq__):
        run = runs_by_method.get((question, name), "")
        if not run:
            run = workspace.ask(question, collection, name, triples=triples, owner=DEMO).run
    first = workspace.store.runs.featured(workspace.collections.get(collection).id)
    if first is None or not first.pinned:
        workspace.runs.pin(run)
    return run


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n")


def _featured(folder: Path) -> str:
    """The question marked as featured, else the first."""
    questions = [json.loads(line) for line in _lines(folder / "questions.jsonl") if line.strip()]
    return str(next((q for q in questions if q.get("featured")), questions[0])["question"])


@command(
    "fetch",
    option("model", metavar="MODEL", help="its name on the hub, as owner/name"),
    flag("--yes", "download it without asking"),
    creates=None,
)
def fetch(arguments: argparse.Namespace) -> int:
    """Print the size of a download, ask, and download."""
    from gear_app.models.embedders import hub

    name = hub.whole_name(arguments.model)
    files, folder = hub.look_up(name), hub.cached_folder(name)
    if folder and all((folder / file).exists() for file in files):
        write(f"{name} is here already.")
        return 0
    size = sum(files.values()) / 1e6
    note(f"{name}: {size:,.0f} MB in {count(len(files), 'file')}, from the hub.")
    if not arguments.yes:
        if not sys.stdin.isatty():
            raise BadInput("Nothing was downloaded. Say --yes to download it.")
        if input("Download it? [y/N] ").strip().lower() not in ("y", "yes"):
            return 1
    hub.fetch(name, files)
    write(
        f"{name} is here. Name it as embedder=sentence-transformers:{name}, a ColBERT model as"
        f" embedder=colbert:{name}, a cross-encoder as cross_encoder={name}."
    )
    return 0
