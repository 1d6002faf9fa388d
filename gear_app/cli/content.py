"""Commands about what is in a workspace."""

from __future__ import annotations

import argparse
import time
from dataclasses import asdict

from gear_app.cli import costs
from gear_app.cli.output import Patience, as_json, failed, note, opened, say, shown, table
from gear_app.errors import BadInput
from gear_app.extract import LLM_EXTRACTORS
from gear_app.ingest import FileReport
from gear_app.llm.server import Spec
from gear_app.store.rows import UnfinishedImport
from gear_app.workspace import JobInfo, Workspace


def collections(called: argparse.Namespace) -> int:
    """List collections with their triple sets."""
    found = opened(called).collections()
    if called.json:
        as_json([asdict(info) for info in found])
        return 0
    if not found:
        say("No collections yet. Run: gear-app demo, or gear-app import PATH --collection NAME")
        return 0
    for info in found:
        say(
            f"{info.name}: {info.documents:,} documents, {info.passages:,} passages,"
            f" {info.questions:,} questions"
        )
        for set_ in info.triple_sets:
            active = ", active" if set_.active else ""
            without = (
                f", {set_.passages_without:,} passages without" if set_.passages_without else ""
            )
            say(f"  {set_.name}: {set_.triples:,} triples{without}{active}; {set_.ready}")
        for left in info.unfinished_imports:
            say(f"  {_left(left)}")
    return 0


def questions(called: argparse.Namespace) -> int:
    """List a collection's questions."""
    found = opened(called).questions(called.collection)
    if called.json:
        as_json(
            [
                {
                    "id": question.id,
                    "question": question.question,
                    "type": question.type,
                    "hops": question.hops,
                    "answers": list(question.answers),
                    "supporting_ids": list(question.supporting_keys),
                }
                for question in found
            ]
        )
    else:
        table(
            ["id", "type", "hops", "gold", "question"],
            [[q.id, q.type or "", q.hops or "", len(q.supporting_keys), q.question] for q in found],
        )
    return 0


def import_(called: argparse.Namespace) -> int:
    """Import a file or a folder, finish an import, or undo one; 1 if nothing of it could be used.
    What is there already is no failure.
    """
    workspace = opened(called)
    if called.undo is not None:
        workspace.undo_import(called.undo)
        say(f"Import {called.undo} is undone: what it had stored was taken out again.")
        return 0
    reports = _imported(workspace, called)
    if called.json:
        as_json([report._asdict() for report in reports])
    else:
        for report in reports:
            why = f": {report.message}" if report.message else ""
            say(f"{report.name}: {report.status}{why}")
    used = (r.status == "accepted" or "there already" in r.message for r in reports)
    return 0 if any(used) else 1


def _imported(workspace: Workspace, called: argparse.Namespace) -> list[FileReport]:
    """Raises BadInput for a wrong call; says what can be done where it is interrupted."""
    tell = Patience()
    if called.finish is not None:
        return workspace.finish_import(called.finish, tell.importing)
    if not (called.path and called.collection):
        raise BadInput("import takes PATH and --collection NAME, or --finish JOB, or --undo JOB")
    try:
        return workspace.import_path(called.path, called.collection, tell.importing)
    except KeyboardInterrupt:
        for left in workspace.unfinished_imports(called.collection):
            note(_left(left))
        raise


def _left(left: UnfinishedImport) -> str:
    """An unfinished import and the ways on."""
    return (
        f"Import of {left.name}, job {left.job}: {left.state}, {left.passages:,} passages stored."
        f" To finish it: gear-app import --finish {left.job}; to take them out again:"
        f" gear-app import --undo {left.job}"
    )


def extract(called: argparse.Namespace) -> int:
    """Extract triples and make vectors in this process."""
    began, tell = time.monotonic(), Patience()
    workspace, budget = opened(called), called.budget
    asked = called.extractor in LLM_EXTRACTORS
    like = called.collection, called.triples, None, called.extractor
    if called.retry_empty and not called.dry_run:
        workspace.retry_empty(called.collection, called.triples or called.extractor)
    estimate = workspace.estimate_extraction(*like) if asked else None
    if called.dry_run:
        return costs.dry(estimate, json=called.json)
    if estimate:
        budget = costs.cap(estimate, called.budget)
    job = workspace.extract(
        called.collection, called.extractor, called.triples, tell.job, budget=budget
    )
    workspace.encode(called.collection, job.triple_set, tell.job)
    if called.json:
        as_json(shown(job))
    else:
        paused = "paused. " if job.state == "paused" else ""
        took = costs.spent(job.spent, Spec.from_json(job.model).model if job.model else "")
        seconds = time.monotonic() - began
        say(
            f"{called.collection}, set {job.triple_set}: {paused}{job.message} ({seconds:.0f}"
            f" s{took})"
        )
    if job.state != "done":
        return 1
    return failed(_unreplied(workspace, job)) if asked else 0


def _unreplied(workspace: Workspace, job: JobInfo) -> str:
    """The first passage that a language model said nothing about, and why; "" where there is
    none.
    """
    failures = workspace.failures(job.collection, job.triple_set or "") if job.failed else []
    for failure in failures:
        if not failure.reply:
            return f"{failure.title or failure.passage_key}: {failure.error}"
    return ""
