"""SQLite's errors as sentences that name the file and the way out."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

WAIT_S = 10
LONGEST = 200  # characters of what SQLite says; it may quote a whole text
ALMOST_NOTHING = 65_536  # bytes: less than SQLite needs beside a file that is open
_UNREADABLE = "Could not decode to UTF-8"  # text that is none; Python raises it without a code
_SENTENCES = {
    sqlite3.SQLITE_BUSY: (
        f"is locked by another program (waited {WAIT_S} s). Close that program and try again."
    ),
    sqlite3.SQLITE_LOCKED: "is locked by another program. Close that program and try again.",
    sqlite3.SQLITE_FULL: (
        "cannot grow: the disk is full. What was done before is kept. Free some space and try"
        " again."
    ),
    sqlite3.SQLITE_NOTADB: "is not a workspace: it is no SQLite file. Choose another file.",
    sqlite3.SQLITE_CORRUPT: (
        "is damaged. gear-app doctor says more. Restore a backup, or choose another file."
    ),
    sqlite3.SQLITE_READONLY: (
        "is read-only here: it can be looked at, not changed. Copy it to a folder where you may"
        " write, and use the copy."
    ),
    sqlite3.SQLITE_CANTOPEN: "cannot be opened. Does its folder exist, and may you write there?",
    sqlite3.SQLITE_CONSTRAINT: "was changed by another process at the same moment. Try again.",
    sqlite3.SQLITE_IOERR: "cannot be read or written: the disk reports an error.",
}


def message(error: sqlite3.Error, path: str) -> str:
    """What went wrong with a workspace file, and what to do."""
    code = getattr(error, "sqlite_errorcode", 0)
    primary = code & 0xFF
    if _is_full(code, path):
        primary = sqlite3.SQLITE_FULL
    elif _UNREADABLE in str(error):
        primary = sqlite3.SQLITE_CORRUPT
    return f"{path} {_SENTENCES.get(primary) or f'could not be used: {short(str(error))}'}"


def _is_full(code: int, path: str) -> bool:
    """Whether the disk is full, where SQLite says only that something cannot be made."""
    if code == sqlite3.SQLITE_IOERR_SHMSIZE:
        return True
    if code & 0xFF not in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN):
        return False
    folder = Path(path).absolute().parent
    return folder.is_dir() and shutil.disk_usage(folder).free < ALMOST_NOTHING


def short(text: str) -> str:
    """The text, or its beginning."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} …"
