from __future__ import annotations

from gear_app.language.mentions import read
from gear_app.store import Store
from tests.store.make import passage

ONE = passage("one", "Calvet signed CHG-7714. Nobody knew.", title="Approvals")
TWO = passage("two", "CHG-7714 failed.", title="Post-mortem")


def stored(store: Store) -> tuple[int, int]:
    """A collection with both passages, one in each revision; its id and the first revision."""
    row = store.collections.create("a")
    revisions = []
    for one in (ONE, TWO):
        revisions.append(store.collections.raise_revision(row.id, passages=True))
        store.passages.add(row.id, [one], revisions[-1])
    return row.id, revisions[0]


def keep(store: Store, collection_id: int) -> None:
    unread = store.mentions.pending(collection_id, 10)
    store.mentions.put(collection_id, [(one, read(one.title, one.text)) for one in unread])


def test_passages_are_unread_until_their_mentions_are_put(store: Store) -> None:
    collection, _ = stored(store)
    assert [one.key for one in store.mentions.pending(collection, 10)] == ["one", "two"]
    assert [one.key for one in store.mentions.pending(collection, 1)] == ["one"]
    assert store.mentions.counts(collection) == (0, 2)
    keep(store, collection)
    assert store.mentions.pending(collection, 10) == []
    assert store.mentions.counts(collection) == (3, 0)


def test_a_revision_has_the_sentences_and_mentions_of_its_passages(store: Store) -> None:
    collection, first = stored(store)
    keep(store, collection)
    present = [id_ for id_, _ in store.passages.hashes(collection, first + 1)]
    rows = {row.key: row for row in store.passages.with_ids(present).values()}
    found = read(ONE.title, ONE.text)
    id_ = rows["one"].id
    assert list(store.mentions.sentences(collection, first)) == [
        (id_, *span) for span in found.sentences
    ]
    assert sorted(store.mentions.places(collection, first)) == sorted(
        {(id_, one.sentence, one.name, int(one.lower)) for one in found.mentions}
    )
    assert {row[0] for row in store.mentions.places(collection, first + 1)} == {
        row.id for row in rows.values()
    }
