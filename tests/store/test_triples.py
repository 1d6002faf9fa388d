"""Triples and entities."""

from __future__ import annotations

from gear_app.core.types import Span, Triple
from gear_app.store import Store
from tests.store.make import passage, stated


def test_entities_are_equal_when_normalised_alike_and_nothing_is_no_entity(store: Store) -> None:
    row = store.collections.create("a")
    store.passages.add(row.id, [passage("one"), passage("two")], 1)
    set_ = store.collections.ensure_set(row.id, "s", "import")
    triples = [
        Triple(0, 1, "ADA QUILL!", "met", "-", Span(0, 4)),
        *stated(2, ("Ada Quill", "met", "Bo")),
    ]
    store.triples.add(row.id, set_.id, triples, 2, ("Ada  Quill", "—"))
    assert store.entities.search(set_.id, "", 10) == {"Ada  Quill": 2, "Bo": 1}
    assert store.entities.search(set_.id, "quill", 10) == {"Ada  Quill": 2}
    assert (
        store.entities.find(row.id, "ada quill") == 1 and store.entities.find(row.id, "-") is None
    )
    assert store.triples.ends(set_.id, [1]) == {
        (1, 2)
    }  # the triple whose object is no entity has no end there


def test_searching_triples_and_passages_takes_words_literally(store: Store) -> None:
    row = store.collections.create("a")
    store.passages.add(row.id, [passage("one", "100% sure"), passage("two", "1000 things")], 1)
    set_ = store.collections.ensure_set(row.id, "s", "import")
    store.triples.add(
        row.id,
        set_.id,
        [*stated(1, ("A_B", "is", "C")), *stated(2, ("AxB", "is", "C"))],
        2,
    )
    assert [p.key for p in store.passages.search(row.id, "100%", 10)] == ["one"]
    assert [t.subject for t in store.triples.search(set_.id, "a_b", 10)] == ["A_B"]
    assert [p.key for p in store.passages.search(row.id, "things 100", 10)] == ["two"]
    assert [p.key for p in store.passages.search(row.id, "", 1)] == ["one"]
