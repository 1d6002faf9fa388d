"""Files and folders that are for their owner alone, whatever the umask: what people keep here is
theirs. One that is there already keeps the mode that it has.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

OWNER_FILE, OWNER_FOLDER = 0o600, 0o700


def private_file(path: Path) -> Path:
    """The path, at which there is a file now: made, empty, where there was none. Raises OSError."""
    with suppress(FileExistsError):
        made = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, OWNER_FILE)
        os.close(made)
        path.chmod(OWNER_FILE)  # the umask may have taken even the owner's
    return path


def private_folder(path: Path) -> Path:
    """The path, at which there is a folder now; those above it are made as well. Raises OSError."""
    if not path.is_dir():
        path.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            path.mkdir(OWNER_FOLDER)
            path.chmod(OWNER_FOLDER)
    return path
