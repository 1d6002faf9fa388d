"""The commands `query` and `methods`: ask a question, and what can be asked by."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from gear_app import methods as retrievers
from gear_app.cli import clusters
from gear_app.cli.options import (
    Commands,
    add_command,
    answer_option,
    as_paper_option,
    collection_option,
    index_option,
    model_asked,
    triples_and_reader_options,
)
from gear_app.cli.output import exit_status, note, note_loading, open_workspace, write, write_json
from gear_app.core.errors import BadInput, ModelFailed
from gear_app.core.overrides import settings
from gear_app.display.labels import PAPER
from gear_app.display.settings import paper_words
from gear_app.workspace.collections.first_method import first_method

if TYPE_CHECKING:
    from gear_app.workspace.runs.request import RunRequest
    from gear_app.workspace.runs.runner import Answer
    from gear_app.workspace.workspace import Workspace

POLL_S = 0.02


def add_to(commands: Commands) -> None:
    """Add `query` and `methods`."""
    ask = add_command(commands, "query", query, json=True)
    ask.add_argument("question", metavar="QUESTION")
    index_option(ask, adopts=True)
    collection_option(ask)
    ask.add_argument(
        "--method",
        help="method[:base]; default gear where triples were imported or made by a language model,"
        " else chain",
    )
    ask.add_argument(
        "--k", type=int, default=15, help="passages of a single-step method; default 15"
    )
    triples_and_reader_options(ask)
    answer_option(
        ask,
        "write an answer from what was retrieved, and its bounds: from the gold passages, and from"
        " none",
    )
    ask.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        dest="settings",
        help="a setting of the method or of its parts, such as width=5; repeatable",
    )
    as_paper_option(
        ask,
        "the method as its paper has it, where our defaults are others; --set"
        " changes what is named",
    )
    add_command(commands, "methods", methods, json=True, creates=None)


def query(arguments: argparse.Namespace) -> int:
    """Ask a question; 1 where a model failed, with what was found until then. A worker that is at
    work, as beside `gear-app serve`, has its models loaded already and answers for this process.
    """
    from gear_app.cli.report import to_json, told_apart, write_report
    from gear_app.display.evidence import NOT_READ
    from gear_app.trace.evidence import evidence_of
    from gear_app.workspace.runs.request import ALL_RIGHTS, Options, RunRequest

    workspace = open_workspace(arguments)
    collection = clusters.name_here(arguments, workspace)
    method = arguments.method or first_method(workspace.collections.get(collection))
    request = RunRequest(
        arguments.question,
        collection,
        method,
        triples=arguments.triples,
        reader=arguments.reader,
        k=arguments.k,
        settings=_settings(arguments.settings),
        as_paper=arguments.as_paper,
        options=Options(answer=arguments.answer),
        budget=arguments.budget,
        model=model_asked(arguments),
        rights=ALL_RIGHTS,
    )
    if _answers_for_us(workspace, request):
        answer = _by_worker(workspace, request)
    else:
        note_loading(arguments, workspace, collection)
        answer = workspace.runner.ask(request)
    answer = told_apart(workspace, answer)
    if not evidence_of(answer.events) and not workspace.runner.is_read(collection):
        note(NOT_READ)
    if arguments.as_paper and not retrievers.as_paper(method):
        note(f"{method} {PAPER}: {paper_words(method)}")
    if arguments.json:
        write_json(to_json(answer))
    else:
        write_report(answer, arguments.k)
    return exit_status(answer.failure)


def _answers_for_us(workspace: Workspace, request: RunRequest) -> bool:
    """Whether a worker is at work that has what the question needs: nothing of this process's
    environment, which may be another, such as the login of a cluster.
    """
    from gear_app.models.embedders import VARIABLE
    from gear_app.store.processes import Lock

    cluster = workspace.collections.get(request.collection).cluster
    local = cluster or request.reader != "local" or VARIABLE in os.environ
    return not local and bool(Lock(workspace.path).is_held())


def _by_worker(workspace: Workspace, request: RunRequest) -> Answer:
    """The answer of the worker; where that ends meanwhile, this process does what waits. Raises
    ModelFailed with what a run ended with that was not done.
    """
    from gear_app.store.processes import Lock

    run = workspace.runs.enqueue(request)
    lock = Lock(workspace.path)
    try:
        while (info := workspace.runs.get(run)).state in ("queued", "running"):
            if not lock.is_held():
                workspace.worker(once=True).work()
            time.sleep(POLL_S)
    except KeyboardInterrupt:
        workspace.runs.cancel(run)
        raise
    if info.state != "done":
        raise ModelFailed(info.message or f"The run is {info.state}.")
    return workspace.runner.answer(run)


def _settings(pairs: Sequence[str]) -> Mapping[str, str]:
    """`width=5` and the like, by name. Raises BadInput."""
    values: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not (name and equals):
            raise BadInput(f"--set takes NAME=VALUE, not {pair!r}")
        values[name.strip()] = value.strip()
    return values


def methods(arguments: argparse.Namespace) -> int:
    """List methods with their bases and their default settings."""
    listed = [
        (
            name,
            method.summary,
            retrievers.bases(name),
            settings(method.defaults),
            retrievers.as_paper(name),
        )
        for name, method in retrievers.METHODS.items()
    ]
    if arguments.json:
        keys = ("method", "summary", "bases", "settings", "as_paper")
        write_json([dict(zip(keys, row, strict=True)) for row in listed])
        return 0
    for name, summary, bases, values, paper in listed:
        write(f"{name}: {summary}")
        if bases:
            write(f"    over {', '.join(bases)}")
        write("    " + ", ".join(f"{key}={value}" for key, value in values.items()))
        changes = ", ".join(f"{key}={value}" for key, value in paper.items())
        write(f"    {PAPER}: {changes or paper_words(name)}")
    write(
        "\nA base follows after a colon, as in gear:dense or ircot:sync_ge:bm25; without one it is"
        " hybrid."
    )
    write("The base's own settings are settings too: --set width=5 with ircot:sync_ge.")
    return 0
