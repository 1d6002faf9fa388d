"""The commands about what is in a workspace: `import`, `extract`, `collections`, `questions` and
`demo`.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from gear_app.cli import clusters, prices
from gear_app.cli.output import (
    Progress,
    exit_status,
    note,
    open_workspace,
    public,
    write,
    write_json,
    write_table,
)
from gear_app.errors import BadInput
from gear_app.extract import LLM_EXTRACTORS
from gear_app.ingest import FileReport
from gear_app.llm.server import Spec
from gear_app.paths import packaged_data
from gear_app.runs.bundle_import import carries_bundle, told
from gear_app.store.rows import UnfinishedImport
from gear_app.text import count
from gear_app.workspace import CollectionInfo, JobInfo, Workspace

DEMO = "demo"
DEMO_TRIPLES = "curated"
# What Compare begins with.
DEMO_METHODS = ("hybrid", "chain", "hipporag", "griever", "ircot", "gear")
GARDEN = "garden"  # everyday documents, on which chain is at home
GARDEN_METHODS = ("hybrid", "chain")
GARDEN_EVALUATED = ("hybrid", "chain", "gear", "gear:chain")


def import_(arguments: argparse.Namespace) -> int:
    """Import, finish an import, or undo one; 1 if no file of it could be used.

    A file that was imported before counts as used.
    """
    workspace = open_workspace(arguments)
    if arguments.undo is not None:
        workspace.imports.undo(arguments.undo)
        write(f"Import {arguments.undo} is undone: what it had stored was taken out again.")
        return 0
    if arguments.path and carries_bundle(Path(arguments.path)):
        return _import_runs(workspace, arguments)
    reports = _reports(workspace, arguments)
    if arguments.json:
        write_json([report._asdict() for report in reports])
    else:
        for report in reports:
            why = f": {report.message}" if report.message else ""
            write(f"{report.name}: {report.status}{why}")
    used = (r.status == "accepted" or "there already" in r.message for r in reports)
    return 0 if any(used) else 1


def _import_runs(workspace: Workspace, arguments: argparse.Namespace) -> int:
    """Import a bundle, or a page that carries one; notes where a run is not identical here."""
    found = workspace.runs.import_bundle(arguments.path, arguments.collection or "")
    if arguments.json:
        write_json(found._asdict())
        return 0
    write(told(found))
    for remark in found.remarks:
        note(remark)
    for run_id in found.runs:
        write(f"run {run_id}: gear-app replay {run_id} --check")
    return 0


def _reports(workspace: Workspace, arguments: argparse.Namespace) -> list[FileReport]:
    """One report a file. Raises BadInput for a wrong call.

    An import that is interrupted from the keyboard leaves a note with the ways on.
    """
    progress = Progress()
    if arguments.finish is not None:
        return workspace.imports.finish(arguments.finish, progress.of_import)
    if not (arguments.path and arguments.collection):
        raise BadInput(
            "import takes PATH and --collection NAME, or --finish JOB, or --undo JOB; a page or a"
            " bundle of runs needs no NAME"
        )
    try:
        return workspace.import_path(arguments.path, arguments.collection, progress.of_import)
    except KeyboardInterrupt:
        for unfinished in workspace.imports.unfinished(arguments.collection):
            note(ways_on(unfinished))
        raise


def ways_on(unfinished: UnfinishedImport) -> str:
    """An unfinished import, and the commands that finish or undo it."""
    job = unfinished.job
    stored = f"{unfinished.state}, {unfinished.passages:,} passages stored"
    return (
        f"Import of {unfinished.name}, job {job}: {stored}. To finish it: gear-app import --finish"
        f" {job}; to take them out again: gear-app import --undo {job}"
    )


def extract(arguments: argparse.Namespace) -> int:
    """Extract triples and make vectors in this process; 1 unless all of it was done."""
    began, progress = time.monotonic(), Progress()
    workspace, budget = open_workspace(arguments), arguments.budget
    collection, extractor = arguments.collection, arguments.extractor
    estimate = None
    if arguments.retry_empty and not arguments.dry_run:
        workspace.jobs.retry_empty(collection, arguments.triples or extractor)
    if extractor in LLM_EXTRACTORS:
        estimate = workspace.costs.estimate_extraction(
            collection, arguments.triples, None, extractor
        )
    if arguments.dry_run:
        return prices.write_estimate(estimate, json=arguments.json)
    if estimate:
        budget = prices.budget_in_force(estimate, budget)
    job = workspace.extract(
        collection, extractor, arguments.triples, progress.of_job, budget=budget
    )
    workspace.jobs.encode(collection, job.triple_set, progress.of_job)
    if arguments.json:
        write_json(public(job))
    else:
        paused = "paused. " if job.state == "paused" else ""
        spent = prices.spent(job.spent, Spec.from_json(job.model).model if job.model else "")
        took = f"{time.monotonic() - began:.0f} s{spent}"
        write(f"{collection}, set {job.triple_set}: {paused}{job.message} ({took})")
    if job.state != "done":
        return 1
    return exit_status(_first_failure(workspace, job)) if estimate else 0


def _first_failure(workspace: Workspace, job: JobInfo) -> str:
    """The first passage for which no reply came, and why; "" where every call was answered."""
    failures = workspace.jobs.failures(job.collection, job.triple_set or "") if job.failed else []
    for failure in failures:
        if not failure.reply:
            return f"{failure.title or failure.passage_key}: {failure.error}"
    return ""


def collections(arguments: argparse.Namespace) -> int:
    """List collections with their triple sets and unfinished imports; those of a cluster alone
    where one is named, which appear in the workspace by this.
    """
    workspace = open_workspace(arguments)
    adopted = (
        None if arguments.index is None else workspace.clusters.adopt(clusters.address(arguments))
    )
    every = workspace.collections.all()
    listed = [info for info in every if adopted is None or info.name in adopted]
    if arguments.json:
        write_json([asdict(info) for info in listed])
    elif not listed and adopted is not None:
        write("No collections there yet. Run: gear-app index push --collection NAME --to URL")
    elif not listed:
        write("No collections yet. Run: gear-app demo, or gear-app import PATH --collection NAME")
    else:
        write("\n".join(line for info in listed for line in _lines(info)))
    return 0


def _lines(info: CollectionInfo) -> Iterator[str]:
    counts = [
        count(info.documents, "document"),
        count(info.passages, "passage"),
        count(info.questions, "question"),
    ]
    yield f"{info.name}: {', '.join(counts)}"
    for set_ in info.triple_sets:
        without = (
            f", {count(set_.passages_without, 'passage')} without" if set_.passages_without else ""
        )
        active = ", active" if set_.active else ""
        yield f"  {set_.name}: {count(set_.triples, 'triple')}{without}{active}; {set_.ready}"
    for unfinished in info.unfinished_imports:
        yield f"  {ways_on(unfinished)}"


def questions(arguments: argparse.Namespace) -> int:
    """List a collection's questions, or those that it suggests of itself."""
    if arguments.suggested:
        return _suggested(arguments)
    listed = open_workspace(arguments).collections.questions(arguments.collection)
    if arguments.json:
        write_json(
            [
                {
                    "id": question.id,
                    "question": question.question,
                    "type": question.type,
                    "hops": question.hops,
                    "answers": list(question.answers),
                    "supporting_ids": list(question.supporting_keys),
                }
                for question in listed
            ]
        )
        return 0
    if not listed:
        write(f"{arguments.collection} has no questions. Its own suggestions: --suggested")
        return 0
    rows = [[q.id, q.type or "", q.hops or "", len(q.supporting_keys), q.question] for q in listed]
    write_table(["id", "type", "hops", "gold", "question"], rows)
    return 0


