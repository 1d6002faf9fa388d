"""The schema as a page, and files that were made before."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from gear_app.store import Store
from gear_app.store.schema import MIGRATIONS
from tests.store.schema_page import Table, meanings, page, tables

PAGE = Path(__file__).parents[2] / "docs" / "schema.md"
RELEASED = Path(__file__).with_name("workspace_4.sql")  # a file of the first four migrations
RELEASED_MIGRATIONS = 4
APPLICATION_ID = 0x47454152


@pytest.fixture
def fresh(store: Store) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(store.db.path)) as connection:
        yield connection


@pytest.fixture
def released(tmp_path: Path) -> Path:
    path = tmp_path / "released.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(RELEASED.read_text(encoding="utf-8"))
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {RELEASED_MIGRATIONS}")
    return path


def test_the_page_is_that_of_a_fresh_workspace() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), (
        "write it anew: python -m tests.store.schema_page > docs/schema.md"
    )


def test_every_table_and_every_column_says_what_it_holds(fresh: sqlite3.Connection) -> None:
    found = tables(fresh)
    assert len(found) == len({table.name for table in found}) >= 20
    assert [table.name for table in found if not table.meaning] == []
    assert [
        (table.name, column.name)
        for table in found
        for column in table.columns
        if not column.meaning and "→" not in column.type
    ] == []


def test_a_comment_belongs_to_what_stands_before_it() -> None:
    sql = """CREATE TABLE t (  -- a table, of two
        "a" TEXT NOT NULL DEFAULT ',(',   -- <first> | last
        b INTEGER REFERENCES u(id)  /* second,
            in two lines */, c TEXT,
        PRIMARY KEY (a, b)
    , d TEXT /* added (later) */)"""
    assert meanings(sql) == {
        "": "a table, of two",
        "a": "&lt;first> \\| last",
        "b": "second, in two lines",
        "c": "",
        "PRIMARY": "",
        "d": "added (later)",
    }


def test_a_file_of_a_released_version_opens_with_its_collection_and_its_run(
    released: Path,
) -> None:
    store = Store(released)
    assert store.db.value("PRAGMA user_version") == len(MIGRATIONS) >= RELEASED_MIGRATIONS
    films = store.collections.get("films")
    assert store.passages.counts(films.id).passages == 8
    (run,) = store.runs.recent(limit=9)
    assert (run.id, run.method, run.gold) == ("a72eb3f681", "sync_ge", ("harbour", "quill"))
    kinds = [type(stored.event).__name__ for stored in store.events.of(run.number)]
    assert kinds == ["Started", "Retrieved", "Read", "Linked", "Expanded", "Fused", "Ranked"]


def test_a_file_of_a_released_version_comes_to_the_same_schema_as_a_fresh_one(
    released: Path, fresh: sqlite3.Connection
) -> None:
    Store(released).db.close()
    with closing(sqlite3.connect(released)) as connection:
        assert _bare(tables(connection)) == _bare(tables(fresh))


def _bare(found: Sequence[Table]) -> dict[str, object]:
    """Tables without their comments and their order, which are as the file was written."""
    return {
        table.name: ([column[:2] for column in table.columns], sorted(table.keys))
        for table in found
    }
