"""Synonyms are kept by collection and model, with how far the names were compared."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gear_app.store import Store
from gear_app.store.entities import Synonym
from tests.store.make import extraction, passage


def test_what_was_kept_first_stays_and_the_index_never_goes_back(store: Store) -> None:
    a, b = store.collections.create("a").id, store.collections.create("b").id
    store.synonyms.add(a, "m", [Synonym(5, 2, 0.9), Synonym(4, 1, 0.8)], 5)
    store.synonyms.add(a, "m", [Synonym(4, 1, 0.81), Synonym(3, 1, 0.85)], 4)
    assert store.synonyms.reached(a, "m") == 5
    assert list(store.synonyms.upto(a, "m", 5)) == [
        Synonym(3, 1, 0.85),
        Synonym(4, 1, 0.8),
        Synonym(5, 2, 0.9),
    ]
    assert list(store.synonyms.upto(a, "m", 3)) == [Synonym(3, 1, 0.85)]
    for collection, model in ((a, "other"), (b, "m")):
        assert (
            store.synonyms.reached(collection, model)
            == 0
            == store.synonyms.count(collection, model)
        )


def test_a_kill_in_between_keeps_neither_pairs_nor_mark(store: Store) -> None:
    a = store.collections.create("a").id

    def broken() -> Iterator[Synonym]:
        yield Synonym(2, 1, 0.9)
        raise KeyboardInterrupt

    store.synonyms.reached(a, "m")
    with pytest.raises(KeyboardInterrupt):
        store.synonyms.add(a, "m", broken(), 2)
    assert store.synonyms.count(a, "m") == 0 == store.synonyms.reached(a, "m")


def test_the_entities_of_a_revision_are_those_its_triples_name(store: Store) -> None:
    row = store.collections.create("a")
    set_ = store.collections.ensure_set(row.id, "s", "import")
    with store.transaction():
        first = store.collections.raise_revision(row.id, passages=True, set_id=set_.id)
        store.passages.add(row.id, [passage("k")], first)
        (there,) = store.passages.by_key(row.id, ["k"]).values()
        store.triples.add(row.id, set_.id, [(there.id, extraction(("ADA", "is", "...")))], first)
    with store.transaction():
        second = store.collections.raise_revision(row.id, set_id=set_.id)
        store.triples.add(
            row.id, set_.id, [(there.id, extraction(("Mira", "is near", "Ada")))], second
        )
    assert [(e.name, e.normal) for e in store.entities.at(set_.id, first)] == [("ADA", "ada")]
    assert [e.name for e in store.entities.at(set_.id, second)] == ["ADA", "Mira"]
    last = store.entities.last(row.id)
    assert [e.id for e in store.entities.upto(row.id, last)] == [last - 1, last]
    assert (store.entities.number(row.id, last), store.entities.number(row.id, last - 1)) == (2, 1)
