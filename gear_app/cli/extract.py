"""The command `extract`: triples and vectors of a collection."""

from __future__ import annotations

import argparse
import time

from gear_app.cli import prices
from gear_app.cli.output import Progress, exit_status, open_workspace, public, write, write_json
from gear_app.extract import LLM_EXTRACTORS
from gear_app.llm.server import Spec
from gear_app.workspace import JobInfo, Workspace


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
