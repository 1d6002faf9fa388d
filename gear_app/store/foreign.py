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

from sqlite_utils import Database as SqliteUtils

from gear_app.errors import BadInput
from gear_app.store import Store
from gear_app.store.bundle import COPIED, IDS
from gear_app.store.damage import examine
from gear_app.store.database import APPLICATION_ID
from gear_app.store.migrations import MIGRATIONS

HEADER = b"SQLite format 3\0"  # what every such file begins with
MOST_ID = 2**40  # far more rows than there are; what is added to ids stays exact everywhere
EXAMINED_S = 60.0
STEPS = 10_000_000  # of SQLite's virtual machine for one statement of the first look
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
            db.set_progress_handler(_stopwatch(), 1000)
            _check_schema(db)
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
    if version > len(MIGRATIONS):
        raise BadInput(
            f"It was made by a newer version of gear-app (schema {version}; this one reads up to"
            f" {len(MIGRATIONS)}). Upgrade gear-app."
        )
    if not ours or version < 1:
        raise BadInput(_not_ours("it belongs to another program"))
    expected = SqliteUtils(memory=True)
    with closing(expected.conn):
        for step in MIGRATIONS[:version]:
            step(expected)
        if _schema(db) != _schema(expected.conn):
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


def _check_values(store: Store, table: str) -> None:
    """Raise BadInput where a value is of another type than its column, or an id is none."""
    columns = [(str(row["name"]), str(row["type"])) for row in _columns(store, table)]
    for name, type_ in columns:
        held = ", ".join(f"'{kind}'" for kind in (*_HELD[type_], "null"))
        if store.db.value(f'SELECT 1 FROM {table} WHERE typeof("{name}") NOT IN ({held}) LIMIT 1'):
            raise BadInput(_not_ours(f"{table}.{name} holds something else"))
    for name in IDS.get(table, ()):
        if store.db.value(f'SELECT 1 FROM {table} WHERE "{name}" NOT BETWEEN 1 AND {MOST_ID}'):
            raise BadInput(_not_ours(f"{table}.{name} holds a number that is no id"))
    texts = ", ".join(f'"{name}"' for name, type_ in columns if type_ == "TEXT")
    if texts:
        for _ in store.db.tuples(f"SELECT {texts} FROM {table}"):
            pass  # that each can be read as text is what is looked at


def _columns(store: Store, table: str) -> Iterator[dict[str, object]]:
    yield from store.db.rows(f"SELECT name, type FROM pragma_table_info('{table}')")


def _not_ours(why: str) -> str:
    return f"What it holds is no run as gear-app exports them: {why}."
