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
from gear_app.core.text import cut
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


# What asking writes, as SQLite tells it: a run, a variant of one, a process's sign of life.
_READING = (
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
    sqlite3.SQLITE_TRANSACTION,
    sqlite3.SQLITE_SAVEPOINT,
)
_OF_A_RUN = {"state", "message", "cancel", "finished"}


T = TypeVar("T")
AT_ONCE = 500  # SQLite allows 32 766 parameters; small statements are parsed faster
_FORMAT = (
    "SELECT (SELECT count(*) FROM sqlite_master), application_id, user_version"
    " FROM pragma_application_id, pragma_user_version"
)
LISTED = "(SELECT value FROM json_each(?))"  # the values of a list that is one parameter


def listed(values: Iterable[object]) -> str:
    """Numbers, or words without NUL, where SQLite would cut them, as the parameter of a statement
    that has LISTED for them.
    """
    return json.dumps(list(values), ensure_ascii=False)


def contains(text: str, name: str, words: str) -> str:
    """Condition that a text has these words, the parameter of this name, in whatever case. SQLite
    folds ASCII only, and fast.
    """
    fold = "lower" if words.isascii() else "fold"
    return f"instr({fold}({text}), {fold}(:{name}))"


def in_groups(values: Sequence[T]) -> Iterator[Sequence[T]]:
    """The values in their order, as many at once as a statement takes as parameters."""
    for start in range(0, len(values), AT_ONCE):
        yield values[start : start + AT_ONCE]


class Database:
    """A connection; it belongs to the thread that made it."""

    def __init__(self, path: Path | str) -> None:
        """Open or create the file. Raises StoreFailed, also for one of another version.

        One that may not be written is opened for reading alone.
        """
        self.path = str(path)
        with self._store_errors():
            location = address(self.path)
            self.read_only = location != self.path
            self.restricted = False
            self._db = sqlite3.connect(location, timeout=WAIT_S, isolation_level=None, uri=True)
            self._db.create_function("fold", 1, str.casefold, deterministic=True)
            self._prepare()

    def restrict(self) -> None:
        """From now on take what asking writes and refuse every other change (demonstration)."""
        self.value(f"SELECT 1 FROM {LISTED}", ["[]"])  # SQLite makes this table when it is named
        self._db.set_authorizer(_asking_only)
        self.restricted = True

    @contextmanager
    def unrestricted(self) -> Iterator[None]:
        """While inside, a restricted connection takes every change: one that a cap of the
        demonstration asks for, not a visitor.
        """
        self._db.set_authorizer(None)
        try:
            yield
        finally:
            self._db.set_authorizer(_asking_only if self.restricted else None)

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

    def grouped(
        self, sql: str, values: Sequence[object], *first: object
    ) -> Iterator[tuple[Any, ...]]:
        """Rows of a statement with any number of values, words with NUL or hashes too, at the place
        of its {}, behind the first ones.
        """
        for group in in_groups(values):
            places = ", ".join("?" * len(group))
            yield from self.tuples(sql.format(places), [*first, *group])

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

    def column(self, sql: str, parameters: Parameters = ()) -> list[Any]:
        """The first column of all rows."""
        return [first for first, *_ in self.tuples(sql, parameters)]

    def number(self, sql: str, parameters: Parameters = ()) -> int | None:
        """The whole number that a query gives, or None."""
        return next(iter(self.values(int, sql, parameters)), None)

    def count(self, sql: str, parameters: Parameters = ()) -> int:
        """The whole number that a query gives, 0 where that is none."""
        return int(self.value(sql, parameters) or 0)

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
    def transaction(self) -> Iterator[None]:
        """All or nothing. Inside another transaction it is part of that one."""
        nested = self._db.in_transaction
        if nested:
            yield
            return
        self.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.execute("COMMIT")
        finally:
            if self._db.in_transaction:
                self._db.rollback()

    def backup(self, path: Path) -> None:
        """Write a consistent copy to another file, also while others write."""
        with self._store_errors():
            target = sqlite3.connect(address(str(path)), uri=True)
            self._db.backup(target)
            target.close()

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
            if self.count("PRAGMA user_version"):  # another process was quicker
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
            raise StoreFailed(message(error, self.path)) from error
        except OverflowError as error:
            raise BadInput("A number is too large. Give a smaller one.") from error
        except UnicodeEncodeError as error:
            raise BadInput(
                "The text holds half a character (a lone surrogate). Remove it and try again."
            ) from error


class StoreTable:
    """Some of a workspace's rows, by what they are about."""

    def __init__(self, db: Database) -> None:
        self._db = db


def _asking_only(action: int, first: str | None, second: str | None, *_: object) -> int:
    """SQLite's question whether a statement may do this, to a table and, where it changes one, a
    column of it.
    """
    allowed = (
        action in _READING
        or (action == sqlite3.SQLITE_PRAGMA and second is None)
        or (action == sqlite3.SQLITE_INSERT and first == "tasks")
        or (action == sqlite3.SQLITE_UPDATE and first == "tasks" and second in _OF_A_RUN)
    )
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


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


def message(error: sqlite3.Error, path: str) -> str:
    """Message for an error of a workspace file, with the way out."""
    code = getattr(error, "sqlite_errorcode", 0)
    primary = code & 0xFF
    if primary == sqlite3.SQLITE_AUTH:
        return demonstration.WAY_OUT
    if "Could not decode to UTF-8" in str(error):  # it quotes the text
        primary = sqlite3.SQLITE_CORRUPT
    # Where the disk is full SQLite may say only that something cannot be made.
    folder = Path(path).absolute().parent
    full = folder.is_dir() and not shutil.disk_usage(folder).free
    unwritten = full and primary in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
    if unwritten or code == sqlite3.SQLITE_IOERR_SHMSIZE:
        primary = sqlite3.SQLITE_FULL
    return f"{path} {_SENTENCES.get(primary) or f'could not be used: {cut(str(error), LONGEST)}'}"
