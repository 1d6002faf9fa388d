"""The demo collection: made from the data that comes with the application, as often as one
likes.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from gear_app.paths import shipped
from gear_app.workspace import JobInfo, Workspace

NAME = "demo"
CURATED = "curated"
FEATURED_METHODS = (
    "hybrid",
    "sync_ge",
    "hipporag",
    "griever",
    "ircot",
    "gear",
)  # what Compare begins with


def make_demo(
    workspace: Workspace, say: Callable[[str], None], progress: Callable[[JobInfo], None]
) -> str:
    """Import, extract, encode, and answer the featured question; the id of its GEAR run. What is
    there is kept.

    Vectors of the local set's names and partial triples are left to the worker: they would take
    another minute.
    """
    folder = shipped("demo")
    say("Importing passages, questions and curated triples")
    workspace.import_path(folder, NAME)
    workspace.collections.activate(NAME, CURATED)
    say("Encoding the curated triples")
    workspace.jobs.encode(NAME, CURATED, progress)
    say("Extracting triples with the local extractor and encoding them")
    workspace.extract(NAME, progress=progress)
    question = _featured(folder)
    say(f"Asking: {question}")
    return [_run(workspace, question, method) for method in FEATURED_METHODS][-1]


def _run(workspace: Workspace, question: str, method: str) -> str:
    """The demo's own run of the question, if nothing has changed since; else a new one."""
    wanted = question, method, NAME, "done", False
    for run in workspace.runs.recent(NAME, limit=1000):
        if (run.question, run.method, run.owner, run.state, run.stale) == wanted:
            return run.id
    return workspace.ask(question, NAME, method, triples=CURATED, owner=NAME).run


def _featured(folder: Path) -> str:
    """The question marked as featured, else the first."""
    lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line) for line in lines if line.strip()]
    return str(next((q for q in questions if q.get("featured")), questions[0])["question"])
