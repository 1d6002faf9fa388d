"""Reading in a process of its own, so that no file can keep, fill or break the program.

Parsers of documents are other people's code on hostile input. A file at which the process ends is
left out with a sentence, and another process goes on with the next.
"""

from __future__ import annotations

import json
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import overload

from pydantic import TypeAdapter

from gear_app.errors import BadInput, Refused
from gear_app.ingest.files import Origin
from gear_app.ingest.items import Batch, Limits, refused
from gear_app.ingest.read import too_much_memory
from gear_app.launch import launch

POLL_S = 0.02
COMPLETE = "complete"  # file in the folder once all batches are there
_LAST_WORDS = 2000  # bytes of what a process that ended badly said
_BATCH = TypeAdapter(Batch)


class BatchFiles(Sequence[Batch]):
    """Batches in the files of a folder, each read when it is used. `passages` counts theirs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files = sorted(folder.glob("*.batch"))

    def append(self, file: int, batch: Batch) -> None:
        """Write a batch of a file, by its number; it counts only once it is complete."""
        name = f"{len(self._files):09}-{file}-{len(batch.passages)}"
        path = self._folder / f"{name}.batch"
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
        return [file for file in self._files if int(file.name.split("-")[1]) == number]

    @property
    def last_file(self) -> int:
        """Number of the last file that was begun, 0 for none."""
        return int(self._files[-1].name.split("-")[1]) if self._files else 0

    def __len__(self) -> int:
        return len(self._files)

    @overload
    def __getitem__(self, number: int) -> Batch: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[Batch]: ...
    def __getitem__(self, number: int | slice) -> Batch | Sequence[Batch]:
        if isinstance(number, slice):
            return [self[place] for place in range(len(self))[number]]
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
        self._errors, self._complete = folder / "errors.txt", folder / COMPLETE
        self._process: subprocess.Popen[bytes] | None = None
        self.file, self.number = "", 0  # the file that is being read, counted from 1
        self._news = time.monotonic()
        if not self._complete.exists():
            batches = BatchFiles(folder)
            for file in batches.of_file(batches.last_file):
                file.unlink()
            self._start(max(1, batches.last_file))

    def step(self, wait_s: float) -> BatchFiles | None:
        """Wait a while; the batches once all are there, None before. Raises BadInput."""
        until = time.monotonic() + wait_s
        while self._process is not None:
            code = self._process.poll()
            if code is not None:
                self._end(code)
            elif time.monotonic() - self._news > self._limits.silent_s:
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
            self._listener.join()

    def _start(self, first: int) -> None:
        order = Order(self._origin, str(self._folder), first, self._limits)
        program = launch("gear_app.ingest", PYTHONUTF8="1")
        with self._errors.open("wb") as errors:
            self._process = subprocess.Popen(  # noqa: S603 - our own program
                program.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=program.environment,
            )
        self.file, self.number, self._news = "", 0, time.monotonic()
        self._listener = threading.Thread(target=self._listen, args=[self._process], daemon=True)
        self._listener.start()
        assert self._process.stdin is not None
        self._process.stdin.write(ORDER.dump_json(order) + b"\n")
        self._process.stdin.close()

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        """Take in which file it is at, in a thread of its own, until it ends."""
        assert process.stdout is not None
        with process.stdout as lines:
            for line in lines:
                news = json.loads(line)
                self.file, self.number = str(news["file"]), int(news["number"])
                self._news = time.monotonic()

    def _end(self, code: int) -> None:
        self._process = None
        self._listener.join()  # the last line it wrote is in
        if self._complete.exists():  # a parser's library may still have failed to end
            return
        if code == 2:
            raise BadInput(self._last_words())
        self._leave_out(self._reason(code))

    def _leave_out(self, reason: str) -> None:
        """Report that the file it was at is left out, and go on with the next."""
        if not self.file:
            raise BadInput(f"The documents could not be read: {reason}.")
        batches = BatchFiles(self._folder)
        parts = len(batches.of_file(self.number))
        batches.append(self.number, refused(self.file, Refused(reason), parts and parts + 1))
        self._start(self.number + 1)

    def _reason(self, code: int) -> str:
        """Probable reason why a process ended so."""
        ended_by = -code if code < 0 else 0
        if ended_by == getattr(signal, "SIGXCPU", None):
            return f"reading it takes more than {self._limits.cpu_s} seconds of computing"
        # Libraries in Rust and C abort where there is no more memory.
        no_memory = (getattr(signal, "SIGKILL", None), signal.SIGABRT)
        if ended_by in no_memory or "MemoryError" in self._last_words():
            return too_much_memory(self._limits)
        what = f"signal {ended_by}" if ended_by else f"exit status {code}"
        return f"reading it broke the program that reads such files ({what})"

    def _last_words(self) -> str:
        text = self._errors.read_bytes()[-_LAST_WORDS:].decode("utf-8", "replace")
        return text.strip() or "nothing was said"
