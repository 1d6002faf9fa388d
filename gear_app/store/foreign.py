"""A workspace file from elsewhere: what is looked at before anything of it is taken over.

Whoever made it may have put anything into it. So its schema must be ours, word for word, without
views, triggers and tables of its own; every value must be of its column's type and every text be
text; ids must be whole numbers from 1; and what SQLite and our own examination find must be sound.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from gear_app.bounds import is_time
from gear_app.errors import BadInput
from gear_app.store import Store
from gear_app.store.bundle import COPIED, IDS
from gear_app.store.damage import examine
from gear_app.store.database import APPLICATION_ID
from gear_app.store.schema import SCHEMA, VERSION

HEADER = b"SQLite format 3\0"  # what every such file begins with
MOST_ID = 2**40  # far more rows than there are; what is added to ids stays exact everywhere
EXAMINED_S = 60.0
STEPS = 10_000_000  # of SQLite's virtual machine for one statement of the first look
# Bytes of a value. Texts of passages and documents may be long, lists of keys longer than words.
MOST_OF_VALUE, MOST_OF_WORDS, MOST_OF_LIST = 80_000_000, 100_000, 1_000_000
_LONG = {
    ("passages", "text"): MOST_OF_VALUE,
    ("documents", "text"): MOST_OF_VALUE,
    ("events", "payload"): MOST_OF_LIST * 8,
    ("extractions", "reply"): MOST_OF_LIST,
    ("runs", "gold"): MOST_OF_LIST,
    ("runs", "answers"): MOST_OF_LIST,
    ("questions", "answers"): MOST_OF_LIST,
    ("questions", "decomposition"): MOST_OF_LIST,
}
MOST_ROWS = {"runs": 200, "events": 50_000, "questions": 100}
_TIMES = ("created", "at", "gold_marked")  # columns
MOST_OF_NUMBER = 2**53
# A comment is none inside a quotation, and only these characters are blanks to SQLite.
_COMMENT = re.compile(r"""('[^']*'|"[^"]*")|--[^\n]*|/\*.*?\*/""", re.DOTALL)
_BLANKS = re.compile(r"[ \t\n\r\f]+")
_STATISTICS = frozenset(  # what ANALYZE leaves behind
    {
        ("table", "sqlite_stat1", "CREATE TABLE sqlite_stat1(tbl,idx,stat)"),
        ("table", "sqlite_stat4", "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)"),
    }
)
_HELD = {
    "INTEGER": ("integer",),
    "REAL": ("real", "integer"),
    "TEXT": ("text",),
    "BLOB": ("blob",),
}


def check(path: Path) -> None:
    """Look at a file that is here alone, and bring its schema up to date. Raises BadInput for one
    that is no workspace file as this program makes them, StoreFailed for one that is damaged.
    """
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as db:
            db.execute("PRAGMA trusted_schema = OFF")
            db.execute("PRAGMA cell_size_check = ON")
            db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_OF_VALUE)
            db.set_progress_handler(_stopwatch(), 1000)
            _check_schema(db)
            db.set_progress_handler(None, 0)  # its tables are plain ones
            for table in COPIED:
                _check_sizes(db, table)
    except sqlite3.DatabaseError as error:
        raise BadInput(f"What it holds is no workspace file that can be read: {error}.") from error
    store = Store(path)
    try:
        damage = examine(store.db, EXAMINED_S)
        if damage.damage or not damage.whole:
            raise BadInput(_not_ours("; ".join(damage.damage) or "it takes too long to examine"))
        for table in COPIED:
            _check_values(store, table)
    finally:
        store.close()


