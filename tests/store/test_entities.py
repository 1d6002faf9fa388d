"""Synonyms are kept by collection and model, with how far the names were compared."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gear_app.store import Store
from gear_app.store.entities import Synonym


def test_a_kill_in_between_keeps_neither_pairs_nor_mark(store: Store) -> None:
    a = store.collections.create("a").id

    def broken() -> Iterator[Synonym]:
        yield Synonym(2, 1, 0.9)
        raise KeyboardInterrupt

    store.synonyms.reached(a, "m")
    with pytest.raises(KeyboardInterrupt):
        store.synonyms.add(a, "m", broken(), 2)
    assert store.synonyms.count(a, "m") == 0 == store.synonyms.reached(a, "m")
