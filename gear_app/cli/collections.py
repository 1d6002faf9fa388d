"""The commands about what is in a workspace: `import`, `extract`, `collections` and `questions`."""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from gear_app.cli import clusters, report
from gear_app.cli.options import (
    ADOPTED,
    ANY_COLLECTION,
    BUDGET,
    COLLECTION,
    DRY_RUN,
    JSON,
    LLM,
    REPLY,
    command,
    flag,
    option,
    positive,
    requested_model,
)
from gear_app.cli.output import Progress, emit, exit_status, note, open_workspace, public, table
from gear_app.core.errors import BadInput
from gear_app.core.text import count
from gear_app.models.extractor import LLM_EXTRACTORS
from gear_app.models.server import Spec

if TYPE_CHECKING:
    from gear_app.store.rows import CollectionInfo, JobInfo
    from gear_app.workspace.workspace import Workspace

REASONS = 4  # of failed passages, that are printed


def _fields(text: str) -> dict[str, str]:
    """Fields by role of `question=q,answers=gold`. Raises ArgumentTypeError."""
    from gear_app.documents.items import ROLES

    pairs = [pair.partition("=") for pair in text.split(",")]
    fields = {role.strip(): name.strip() for role, _, name in pairs}
    wrong = [role for role, name in fields.items() if role not in ROLES or not name]
    if wrong or not fields.keys() & {"question", "text", "subject"}:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no list of ROLE=FIELD with a question, text or subject; roles are"
            f" {', '.join(ROLES)}"
        )
    return fields


@command(
    "import",
    JSON,
    option("path", metavar="PATH", nargs="?", help="a file or a folder"),
    ANY_COLLECTION,
    option(
        "--fields",
        type=_fields,
        default={},
        metavar="ROLE=FIELD,…",
        help="what a file of rows calls its question, answers, gold, text, title, id, type",
    ),
    option("--undo", type=int, metavar="JOB", help="take out what an import stored"),
    creates=True,
)
def import_(arguments: argparse.Namespace) -> int:
    """Import, or undo an import; 1 if a file was refused, which does not keep the others from
    being imported, and if no file could be used. A file that was imported before counts as used.
    """
    from gear_app.workspace.runs.share import carries_runs

    workspace, name = open_workspace(arguments), arguments.collection
    if arguments.undo is not None:
        workspace.imports.undo(arguments.undo)
        undone = f"Import {arguments.undo} is undone: what it had stored was taken out again."
        return emit(arguments, {"undone": arguments.undo}, undone)
    if arguments.path and carries_runs(Path(arguments.path)):
        return _import_runs(workspace, arguments)
    if not (arguments.path and name):
        raise BadInput(
            "import takes PATH and --collection NAME, or --undo JOB; a page of runs needs no NAME"
        )
    try:
        progress = Progress().of_import
        reports = workspace.imports.do(Path(arguments.path), name, progress, arguments.fields)
    except KeyboardInterrupt:
        for unfinished in workspace.collections.get(name).unfinished_imports:
            note(next_steps(unfinished))
        raise
    lines = []
    for file in reports:
        reason = f": {file.message}" if file.message else ""
        form = f"; read as {file.read_as}" if file.read_as else ""
        lines.append(f"{file.name}: {file.status}{reason}{form}")
    emit(arguments, [file._asdict() for file in reports], *lines)
    refused = [file for file in reports if file.status == "failed"]
    if refused:
        note(f"gear-app: {len(refused)} of {count(len(reports), 'file')} refused:")
    for file in refused:
        note(f"{file.name}: {file.message}")
    used = any(file.status == "accepted" or file.present for file in reports)
    return 0 if used and not refused else 1


def _import_runs(workspace: Workspace, arguments: argparse.Namespace) -> int:
    from gear_app.display import share_pages

    imported = share_pages.import_runs(workspace, Path(arguments.path), arguments.collection or "")
    lines = (f"run {run_id}: gear-app show {run_id}" for run_id in imported.runs)
    return emit(arguments, imported._asdict(), imported.sentence, *lines)


def next_steps(unfinished: JobInfo) -> str:
    """An unfinished import, and how it is completed or undone."""
    return (
        f"Import of {unfinished.request['name']}, job {unfinished.id}: {unfinished.state},"
        f" {unfinished.done:,} of {count(unfinished.total, 'passage')} done. Import the same again"
        f" to complete it, or take out what is stored: gear-app import --undo {unfinished.id}"
    )


