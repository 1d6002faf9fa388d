"""What a large file of JSON lines takes on its way into a workspace: time, and the most memory of the
process that stores and of the one that reads. What the passages name and vectors follow in the
background and do not count.

    python tests/bench/bench_large_import.py 1000

makes so many megabytes, lines of about a kilobyte each with `id`, `title` and `text`, in a folder
that is removed in the end. Prints a line of progress every ten seconds, and a table.
"""

from __future__ import annotations

import json
import random
import resource
import sys
import tempfile
import time
from pathlib import Path

from gear_app.store.rows import JobInfo
from gear_app.workspace.workspace import Workspace

NAMES = "Ada Quill,Bo Hale,Ida Quay,Tom Vane,Mara Lund,Lorn,Port Mira,Sel Bridge".split(",")
WORDS = "boat harbour pier river winter light film law music town ice tide night letter".split()


def write(path: Path, megabytes: int) -> int:
    """Write so many megabytes of lines; how many there are."""
    chosen, lines = random.Random(7), 0
    with path.open("w", encoding="utf-8") as file:
        while file.tell() < megabytes * 1_000_000:
            for _ in range(1000):
                row = {"id": f"p{lines}", "title": f"{chosen.choice(NAMES)} {lines}"}
                row["text"] = " ".join(_sentence(chosen) for _ in range(13))
                file.write(json.dumps(row) + "\n")
                lines += 1
    return lines


def _sentence(chosen: random.Random) -> str:
    words = " ".join(chosen.choices(WORDS, k=8))
    return f"{chosen.choice(NAMES)} saw {words} of {chosen.choice(NAMES)}."


class Progress:
    """Tells every ten seconds what is done, and notes when storing began."""

    def __init__(self) -> None:
        self.began = self.told = time.perf_counter()
        self.reading_s = 0.0

    def __call__(self, job: JobInfo) -> None:
        """Take a sign of progress."""
        now = time.perf_counter()
        if job.message.startswith("Storing") and not self.reading_s:
            self.reading_s = now - self.began
        if now - self.told > 10:
            self.told = now
            sys.stderr.write(
                f"{now - self.began:6.0f} s  {job.done:,}  {job.message}  {_megabytes()} MB\n"
            )


def _megabytes(who: int = resource.RUSAGE_SELF) -> int:
    """The most memory that this process, or one that it waited for, had at once."""
    return resource.getrusage(who).ru_maxrss * 1024 // 1_000_000


def main() -> None:
    """Measure a file of the megabytes given, 300 by default."""
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "corpus.jsonl"
        lines = write(file, size)
        workspace = Workspace(Path(folder) / "bench.db")
        before, progress = _megabytes(), Progress()
        (report,) = workspace.imports.do(file, "bench", progress)
        took = time.perf_counter() - progress.began
        sys.stdout.write(
            f"{size} MB, {lines:,} lines: {report.message}\n\n"
            "| | time | most memory |\n| --- | ---: | ---: |\n"
            f"| reading | {progress.reading_s:,.0f} s | {_megabytes(resource.RUSAGE_CHILDREN)} MB |\n"
            f"| storing | {took - progress.reading_s:,.0f} s | {_megabytes()} MB"
            f" ({before} before) |\n"
        )


if __name__ == "__main__":
    main()
