"""Faults, each of which a test has to catch: what the tests are for. They are in `faults.toml`.

`python -m tests.faults` plants them one after the other in a copy of the package, never in place,
and runs the tests that are to catch each; names of faults, or parts of them, choose some. It ends
with 1 where a fault was not caught or could not be planted: the line that it changes is gone, or
stands there twice.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
COPIED = ("gear_app", "tests")  # the others are links: tests find them beside the package
FAILED = 1  # pytest's exit status where a test failed; others say that none ran
PATIENCE_S = 600


class Fault(NamedTuple):
    """A line written wrong, and the tests that catch it. `old` stands once in the package."""

    name: str
    breaks: str
    old: str
    new: str
    test: str


FAULTS = tuple(
    Fault(**row)
    for row in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["fault"]
)


class NotPlanted(Exception):
    """A fault's line is gone, or is there several times."""


def place_of(fault: Fault, package: Path) -> Path:
    """The file that a fault is planted in. Raises NotPlanted."""
    counts = {
        file: text.count(fault.old)
        for file in package.rglob("*.py")
        if fault.old in (text := file.read_text(encoding="utf-8"))
    }
    if list(counts.values()) != [1]:
        raise NotPlanted(f"its line is in {len(counts)} modules: {fault.old.strip()!r}")
    return next(iter(counts))


@contextmanager
def planted(fault: Fault, package: Path) -> Iterator[None]:
    """While inside, the package has the fault."""
    file = place_of(fault, package)
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace(fault.old, fault.new), encoding="utf-8")
    try:
        yield
    finally:
        file.write_text(text, encoding="utf-8")


def is_caught(fault: Fault, copy: Path) -> bool:
    """Whether the fault's tests fail with it. Raises NotPlanted where they do not run."""
    program = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", fault.test]
    environment = os.environ | {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    with planted(fault, copy / "gear_app"):
        run = subprocess.run(
            program, cwd=copy, env=environment, capture_output=True, timeout=PATIENCE_S, text=True
        )
    if run.returncode not in (0, FAILED):
        raise NotPlanted(f"its tests do not run: {run.stdout[-500:]}{run.stderr[-500:]}")
    return run.returncode == FAILED


@contextmanager
def copied() -> Iterator[Path]:
    """A folder like this checkout, with a package of its own."""
    with TemporaryDirectory(prefix="faults-") as folder:
        for there in ROOT.iterdir():
            if there.name in COPIED:
                shutil.copytree(there, Path(folder) / there.name)
            elif not there.name.startswith("."):
                (Path(folder) / there.name).symlink_to(there)
        yield Path(folder)


def main(words: Sequence[str]) -> int:
    """Plant the faults with one of these words in their names, or all; 1 where one is not caught."""
    chosen = [one for one in FAULTS if not words or any(word in one.name for word in words)]
    escaped = 0 if chosen else 1
    with copied() as copy:
        for fault in chosen:
            began = time.monotonic()
            try:
                outcome = "caught" if is_caught(fault, copy) else "NOT CAUGHT"
            except NotPlanted as error:
                outcome = f"NOT PLANTED: {error}"
            escaped += outcome != "caught"
            print(f"{time.monotonic() - began:5.0f} s  {fault.name}: {outcome}", flush=True)  # noqa: T201
    return min(escaped, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
