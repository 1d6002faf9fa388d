"""Vectors as arrays: a cache beside the workspace file, memory-mapped, that may be deleted at any
time.

A file is named by what is in it (the texts' hashes in order, and the model), so it can be missing
but never stale.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from gear_app.index.mentions import MentionArrays
from gear_app.paths import private_folder
from gear_app.seams import Vectors

KEPT = 24  # files, up to five a corpus; the least recently used go first


class Arrays:
    """The arrays of one workspace."""

    def __init__(self, workspace: Path) -> None:
        """They lie in `<workspace>.cache/`."""
        self._folder = workspace.with_name(workspace.name + ".cache")

    def get(self, name: str, rows: int, make: Callable[[], Iterator[Vectors]]) -> Vectors:
        """(rows, d) float32: the file called so, written from `make` where it is missing or
        unreadable.

        Where it cannot be written (a full disk, a read-only folder) the array is kept in memory.
        """
        if rows == 0:
            return np.zeros((0, 0), np.float32)
        path = self._folder / f"{name}.npy"
        found = _mapped(path, rows)
        if found is not None:
            return found
        with suppress(OSError):
            self._write(path, rows, make())
        written = _mapped(path, rows)
        return written if written is not None else np.stack(list(make()))

    def mentions(self, name: str, make: Callable[[], MentionArrays]) -> MentionArrays:
        """The mentions in the file called so, made and written where it is missing or unreadable.

        Where it cannot be written they are in memory alone.
        """
        path = self._folder / f"{name}.npz"
        with suppress(OSError, ValueError, KeyError, EOFError, BadZipFile):
            found = _unpacked(path)
            path.touch()
            return found
        made = make()
        with suppress(OSError):
            private_folder(self._folder)
            partial = path.with_suffix(f".{id(made)}.partial")
            try:
                with partial.open("wb") as file:
                    np.savez(file, allow_pickle=False, **_packed(made))
                partial.replace(path)
            finally:
                partial.unlink(missing_ok=True)
            self._forget_old()
        return made

    def _write(self, path: Path, rows: int, vectors: Iterator[Vectors]) -> None:
        private_folder(self._folder)
        partial = path.with_suffix(f".{id(vectors)}.partial")
        try:
            with partial.open("wb") as file:
                first = next(vectors)
                header = {"descr": "<f4", "fortran_order": False, "shape": (rows, len(first))}
                np.lib.format.write_array_header_1_0(file, header)
                file.write(first.tobytes())
                for vector in vectors:
                    file.write(vector.tobytes())
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)
        self._forget_old()

    def _forget_old(self) -> None:
        files = sorted(self._folder.glob("*.np[yz]"), key=lambda file: file.stat().st_mtime)
        for file in files[:-KEPT]:
            file.unlink(missing_ok=True)


def _mapped(path: Path, rows: int) -> Vectors | None:
    try:
        array: Vectors = np.load(path, mmap_mode="r")
    except (OSError, ValueError, EOFError):
        return None
    if array.shape[0] != rows:
        return None
    with suppress(OSError):  # a read-only folder, or another process forgot the file just now
        path.touch()
    return array


def _packed(arrays: MentionArrays) -> dict[str, NDArray[Any]]:
    """Arrays by name; names of mentions as one text, which has no line breaks within a name."""
    text = "\n".join(arrays.names).encode()
    return {**arrays._asdict(), "names": np.frombuffer(text, np.uint8)}


def _unpacked(path: Path) -> MentionArrays:
    with np.load(path, allow_pickle=False) as file:
        found = {name: file[name] for name in MentionArrays._fields}
    text = found.pop("names").tobytes().decode()
    return MentionArrays(names=text.split("\n") if text else [], **found)
