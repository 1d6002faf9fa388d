"""The workspace file: how it is set up, what it refuses, what it says when something is wrong, and
that what is written together is written wholly or not at all.
"""

from __future__ import annotations

import shutil
import sqlite3
import threading
from pathlib import Path

import pytest

from gear_app.core.errors import BadInput, StoreFailed
from gear_app.store import Store
from gear_app.store.database import message
from gear_app.store.schema import VERSION
from tests.store.make import passage


def test_file_is_in_wal_mode_with_foreign_keys_and_a_long_wait(store: Store) -> None:
    pragmas = {
        name: store.db.value(f"PRAGMA {name}")
        for name in ("journal_mode", "foreign_keys", "synchronous")
    }
    assert pragmas == {"journal_mode": "wal", "foreign_keys": 1, "synchronous": 1}
    assert store.db.value("PRAGMA busy_timeout") == 10_000
    assert store.db.value("PRAGMA user_version") == VERSION


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


def test_a_locked_file_is_told(tmp_path: Path, store: Store) -> None:
    other = sqlite3.connect(tmp_path / "w.db", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    store.db.execute("PRAGMA busy_timeout = 50")
    with pytest.raises(StoreFailed, match="is locked by another program"):
        store.collections.create("a")
    other.execute("ROLLBACK")
    other.close()
    store.collections.create("a")
    assert [row.name for row in store.collections.all()] == ["a"]


def test_a_full_disk_is_told_and_what_was_done_before_is_kept(store: Store) -> None:
    row = store.collections.create("a")
    store.db.value(f"PRAGMA max_page_count = {store.db.value('PRAGMA page_count')}")
    with pytest.raises(StoreFailed, match="the disk is full"), store.transaction():
        revision = store.collections.raise_revision(row.id, passages=True)
        store.passages.add(
            row.id, [passage(f"k{n}", f"{n} long " * 500) for n in range(50)], revision
        )
    assert store.collections.get("a").revision == 0
    assert store.passages.counts(row.id).passages == 0


def test_another_error_of_the_disk_is_told_as_full_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_WRITE
    assert "the disk reports an error." in message(error, str(tmp_path / "w.db"))
    full = shutil.disk_usage(tmp_path)._replace(free=0)
    monkeypatch.setattr("shutil.disk_usage", lambda folder: full)
    assert "the disk is full" in message(error, str(tmp_path / "w.db"))


def test_a_number_too_large_for_the_file_is_the_callers_mistake(store: Store) -> None:
    with pytest.raises(BadInput, match="A number is too large"):
        store.runs.recent(limit=10**30)


def test_a_backup_is_a_workspace_of_its_own(tmp_path: Path, store: Store) -> None:
    store.collections.create("a")
    store.db.backup(tmp_path / "copy.db")
    assert [row.name for row in Store(tmp_path / "copy.db").collections.all()] == ["a"]


def test_a_transaction_is_all_or_nothing_and_nests(store: Store) -> None:
    with pytest.raises(RuntimeError), store.transaction():
        store.collections.create("a")
        with store.transaction():
            store.collections.create("b")
        raise RuntimeError
    assert store.collections.all() == []


def test_sixteen_threads_write_and_read_without_errors(tmp_path: Path) -> None:
    Store(tmp_path / "w.db")
    errors: list[Exception] = []

    def work(name: str) -> None:
        try:
            own = Store(tmp_path / "w.db")
            row = own.collections.create(name)
            for n in range(10):
                with own.transaction():
                    own.passages.add(
                        row.id,
                        [passage(f"k{n}")],
                        own.collections.raise_revision(row.id, passages=True),
                    )
                own.passages.at(row.id, n)
        except StoreFailed as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(f"c{n}",)) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    store = Store(tmp_path / "w.db")
    assert [store.passages.counts(row.id).passages for row in store.collections.all()] == [10] * 16


def test_text_that_cannot_be_read_is_damage_and_is_not_quoted(store: Store) -> None:
    with pytest.raises(StoreFailed, match="is damaged") as error:
        store.db.value("SELECT CAST(? AS TEXT)", [b"A long passage about a secret. \xff"])
    assert "secret" not in str(error.value)
    with pytest.raises(StoreFailed) as error:
        store.db.rows(f"SELECT {'secret_' * 100}")
    assert "no such column: secret_" in str(error.value) and len(str(error.value)) < 400
