"""Reading in a process of its own, so that no file can keep, fill or break the program.

Parsers of documents are other people's code on hostile input. A file at which the process ends is
left out with a sentence, and another process goes on with the next.
"""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path

from pydantic import TypeAdapter

from gear_app.core.errors import BadInput, Refused
from gear_app.core.launch import launch
from gear_app.documents.files import Origin
from gear_app.documents.items import Batch, Limits, refused
from gear_app.documents.read import too_much_memory

_LAST_WORDS = 2000  # bytes of what a process that ended badly said
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


class ReadingProcess:
    """A process that reads an origin into a folder. `step` looks how far it is."""

    def __init__(self, origin: Origin, folder: Path, limits: Limits | None = None) -> None:
        """Start it."""
        self._origin, self._limits, self._folder = origin, limits or Limits(), folder
        for file in folder.glob("*.batch"):  # of an earlier attempt
            file.unlink()
        self._start(1)

    def step(self, wait_s: float) -> BatchFiles | None:
        """Wait a while; the batches once all are there, None before. Raises BadInput."""
        try:
            code = self._process.wait(wait_s)
        except subprocess.TimeoutExpired:
            code = None
        self._look()
        if code is not None:
            return self._end(code)
        if time.monotonic() - self._began > self._limits.silent_s:
            self.close()
            self._leave_out(f"there was no news from it for {self._limits.silent_s} seconds")
        return None

    def close(self) -> None:
        """Stop the process at once."""
        self._process.kill()
        self._process.wait()

    def _start(self, first: int) -> None:
        self.file, self.number, self._began = "", 0, time.monotonic()  # counted from 1
        self._news, self._errors = self._folder / ".news", self._folder / ".errors"
        program = launch("gear_app.documents", PYTHONUTF8="1")
        with self._news.open("wb") as news, self._errors.open("wb") as errors:
            self._process = subprocess.Popen(  # noqa: S603 - our own program
                program.command,
                stdin=subprocess.PIPE,
                stdout=news,
                stderr=errors,
                env=program.environment,
            )
        assert self._process.stdin is not None
        with self._process.stdin as orders:
            order = (self._origin, first, self._folder, self._limits)
            orders.write(ORDER.dump_json(order) + b"\n")

    def _look(self) -> None:
        lines = self._news.read_bytes().split(b"\n")
        if len(lines) > 1:
            number, file = json.loads(lines[-2])
            if number != self.number:
                self.file, self.number, self._began = file, number, time.monotonic()

    def _end(self, code: int) -> BatchFiles | None:
        if code == 0:
            return BatchFiles(self._folder)
        words = self._errors.read_bytes()[-_LAST_WORDS:].decode("utf-8", "replace").strip()
        if code == 2:
            raise BadInput(words)
        if -code == getattr(signal, "SIGXCPU", None):
            self._leave_out(f"reading it takes more than {self._limits.cpu_s} seconds of computing")
        # Libraries in Rust and C abort where there is no more memory.
        elif -code in (getattr(signal, "SIGKILL", None), signal.SIGABRT) or "MemoryE" in words:
            self._leave_out(too_much_memory(self._limits))
        else:
            self._leave_out(f"reading it broke the program that reads such files ({code})")
        return None

    def _leave_out(self, reason: str) -> None:
        if not self.file:
            raise BadInput(f"The documents could not be read: {reason}.")
        part = 1 + len(list(self._folder.glob(f"{self.number:06}-*.batch")))
        write_batch(self._folder, self.number, refused(self.file, Refused(reason), part))
        self._start(self.number + 1)
