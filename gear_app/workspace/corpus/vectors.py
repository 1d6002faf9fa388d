"""Vectors and mentions of a corpus: made and stored, and read as arrays from a cache by the file.

The cache is memory-mapped and may be deleted at any time. A file in it is named by what is in it
(the texts' hashes in order, and the model), so it can be missing but never stale.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO
from zipfile import BadZipFile

import numpy as np

from gear_app.core.paths import private_file, private_folder
from gear_app.core.protocols import Embedder, Vectors
from gear_app.core.threads import check_stop, show
from gear_app.language.mentions import read
from gear_app.models.embedders.cache import ENCODED_AT_ONCE
from gear_app.store import Store

SUFFIXES = (".npy", ".npz", ".txt")
PASSAGES_AT_ONCE = 500  # in a transaction; about half a second
KEPT = 24  # files, up to five a corpus; the least recently used go first


class CacheFolder:
    """The folder of files that can be made again; private, and never larger than KEPT files."""

    def __init__(self, workspace: Path) -> None:
        self.path = workspace.with_name(workspace.name + ".cache")

    @contextmanager
    def new_file(self, path: Path) -> Iterator[BinaryIO]:
        """A file to write, which is at `path` once it is whole."""
        private_folder(self.path)
        partial = path.with_suffix(f".{threading.get_ident()}.partial")
        try:
            with private_file(partial).open("wb") as file:
                yield file
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)
        files = sorted(self._files(), key=lambda file: file.stat().st_mtime)
        for old in files[:-KEPT]:
            old.unlink(missing_ok=True)

    def named_arrays(self, name: str, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Arrays by their names, and a list of words, "names", none of which has a line break; the
        file called so, written where it is missing or unreadable.
        """
        path = self.path / f"{name}.npz"
        with (
            suppress(OSError, ValueError, KeyError, EOFError, BadZipFile),
            np.load(path, allow_pickle=False) as file,
        ):
            words = file["names"].tobytes().decode()
            path.touch()
            return dict(file) | {"names": words.split("\n") if words else []}
        arrays = make()
        words = np.frombuffer("\n".join(arrays["names"]).encode(), np.uint8)
        with suppress(OSError), self.new_file(path) as file:
            np.savez(file, allow_pickle=False, **arrays | {"names": words})
        return arrays

    def text(self, name: str, make: Callable[[], str]) -> str:
        """Text that a method makes once of a collection, by a name that identifies both; made now
        where nobody has.
        """
        path = self.path / f"{digest_of([name.encode()], 16)}.txt"
        with suppress(OSError):
            return path.read_text(encoding="utf-8")
        text = make()
        with suppress(OSError), self.new_file(path) as file:
            file.write(text.encode())
        return text

    def vectors(self, name: str, rows: int, make: Callable[[], Iterator[Vectors]]) -> Vectors:
        """(rows, d) float32: the file called so, written from `make` where it is missing or
        unreadable.

        Where it cannot be written (a full disk, a read-only folder) the array is kept in memory.
        """
        if rows == 0:
            return np.zeros((0, 0), np.float32)
        path = self.path / f"{name}.npy"
        mapped = _map_file(path, rows)
        if mapped is not None:
            return mapped
        with suppress(OSError), self.new_file(path) as file:
            vectors = make()
            first = next(vectors)
            header = {"descr": "<f4", "fortran_order": False, "shape": (rows, len(first))}
            np.lib.format.write_array_header_1_0(file, header)
            file.write(first.tobytes())
            for vector in vectors:
                file.write(vector.tobytes())
        written = _map_file(path, rows)
        return written if written is not None else np.stack(list(make()))

    def sizes(self) -> list[int]:
        """How large each of its files is, in bytes."""
        return [file.stat().st_size for file in self._files()]

    def clear(self) -> None:
        """Remove its files; each is made again when it is asked for."""
        for file in self._files():
            with suppress(OSError):  # it is open, on a system that then keeps it
                file.unlink(missing_ok=True)

    def _files(self) -> list[Path]:
        return [file for file in self.path.glob("*.*") if file.suffix in SUFFIXES]


def _map_file(path: Path, rows: int) -> Vectors | None:
    try:
        array: Vectors = np.load(path, mmap_mode="r")
    except (OSError, ValueError, EOFError):
        return None
    if array.shape[0] != rows:
        return None
    with suppress(OSError):  # a read-only folder, or another process forgot the file just now
        path.touch()
    return array


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


def encode_in_slices(store: Store, embedder: Embedder, texts: Sequence[str]) -> Iterator[int]:
    """Encode texts in slices; yields the number of remaining ones before each slice."""
    for start in range(0, len(texts), ENCODED_AT_ONCE):
        yield len(texts) - start
        encode(store, embedder, texts[start : start + ENCODED_AT_ONCE])


def digest_of(parts: Iterable[bytes], size: int = 8) -> str:
    """Hash of parts in order, of `size` bytes, as hex digits."""
    return hashlib.blake2b(b"".join(parts), digest_size=size).hexdigest()
