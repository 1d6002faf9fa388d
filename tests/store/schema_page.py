"""docs/schema.md, written from a fresh workspace and the comments in its SQL.

python -m tests.store.schema_page > docs/schema.md
"""

from __future__ import annotations

import re
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from gear_app.store.database import Database
from gear_app.store.migrations import MIGRATIONS

HEAD = """# The workspace file

A workspace is one SQLite file. These are its tables after all {migrations} migrations of
[gear_app/store/migrations.py](../gear_app/store/migrations.py); the file's `user_version` says how
many it has had, and an older file gets the others when it is opened.

Rows of `passages` and `triples` are added and retired, never changed: a row exists at revision r of
its collection when added <= r and not retired <= r. A triple that an undo brings back is not
retired any more; `absences` has the revisions without it. Times are in UTC, as text that sorts, or in
seconds since 1970. An arrow is a reference; a row is deleted with what it refers to, unless
something else is told.

This page is written from a fresh workspace and the comments in its SQL, and a test compares the
two. After a change of the schema write it anew:
`python -m tests.store.schema_page > docs/schema.md`.
"""
_PIECE = re.compile(r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|\"[^\"]*\"|[(),]|[^\s(),'\"]+", re.DOTALL)
_ENDS = {"SET NULL": ", emptied with it", "NO ACTION": ", which stays while this is there"}


class Column(NamedTuple):
    """A column as SQLite knows it: `type` says also whether it may be NULL, its default, and what
    it refers to. `meaning` is the comment behind it.
    """

    name: str
    type: str
    meaning: str


class Table(NamedTuple):
    """A table; `keys` are its primary key and its indexes, each in words."""

    name: str
    meaning: str
    columns: tuple[Column, ...]
    keys: tuple[str, ...]


def tables(connection: sqlite3.Connection) -> list[Table]:
    """The tables of an open workspace file, in the order they were made."""
    found = connection.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        " ORDER BY rowid"
    ).fetchall()
    return [_table(connection, name, sql) for name, sql in found]


def page() -> str:
    """The whole page."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fresh.db"
        Database(path).close()
        with closing(sqlite3.connect(path)) as connection:
            described = [_section(table) for table in tables(connection)]
    return HEAD.format(migrations=len(MIGRATIONS)) + "".join(described)


def meanings(sql: str) -> dict[str, str]:
    """The comments of a CREATE TABLE by the column that they follow; the table's own under ""."""
    found: dict[str, list[str]] = {"": []}
    depth, current, expected = 0, "", False
    for piece in _PIECE.findall(sql):
        if piece.startswith(("--", "/*")):
            found[current].append(piece.removeprefix("--").removeprefix("/*").removesuffix("*/"))
            continue
        depth += (piece == "(") - (piece == ")")
        if depth == 1 and piece in ("(", ","):
            expected = True
        elif expected:
            current, expected = piece.strip('"'), False
            found.setdefault(current, [])
    return {name: _escaped(" ".join(" ".join(words).split())) for name, words in found.items()}


def _escaped(words: str) -> str:
    """Plain words for a table of Markdown, where a tag or a bar would mean something else."""
    return words.replace("<", "&lt;").replace("|", "\\|")


def _table(connection: sqlite3.Connection, name: str, sql: str) -> Table:
    about = meanings(sql)
    keys = connection.execute(f'PRAGMA foreign_key_list("{name}")').fetchall()
    refers = {row[3]: f" → `{row[2]}`{_ENDS.get(row[6], '')}" for row in keys}
    rows = connection.execute(f'PRAGMA table_info("{name}")').fetchall()
    columns = [
        Column(
            column,
            _type(type_, default, may_be_null=not (needed or key)) + refers.get(column, ""),
            about[column],
        )
        for _, column, type_, needed, default, key in rows
    ]
    primary = [row[1] for row in sorted(rows, key=lambda row: row[5]) if row[5]]
    described = [f"primary ({', '.join(primary)})"] if primary else []
    return Table(name, about[""], tuple(columns), (*described, *_indexes(connection, name)))


def _type(name: str, default: str | None, *, may_be_null: bool) -> str:
    words = f"{name} or NULL" if may_be_null else name
    return words if default is None else f"{words}, default {default}"


def _indexes(connection: sqlite3.Connection, table: str) -> Iterator[str]:
    """What has to be unique, and what else is looked up by."""
    for _, name, unique, origin, _ in reversed(
        connection.execute(f'PRAGMA index_list("{table}")').fetchall()
    ):
        if origin == "pk":
            continue
        columns = ", ".join(row[2] for row in connection.execute(f'PRAGMA index_info("{name}")'))
        sql = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", [name]).fetchone()
        _, where, condition = (sql[0] or "").partition(" WHERE ")
        words = f"({columns})" + (f" where {condition}" if where else "")
        yield f"unique {words}" if unique else f"index {words}"


def _section(table: Table) -> str:
    lines = [f"| `{column.name}` | {column.type} | {column.meaning} |" for column in table.columns]
    meaning = table.meaning[:1].upper() + table.meaning[1:]
    head = "| Column | Type | Meaning |\n|---|---|---|\n"
    keys = "; ".join(table.keys)
    return f"\n## {table.name}\n\n{meaning}.\n\n{head}" + "\n".join(lines) + f"\n\nKeys: {keys}.\n"


if __name__ == "__main__":
    sys.stdout.write(page())
