"""The process that reads an import's files: `python -m gear_app.ingest`, started by ingest.process.

It takes one line of JSON on standard input, writes the name of each file that it begins to standard
output, a line of JSON each, and batches to files. The operating system ends it where a file takes
more computing or memory than is allowed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from gear_app.errors import BadInput
from gear_app.ingest.files import Source, sources
from gear_app.ingest.items import MEGABYTE, Limits
from gear_app.ingest.process import COMPLETE, ORDER, BatchFiles
from gear_app.ingest.read import read_source


def main() -> int:
    """Read the files of an order; 2, with a sentence on standard error, where it cannot be read."""
    order = ORDER.validate_json(sys.stdin.readline())
    folder = Path(order.folder)
    batches = BatchFiles(folder)
    _limit_memory(order.limits)
    try:
        for number, source in enumerate(sources(order.origin, order.limits), start=1):
            if number >= order.first:
                _begin(order.limits, number, source)
                for batch in read_source(source, order.limits, dict(order.origin.fields)):
                    batches.append(number, batch)
    except BadInput as error:
        print(error, file=sys.stderr)
        return 2
    (folder / COMPLETE).touch()
    return 0


def _begin(limits: Limits, number: int, source: Source) -> None:
    print(json.dumps({"file": source.name, "number": number}), flush=True)
    _limit_computing(limits.cpu_s + limits.cpu_s_a_megabyte * source.size // MEGABYTE)


if sys.platform == "win32":

    def _limit_memory(limits: Limits) -> None:
        """Windows has no such limit for a process that limits itself."""

    def _limit_computing(seconds: int) -> None:
        """Nor one of computing: the time without news is bounded instead."""

else:
    import resource

    def _limit_memory(limits: Limits) -> None:
        """Let an allocation fail where all of them together would exceed the limit."""
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (limits.memory_bytes, hard))

    def _limit_computing(seconds: int) -> None:
        """Let the process end once it has computed so much longer than until now."""
        used = resource.getrusage(resource.RUSAGE_SELF)
        most = int(used.ru_utime + used.ru_stime) + 1 + seconds
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (most, hard))


if __name__ == "__main__":
    sys.exit(main())