def _suggested(arguments: argparse.Namespace) -> int:
    found = open_workspace(arguments).collections.suggestions(arguments.collection)
    if arguments.json:
        write_json(
            [
                {
                    "question": one.question,
                    "answers": [one.answer],
                    "supporting_ids": list(one.keys),
                    "triples": [[t.subject, t.predicate, t.object] for t in one.triples],
                }
                for one in found
            ]
        )
        return 0
    if not found:
        write(
            f"{arguments.collection} suggests no question: none could be made of its passages that"
            " reads well and has one answer."
        )
        return 0
    write_table(["answer", "question"], [[one.answer, one.question] for one in found])
    return 0


def demo(arguments: argparse.Namespace) -> int:
    """Make the collections demo and garden, or finish making them."""
    workspace = open_workspace(arguments)
    _make_garden(workspace)  # first: the newest run is then that of demo
    run = _make_demo(workspace)
    if arguments.json:
        collection = asdict(workspace.collections.get("demo"))
        write_json({"workspace": str(workspace.path), "collection": collection, "run": run})
    else:
        write(
            f"The collections demo and garden are ready in {workspace.path}. Next: gear-app serve"
        )
    return 0


def _make_demo(workspace: Workspace) -> str:
    """Import, extract, encode, answer the featured question, and pin its GEAR run; that run's id.
    What is there is kept.

    Vectors of the local set's names and partial triples are left to the worker: they would take
    another minute.
    """
    folder, progress = packaged_data("demo"), Progress().of_job
    note("Importing passages, questions and curated triples")
    workspace.import_path(folder, DEMO)
    workspace.collections.activate(DEMO, DEMO_TRIPLES)
    note("Encoding the curated triples")
    workspace.jobs.encode(DEMO, DEMO_TRIPLES, progress)
    note("Extracting triples with the local extractor and encoding them")
    workspace.extract(DEMO, progress=progress)
    question = _featured(folder)
    note(f"Asking: {question}")
    made = [_run(workspace, question, method) for method in DEMO_METHODS][-1]
    _pin(workspace, DEMO, made)
    # Judgements of twenty failures; their runs are made when somebody wants to see them.
    judged = (folder / "annotations.jsonl").read_text(encoding="utf-8")
    workspace.annotations.import_lines(DEMO, judged.split("\n"))
    return made


def _make_garden(workspace: Workspace) -> None:
    """Import, extract, answer the featured question, and pin its run. What is there is kept."""
    folder = packaged_data(GARDEN)
    note("Importing everyday documents and their questions")
    workspace.import_path(folder, GARDEN)
    note("Extracting their triples with the local extractor")
    workspace.extract(GARDEN, progress=Progress().of_job)
    question = _featured(folder)
    note(f"Asking: {question}")
    made = [_run(workspace, question, method, GARDEN, None) for method in GARDEN_METHODS][-1]
    _pin(workspace, GARDEN, made)
    _evaluate(workspace)


def _evaluate(workspace: Workspace) -> None:
    """Measure a few methods on the garden's questions, so that Evaluate has something to show."""
    # Imported where it is needed: it brings the measuring libraries, which take a second.
    from gear_app.evaluate.definition import define
    from gear_app.evaluate.service import EvaluationService

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
    wanted = question, method, DEMO, "done", False
    for run in workspace.runs.recent(collection, limit=1000):
        if (run.question, run.method, run.owner, run.state, run.stale) == wanted:
            return run.id
    return workspace.ask(question, collection, method, triples=triples, owner=DEMO).run


def _featured(folder: Path) -> str:
    """The question marked as featured, else the first."""
    lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line) for line in lines if line.strip()]
    return str(next((q for q in questions if q.get("featured")), questions[0])["question"])
