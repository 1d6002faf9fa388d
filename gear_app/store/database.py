"""One connection to a workspace file: opening it, pragmas, transactions, rows, and SQLite's errors
as sentences that name the file and the way out. The tables are in store.schema.

WAL lets readers go on beside a writer; a writer waits up to 10 s for another. Every transaction
begins IMMEDIATE: a deferred one that read first could not wait for the lock when it comes to write.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from gear_app.core import demonstration
from gear_app.core.errors import BadInput, StoreFailed
from gear_app.core.paths import private_file
from gear_app.core.text import cut, normalise_entity
from gear_app.store.schema import SCHEMA, VERSION

APPLICATION_ID = 0x47454152  # "GEAR": tells a workspace from another program's SQLite file
Parameters = Sequence[Any] | dict[str, Any]
WAIT_S = 10
LONGEST = 200  # characters of what SQLite says; it may quote a whole text
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
    sqlite3.SQLITE_IOERR: (
        "cannot be read or written: the disk reports an error. What was done before is kept. Is the"
        " disk still there, and within its quota? Try again, or copy the file to another disk."
    ),
}

T = TypeVar("T")
_FORMAT = (
    "SELECT (SELECT count(*) FROM sqlite_master), application_id, user_version"
    " FROM pragma_application_id, pragma_user_version"
)
# The values of a list that is one parameter: numbers or words; hashes.
LISTED = "(SELECT value FROM json_each(?))"
HASHES = "(SELECT unhex(value) FROM json_each(?))"


def to_json(value: object) -> str:
    """A list or dict as its column or parameter has it; bytes are in hexadecimal digits."""
    return json.dumps(value, ensure_ascii=False, default=bytes.hex)


# Columns of these types are read as JSON and as true or false.
sqlite3.register_converter("JSON_TEXT", json.loads)
sqlite3.register_converter("BOOLEAN", lambda value: value == b"1")
for _type in (list, tuple, dict):
    sqlite3.register_adapter(_type, to_json)


def contains(text: str, name: str, words: str) -> str:
    """Condition that a text has these words, the parameter of this name, in whatever case. SQLite
    folds ASCII only, and fast.
    """
    fold = "lower" if words.isascii() else "fold"
    return f"instr({fold}({text}), {fold}(:{name}))"


class Database:
    """A connection; it belongs to the thread that made it."""

    def __init__(self, path: Path | str) -> None:
        """Open or create the file. Raises StoreFailed, also for one of another version.

        One that may not be written is opened for reading alone.
        """
        self.path, self._restricted = str(path), False
        with self._store_errors():
            location = address(self.path)
            self.read_only = location != self.path
            types = sqlite3.PARSE_DECLTYPES | sqlite3.PARSE_COLNAMES
            self._db = sqlite3.connect(
                location, timeout=WAIT_S, detect_types=types, isolation_level=None, uri=True
            )
            self._db.create_function("fold", 1, str.casefold, deterministic=True)
            self._db.create_function("normal", 1, normalise_entity, deterministic=True)
            self._db.create_function("unhex", 1, bytes.fromhex, deterministic=True)
            self._prepare()

    def restrict(self) -> None:
        """From now on refuse every change but what a demonstration's visitors may do."""
        self._restricted = True
        self.execute("PRAGMA query_only = 1")

    def rows(self, sql: str, parameters: Parameters = ()) -> list[dict[str, Any]]:
        """All rows as dicts."""
        with self._store_errors():
            cursor = self._db.execute(sql, parameters)
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor]

    def tuples(self, sql: str, parameters: Parameters = ()) -> Iterator[tuple[Any, ...]]:
        """Rows as tuples, one by one: for the large tables."""
        with self._store_errors():
            yield from self._db.execute(sql, parameters)

    def value(self, sql: str, parameters: Parameters = ()) -> Any:  # noqa: ANN401
        """The first column of the first row, or None."""
        return next(self.tuples(sql, parameters), (None,))[0]

    def execute(self, sql: str, parameters: Parameters = ()) -> int:
        """Run a statement; return the number of rows it changed."""
        with self._store_errors():
            return self._db.execute(sql, parameters).rowcount

    def values(self, type_: Callable[..., T], sql: str, parameters: Parameters = ()) -> list[T]:
        """Each row as a value that is made of its columns, in order."""
        return [type_(*row) for row in self.tuples(sql, parameters)]

    def insert(self, table: str, row: Mapping[str, object], otherwise: str = "") -> int:
        """Add one row; return its id. `otherwise` says what happens where it cannot be added beside
        those that are there: IGNORE or REPLACE.
        """
        names = ", ".join(f'"{name}"' for name in row)
        with self._store_errors():
            cursor = self._db.execute(_insert(table, names, otherwise), list(row.values()))
            return int(cursor.lastrowid or 0)

    def add(
        self, table: str, columns: str, rows: Iterable[Sequence[object]], otherwise: str = ""
    ) -> None:
        """Add many rows, each with these columns; `otherwise` as of `insert`."""
        self.many(_insert(table, columns, otherwise), rows)

    def update(self, table: str, values: Mapping[str, object], **where: object) -> int:
        """Change columns of the rows in which others are equal to these; return how many."""
        to = ", ".join(f"{name} = ?" for name in values)
        return self.execute(
            f"UPDATE {table} SET {to} WHERE {_equal(where)}", [*values.values(), *where.values()]
        )

    def delete(self, table: str, **where: object) -> int:
        """Delete the rows in which columns are equal to these; return how many."""
        sql = f"DELETE FROM {table} WHERE {_equal(where) or 1}"
        return self.execute(sql, list(where.values()))

    def many(self, sql: str, parameters: Iterable[Parameters]) -> None:
        """Run one statement for each set of parameters; several times faster than one by one."""
        with self.transaction(), self._store_errors():
            self._db.executemany(sql, parameters)

    @contextmanager
    def transaction(self, *, by_visitors: bool = False) -> Iterator[None]:
        """All or nothing. Inside another transaction it is part of that one. `by_visitors`: also a
        restricted connection takes it.
        """
        nested = self._db.in_transaction
        if nested:
            yield
            return
        self.execute(f"PRAGMA query_only = {self._restricted and not by_visitors:d}")
        try:
            self.execute("BEGIN IMMEDIATE")
            yield
            self.execute("COMMIT")
        finally:
            if self._db.in_transaction:
                self._db.rollback()
            self.execute(f"PRAGMA query_only = {self._restricted:d}")

    def close(self) -> None:
        """Close the connection."""
        self._db.close()

    def _prepare(self) -> None:
        """Set up the connection, and the tables of an empty file that may be written. Raises
        StoreFailed for a file that is no workspace of this version.
        """
        ((tables, application, version),) = self.tuples(_FORMAT)  # one statement: one moment
        if tables and application != APPLICATION_ID:
            raise StoreFailed(
                f"{self.path} is not a workspace: it belongs to another program. Choose another"
                " file."
            )
        if version != VERSION and (tables or self.read_only):
            raise StoreFailed(
                f"{self.path} was made by another version of gear-app (schema {version}, this"
                f" program needs {VERSION}). Move the file away, or name another with --workspace,"
                " and a new one is made."
            )
        if self.read_only:
            return
        for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON"):
            self._db.execute(f"PRAGMA {pragma}").fetchall()
        if tables:
            return
        with self.transaction():
            if self.value("PRAGMA user_version"):  # another process was quicker
                return
            for statement in SCHEMA.split(";\n"):
                self._db.execute(statement)
            # No passage, triple or document of two workspaces has the same id: those of a cluster
            # came from another. They go on from here.
            first = first_id()
            rows = [(table, first) for table in ("passages", "triples", "documents")]
            self.add("sqlite_sequence", "name, seq", rows)
            self._db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            self._db.execute(f"PRAGMA user_version = {VERSION}")

    @contextmanager
    def _store_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise StoreFailed(self._message(error)) from error
        except OverflowError as error:
            raise BadInput("A number is too large. Give a smaller one.") from error
        except UnicodeEncodeError as error:
            raise BadInput(
                "The text holds half a character (a lone surrogate). Remove it and try again."
            ) from error

    def _message(self, error: sqlite3.Error) -> str:
        """Message for an error of the file, with the way out."""
        code = getattr(error, "sqlite_errorcode", 0)
        primary = code & 0xFF
        if primary == sqlite3.SQLITE_READONLY and self._restricted:
            return demonstration.WAY_OUT
        if "Could not decode to UTF-8" in str(error):  # it quotes the text
            primary = sqlite3.SQLITE_CORRUPT
        # Where the disk is full SQLite may say only that something cannot be made.
        folder = Path(self.path).absolute().parent
        full = folder.is_dir() and not shutil.disk_usage(folder).free
        unwritten = full and primary in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
        if unwritten or code == sqlite3.SQLITE_IOERR_SHMSIZE:
            primary = sqlite3.SQLITE_FULL
        sentence = _SENTENCES.get(primary) or f"could not be used: {cut(str(error), LONGEST)}"
        return f"{self.path} {sentence}"


class StoreTable:
    """Some of a workspace's rows, by what they are about."""

    def __init__(self, db: Database) -> None:
        self._db = db


def first_id() -> int:
    """Random id from which those of a new file count up; all are exact in JavaScript's numbers."""
    return secrets.randbelow(1 << 22) << 31


def _insert(table: str, columns: str, otherwise: str) -> str:
    verb = f"INSERT OR {otherwise}" if otherwise else "INSERT"
    places = ", ".join("?" * len(columns.split(",")))
    return f'{verb} INTO "{table}" ({columns}) VALUES ({places})'


def _equal(columns: Mapping[str, object]) -> str:
    return " AND ".join(f"{name} IS ?" for name in columns)


def address(path: str) -> str:
    """Address for SQLite: the path, or, where file or folder may not be written, a URI for
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
    companions = [file.with_name(file.name + suffix) for suffix in ("-wal", "-shm")]
    still = "" if any(map(os.path.exists, companions)) else "&immutable=1"
    return f"{file.absolute().as_uri()}?mode=ro{still}"
