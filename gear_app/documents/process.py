"""Reading in a process of its own, so that no file can keep, fill or break the program.

Parsers of documents are other people's code on hostile input. The process says which file it reads,
and writes batches to a folder. It ends where a file takes more time than is allowed, and the
operating system ends it where one takes more memory; Windows has no such limit. A file at which it
ends is left out with a sentence, and another process goes on with the next.
"""

from __future__ import annotations

import faulthandler
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from pydantic import TypeAdapter

from gear_app.core.errors import BadInput, Refused
from gear_app.core.launch import launch
from gear_app.documents.files import Origin, sources
from gear_app.documents.items import Batch, Limits, refused
from gear_app.documents.read import read_source, too_much_memory

_LAST_WORDS = 20_000  # bytes of what a process that ended badly said: where it was
_NO_MEMORY = (-6, -9)  # SIGABRT, by which libraries in Rust and C end without memory, and SIGKILL
_BATCH = TypeAdapter(Batch)
_ORDER = TypeAdapter(tuple[Origin, int, Limits])  # files, and the number of the first to read


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


def read_apart(
    origin: Origin, folder: Path, limits: Limits, wait_s: float
) -> Iterator[tuple[int, str]]:
    """Read an origin into a folder; every `wait_s` the number, from 1, and the name of the file
    that is being read, 0 before the first. Raises BadInput where the process does not start.
    """
    for file in folder.glob("*.batch"):  # of an earlier attempt
        file.unlink()
    number, code = 0, None
    while code != 0:
        process = _start(origin, number + 1, folder, limits)
        try:
            while (code := _code(process, wait_s)) is None:
                number, name = json.loads((folder / "now").read_bytes())
                yield number, name
        finally:
            process.kill()
            process.wait()
        number, name = json.loads((folder / "now").read_bytes())
        if code != 0:
            reason = _reason(code, folder, limits)
            if not number:
                raise BadInput(f"The documents could not be read: {reason}.")
            part = 1 + len(list(folder.glob(f"{number:06}-*.batch")))
            _write_batch(folder, number, refused(name, Refused(reason), part))


def _start(origin: Origin, first: int, folder: Path, limits: Limits) -> subprocess.Popen[bytes]:
    _announce(folder, 0, "")
    (folder / "order").write_bytes(_ORDER.dump_json((origin, first, limits)))
    program = launch(__name__, str(folder), PYTHONUTF8="1")
    with (folder / "errors").open("wb") as errors:
        return subprocess.Popen(program.command, stderr=errors, env=program.environment)  # noqa: S603 - our own program


def _code(process: subprocess.Popen[bytes], wait_s: float) -> int | None:
    with suppress(subprocess.TimeoutExpired):
        return process.wait(wait_s)
    return None


def _reason(code: int, folder: Path, limits: Limits) -> str:
    words = (folder / "errors").read_bytes()[-_LAST_WORDS:]
    if b"Timeout (" in words:
        return "reading it takes too long"
    if code in _NO_MEMORY or b"MemoryE" in words:
        return too_much_memory(limits)
    return f"reading it broke the program that reads such files ({code})"


# The process that reads


def main() -> None:
    """Read the files of the order in a folder."""
    folder = Path(sys.argv[1])
    origin, first, limits = _ORDER.validate_json((folder / "order").read_bytes())
    if sys.platform != "win32":
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (limits.memory_bytes, most))
    for number, source in enumerate(sources(origin, limits), start=1):
        if number >= first:
            _announce(folder, number, source.name)
            faulthandler.dump_traceback_later(limits.seconds(source.size), exit=True)
            for batch in read_source(source, limits, dict(origin.fields)):
                _write_batch(folder, number, batch)


def _announce(folder: Path, number: int, name: str) -> None:
    (folder / "next").write_text(json.dumps([number, name]), encoding="utf-8")
    (folder / "next").replace(folder / "now")


def _write_batch(folder: Path, file: int, batch: Batch) -> None:
    """Write a batch of a file, by its number; it counts only once it is complete."""
    path = folder / f"{file:06}-{batch.part:06}-{len(batch.passages)}.batch"
    incomplete = path.with_suffix(".incomplete")
    incomplete.write_bytes(_BATCH.dump_json(batch))
    incomplete.replace(path)


if __name__ == "__main__":
    main()
    os._exit(0)  # threads of libraries may fail to end
