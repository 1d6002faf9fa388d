"""docs/commands.md, written from the parser: every command with its arguments and options.

python -m gear_app.cli.page > docs/commands.md
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from gear_app.cli.parser import parser

HEAD = """# The command line

`gear-app COMMAND --help` says the same. Every command works on one workspace file (`--workspace FILE`, or `GEAR_WORKSPACE`),
and needs no browser; with `--json` it prints one JSON document to standard output, progress goes to standard error.
The exit status is 0, or 1 where something failed, 2 where a command cannot be understood.

This page is written from the parser, and a test compares the two: `python -m gear_app.cli.page > docs/commands.md`.
"""  # noqa: E501 - as wide as the other pages


def page() -> str:
    """The whole page."""
    return HEAD + "".join(_section(*command) for command in commands())


def commands() -> Iterator[tuple[argparse.ArgumentParser, str]]:
    """Every command that does something, with its sentence; those within a command after it."""
    yield from _within(parser())


def _within(above: argparse.ArgumentParser) -> Iterator[tuple[argparse.ArgumentParser, str]]:
    for group in above._actions:
        if not isinstance(group, argparse._SubParsersAction):
            continue
        said = {choice.dest: choice.help or "" for choice in group._choices_actions}
        for name, command in group.choices.items():
            # One without a sentence is for the application itself.
            if command.get_default("command") and name in said:
                yield command, said[name]
            yield from _within(command)


def _section(command: argparse.ArgumentParser, said: str) -> str:
    sentence = f"{said[:1].upper()}{said[1:]}."
    rows = [
        f"| {_name(action)} | {_cell(action.help or '')} |"
        for action in command._actions
        if not isinstance(action, argparse._HelpAction | argparse._SubParsersAction)
        and action.help != argparse.SUPPRESS  # one that is there to be refused in words
    ]
    table = ["", "| | |", "|---|---|", *rows] if rows else []
    return "\n".join(["", f"## {command.prog}", "", sentence, *table, ""])


def _name(action: argparse.Action) -> str:
    takes = action.metavar or ("" if action.nargs == 0 else action.dest.upper())
    value = " ".join(takes) if isinstance(takes, tuple) else takes
    if action.nargs in ("*", "+"):
        value += " …"
    names = ", ".join(action.option_strings)
    return f"`{' '.join(filter(None, [names, value]))}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "\\<")


if __name__ == "__main__":
    sys.stdout.write(page())
