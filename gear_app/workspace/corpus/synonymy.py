"""Names that mean the same, compared as far as somebody needs and kept as far as that was done.

The background job goes on in slices; a run does first what the job has not reached. Both keep what
they did after every slice, so that a kill or a request to stop loses the slice in flight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gear_app.core.protocols import Embedder, Vectors
from gear_app.store import Store
from gear_app.store.entities import Synonym
from gear_app.store.rows import text_hash
from gear_app.workspace.corpus.vectors import CacheFolder, digest_of, encode_in_slices

if TYPE_CHECKING:
    from gear_app.index.entities import Pairs

COMPARED_AT_ONCE = 50_000_000  # pairs of a slice: about a second
LEAST_AT_ONCE = 32  # names of a slice
READ_AT_ONCE = 2_000


class RemainingNames(NamedTuple):
    """How many names are still to be compared, and what is done next, in words."""

    names: int
    sentence: str


class Synonymy:
    """The synonyms of a workspace's collections."""

    def __init__(self, store: Callable[[], Store], folder: CacheFolder) -> None:
        self._store, self._folder = store, folder

    def extend(self, collection_id: int, upto: int, embedder: Embedder) -> Iterator[RemainingNames]:
        """Compare a collection's names up to this entity; says what is left before every slice.
        Nothing left: nothing.

        Names that have no vector yet are encoded first.
        """
        # scipy is for the worker, not for the web process.
        from gear_app.index.entities import Names

        store, model = self._store(), embedder.fingerprint
        reached = store.synonyms.reached(collection_id, model)
        if reached >= upto:
            return
        entities = store.entities.upto(collection_id, upto)
        ids = np.array([entity.id for entity in entities], np.int64)
        texts = [entity.name for entity in entities]
        start = int(np.searchsorted(ids, reached, side="right"))
        for missing in self._encode(texts, embedder):
            yield RemainingNames(
                len(ids) - start, f"Encoding {missing:,} names that have no vectors yet."
            )
        yield RemainingNames(len(ids) - start, f"Reading the vectors of {len(ids):,} names.")
        vectors = self.vectors(texts, embedder)
        yield RemainingNames(len(ids) - start, f"Making {len(ids):,} names ready to be compared.")
        names = Names(texts, vectors)
        while start < len(ids):
            yield RemainingNames(
                len(ids) - start, f"Comparing {len(ids) - start:,} names with those before them."
            )
            stop = min(len(ids), start + max(LEAST_AT_ONCE, COMPARED_AT_ONCE // (start + 1)))
            pairs = names.pairs(start, stop)
            store.synonyms.add(collection_id, model, _synonyms(pairs, ids), int(ids[stop - 1]))
            start = stop

    def among(self, collection_id: int, ids: Sequence[int], model: str) -> Pairs:
        """The synonyms among these entities, ascending and not above what was compared, by their
        positions.
        """
        from gear_app.index.entities import Pairs

        rows = self._store().synonyms.upto(collection_id, model, max(ids, default=0))
        stored = np.fromiter(
            rows, np.dtype([("later", np.int64), ("earlier", np.int64), ("cosine", np.float64)])
        )
        stored = stored[np.isin(stored["later"], ids) & np.isin(stored["earlier"], ids)]
        return Pairs(
            np.searchsorted(ids, stored["later"]),
            np.searchsorted(ids, stored["earlier"]),
            stored["cosine"],
        )

    def vectors(self, texts: Sequence[str], embedder: Embedder) -> Vectors:
        """(n, d) stored vectors, memory-mapped; a name that was compared in another file may have
        none here yet.
        """
        model = digest_of([embedder.fingerprint.encode()], 4)
        name = f"names-{digest_of(map(text_hash, texts))}-{model}"
        return self._folder.vectors(name, len(texts), lambda: self._read(texts, embedder))

    def _read(self, texts: Sequence[str], embedder: Embedder) -> Iterator[Vectors]:
        for start in range(0, len(texts), READ_AT_ONCE):
            batch = texts[start : start + READ_AT_ONCE]
            for _ in self._encode(batch, embedder):
                pass
            vectors = self._store().embeddings.get_many(embedder.fingerprint, batch)
            yield from (vectors[text] for text in batch)

    def _encode(self, texts: Sequence[str], embedder: Embedder) -> Iterator[int]:
        missing = self._store().embeddings.missing(embedder.fingerprint, texts)
        yield from encode_in_slices(self._store(), embedder, missing)


def _synonyms(pairs: Pairs, ids: NDArray[np.int64]) -> Iterator[Synonym]:
    rows = zip(
        ids[pairs.later].tolist(), ids[pairs.earlier].tolist(), pairs.cosine.tolist(), strict=True
    )
    return (Synonym(*row) for row in rows)
