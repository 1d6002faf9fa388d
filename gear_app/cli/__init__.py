"""The command line: the same things as the screen, for scripts and tests.

JSON on standard output with `--json`, errors on standard error, exit status 2 for a wrong call and
1 for a failure.
"""

from __future__ import annotations

import argparse
import importlib
import io
import os
import sys
from collections.abc import Sequence
from typing import Any

from gear_app import __version__
from gear_app.cli.options import DECLARED
from gear_app.cli.output import note
from gear_app.core.errors import BadInput, GearError
from gear_app.core.paths import default_path

WRONG_CALL, FAILURE, INTERRUPTED = 2, 1, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit status. Without any the application opens, the first time with the
    demo.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a character that it lacks is a question mark
            stream.reconfigure(errors="replace")
    words = sys.argv[1:] if arguments is None else arguments
    if words:
        return run(words)
    return (0 if default_path().exists() else run(["demo"])) or run(["serve"])


def run(words: Sequence[str]) -> int:
    """The exit status of a command."""
    name = next((word for word in words if not word.startswith("-")), "")
    parsed = parser(name).parse_args(words)
    try:
        return int(parsed.command(parsed))
    except GearError as error:
        note(f"gear-app: {error}")
        return WRONG_CALL if isinstance(error, BadInput) else FAILURE
    except KeyboardInterrupt:
        note("gear-app: Interrupted. What was done is kept.")
        return INTERRUPTED
    except BrokenPipeError:  # the reader of our output went away, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILURE


COMMANDS = {  # module and help by name, in the order in which help lists them; "": not listed
    "serve": ("serve", "open the web application"),
    "doctor": ("serve", "check the installation and the workspace"),
    "worker": ("serve", ""),
    "demo": ("demo", "make the demo workspace: collections demo, garden and walkthrough"),
    "collections": ("collections", "what is in a workspace"),
    "questions": ("collections", "a collection's questions"),
    "import": ("collections", "documents, data sets, packs, triples: recognised by content"),
    "extract": ("collections", "make triples and vectors; resumes"),
    "query": ("query", "ask a question"),
    "methods": ("query", "retrieval methods and their settings"),
    "eval": ("evaluate", "measure methods on a collection's questions; resumes"),
    "runs": ("runs", "the newest runs"),
    "show": ("runs", "a run with its events"),
    "pin": ("runs", "let a run's collection open with it"),
    "unpin": ("runs", "let a collection open with its latest run again"),
    "why": ("runs", "why a run does not have a passage, and what would have helped"),
    "replay": ("runs", "make a run again on its own revision"),
    "export": ("export", "runs as files to hand on, or a collection for other tools"),
    "annotations": ("export", "labels of a collection's runs, to a file and from one"),
    "fetch": ("demo", "download a model of the hub, once its size was told"),
    "prices": ("report", "what models cost, and what was spent on them"),
    "mcp": ("serve", "answer assistants that speak the Model Context Protocol"),
    "index": ("clusters", "collections in an OpenSearch cluster"),
}


def parser(name: str | None = None) -> argparse.ArgumentParser:
    """A parser of every command; `command` of what it parses is the function to call. Where one is
    named, only its module is imported, and the others have no options.
    """
    top = argparse.ArgumentParser(
        prog="gear-app",
        description="Explore multi-hop retrieval, step by step, with or without a browser. Without"
        " a command it opens the web application, the first time with the demo.",
    )
    top.add_argument("--version", action="version", version=f"gear-app {__version__}")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    for command, (module, about) in COMMANDS.items():
        listed: dict[str, Any] = {"help": about, "description": about} if about else {}
        entry = commands.add_parser(command, **listed)
        if name in (command, None):
            importlib.import_module(f"gear_app.cli.{module}")
            _add_options(entry, command)
    return top


def _add_options(entry: argparse.ArgumentParser, name: str) -> None:
    if name in DECLARED:
        DECLARED[name].add_to(entry)
        return
    actions = entry.add_subparsers(required=True, metavar="ACTION")
    for words, declared in DECLARED.items():
        if words.startswith(f"{name} "):
            about = declared.help
            declared.add_to(actions.add_parser(words.split()[1], help=about, description=about))
