"""Reading in a process of its own, so that no file can keep, fill or break the program.

Parsers of documents are other people's code on hostile input. A file at which the process ends is
left out with a sentence, and another process goes on with the next.
"""

from __future__ import annotations

import json
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import TypeAdapter

from gear_app.core.errors import BadInput, Refused
from gear_app.core.launch import launch
from gear_app.documents.files import Origin
from gear_app.documents.items import Batch, Limits, refused
from gear_app.documents.read import too_much_memory

POLL_S = 0.02
COMPLETE = "complete"  # file in the folder once all batches are there
_LAST_WORDS = 2000  # bytes of what a process that ended badly said
_BATCH = TypeAdapter(Batch)


class BatchFiles:
    """Batches in the files of a folder, each read when it is used. The name of a file has the
    numbers of the batch and of the file that it is of, and the number of its passages.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files = sorted(folder.glob("*.batch"))

    def append(self, file: int, batch: Batch) -> None:
        """Write a batch of a file, by its number; it counts only once it is complete."""
        path = self._folder / f"{len(self._files):09}-{file}-{len(batch.passages)}.batch"
        incomplete = path.with_suffix(".incomplete")
        incomplete.write_bytes(_BATCH.dump_json(batch))
        incomplete.replace(path)
        self._files.append(path)

    @property
    def passages(self) -> int:
        """Number of passages."""
        return sum(int(file.stem.split("-")[2]) for file in self._files)

    def of_file(self, number: int) -> list[Path]:
        """Files with the batches of a file."""
        return [file for file in self._files if int(file.stem.split("-")[1]) == number]

    @property
    def last_file(self) -> int:
        """Number of the last file that was begun, 0 for none."""
        return int(self._files[-1].stem.split("-")[1]) if self._files else 0

    def __len__(self) -> int:
        return len(self._files)

    def __getitem__(self, number: int) -> Batch:
        return _BATCH.validate_json(self._files[number].read_bytes())


@dataclass(frozen=True, slots=True)
class Order:
    """Files that a process is to read, from the number `first` on, and its folder."""

    origin: Origin
    folder: str
    first: int = 1
    limits: Limits = field(default_factory=Limits)


ORDER = TypeAdapter(Order)


class ReadingProcess:
    """A process that reads an origin into a folder. `step` looks how far it is."""

    def __init__(self, origin: Origin, folder: Path, limits: Limits | None = None) -> None:
        """Start it, or go on with the files that an earlier process began."""
        self._origin, self._limits, self._folder = origin, limits or Limits(), folder
        self._news, self._errors = folder / ".news", folder / ".errors"
        self._process: subprocess.Popen[bytes] | None = None
        self.file, self.number = "", 0  # the file that is being read, counted from 1
        if not (folder / COMPLETE).exists():
            batches = BatchFiles(folder)
            for file in batches.of_file(batches.last_file):
                file.unlink()
            self._start(max(1, batches.last_file))

    def step(self, wait_s: float) -> BatchFiles | None:
        """Wait a while; the batches once all are there, None before. Raises BadInput."""
        until = time.monotonic() + wait_s
        while self._process is not None:
            code = self._process.poll()
            self._look()
            if code is not None:
                self._process = None
                self._end(code)
            elif time.monotonic() - self._began > self._limits.silent_s:
                self.close()
                self._leave_out(f"there was no news from it for {self._limits.silent_s} seconds")
            elif time.monotonic() >= until:
                return None
            else:
                time.sleep(POLL_S)
        return BatchFiles(self._folder)

    def close(self) -> None:
        """Stop the process at once."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()

    def _start(self, first: int) -> None:
        order = Order(self._origin, str(self._folder), first, self._limits)
        program = launch("gear_app.documents", PYTHONUTF8="1")
        with self._news.open("wb") as news, self._errors.open("wb") as errors:
            self._process = subprocess.Popen(  # noqa: S603 - our own program
                program.command,
                stdin=subprocess.PIPE,
                stdout=news,
                stderr=errors,
                env=program.environment,
            )
        self.file, self.number, self._began = "", 0, time.monotonic()
        assert self._process.stdin is not None
        with self._process.stdin as orders:
            orders.write(ORDER.dump_json(order) + b"\n")

    def _look(self) -> None:
        """Take in which file it is at."""
        lines = self._news.read_bytes().split(b"\n")
        if len(lines) > 1:
            number, file = json.loads(lines[-2])
            if number != self.number:
                self.file, self.number, self._began = file, number, time.monotonic()

    def _end(self, code: int) -> None:
        if (self._folder / COMPLETE).exists():  # a parser's library may still have failed to end
            return
        text = self._errors.read_bytes()[-_LAST_WORDS:].decode("utf-8", "replace")
        words = text.strip() or "nothing was said"
        if code == 2:
            raise BadInput(words)
        ended_by = -code if code < 0 else 0
        if ended_by == getattr(signal, "SIGXCPU", None):
            self._leave_out(f"reading it takes more than {self._limits.cpu_s} seconds of computing")
        # Libraries in Rust and C abort where there is no more memory.
        elif ended_by in (getattr(signal, "SIGKILL", None), signal.SIGABRT) or "MemoryE" in words:
            self._leave_out(too_much_memory(self._limits))
        else:
            end = f"signal {ended_by}" if ended_by else f"exit status {code}"
            self._leave_out(f"reading it broke the program that reads such files ({end})")

    def _leave_out(self, reason: str) -> None:
        """Report that the file it was at is left out, and go on with the next."""
        if not self.file:
            raise BadInput(f"The documents could not be read: {reason}.")
        batches = BatchFiles(self._folder)
        parts = len(batches.of_file(self.number))
        batches.append(self.number, refused(self.file, Refused(reason), parts and parts + 1))
        self._start(self.number + 1)
