"""What can be typed: every command, in the order in which help lists them.

The modules of commands add their options, and the functions that carry them out, themselves. A
module is imported when one of its commands is used: to list them all takes this table alone.
"""

from __future__ import annotations

import argparse
import importlib
from typing import NamedTuple

from gear_app import __version__


class CommandEntry(NamedTuple):
    """A command in the list: the module that has it, and its line; one without is not listed."""

    module: str
    help: str


COMMANDS = {
    "serve": CommandEntry("serve", "open the web application"),
    "doctor": CommandEntry("serve", "check the installation and the workspace"),
    "worker": CommandEntry("serve", ""),
    "demo": CommandEntry("demo", "make the demo workspace: collections demo and garden"),
    "collections": CommandEntry("collections", "what is in a workspace"),
    "questions": CommandEntry("collections", "a collection's questions"),
    "import": CommandEntry(
        "collections", "documents, data sets, packs, triples: recognised by content"
    ),
    "extract": CommandEntry("collections", "make triples and vectors; resumes"),
    "triples": CommandEntry(
        "triples", "look at triples, and correct them by hand; every step can be undone"
    ),
    "query": CommandEntry("query", "ask a question"),
    "methods": CommandEntry("query", "retrieval methods and their settings"),
    "eval": CommandEntry("evaluate", "measure methods on a collection's questions; resumes"),
    "runs": CommandEntry("runs", "the newest runs"),
    "show": CommandEntry("runs", "a run with its events"),
    "pin": CommandEntry("runs", "let a run's collection open with it"),
    "unpin": CommandEntry("runs", "let a collection open with its latest run again"),
    "why": CommandEntry("runs", "why a run does not have a passage, and what would have helped"),
    "replay": CommandEntry("runs", "make a run again on its own revision"),
    "export": CommandEntry("export", "runs as files to hand on, or a collection for other tools"),
    "annotations": CommandEntry(
        "judgements", "what people judged of a collection's runs, to a file and from one"
    ),
    "prices": CommandEntry("prices", "what models cost, and what was spent on them"),
    "mcp": CommandEntry("mcp", "answer assistants that speak the Model Context Protocol"),
    "dify": CommandEntry("dify", "answer Dify, as its external knowledge"),
    "index": CommandEntry("clusters", "collections in an OpenSearch cluster"),
    "build": CommandEntry(
        "clusters",
        "a collection in a cluster from files, without a workspace; run again, it goes on",
    ),
}


def parser(command: str | None = None) -> argparse.ArgumentParser:
    """Every command; `command` of what it parses is the function to call. Where one is named, only
    its module's commands have options, and nothing else is imported.
    """
    top = argparse.ArgumentParser(
        prog="gear-app",
        description="Explore multi-hop retrieval, step by step, with or without a browser. Without"
        " a command it opens the web application, the first time with the demo.",
    )
    top.add_argument("--version", action="version", version=f"gear-app {__version__}")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    for name, entry in COMMANDS.items():
        if entry.help:
            commands.add_parser(name, help=entry.help, description=entry.help)
        else:
            commands.add_parser(name)
    used = COMMANDS if command is None else {command} & COMMANDS.keys()
    for module in dict.fromkeys(COMMANDS[name].module for name in used):
        importlib.import_module(f"gear_app.cli.{module}").add_to(commands)
    return top
