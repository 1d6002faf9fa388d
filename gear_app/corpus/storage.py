"""Keeping what was made: triples become rows, and a revision if any is new; vectors are stored by
text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gear_app.mentions.rules import read
from gear_app.seams import Embedder
from gear_app.store import Store
from gear_app.store.extractions import Short
from gear_app.store.triples import Found


def keep_triples(
    store: Store,
    collection_id: int,
    set_id: int,
    found: Sequence[Found],
    fingerprint: str,
    *,
    closest: bool = False,
    short: Mapping[int, Short] | None = None,
) -> None:
    """Store what was found in passages and mark them extracted, in one transaction; `short`: whose
    reply fell short.

    Nothing new gives no new revision: runs made before are not out of date.
    """
    with store.transaction():
        fresh = store.triples.unknown(set_id, found)
        revision = 0
        if any(extraction.triples for _, extraction in fresh):
            revision = store.collections.raise_revision(collection_id, set_id=set_id)
        store.triples.add(collection_id, set_id, fresh, revision, closest=closest)
        numbers = store.triples.numbers(set_id, [passage_id for passage_id, _ in found])
        store.extractions.extracted(set_id, numbers, fingerprint, short)


MENTIONS_AT_ONCE = 500  # passages; about half a second


def keep_mentions(store: Store, collection_id: int) -> int:
    """Find and store the mentions of the next passages whose mentions are not known; how many
    passages these were.
    """
    passages = store.mentions.unread(collection_id, MENTIONS_AT_ONCE)
    if passages:
        store.mentions.put(
            collection_id, [(passage, read(passage.title, passage.text)) for passage in passages]
        )
    return len(passages)


def encode(store: Store, embedder: Embedder, texts: Sequence[str]) -> None:
    """Encode texts and keep their vectors in the workspace."""
    if texts:
        vectors = embedder.embed(texts)
        store.embeddings.put_many(embedder.fingerprint, dict(zip(texts, vectors, strict=True)))
