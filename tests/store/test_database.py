"""The workspace file."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from gear_app.core.errors import StoreFailed
from gear_app.store import Store, database
from gear_app.store.schema import VERSION
from tests import conftest
from tests.store.make import passage


def test_ids_of_two_files_are_not_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "first_id", conftest.first_id)
    ids = []
    for name in ("a.db", "b.db"):
        store = Store(tmp_path / name)
        row = store.collections.create("c")
        store.passages.add(row.id, [passage("k", "words")], 1)
        ids += store.passages.ids(row.id)
    assert ids[0] != ids[1] and max(ids) < 1 << 53


@pytest.mark.parametrize("version", [0, VERSION + 1])
def test_a_file_of_another_version_is_refused_by_name_and_left_alone(
    tmp_path: Path, store: Store, version: int
) -> None:
    store.db.execute(f"PRAGMA user_version = {version}")
    store.close()
    before = (tmp_path / "w.db").read_bytes()
    with pytest.raises(
        StoreFailed,
        match=rf"w\.db was made by another version .*schema {version}, .*needs {VERSION}\)\. Move",
    ):
        Store(tmp_path / "w.db")
    assert (tmp_path / "w.db").read_bytes() == before


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.db").write_bytes(b"not a database, but long enough to be looked at" * 50)
    with pytest.raises(StoreFailed, match=r"x\.db is not a workspace: it is no SQLite file"):
        Store(tmp_path / "x.db")


def test_another_programs_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "other.db")
    connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    before = (tmp_path / "other.db").read_bytes()
    with pytest.raises(StoreFailed, match="belongs to another program"):
        Store(tmp_path / "other.db")
    assert (tmp_path / "other.db").read_bytes() == before


def test_a_full_disk_is_told_and_what_was_done_before_is_kept(store: Store) -> None:
    row = store.collections.create("a")
    store.db.value(f"PRAGMA max_page_count = {store.db.value('PRAGMA page_count')}")
    with pytest.raises(StoreFailed, match="the disk is full"), store.transaction():
        revision = store.collections.raise_revision(row.id, passages=True)
        store.passages.add(
            row.id, [passage(f"k{n}", f"{n} long " * 500) for n in range(50)], revision
        )
    assert store.collections.get("a").revision == 0
    assert store.passages.counts(row.id)["passages"] == 0


def test_a_transaction_is_all_or_nothing_and_nests(store: Store) -> None:
    with pytest.raises(RuntimeError), store.transaction():
        store.collections.create("a")
        with store.transaction():
            store.collections.create("b")
        raise RuntimeError
    assert store.collections.all() == []
