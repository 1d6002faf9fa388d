"""The command line: the same things as the screen, for scripts and tests.

JSON on standard output with `--json`, errors on standard error, exit status 2 for a wrong call and
1 for a failure.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence

from gear_app.cli.output import note
from gear_app.cli.parser import parser
from gear_app.errors import BadInput, GearError
from gear_app.paths import default_path

WRONG_CALL, FAILURE, INTERRUPTED = 2, 1, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit status. Without any the application opens, the first time with the
    demo.
    """
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


def _survive_any_character() -> None:
    """A character that the terminal's encoding lacks is a question mark, not an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
