"""Vectors of texts and names that mean the same, made and stored in slices: a kill or a request to
stop loses the slice in flight.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from gear_app.core.protocols import Embedder, Vectors
from gear_app.core.rows import Sparse
from gear_app.core.threads import check_stop, show
from gear_app.index.arrays import ArrayFolder
from gear_app.index.entities import Names, synonymy_of
from gear_app.language.mentions import read
from gear_app.models.embedders.cache import ENCODED_AT_ONCE
from gear_app.store import Store
from gear_app.store.rows import text_hash

COMPARED_AT_ONCE = 50_000_000  # pairs of a slice: about a second
LEAST_AT_ONCE = 32  # names of a slice
READ_AT_ONCE = 2_000
PASSAGES_AT_ONCE = 500  # in a transaction; about half a second


def show_step(text: str) -> None:
    """Show what this thread does next, unless it is asked to stop."""
    check_stop()
    show(text)


def keep_mentions(store: Store, collection_id: int) -> int:
    """Find and store the mentions of the next passages whose mentions are not known; how many
    passages these were.
    """
    passages = store.mentions.pending(collection_id, PASSAGES_AT_ONCE)
    if passages:
        mentions = [(passage, read(passage.title, passage.text)) for passage in passages]
        store.mentions.put(collection_id, mentions)
    return len(passages)


def encode(store: Store, embedder: Embedder, texts: Sequence[str]) -> None:
    """Encode texts and keep their vectors in the workspace."""
    if texts:
        vectors = embedder.embed(texts)
        store.embeddings.put_many(embedder.fingerprint, dict(zip(texts, vectors, strict=True)))


def encode_missing(store: Store, embedder: Embedder, texts: Sequence[str]) -> Iterator[int]:
    """Encode the texts that have no vector yet in slices; the number of remaining ones before
    each.
    """
    missing = store.embeddings.missing(embedder.fingerprint, texts)
    for start in range(0, len(missing), ENCODED_AT_ONCE):
        yield len(missing) - start
        encode(store, embedder, missing[start : start + ENCODED_AT_ONCE])


def digest_of(parts: Iterable[bytes], size: int = 8) -> str:
    """Hash of parts in order, of `size` bytes, as hex digits."""
    return hashlib.blake2b(b"".join(parts), digest_size=size).hexdigest()


def name_vectors(
    open_store: Callable[[], Store], folder: ArrayFolder, embedder: Embedder, names: Sequence[str]
) -> Vectors:
    """(n, d) stored vectors of names, memory-mapped; those without are encoded."""

    def vectors() -> Iterator[Vectors]:
        store = open_store()
        for start in range(0, len(names), READ_AT_ONCE):
            batch = [names[place] for place in range(start, min(start + READ_AT_ONCE, len(names)))]
            for _ in encode_missing(store, embedder, batch):
                pass
            by_name = store.embeddings.get_many(embedder.fingerprint, batch)
            yield from (by_name[name] for name in batch)

    model = digest_of([embedder.fingerprint.encode()], 4)
    name = f"names-{digest_of(map(text_hash, names))}-{model}"
    return folder.vectors(name, len(names), vectors)


def compare_names(
    store: Store, folder: ArrayFolder, embedder: Embedder, collection_id: int, upto: int
) -> Iterator[tuple[int, str]]:
    """Compare a collection's names up to this entity with those before them and store which mean
    the same, from where that was done before. Before every slice: the number of remaining names,
    and what is done next, in words.
    """
    model = embedder.fingerprint
    reached = store.synonyms.reached(collection_id, model)
    if reached >= upto:
        return
    entities = store.entities.upto(collection_id, upto)
    ids = np.array([*entities], np.int64)
    texts = [*entities.values()]
    start = int(np.searchsorted(ids, reached, side="right"))
    for missing in encode_missing(store, embedder, texts):
        yield len(ids) - start, f"Encoding {missing:,} names without vectors."
    yield len(ids) - start, f"Reading the vectors of {len(ids):,} names."
    names = Names(texts, name_vectors(lambda: store, folder, embedder, texts))
    while start < len(ids):
        left = len(ids) - start
        yield left, f"Comparing {left:,} names with those before them."
        stop = min(len(ids), start + max(LEAST_AT_ONCE, COMPARED_AT_ONCE // (start + 1)))
        pairs = names.pairs(start, stop)
        pairs["later"], pairs["earlier"] = ids[pairs["later"]], ids[pairs["earlier"]]
        last = int(ids[stop - 1])
        store.synonyms.add(collection_id, model, reached, last, pairs.tobytes())
        start, reached = stop, last


def stored_synonyms(store: Store, collection_id: int, ids: NDArray[np.int64], model: str) -> Sparse:
    """(n, n) cosines of the synonyms among these entities, ascending, all of them compared."""
    stored = store.synonyms.pairs(collection_id, model)
    stored = stored[np.isin(stored["later"], ids) & np.isin(stored["earlier"], ids)]
    for end in ("later", "earlier"):
        stored[end] = np.searchsorted(ids, stored[end])
    return synonymy_of(stored, len(ids))
