"""The process that reads an import's files: `python -m gear_app.documents`, from documents.process.

It takes an order on standard input, writes the number and name of each file that it begins to
standard output, a line of JSON each, and batches to files. The operating system ends it where a
file takes more computing or memory than is allowed; Windows has no such limits.
"""

from __future__ import annotations

import json
import os
import sys

from gear_app.core.errors import BadInput
from gear_app.documents.files import sources
from gear_app.documents.items import MEGABYTE, Limits
from gear_app.documents.process import ORDER, write_batch
from gear_app.documents.read import read_source


def main() -> int:
    """Read the files of an order; 2, with a sentence on standard error, where it cannot be read."""
    origin, first, folder, limits = ORDER.validate_json(sys.stdin.readline())
    try:
        for number, source in enumerate(sources(origin, limits), start=1):
            if number >= first:
                print(json.dumps([number, source.name]), flush=True)
                _limit(limits, source.size)
                for batch in read_source(source, limits, dict(origin.fields)):
                    write_batch(folder, number, batch)
    except BadInput as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def _limit(limits: Limits, size: int) -> None:
    """Limit the memory of this process, and its computing to what a file of this size may take."""
    if sys.platform != "win32":
        import resource

        used = resource.getrusage(resource.RUSAGE_SELF)
        seconds = limits.cpu_s + limits.cpu_s_a_megabyte * size // MEGABYTE
        most = int(used.ru_utime + used.ru_stime) + 1 + seconds
        for kind, limit in ((resource.RLIMIT_CPU, most), (resource.RLIMIT_AS, limits.memory_bytes)):
            resource.setrlimit(kind, (limit, resource.getrlimit(kind)[1]))


if __name__ == "__main__":
    status = main()
    sys.stderr.flush()
    os._exit(status)  # threads of libraries may fail to end
