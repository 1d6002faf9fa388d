"""The commands `query` and `methods`: ask a question, and list what it can be asked by."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence

from gear_app import methods as retrievers
from gear_app.cli import clusters
from gear_app.cli.options import (
    ADOPTED,
    BUDGET,
    COLLECTION,
    JSON,
    READER,
    REPLY,
    SET,
    command,
    flag,
    option,
    requested_model,
    several,
)
from gear_app.cli.output import emit, exit_status, note, open_workspace
from gear_app.core.errors import BadInput
from gear_app.core.overrides import settings
from gear_app.display.labels import PAPER
from gear_app.display.settings import paper_words
from gear_app.workspace.collections.service import first_method


@command(
    "query",
    JSON,
    option("question", metavar="QUESTION"),
    ADOPTED,
    COLLECTION,
    option(
        "--method",
        help="method[:base]; default gear where triples were imported or made by a language model,"
        " else chain",
    ),
    option("--k", type=int, default=15, help="passages of a single-step method; default 15"),
    SET,
    READER,
    BUDGET,
    REPLY,
    flag(
        "--answer",
        "write an answer from what was retrieved, and its bounds: from the gold passages, and from"
        " none",
    ),
    several(
        "--set",
        "NAME=VALUE",
        "a setting of the method or of its parts, such as width=5",
        dest="settings",
    ),
    flag(
        "--as-paper",
        "the method as its paper has it, where our defaults are others; --set changes what is"
        " named",
    ),
)
def query(arguments: argparse.Namespace) -> int:
    """Ask a question; 1 if a model failed, with what was found until then."""
    from gear_app.cli.report import answer_json, labelled_answer, report
    from gear_app.display.evidence import NOT_READ
    from gear_app.trace.evidence import evidence_of
    from gear_app.trace.timeline import failure_of
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
        model=requested_model(arguments),
        rights=ALL_RIGHTS,
    )
    answer = labelled_answer(workspace, workspace.runner.ask(request))
    if not evidence_of(answer.events) and not workspace.runner.is_read(answer):
        note(NOT_READ)
    if arguments.as_paper and not retrievers.as_paper(method):
        note(f"{method} {PAPER}: {paper_words(method)}")
    emit(arguments, answer_json(answer), *report(answer, arguments.k))
    return exit_status(failure_of(answer.events))


def _settings(pairs: Sequence[str]) -> Mapping[str, str]:
    """`width=5` and the like, by name. Raises BadInput."""
    values: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not (name and equals):
            raise BadInput(f"--set takes NAME=VALUE, not {pair!r}")
        values[name.strip()] = value.strip()
    return values


@command("methods", JSON, creates=None)
def methods(arguments: argparse.Namespace) -> int:
    """List methods with their bases and their default settings."""
    listed, lines = [], []
    for name, method in retrievers.METHODS.items():
        bases, values, paper = (
            retrievers.bases(name),
            settings(method.defaults),
            retrievers.as_paper(name),
        )
        listed.append(
            {
                "method": name,
                "summary": method.summary,
                "bases": bases,
                "settings": values,
                "as_paper": paper,
            }
        )
        lines.append(f"{name}: {method.summary}")
        lines += [f"    over {', '.join(bases)}"] if bases else []
        lines.append(f"    {_pairs(values)}")
        lines.append(f"    {PAPER}: {_pairs(paper) or paper_words(name)}")
    lines.append(
        "\nA base follows after a colon, as in gear:dense or ircot:sync_ge:bm25; without one it is"
        " hybrid.\nThe base's own settings are settings too: --set width=5 with ircot:sync_ge."
    )
    return emit(arguments, listed, *lines)


def _pairs(values: Mapping[str, object]) -> str:
    return ", ".join(f"{name}={value}" for name, value in values.items())
