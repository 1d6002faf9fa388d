"""The process that reads what is imported: `python -m gear_app.ingest`, started by ingest.process.

It takes one line of JSON on standard input, says on standard output which file it begins (a line of
JSON for each, and for each slice of a large one), and writes batches to files. The operating system
ends it where a file takes more computing or memory than is allowed; who started it knows from the
last line which file that was.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gear_app.errors import BadInput
from gear_app.ingest.archive import Source
from gear_app.ingest.batch import MEGABYTE, Batch, Limits
from gear_app.ingest.process import BatchFiles, Order, order_from_json
from gear_app.ingest.read import read_origin


@dataclass(slots=True)
class _Watch:
    """Tells which file is begun, refuses those that cost too much before, and sets the limit of
    computing for the next.
    """

    order: Order
    begun: int = 0
    at: str = ""

    def __call__(self, source: Source) -> None:
        self.begun += source.name != self.at  # else the next slice of it
        self.at = source.name
        self.tell(source.name)
        if source.name in self.order.refused:
            raise BadInput(self.order.refused[source.name])
        limits = self.order.limits
        _limit_computing(limits.cpu_s + limits.cpu_s_a_megabyte * source.size // MEGABYTE)

    def tell(self, name: str) -> None:
        """Say which file is read from now on; "" when all of them are."""
        print(json.dumps({"file": name, "number": self.begun}), flush=True)


def main() -> int:
    """Read what the order says; 2, with a sentence on standard error, where it cannot be read."""
    order = order_from_json(sys.stdin.readline())
    _limit_memory(order.limits)
    watch = _Watch(order)

    def batches() -> Iterator[Batch]:
        for batch in read_origin(order.origin, order.limits, watch):
            if not batch.part:
                watch.tell("")  # what is wrong from now on is no single file's fault
            yield batch

    try:
        BatchFiles(Path(order.folder)).write(batches())
    except BadInput as error:
        print(error, file=sys.stderr)
        return 2
    return 0


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
