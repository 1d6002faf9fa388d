"""The commands about what is in a workspace: `import`, `extract`, `collections` and `questions`."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from gear_app.cli import clusters, prices
from gear_app.cli.options import (
    Commands,
    add_command,
    budget_option,
    collection_option,
    dry_run_option,
    extractor_option,
    index_option,
    model_asked,
)
from gear_app.cli.output import (
    Progress,
    exit_status,
    note,
    open_workspace,
    public,
    write,
    write_json,
    write_result,
    write_table,
)
from gear_app.core.errors import BadInput
from gear_app.core.text import count, cut
from gear_app.models.extractor import LLM_EXTRACTORS
from gear_app.models.server import Spec

if TYPE_CHECKING:
    from gear_app.documents.items import FileReport
    from gear_app.store.extractions import Failure
    from gear_app.store.rows import CollectionInfo, JobInfo
    from gear_app.workspace.workspace import Workspace

REASONS = 3  # reasons of failed passages that are printed next to the most frequent one
REPLY_SHOWN = 200  # characters of a reply


def add_to(commands: Commands) -> None:
    """Add `collections`, `questions`, `import` and `extract`."""
    index_option(add_command(commands, "collections", collections, json=True), adopts=True)
    questions_command = add_command(commands, "questions", questions, json=True)
    collection_option(questions_command)
    questions_command.add_argument(
        "--suggested", action="store_true", help="those suggested from its passages"
    )
    files = add_command(commands, "import", import_, json=True, creates=True)
    files.add_argument("path", metavar="PATH", nargs="?", help="a file or a folder")
    collection_option(files, required=False)
    files.add_argument(
        "--fields",
        type=_fields,
        default={},
        metavar="ROLE=FIELD,…",
        help="what a file of rows calls its question, answers, gold, text, title, id, type",
    )
    files.add_argument("--undo", type=int, metavar="JOB", help="take out what an import stored")
    extract_command = add_command(commands, "extract", extract, json=True)
    collection_option(extract_command)
    extractor_option(extract_command)
    extract_command.add_argument(
        "--retry-empty", action="store_true", help="try the passages again that gave no triples"
    )
    extract_command.add_argument(
        "--triples", metavar="SET", help="the triple set to make; default: the extractor's name"
    )
    budget_option(extract_command)
    dry_run_option(extract_command)


def _fields(text: str) -> dict[str, str]:
    """What `question=q,answers=gold` says. Raises ArgumentTypeError."""
    from gear_app.documents.items import ROLES

    pairs = [pair.partition("=") for pair in text.split(",")]
    if any(role.strip() not in ROLES or not name.strip() for role, _, name in pairs):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no list of ROLE=FIELD; roles are {', '.join(ROLES)}"
        )
    fields = {role.strip(): name.strip() for role, _, name in pairs}
    if not fields.keys() & {"question", "text", "subject"}:
        raise argparse.ArgumentTypeError(f"{text!r} names no question, text or subject")
    return fields


def import_(arguments: argparse.Namespace) -> int:
    """Import, or undo an import; 1 where a file was refused, which does not keep the others from
    being imported, and where no file of it could be used.

    A file that was imported before counts as used.
    """
    from gear_app.workspace.runs.share import carries_runs

    workspace = open_workspace(arguments)
    if arguments.undo is not None:
        workspace.imports.undo(arguments.undo)
        undone = f"Import {arguments.undo} is undone: what it had stored was taken out again."
        return write_result(arguments, {"undone": arguments.undo}, undone)
    if arguments.path and carries_runs(Path(arguments.path)):
        return _import_runs(workspace, arguments)
    reports = _reports(workspace, arguments)
    if arguments.json:
        write_json([report._asdict() for report in reports])
    else:
        for report in reports:
            reason = f": {report.message}" if report.message else ""
            taken_for = f"; read as {report.read_as}" if report.read_as else ""
            write(f"{report.name}: {report.status}{reason}{taken_for}")
    refused = [report for report in reports if report.status == "failed"]
    if refused:
        note(f"gear-app: {len(refused)} of {count(len(reports), 'file')} refused:")
        for report in refused:
            note(f"{report.name}: {report.message}")
    used = any(report.status == "accepted" or report.present for report in reports)
    return 0 if used and not refused else 1


def _import_runs(workspace: Workspace, arguments: argparse.Namespace) -> int:
    """Import the runs of a page or of a JSON file."""
    from gear_app.display.share import pages

    imported = pages.import_runs(workspace, Path(arguments.path), arguments.collection or "")
    if arguments.json:
        write_json(imported._asdict())
        return 0
    write(imported.sentence)
    for run_id in imported.runs:
        write(f"run {run_id}: gear-app show {run_id}")
    return 0


def _reports(workspace: Workspace, arguments: argparse.Namespace) -> list[FileReport]:
    """One report a file. Raises BadInput for a wrong call.

    An import that is interrupted from the keyboard leaves a note with the ways on.
    """
    if not (arguments.path and arguments.collection):
        raise BadInput(
            "import takes PATH and --collection NAME, or --undo JOB; a page of runs needs no NAME"
        )
    try:
        return workspace.import_path(
            arguments.path, arguments.collection, Progress().of_import, arguments.fields
        )
    except KeyboardInterrupt:
        for unfinished in workspace.imports.unfinished(arguments.collection):
            note(ways_on(unfinished))
        raise


def ways_on(unfinished: JobInfo) -> str:
    """An unfinished import, and how it is completed or undone."""
    return (
        f"Import of {unfinished.request['name']}, job {unfinished.id}: {unfinished.state},"
        f" {count(unfinished.passages, 'passage')} stored. Import the same again to complete it, or"
        f" take out what is stored: gear-app import --undo {unfinished.id}"
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
            collection, arguments.triples, model_asked(arguments), extractor
        )
    if arguments.dry_run:
        return prices.write_estimate(estimate, json=arguments.json)
    if estimate:
        budget = prices.budget_in_force(estimate, budget)
    job = workspace.extract(
        collection,
        extractor,
        arguments.triples,
        progress.of_job,
        model=model_asked(arguments),
        budget=budget,
    )
    workspace.jobs.encode(collection, job.triple_set, progress.of_job)
    if arguments.json:
        write_json(public(job))
    else:
        paused = "paused. " if job.state == "paused" else ""
        spent = prices.spent(job.spent, Spec.from_json(job.model).model if job.model else "")
        duration = f"{time.monotonic() - began:.0f} s{spent}"
        write(f"{collection}, set {job.triple_set}: {paused}{job.message} ({duration})")
    if job.state != "done":
        return 1
    return exit_status(_why_failed(workspace, job))


def _why_failed(workspace: Workspace, job: JobInfo) -> str:
    """The first passage that failed, for the reason for which most did, and why; "" where none did.
    The other reasons are told with a note each, and that nothing came of it where nothing did.
    """
    failures = workspace.jobs.failures(job.collection, job.triple_set or "") if job.failed else []
    by_reason: dict[str, list[Failure]] = {}
    for failure in failures:
        by_reason.setdefault(failure.error, []).append(failure)
    if not by_reason:
        return ""
    if job.failed >= job.total:
        note(f"Nothing was extracted: every passage failed ({job.failed:,}).")
    most, *rest = sorted(by_reason.values(), key=len, reverse=True)
    for alike in rest[:REASONS]:
        note(f"{count(len(alike), 'passage')} failed, as {_failure_words(alike[0])}")
    alike_words = f" {count(len(most), 'passage')} failed so." if len(most) > 1 else ""
    return _failure_words(most[0]) + alike_words


def _failure_words(failure: Failure) -> str:
    reply = " ".join(failure.reply.split())
    excerpt = f" Reply: {cut(reply, REPLY_SHOWN)}" if reply else ""
    return f"{failure.title or failure.passage_key}: {failure.error}{excerpt}"


def collections(arguments: argparse.Namespace) -> int:
    """List collections with their triple sets and unfinished imports; those of a cluster alone
    where one is named, which appear in the workspace by this.
    """
    workspace = open_workspace(arguments)
    adopted = None
    if arguments.index is not None:
        adopted = workspace.clusters.adopt(clusters.address(arguments), tell=note)
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
    yield f"{info.name}: {', '.join(counts)}{'; imported runs alone' if info.recorded else ''}"
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
    workspace, collection = open_workspace(arguments), arguments.collection
    if workspace.collections.get(collection).cluster:
        raise BadInput(
            f"{collection} is in a cluster, and questions are suggested of passages that are here."
            f" Its own: gear-app questions --collection {collection}"
        )
    suggestions = workspace.collections.suggestions(collection)
    if arguments.json:
        write_json(
            [
                {
                    "question": suggestion.question,
                    "answers": [suggestion.answer],
                    "supporting_ids": list(suggestion.keys),
                    "triples": [list(t.words) for t in suggestion.triples],
                }
                for suggestion in suggestions
            ]
        )
        return 0
    if not suggestions:
        write(
            f"{collection} suggests no question: none could be made of its passages that reads"
            " well and has one answer."
        )
        return 0
    write_table(
        ["answer", "question"],
        [[suggestion.answer, suggestion.question] for suggestion in suggestions],
    )
    return 0
