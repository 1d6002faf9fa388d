"""Reading in a process of its own, so that no file can keep, fill or break the one that asked.

Parsers of documents are other people's code on hostile input. The process they run in has a limit
of computing for every file and one of memory; the file at which it ends is left out with a
sentence, and the others are read. Closing it stops it at once.
"""

from __future__ import annotations

import json
import signal
import subprocess
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO, overload

from pydantic import TypeAdapter

from gear_app.errors import BadInput
from gear_app.ingest.batch import Batch, Limits, NewPassage, NewTriple
from gear_app.ingest.read import Origin, too_much_memory
from gear_app.launch import launch

POLL_S = 0.02
REFUSED_AT_MOST = 20  # files: each has all others read again
IN_A_LINE = 1000  # passages or triples of what is handed over
TOLD_BYTES = 2000  # of what a process that ended badly said last
_BATCH = TypeAdapter(Batch)


@dataclass(frozen=True, slots=True)
class Order:
    """What the process is to read, files that it must not, with the reason, and the folder where it
    writes.
    """

    origin: Origin
    folder: str
    refused: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)


_ORDER = TypeAdapter(Order)


def order_from_json(text: str) -> Order:
    """The order that a line says."""
    return _ORDER.validate_json(text)


def write_batch(batch: Batch, file: BinaryIO) -> None:
    """Write a batch as lines, each a part of it: it is never in memory twice."""
    for part in _parts(batch):
        file.write(_BATCH.dump_json(part) + b"\n")


def read_batch(file: BinaryIO) -> Batch:
    """The batch that a process wrote."""
    whole = _BATCH.validate_json(file.readline())
    passages: list[NewPassage] = []
    triples: dict[str, list[NewTriple]] = {name: [] for name in whole.triple_sets}
    for part in map(_BATCH.validate_json, file):
        passages += part.passages
        for name, some in part.triple_sets.items():
            triples[name] += some
    sets = {name: tuple(some) for name, some in triples.items()}
    return replace(whole, passages=tuple(passages), triple_sets=sets)


