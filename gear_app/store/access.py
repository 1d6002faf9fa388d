"""How a workspace file is opened: made for its owner alone where there is none, and read without a
trace where it may not be written.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from gear_app.paths import private_file


def address(path: str) -> str:
    """What SQLite is to open: the path, or, where file or folder may not be written, a URI for
    reading alone. The file is made where there is none and one can be.

    SQLite needs two files beside a file in WAL mode, even to read it. Where they cannot be made,
    and nobody has them open, the file is read as one that does not change.
    """
    file = Path(path)
    if not file.name or path == ":memory:":
        return path
    with suppress(OSError):  # SQLite says why, in words that we know
        private_file(file)
    if not file.exists() or (os.access(file, os.W_OK) and os.access(file.parent, os.W_OK)):
        return path
    beside = [file.with_name(file.name + suffix) for suffix in ("-wal", "-shm")]
    still = "" if any(map(os.path.exists, beside)) else "&immutable=1"
    return f"{file.absolute().as_uri()}?mode=ro{still}"
