"""The commands `query` and `methods`: ask a question, and what it can be asked with."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence

from gear_app import retrievers
from gear_app.cli import run_report
from gear_app.cli.output import exit_status, open_workspace, write, write_json
from gear_app.errors import BadInput
from gear_app.overrides import settings
from gear_app.workspace import Options


def query(arguments: argparse.Namespace) -> int:
    """Ask a question in this process; 1 where a model failed, with what was found until then."""
    answer = open_workspace(arguments).ask(
        arguments.question,
        arguments.collection,
        arguments.method,
        triples=arguments.triples,
        reader=arguments.reader,
        k=arguments.k,
        settings=_settings(arguments.settings),
        options=Options(answer=arguments.answer, lazy=arguments.lazy),
        budget=arguments.budget,
    )
    if arguments.json:
        write_json(run_report.to_json(answer))
    else:
        run_report.write_report(answer, arguments.k)
    return exit_status(answer.failure)


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
        (name, method.summary, retrievers.bases(name), settings(method.config))
        for name, method in retrievers.METHODS.items()
    ]
    if arguments.json:
        keys = ("method", "summary", "bases", "settings")
        write_json([dict(zip(keys, one, strict=True)) for one in listed])
        return 0
    for name, summary, bases, values in listed:
        write(f"{name}: {summary}")
        if bases:
            write(f"    over {', '.join(bases)}")
        write("    " + ", ".join(f"{key}={value}" for key, value in values.items()))
    write(
        "\nA base follows after a colon, as in gear:dense or ircot:sync_ge:bm25; without one it is"
        " hybrid."
    )
    write("The base's own settings are settings too: --set width=5 with ircot:sync_ge.")
    return 0
