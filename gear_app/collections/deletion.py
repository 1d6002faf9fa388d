"""Deleting a document. What it shared with another, and was stored once, must not go with it."""

from __future__ import annotations

import dataclasses

from gear_app.store import Store
from gear_app.types import Passage


def delete_document(store: Store, collection_id: int, document_id: int) -> None:
    """Retire a document, its passages and their triples; passages stated by another document too
    move there.
    """
    with store.transaction():
        revision = store.collections.raise_revision(collection_id, passages=True)
        passages = store.passages.of_document(document_id)
        store.documents.retire(document_id, revision)
        for passage in passages:
            _move(store, collection_id, passage, revision)


def _move(store: Store, collection_id: int, passage: Passage, revision: int) -> None:
    """Give a retired passage to a document that has its words: a new row with copies of its
    triples.
    """
    home = store.documents.containing(collection_id, passage.title, passage.text)
    if home is None:
        return
    document_id, start = home
    moved = dataclasses.replace(
        passage, document_id=document_id, start=start, end=start + len(passage.text)
    )
    store.passages.add(collection_id, [moved], revision)
    (added,) = store.passages.by_key(collection_id, [passage.key]).values()
    store.triples.copy(passage.id, added.id, revision)
