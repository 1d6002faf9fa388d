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
        """How much of an extraction or of vectors is done, at which rate."""
        left = "" if job.seconds_left is None else f", {job.seconds_left:,.0f} s left"
        self(f"{job.kind}: {job.done:,} of {job.total:,}, {job.rate:,.1f} a second{left}")

    def of_import(self, job: JobInfo) -> None:
        """What an import reads, and how much of it is stored."""
        stored = f": {job.done:,} of {job.total:,} passages" if job.total else ""
        self(f"{job.message}{stored}")


def open_workspace(arguments: argparse.Namespace) -> Workspace:
    """The workspace of a command. A missing one is made by the commands that make workspaces, and
    by those that name a cluster to ask.
    """
    named = vars(arguments)
    adopts = bool(named.get("adopts") and named.get("index"))
    workspace = gear_app.open(arguments.workspace, create=arguments.creates or adopts)
    workspace.connection.report = Progress()
    return workspace


def note_loading(arguments: argparse.Namespace, workspace: Workspace, collection: str) -> None:
    """Say to a person what is loaded before the first question of a process can be answered."""
    if not (arguments.json or workspace.read_only):
        embedder = workspace.models.uncached_embedder.fingerprint
        note(
            f"First the index of {collection} is loaded, with the model of its vectors, {embedder}."
        )


def write(text: str = "") -> None:
    """Write a line of the result to standard output."""
    sys.stdout.write(plain(text) + "\n")


def note(text: str) -> None:
    """Write a line to standard error, where it does not mix with the result."""
    sys.stderr.write(plain(text) + "\n")
    sys.stderr.flush()


def exit_status(failure: str) -> int:
    """1 for a result that a model failed, with the reason on standard error; 0 for no failure."""
    if failure:
        note(f"gear-app: {failure}")
    return 1 if failure else 0


def plain(text: str) -> str:
    """The text without control characters: what a document says must not steer the terminal."""
    return text.translate(_CONTROLS)


def write_json(value: object) -> None:
    """Write the result as JSON. Characters that standard output cannot take are escaped."""
    unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    text = json.dumps(value, ensure_ascii=not unicode, indent=2)
    write(_BEYOND_JSON.sub(lambda control: f"\\u{ord(control[0]):04x}", text))


def write_result(arguments: argparse.Namespace, value: object, *lines: str) -> int:
    """Write a result as JSON where that was asked for, else in lines; 0, the status of success."""
    if arguments.json:
        write_json(value)
    else:
        for line in lines:
            write(line)
    return 0


def public(info: RunInfo | JobInfo) -> dict[str, Any]:
    """A run or a job for JSON: all but where its key is to be had, which is for this machine."""
    return {name: value for name, value in asdict(info).items() if name != "key_from"}


def write_table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Write rows under a heading, columns aligned; columns of numbers to the right."""
    text = [[plain(" ".join(str(cell).splitlines())) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(head, *text, strict=True)]
    numeric = [
        bool(rows) and all(isinstance(row[at], int | float) for row in rows)
        for at in range(len(head))
    ]
    for line in [list(head), *text]:
        cells = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(line, widths, numeric, strict=True)
        ]
        write("  ".join(cells).rstrip())


def write_file(path: Path, pieces: Iterable[str | bytes], *, force: bool) -> None:
    """Write a file whole or not at all, text as UTF-8. Raises BadInput where it is there, or cannot
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