class BatchFiles(Sequence[Batch]):
    """The batches that a process wrote into a folder, each read when it is asked for. They are
    whole once it is known how many passages each has.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sizes = folder / "batches.json"

    @property
    def is_whole(self) -> bool:
        """Whether all batches are there."""
        return self._sizes.exists()

    @property
    def passages(self) -> int:
        """How many passages there are in all."""
        return sum(self._passages())

    def write(self, batches: Iterable[Batch]) -> None:
        """Write batches one by one; after an interruption none of them counts."""
        passages: list[int] = []
        for number, batch in enumerate(batches):
            with self._file(number).open("wb") as file:
                write_batch(batch, file)
            passages.append(len(batch.passages))
        beside = self._sizes.with_suffix(".part")
        beside.write_text(json.dumps(passages))
        beside.replace(self._sizes)

    def __len__(self) -> int:
        return len(self._passages())

    @overload
    def __getitem__(self, number: int) -> Batch: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[Batch]: ...
    def __getitem__(self, number: int | slice) -> Batch | Sequence[Batch]:
        numbers = range(len(self))[number]
        if isinstance(numbers, range):
            return [self[one] for one in numbers]
        with self._file(numbers).open("rb") as file:
            return read_batch(file)

    def _passages(self) -> list[int]:
        return [int(number) for number in json.loads(self._sizes.read_text())]

    def _file(self, number: int) -> Path:
        return self._folder / f"batch-{number + 1:04}.jsonl"


def _parts(batch: Batch) -> Iterator[Batch]:
    yield replace(batch, passages=(), triple_sets=dict.fromkeys(batch.triple_sets, ()))
    for start in range(0, len(batch.passages), IN_A_LINE):
        yield Batch(passages=batch.passages[start : start + IN_A_LINE])
    for name, triples in batch.triple_sets.items():
        for start in range(0, len(triples), IN_A_LINE):
            yield Batch(triple_sets={name: triples[start : start + IN_A_LINE]})


class ReadingProcess:
    """A process that reads an origin into a folder. `step` looks how far it is."""

    def __init__(self, origin: Origin, folder: Path, limits: Limits | None = None) -> None:
        """Start it. `folder` is there; what an earlier process wrote to it whole is taken."""
        self._origin, self._limits = origin, limits or Limits()
        self._folder, self._result = folder, BatchFiles(folder)
        self._errors = folder / "errors.txt"
        self._refused: dict[str, str] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._file, self.number = "", 0  # the file it is at, counted from 1
        self._heard = time.monotonic()
        if not self._result.is_whole:
            self._start()

    @property
    def at(self) -> str:
        """The file that is being read, "" before the first."""
        return self._file

    def step(self, wait_s: float) -> BatchFiles | None:
        """Wait a while; what was read once it is all there, None before. Raises BadInput."""
        until = time.monotonic() + wait_s
        while self._process is not None:
            code = self._process.poll()
            if code is not None:
                self._ended(code)
            elif time.monotonic() - self._heard > self._limits.silent_s:
                self._refuse(f"there was no news from it for {self._limits.silent_s} seconds")
            elif time.monotonic() >= until:
                return None
            else:
                time.sleep(POLL_S)
        return self._result

    def close(self) -> None:
        """Stop the process at once; what it read is not kept."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            self._listener.join()

    def _start(self) -> None:
        order = Order(self._origin, str(self._folder), self._refused, self._limits)
        program = launch("gear_app.ingest", PYTHONUTF8="1")
        with self._errors.open("wb") as errors:
            self._process = subprocess.Popen(  # noqa: S603 - our own program
                program.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=program.environment,
            )
        self._file, self.number, self._heard = "", 0, time.monotonic()
        self._listener = threading.Thread(target=self._listen, args=[self._process], daemon=True)
        self._listener.start()
        assert self._process.stdin is not None
        self._process.stdin.write(_ORDER.dump_json(order) + b"\n")
        self._process.stdin.close()

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        """Take in which file it is at, from a thread of its own, until it ends."""
        assert process.stdout is not None
        with process.stdout as lines:
            for line in lines:
                said: dict[str, Any] = json.loads(line)
                self._file, self.number = str(said["file"]), int(said["number"])
                self._heard = time.monotonic()

    def _ended(self, code: int) -> None:
        self._process = None
        self._listener.join()  # the last line it wrote is heard
        if self._result.is_whole:  # whole; a parser's library may still have failed to end
            return
        if code == 2:
            raise BadInput(self._last_words())
        if code != 0:
            self._refuse(self._reason(code))

    def _refuse(self, reason: str) -> None:
        """Leave out the file it is at, for this reason, and read again without it."""
        self.close()
        if not self._file or self._file in self._refused or len(self._refused) >= REFUSED_AT_MOST:
            raise BadInput(f"The documents could not be read: {reason}.")
        self._refused[self._file] = f"left out: {reason}"
        self._start()

    def _reason(self, code: int) -> str:
        """Why a process may have ended so, as its file's report says it."""
        ended_by = -code if code < 0 else 0
        if ended_by == getattr(signal, "SIGXCPU", None):
            return f"reading it takes more than {self._limits.cpu_s} seconds of computing"
        # Libraries in Rust and C abort where there is no more.
        no_more = (getattr(signal, "SIGKILL", None), signal.SIGABRT)
        if ended_by in no_more or "MemoryError" in self._last_words():
            return too_much_memory(self._limits)
        what = f"signal {ended_by}" if ended_by else f"exit status {code}"
        return f"reading it broke the program that reads such files ({what})"

    def _last_words(self) -> str:
        text = self._errors.read_bytes()[-TOLD_BYTES:].decode("utf-8", "replace")
        return text.strip() or "nothing was said"
