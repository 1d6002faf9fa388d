"""Writing to standard output and standard error, and the JSON that scripts rely on."""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gear_app
from gear_app.core.errors import BadInput

if TYPE_CHECKING:
    from gear_app.store.rows import JobInfo, RunInfo
    from gear_app.workspace.workspace import Workspace

QUIET_S = 2.0
_CONTROLS = {code: None for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"}
_BEYOND_JSON = re.compile("[\x7f-\x9f]")  # controls that JSON does not escape


class Progress:
    """Lines on standard error, at most one every two seconds, the first after two seconds."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def __call__(self, text: str) -> None:
        """Write the line if two seconds have passed since the last one."""
        if time.monotonic() - self._last >= QUIET_S:
            self._last = time.monotonic()
            note(text)

    def of_job(self, job: JobInfo) -> None:
        """Write how much of an extraction or of vectors is done, at which rate."""
        left = "" if job.seconds_left is None else f", {job.seconds_left:,.0f} s left"
        self(f"{job.kind}: {job.done:,} of {job.total:,}, {job.rate:,.1f} a second{left}")

    def of_import(self, job: JobInfo) -> None:
        """Write what an import reads, and how much of it is stored."""
        stored = f": {job.done:,} of {job.total:,} passages" if job.total else ""
        self(f"{job.message}{stored}")

    def of_load(self, step: str, done: int, total: int) -> None:
        """Write how much of a step of filling a cluster is done."""
        self(f"{step}: {done:,} of {total:,}")


def open_workspace(arguments: argparse.Namespace) -> Workspace:
    """The workspace of a command. A missing one is made by the commands that make workspaces, and
    by those that name a cluster whose collections they ask.
    """
    create = arguments.creates or vars(arguments).get("adopted") is not None
    workspace = gear_app.open(arguments.workspace, create=create)
    workspace.report = Progress()
    return workspace


def write(text: str = "") -> None:
    """Write text to standard output, without control characters: a document must not steer the
    terminal.
    """
    sys.stdout.write(text.translate(_CONTROLS) + "\n")


def note(text: str) -> None:
    """Write a line to standard error, where it does not mix with the result."""
    sys.stderr.write(text.translate(_CONTROLS) + "\n")
    sys.stderr.flush()


def emit(arguments: argparse.Namespace, value: object, *lines: str) -> int:
    """Write a result as JSON if that was requested, else in lines; 0, the status of success.
    Characters that standard output cannot take are escaped in JSON.
    """
    if arguments.json:
        unicode = (sys.stdout.encoding or "").lower().startswith("utf")
        text = json.dumps(value, ensure_ascii=not unicode, indent=2)
        lines = (_BEYOND_JSON.sub(lambda control: f"\\u{ord(control[0]):04x}", text),)
    for line in lines:
        write(line)
    return 0


def exit_status(failure: str) -> int:
    """1 for a result that a model failed, with the reason on standard error; 0 for no failure."""
    if failure:
        note(f"gear-app: {failure}")
    return 1 if failure else 0


def public(info: RunInfo | JobInfo) -> dict[str, Any]:
    """A run or a job for JSON: all but the source of its key, which is for this machine, and
    an import's report.
    """
    left_out = ("key_from", "report")
    return {name: value for name, value in asdict(info).items() if name not in left_out}


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Rows under a heading, columns aligned; columns of numbers to the right."""
    cells = [
        [" ".join(str(cell).splitlines()).translate(_CONTROLS) for cell in row]
        for row in (head, *rows)
    ]
    columns = []
    for values, column in zip(zip(head, *rows, strict=True), zip(*cells, strict=True), strict=True):
        width = max(map(len, column))
        number = rows and all(isinstance(value, int | float) for value in values[1:])
        columns.append([cell.rjust(width) if number else cell.ljust(width) for cell in column])
    return "\n".join("  ".join(line).rstrip() for line in zip(*columns, strict=True))


def write_file(path: Path, pieces: Iterable[str | bytes], *, force: bool) -> None:
    """Write a file completely or not at all, text as UTF-8. Raises BadInput if it exists, or cannot
    be written.
    """
    if path.exists() and not force:
        raise BadInput(f"{path} is there already. Add --force to overwrite it.")
    partial = path.with_name(f"{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("wb") as file:
            file.writelines(piece.encode() if isinstance(piece, str) else piece for piece in pieces)
        partial.replace(path)
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror}") from error
    finally:
        partial.unlink(missing_ok=True)
