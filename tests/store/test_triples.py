"""Triples and entities."""

from __future__ import annotations

from gear_app.core.types import ExtractedTriple, Extraction, Span
from gear_app.store import Store
from tests.store.make import extraction, passage


def test_a_triple_is_stored_once_in_its_passage_and_again_in_another(store: Store) -> None:
    row = store.collections.create("a")
    store.passages.add(row.id, [passage("one"), passage("two")], 1)
    set_ = store.collections.ensure_set(row.id, "s", "import")
    same = extraction(("A", "is", "B"), ("A", "is", "B"))
    store.triples.add(row.id, set_.id, store.triples.unknown(set_.id, [(1, same), (2, same)]), 2)
    more = [(1, extraction(("A", "was", "B"), ("A", "is", "B")))]
    store.triples.add(row.id, set_.id, store.triples.unknown(set_.id, more), 3)
    assert store.triples.unknown(set_.id, more) == [(1, extraction())]
    assert [(t.passage_id, t.predicate) for t in store.triples.at(set_.id, 9)] == [
        (1, "is"),
        (2, "is"),
        (1, "was"),
    ]
    assert store.triples.numbers(set_.id, [1, 2, 3]) == {1: 2, 2: 1, 3: 0}


def test_entities_are_equal_when_normalised_alike_and_nothing_is_no_entity(store: Store) -> None:
    row = store.collections.create("a")
    store.passages.add(row.id, [passage("one"), passage("two")], 1)
    set_ = store.collections.ensure_set(row.id, "s", "import")
    found = Extraction(
        ("Ada  Quill", "—"), (ExtractedTriple("ADA QUILL!", "met", "-", Span(0, 4)),)
    )
    store.triples.add(row.id, set_.id, [(1, found), (2, extraction(("Ada Quill", "met", "Bo")))], 2)
    assert store.entities.search(set_.id, "", 10) == [("Ada  Quill", 2), ("Bo", 1)]
    assert store.entities.search(set_.id, "quill", 10) == [("Ada  Quill", 2)]
    assert (
        store.entities.find(row.id, "ada quill") == 1 and store.entities.find(row.id, "-") is None
    )
    assert store.triples.ends(set_.id, [1]) == {
        (1, 2)
    }  # the triple whose object is no entity has no end there


def test_the_span_of_a_triple_and_whether_it_is_a_guess_come_back(store: Store) -> None:
    row = store.collections.create("a")
    store.passages.add(row.id, [passage("one")], 1)
    set_ = store.collections.ensure_set(row.id, "s", "import")
    guess = Extraction(
        (), (ExtractedTriple("A", "is", "B", Span(2, 7)), ExtractedTriple("A", "was", "B"))
    )
    store.triples.add(row.id, set_.id, [(1, guess)], 2, closest=True)
    assert [(t.span, t.closest) for t in store.triples.at(set_.id, 2)] == [
        (Span(2, 7), True),
        (None, False),
    ]


def test_searching_triples_and_passages_takes_words_literally(store: Store) -> None:
    row = store.collections.create("a")
    store.passages.add(row.id, [passage("one", "100% sure"), passage("two", "1000 things")], 1)
    set_ = store.collections.ensure_set(row.id, "s", "import")
    store.triples.add(
        row.id,
        set_.id,
        [(1, extraction(("A_B", "is", "C"))), (2, extraction(("AxB", "is", "C")))],
        2,
    )
    assert [p.key for p in store.passages.search(row.id, "100%", 10, 0)] == ["one"]
    assert [t.subject for t in store.triples.search(set_.id, "a_b", 10, 0)] == ["A_B"]
    assert [p.key for p in store.passages.search(row.id, "", 1, 1)] == ["two"]


def test_searching_folds_letters_of_every_script(store: Store) -> None:
    row = store.collections.create("a")
    store.passages.add(row.id, [passage("one", "Ägypten liegt am Nil")], 1)
    set_ = store.collections.ensure_set(row.id, "s", "import")
    store.triples.add(row.id, set_.id, [(1, extraction(("Ägypten", "liegt am", "Nil")))], 2)
    for words in ("ägypten", "ÄGYPTEN", "nil"):
        assert store.passages.search(row.id, words, 9, 0)
        assert store.passages.with_words(row.id, [words, "LIEGT"], 9)
        assert store.triples.search(set_.id, words, 9, 0)
