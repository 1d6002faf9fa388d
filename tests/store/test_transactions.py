"""What is written together is written wholly or not at all, by many threads too."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from gear_app.errors import StoreFailed
from gear_app.store import Store
from tests.store.make import passage


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
