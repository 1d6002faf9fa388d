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
from pathlib import Path
from typing import NamedTuple

from gear_app import __version__
from gear_app.cli.output import note
from gear_app.core.errors import BadInput, GearError
from gear_app.core.paths import default_path

WRONG_CALL, FAILURE, INTERRUPTED = 2, 1, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit status. Without any the application opens, the first time with the
    demo.
    """
    _open_missing_streams()
    _survive_any_character()
    words = sys.argv[1:] if arguments is None else arguments
    if words:
        return _run(words)
    return (0 if default_path().exists() else _run(["demo"])) or _run(["serve"])


def _run(words: Sequence[str]) -> int:
    """The exit status of a command."""
    command = next((word for word in words if not word.startswith("-")), "")
    parsed = parser(command).parse_args(words)
    try:
        return int(parsed.command(parsed))
    except BadInput as error:
        return _failed(str(error), WRONG_CALL)
    except GearError as error:
        return _failed(str(error), FAILURE)
    except KeyboardInterrupt:
        return _failed("Interrupted. What was done is kept.", INTERRUPTED)
    except BrokenPipeError:  # the reader of our output went away, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILURE


def _failed(message: str, status: int) -> int:
    note(f"gear-app: {message}")
    return status


def _open_missing_streams() -> None:
    """Open the null device for every standard stream that was closed at the start, as by `>&-` or
    pythonw: for this process, and for those that it starts.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            stream = Path(os.devnull).open(mode, encoding="utf-8")  # noqa: SIM115 - until the end
            os.set_inheritable(stream.fileno(), True)
            setattr(sys, name, stream)


def _survive_any_character() -> None:
    """A character that the terminal's encoding lacks is a question mark, not an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


class CommandEntry(NamedTuple):
    """A command in the list: the module that has it, and its line; one without is not listed.

    The modules of commands add their options, and the functions that carry them out, themselves. A
    module is imported when one of its commands is used: to list them all takes the table alone.
    """

    module: str
    help: str


COMMANDS = {  # in the order in which help lists them
    "serve": CommandEntry("serve", "open the web application"),
    "doctor": CommandEntry("serve", "check the installation and the workspace"),
    "worker": CommandEntry("serve", ""),
    "demo": CommandEntry(
        "demo", "make the demo workspace: collections demo, garden and walkthrough"
    ),
    "collections": CommandEntry("collections", "what is in a workspace"),
    "questions": CommandEntry("collections", "a collection's questions"),
    "import": CommandEntry(
        "collections", "documents, data sets, packs, triples: recognised by content"
    ),
    "extract": CommandEntry("collections", "make triples and vectors; resumes"),
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
    "annotations": CommandEntry("labels", "labels of a collection's runs, to a file and from one"),
    "fetch": CommandEntry("fetch", "download a model of the hub, once its size was told"),
    "prices": CommandEntry("prices", "what models cost, and what was spent on them"),
    "mcp": CommandEntry("mcp", "answer assistants that speak the Model Context Protocol"),
    "index": CommandEntry("clusters", "collections in an OpenSearch cluster"),
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