@command(
    "extract",
    JSON,
    COLLECTION,
    option(
        "--extractor",
        default="local",
        help=f"local (default), or {LLM}; llm:two asks it for the entities first (HippoRAG's two"
        " steps)",
    ),
    flag("--retry-empty", "try the passages again that gave no triples"),
    [
        option(
            "--processes",
            type=positive,
            default=1,
            dest="workers",
            metavar="N",
            help="read passages in N processes (the local extractor)",
        ),
        option(
            "--ray",
            dest="workers",
            metavar="ADDRESS",
            help="read them on a Ray cluster; language models are asked from here",
        ),
    ],
    option(
        "--triples", metavar="SET", help="the triple set to make; default: the extractor's name"
    ),
    BUDGET,
    REPLY,
    DRY_RUN,
)
def extract(arguments: argparse.Namespace) -> int:
    """Extract triples and make vectors in this process; 1 unless all of it was done."""
    began, progress = time.monotonic(), Progress().of_job
    workspace, budget = open_workspace(arguments), arguments.budget
    collection, extractor, set_ = arguments.collection, arguments.extractor, arguments.triples
    model, estimate = requested_model(arguments), None
    if arguments.retry_empty and not arguments.dry_run:
        workspace.jobs.retry_empty(collection, set_ or extractor)
    if extractor in LLM_EXTRACTORS:
        estimate = workspace.costs.estimate_extraction(collection, set_, model, extractor)
    if arguments.dry_run:
        return report.write_estimate(arguments, estimate)
    if estimate:
        budget = report.budget_in_force(estimate, budget)
    job = workspace.jobs.extract(
        *(collection, extractor, set_, progress),
        model=model,
        budget=budget,
        workers=arguments.workers,
    )
    workspace.jobs.encode(collection, job.triple_set, progress)
    paused = "paused. " if job.state == "paused" else ""
    spent = report.spent(job.spent, Spec.from_json(job.model).model if job.model else "")
    duration = f"{time.monotonic() - began:.0f} s{spent}"
    line = f"{collection}, set {job.triple_set}: {paused}{job.message} ({duration})"
    emit(arguments, public(job), line)
    return 1 if job.state != "done" else exit_status(_failures(workspace, job))


def _failures(workspace: Workspace, job: JobInfo) -> str:
    """The most frequent reasons why passages failed, each with a passage; "" without failures."""
    if not job.failed:
        return ""
    failures = [
        passage
        for passage in workspace.jobs.shortfalls(job.collection, job.triple_set or "")
        if passage.triples is None
    ]
    first = {failure.error: failure for failure in reversed(failures)}
    lines = []
    for error, number in Counter(failure.error for failure in failures).most_common(REASONS):
        passage = first[error].title or first[error].passage_key
        lines.append(f"{passage}: {error} ({count(number, 'passage')})")
    return "\n".join(lines)


@command("collections", JSON, ADOPTED)
def collections(arguments: argparse.Namespace) -> int:
    """List collections with their triple sets and unfinished imports; with --index those of a
    cluster alone, which appear in the workspace by this.
    """
    workspace = open_workspace(arguments)
    adopted = None
    if arguments.adopted is not None:
        adopted = workspace.remote().adopt(clusters.address(arguments), report=note)
    every = workspace.collections.all()
    listed = [info for info in every if adopted is None or info.name in adopted]
    lines = [line for info in listed for line in _lines(info)]
    none = "No collections yet. Run: gear-app demo, or gear-app import PATH --collection NAME"
    return emit(arguments, [asdict(info) for info in listed], *(lines or [none]))


def _lines(info: CollectionInfo) -> Iterator[str]:
    counts = [
        count(info.documents, "document"),
        count(info.passages, "passage"),
        count(info.questions, "question"),
    ]
    yield f"{info.name}: {', '.join(counts)}{'; imported runs alone' if info.recorded else ''}"
    for set_ in info.triple_sets:
        without = (
            f", {count(set_.passages_without, 'passage')} without" if set_.passages_without else ""
        )
        active = ", active" if set_.active else ""
        yield f"  {set_.name}: {count(set_.triples, 'triple')}{without}{active}; {set_.ready}"
    for unfinished in info.unfinished_imports:
        yield f"  {next_steps(unfinished)}"


@command("questions", JSON, COLLECTION, flag("--suggested", "those suggested from its passages"))
def questions(arguments: argparse.Namespace) -> int:
    """List a collection's questions, or those that are suggested from its passages."""
    collection = open_workspace(arguments).collections[arguments.collection]
    if arguments.suggested:
        suggestions = collection.suggestions()
        values = [
            {
                "question": suggestion.question,
                "answers": [suggestion.answer],
                "supporting_ids": list(suggestion.keys),
                "triples": [list(triple.words) for triple in suggestion.triples],
            }
            for suggestion in suggestions
        ]
        rows = [[suggestion.answer, suggestion.question] for suggestion in suggestions]
        return emit(arguments, values, table(["answer", "question"], rows))
    listed = collection.questions()
    fields = ("id", "question", "type", "hops", "answers")
    values = [
        {field: getattr(question, field) for field in fields}
        | {"supporting_ids": question.supporting_keys}
        for question in listed
    ]
    cells = [(q.id, q.type or "", q.hops or "", len(q.supporting_keys), q.question) for q in listed]
    lines = [table(["id", "type", "hops", "gold", "question"], cells)] if cells else []
    lines = lines or [f"{arguments.collection} has no questions. Its own suggestions: --suggested"]
    return emit(arguments, values, *lines)
