"""What passages name: found by rule and stored, and as arrays for an index, kept in a file of the
cache like vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from gear_app.core.thread_context import check_stop
from gear_app.core.types import Passage
from gear_app.index import mentions as index
from gear_app.language.mentions import VERSION, read
from gear_app.store import Store
from gear_app.workspace.corpus.vectors import CacheFolder

PASSAGES_AT_ONCE = 500  # in a transaction; about half a second


def keep_mentions(store: Store, collection_id: int) -> int:
    """Find and store the mentions of the next passages whose mentions are not known; how many
    passages these were.
    """
    passages = store.mentions.unread(collection_id, PASSAGES_AT_ONCE)
    if passages:
        store.mentions.put(
            collection_id, [(passage, read(passage.title, passage.text)) for passage in passages]
        )
    return len(passages)


def mention_arrays(
    store: Store,
    folder: CacheFolder,
    collection_id: int,
    revision: int,
    passages: Sequence[Passage],
    digest: str,
    report: Callable[[str], None],
) -> dict[str, Any]:
    """The mentions of a revision's passages, by id; those that are not known are found first, and
    `report` tells how many. `digest` is of the passages' titles and texts.
    """
    left = store.mentions.counts(collection_id).unread
    while done := keep_mentions(store, collection_id):
        left = max(0, left - done)
        report(f"Finding what {left:,} passages name.")
        check_stop()
    path = folder.path / f"mentions-{digest}-{VERSION}.npz"
    with suppress(OSError, ValueError, KeyError, EOFError, BadZipFile):
        arrays = _unpacked(path)
        path.touch()
        return arrays
    arrays = index.mention_arrays(
        [passage.id for passage in passages],
        store.mentions.sentences(collection_id, revision),
        store.mentions.places(collection_id, revision),
    )
    with suppress(OSError), folder.new_file(path) as file:
        np.savez(file, allow_pickle=False, **_packed(arrays))
    return arrays


def _packed(arrays: dict[str, Any]) -> dict[str, Any]:
    """Arrays by name; the names as one text, since no name has a line break."""
    text = "\n".join(arrays["names"]).encode()
    return arrays | {"names": np.frombuffer(text, np.uint8)}


def _unpacked(path: Path) -> dict[str, Any]:
    with np.load(path, allow_pickle=False) as file:
        arrays = dict(file)
    text = arrays["names"].tobytes().decode()
    return arrays | {"names": text.split("\n") if text else []}
