"""Reading in a process of its own, so that no file can keep, fill or break the program.

Parsers of documents are other people's code on hostile input. A file at which the process ends is
left out with a sentence, and another process goes on with the next.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pydantic import TypeAdapter

from gear_app.core.errors import BadInput, Refused
from gear_app.core.launch import launch
from gear_app.documents.files import Origin
from gear_app.documents.items import Batch, Limits, refused
from gear_app.documents.read import too_much_memory

_LAST_WORDS = 2000  # bytes of what a process that ended badly said
_NO_MEMORY = (-6, -9)  # SIGABRT, by which libraries in Rust and C end without memory, and SIGKILL
_BATCH = TypeAdapter(Batch)


# Files to read, the number of the first of them, and the folder for batches.
ORDER = TypeAdapter(tuple[Origin, int, Path, Limits])


def write_batch(folder: Path, file: int, batch: Batch) -> None:
    """Write a batch of a file, by its number; it counts only once it is complete."""
    path = folder / f"{file:06}-{batch.part:06}-{len(batch.passages)}.batch"
    incomplete = path.with_suffix(".incomplete")
    incomplete.write_bytes(_BATCH.dump_json(batch))
    incomplete.replace(path)


class BatchFiles:
    """Batches in the files of a folder, each read when it is used."""

    def __init__(self, folder: Path) -> None:
        self._files = sorted(folder.glob("*.batch"))
        self.passages = sum(int(file.stem.split("-")[2]) for file in self._files)

    def __len__(self) -> int:
        return len(self._files)

    def __getitem__(self, number: int) -> Batch:
        return _BATCH.validate_json(self._files[number].read_bytes())


Batches = BatchFiles | list[Batch]


def announce(folder: Path, number: int, name: str = "", size: int = 0) -> None:
    """Say which file is being read: its number from 1, its name, and its size."""
    (folder / "next").write_text(json.dumps([number, name, size]), encoding="utf-8")
    (folder / "next").replace(folder / "now")


def read_apart(
    origin: Origin, folder: Path, limits: Limits, wait_s: float
) -> Iterator[tuple[int, str]]:
    """Read an origin into a folder; every `wait_s` the number, from 1, and the name of the file
    that is being read, 0 before the first. Raises BadInput where the process does not start.
    """
    for file in folder.glob("*.batch"):  # of an earlier attempt
        file.unlink()
    first, code = 1, None
    while code != 0:
        announce(folder, 0)
        number, name, size, began = 0, "", 0, time.monotonic()
        with _started(origin, first, folder, limits) as process:
            while (code := _code(process, wait_s)) is None:
                if number and time.monotonic() - began > limits.seconds(size):
                    break
                yield number, name
                at, name, size = json.loads((folder / "now").read_bytes())
                if at != number:
                    number, began = at, time.monotonic()
        at, name, _ = json.loads((folder / "now").read_bytes())
        if code != 0:
            reason = _reason(code, folder, limits)
            if not at:
                raise BadInput(f"The documents could not be read: {reason}.")
            part = 1 + len(list(folder.glob(f"{at:06}-*.batch")))
            write_batch(folder, at, refused(name, Refused(reason), part))
            first = at + 1


@contextmanager
def _started(
    origin: Origin, first: int, folder: Path, limits: Limits
) -> Iterator[subprocess.Popen[bytes]]:
    program = launch("gear_app.documents", PYTHONUTF8="1")
    with (folder / "errors").open("wb") as errors:
        process = subprocess.Popen(  # noqa: S603 - our own program
            program.command, stdin=subprocess.PIPE, stderr=errors, env=program.environment
        )
    try:
        assert process.stdin is not None
        with process.stdin as orders:
            orders.write(ORDER.dump_json((origin, first, folder, limits)) + b"\n")
        yield process
    finally:
        process.kill()
        process.wait()


def _code(process: subprocess.Popen[bytes], wait_s: float) -> int | None:
    with suppress(subprocess.TimeoutExpired):
        return process.wait(wait_s)
    return None


def _reason(code: int | None, folder: Path, limits: Limits) -> str:
    words = (folder / "errors").read_bytes()[-_LAST_WORDS:]
    if code is None:
        return "reading it takes too long"
    if code in _NO_MEMORY or b"MemoryE" in words:
        return too_much_memory(limits)
    return f"reading it broke the program that reads such files ({code})"
