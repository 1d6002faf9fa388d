"""The process that reads an import's files: `python -m gear_app.documents`, from documents.process.

It takes an order on standard input, and writes which file it reads and batches to a folder. The
operating system ends it where a file takes more memory than is allowed; Windows has no such limit.
"""

from __future__ import annotations

import os
import sys

from gear_app.documents.files import sources
from gear_app.documents.process import ORDER, announce, write_batch
from gear_app.documents.read import read_source


def main() -> None:
    """Read the files of an order."""
    origin, first, folder, limits = ORDER.validate_json(sys.stdin.readline())
    if sys.platform != "win32":
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (limits.memory_bytes, most))
    for number, source in enumerate(sources(origin, limits), start=1):
        if number >= first:
            announce(folder, number, source.name, source.size)
            for batch in read_source(source, limits, dict(origin.fields)):
                write_batch(folder, number, batch)


if __name__ == "__main__":
    main()
    os._exit(0)  # threads of libraries may fail to end
