"""A workspace file of an earlier version opens."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from gear_app.store import Store
from gear_app.store.schema import MIGRATIONS

RELEASED = Path(__file__).with_name("workspace_4.sql")  # a file of the first four migrations
RELEASED_MIGRATIONS = 4
APPLICATION_ID = 0x47454152


@pytest.fixture
def released(tmp_path: Path) -> Path:
    path = tmp_path / "released.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(RELEASED.read_text(encoding="utf-8"))
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {RELEASED_MIGRATIONS}")
    return path


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
