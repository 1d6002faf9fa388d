"""A revision sees its own rows whatever came later."""

from __future__ import annotations

from gear_app.core.types import Document, Passage, Triple
from gear_app.store import Store
from tests.store.make import passage, stated


def keys(store: Store, collection_id: int, revision: int) -> list[str]:
    ids = [id_ for id_, _ in store.passages.hashes(collection_id, revision)]
    return [passage.key for passage in store.passages.with_ids(ids).values()]


def facts(store: Store, set_id: int, revision: int) -> list[Triple]:
    ids = [id_ for id_, _ in store.triples.hashes(set_id, revision)]
    return [row.triple for row in store.triples.stored(ids).values()]


def test_a_revision_sees_its_own_rows_whatever_came_later(store: Store) -> None:
    row = store.collections.create("a")
    with store.transaction():
        first = store.collections.raise_revision(row.id, passages=True)
        document = store.documents.add(row.id, Document("D", "one two"), first)
        store.passages.add(
            row.id, [Passage(0, "one", "D", "one", document, 0, 3), passage("two")], first
        )
    set_ = store.collections.ensure_set(row.id, "s", "import")
    with store.transaction():
        second = store.collections.raise_revision(row.id, set_id=set_.id)
        store.triples.add(
            row.id,
            set_.id,
            [*stated(1, ("A", "is", "B")), *stated(2, ("B", "is", "C"))],
            second,
        )
    with store.transaction():
        third = store.collections.raise_revision(row.id, passages=True)
        store.documents.retire(document, third)
    assert (first, second, third) == (1, 2, 3)
    assert [keys(store, row.id, r) for r in (0, 1, 2, 3)] == [
        [],
        ["one", "two"],
        ["one", "two"],
        ["two"],
    ]
    assert [[t.subject for t in facts(store, set_.id, r)] for r in (1, 2, 3)] == [
        [],
        ["A", "B"],
        ["B"],
    ]


def test_a_triple_that_came_back_is_absent_at_the_revisions_in_between(store: Store) -> None:
    row = store.collections.create("a")
    store.passages.add(row.id, [passage("one")], 0)
    set_ = store.collections.ensure_set(row.id, "s", "import")
    store.triples.add(row.id, set_.id, [*stated(1, ("A", "is", "B"), ("B", "is", "C"))], 1)
    (first, second) = facts(store, set_.id, 1)
    for deleted, undone in ((2, 4), (5, 6)):
        present = [t.id for t in facts(store, set_.id, deleted) if t.subject == "A"]
        store.triples.retire(present, deleted)
        edit = store.edits.add(set_id=set_.id, kind="delete", revision=deleted)
        ((before, after),) = edit.changes
        assert before and before.text == first.text and after is None
        assert store.edits.undo(edit, undone).undone
    there = [sorted(t.subject for t in facts(store, set_.id, r)) for r in range(1, 7)]
    both, one = ["A", "B"], ["B"]
    assert there == [both, one, one, both, one, both]
    assert [*store.entities.at(set_.id, 3).values()] == ["B", "C"]
    assert store.triples.of_passages(set_.id, [1], 3) == [second]
    since = [store.triples.since(set_.id, r) for r in (1, 3, 6)]
    assert [[t.text for side in s for t in side] for s in since] == [[], ["A is B"], []]
