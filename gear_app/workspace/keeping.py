"""Keeping triples: whoever found them, a file or an extractor, they become rows, and a revision if any is new."""

from __future__ import annotations

from collections.abc import Sequence

from gear_app.store import Store
from gear_app.store.triples import Found


def keep_triples(
    store: Store,
    collection_id: int,
    set_id: int,
    found: Sequence[Found],
    fingerprint: str,
    *,
    closest: bool = False,
) -> None:
    """Store what was found in passages and mark them extracted, in one transaction.

    Nothing new gives no new revision: runs made before are not out of date.
    """
    with store.transaction():
        fresh = store.triples.unknown(set_id, found)
        revision = 0
        if any(extraction.triples for _, extraction in fresh):
            revision = store.collections.raise_revision(collection_id, set_id=set_id)
        store.triples.add(collection_id, set_id, fresh, revision, closest=closest)
        numbers = store.triples.numbers(set_id, [passage_id for passage_id, _ in found])
        store.extractions.extracted(set_id, numbers, fingerprint)