def _stopwatch() -> Callable[[], bool]:
    """Stops a statement that goes on for ever: a file can hold such a one."""
    left = iter(range(STEPS // 1000, -1, -1))
    return lambda: next(left, 0) == 0


def _check_schema(db: sqlite3.Connection) -> None:
    """Raise BadInput unless the file has the schema of a version of this program."""
    version = int(db.execute("PRAGMA user_version").fetchone()[0])
    ours = db.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID
    if not ours:
        raise BadInput(_not_ours("it belongs to another program"))
    if version != VERSION:
        raise BadInput(
            f"It was made by another version of gear-app (schema {version}, this program needs"
            f" {VERSION})."
        )
    with closing(sqlite3.connect(":memory:")) as expected:
        expected.executescript(SCHEMA)
        if _schema(db) != _schema(expected):
            raise BadInput(_not_ours("its tables are not those of a workspace"))


def _schema(db: sqlite3.Connection) -> list[tuple[str, str, str, str]]:
    """Every table, index, view and trigger with its words, comments left out."""
    found = db.execute("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master")
    return sorted(
        (str(kind), str(name), str(table), _words(str(sql)))
        for kind, name, table, sql in found
        if (kind, name, sql) not in _STATISTICS
    )


def _words(sql: str) -> str:
    """A statement without its comments, each run of blanks one."""
    return _BLANKS.sub(" ", _COMMENT.sub(lambda found: found[1] or " ", sql)).strip(" ")


def _check_sizes(db: sqlite3.Connection, table: str) -> None:
    """Raise BadInput where there are more rows than any export has, or a value is larger than any
    of its column, before anything reads it.
    """
    columns = [(str(row[1]), str(row[2])) for row in db.execute(f"PRAGMA table_info({table})")]
    rows = int(db.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
    most = MOST_ROWS.get(table, rows)
    if rows > most:
        raise BadInput(_not_ours(f"it has {rows:,} {table}, and at most {most:,} are taken"))
    for name, type_ in columns:
        most = _LONG.get((table, name), MOST_OF_WORDS)
        larger = f'SELECT 1 FROM {table} WHERE length(CAST("{name}" AS BLOB)) > {most} LIMIT 1'
        if type_ in ("TEXT", "BLOB") and db.execute(larger).fetchone():
            raise BadInput(_not_ours(f"{table}.{name} holds more than {most:,} bytes"))


def _check_values(store: Store, table: str) -> None:
    """Raise BadInput where a value is of another type than its column, or an id is none."""
    columns = [(str(row["name"]), str(row["type"])) for row in _columns(store, table)]
    for name, type_ in columns:
        held = ", ".join(f"'{kind}'" for kind in (*_HELD[type_], "null"))
        if store.db.value(f'SELECT 1 FROM {table} WHERE typeof("{name}") NOT IN ({held}) LIMIT 1'):
            raise BadInput(_not_ours(f"{table}.{name} holds something else"))
        if type_ in ("INTEGER", "REAL") and store.db.value(
            f'SELECT 1 FROM {table} WHERE "{name}" NOT BETWEEN 0 AND {MOST_OF_NUMBER} LIMIT 1'
        ):
            raise BadInput(_not_ours(f"{table}.{name} holds a number that none can be"))
        if name in _TIMES:
            for (time,) in store.db.tuples(f'SELECT DISTINCT "{name}" FROM {table}'):
                if time is not None and not is_time(time):
                    raise BadInput(_not_ours(f"{table}.{name} holds what is no time"))
    for name in IDS.get(table, ()):
        if store.db.value(f'SELECT 1 FROM {table} WHERE "{name}" NOT BETWEEN 1 AND {MOST_ID}'):
            raise BadInput(_not_ours(f"{table}.{name} holds a number that is no id"))
    texts = ", ".join(f'"{name}"' for name, type_ in columns if type_ == "TEXT")
    if texts:
        for row in store.db.tuples(f"SELECT {texts} FROM {table}"):  # each can be read as text
            if any(text and "\0" in text for text in row):
                raise BadInput(_not_ours(f"{table} holds text with NUL"))


def _columns(store: Store, table: str) -> Iterator[dict[str, object]]:
    yield from store.db.rows(f"SELECT name, type FROM pragma_table_info('{table}')")


def _not_ours(why: str) -> str:
    return f"What it holds is no run as gear-app exports them: {why}."
