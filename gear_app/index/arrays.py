"""Arrays that are made once of a revision and memory-mapped from then on: numbers, sparse matrices,
and words as bytes.

The files may be deleted at any time. They are named by what is in them (rows, model, rules), so one
can be missing but never stale.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gear_app.core.paths import OWNER_FILE, private_folder
from gear_app.core.protocols import Vectors
from gear_app.core.threads import load_timer

Arrays = Mapping[str, Any]  # arrays, scipy's CSR arrays and Words, by name
UNREADABLE = OSError, ValueError, EOFError
KEPT = 32  # sets of arrays, up to eight a corpus; the least recently used go first


class Words(Sequence[str]):
    """Words by position, as UTF-8 in one array."""

    def __init__(self, content: NDArray[np.uint8], starts: NDArray[np.int64]) -> None:
        self.content, self.starts = content, starts

    @classmethod
    def of(cls, words: Iterable[str]) -> Words:
        """These words."""
        encoded = [word.encode("utf-8", "surrogatepass") for word in words]
        starts = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
        return cls(np.frombuffer(b"".join(encoded), np.uint8), starts)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, place: Any) -> Any:  # noqa: ANN401
        part = self.content[self.starts[place] : self.starts[place + 1]]
        return part.tobytes().decode("utf-8", "surrogatepass")


class Places(Mapping[str, int]):
    """The place of each of some words, each of which is there once; `order` sorts them."""

    def __init__(self, words: Sequence[str], order: Sequence[int] | NDArray[np.int64]) -> None:
        self._words, self._order = words, order

    def __getitem__(self, word: str) -> int:
        at = bisect_left(self._order, word, key=self._words.__getitem__)
        if at == len(self._order) or self._words[self._order[at]] != word:
            raise KeyError(word)
        return int(self._order[at])

    def __len__(self) -> int:
        return len(self._words)

    def __iter__(self) -> Iterator[str]:
        return iter(self._words)


class ArrayFolder:
    """A private folder of sets of arrays, never more than KEPT."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def get(self, name: str, make: Callable[[], Arrays]) -> Arrays:
        """The set of this name, made and written where it is missing or damaged."""
        return self._get(name, lambda folder: _save(folder, make()))

    def vectors(self, name: str, rows: int, make: Callable[[], Iterator[Vectors]]) -> Vectors:
        """(rows, d) float32 of this name, written row by row where it is missing or damaged."""

        def write(folder: Path) -> None:
            vectors = make()
            first = next(vectors)
            header = {"descr": "<f4", "fortran_order": False, "shape": (rows, len(first))}
            with (folder / "vectors.npy").open("wb") as file:
                np.lib.format.write_array_header_1_0(file, header)
                file.write(first.tobytes())
                for vector in vectors:
                    file.write(vector.tobytes())

        if rows == 0:
            return np.zeros((0, 0), np.float32)
        array: Vectors = self._get(name, write)["vectors"]
        return array

    def text(self, name: str, make: Callable[[], str]) -> str:
        """Text of this name; made now where nobody has."""
        text: str = self.get(name, lambda: {"text": Words.of([make()])})["text"][0]
        return text

    def sizes(self) -> list[int]:
        """Bytes of each of its files."""
        return [file.stat().st_size for file in self.path.glob("*/*.npy")]

    def clear(self) -> None:
        """Remove its files; each is made again when it is asked for."""
        for folder in self.path.glob("*/"):
            shutil.rmtree(folder, ignore_errors=True)

    def _get(self, name: str, write: Callable[[Path], None]) -> Arrays:
        folder = self.path / name
        with suppress(*UNREADABLE):
            return _load(folder)
        with load_timer():
            with suppress(OSError):  # a full disk, a folder that may not be written
                self._write(folder, write)
            with suppress(*UNREADABLE):
                return _load(folder)
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as elsewhere:
                write(Path(elsewhere))
                return _load(Path(elsewhere))  # what is mapped stays until nobody needs it

    def _write(self, folder: Path, write: Callable[[Path], None]) -> None:
        partial = Path(tempfile.mkdtemp(".partial", dir=private_folder(self.path)))
        try:
            write(partial)
            for file in partial.iterdir():
                file.chmod(OWNER_FILE)
            shutil.rmtree(folder, ignore_errors=True)
            partial.rename(folder)  # unless another process was quicker
        finally:
            shutil.rmtree(partial, ignore_errors=True)
        folders = sorted(self.path.glob("*/"), key=os.path.getmtime)
        for old in folders[:-KEPT]:
            shutil.rmtree(old, ignore_errors=True)


def _save(folder: Path, arrays: Arrays) -> None:
    for name, value in arrays.items():
        parts = [""]
        if isinstance(value, Words):
            parts = ["content", "starts"]
        elif not isinstance(value, np.ndarray):
            parts = ["data", "indices", "indptr", "shape"]
        for part in parts:
            array = np.asarray(getattr(value, part) if part else value)
            np.save(folder / f"{name}.{part}.npy", array, allow_pickle=False)


def _load(folder: Path) -> Arrays:
    """Arrays from the files of a folder. Raises UNREADABLE."""
    files = sorted(folder.glob("*.npy"))
    if not files:
        raise FileNotFoundError(folder)
    with suppress(OSError):  # a folder that may not be written
        os.utime(folder)
    parts: defaultdict[str, dict[str, Any]] = defaultdict(dict)
    for file in files:
        name, _, part = file.stem.partition(".")
        # A view without numpy's class of mapped arrays, whose slices are slow.
        parts[name][part] = np.asarray(np.load(file, mmap_mode="r"))
    return {name: _joined(named) for name, named in parts.items()}


def _joined(parts: dict[str, Any]) -> Any:  # noqa: ANN401
    if "content" in parts:
        return Words(**parts)
    if "indptr" in parts:
        from scipy import sparse  # for the worker, not for the web process

        values = parts["data"], parts["indices"], parts["indptr"]
        return sparse.csr_array(values, shape=tuple(parts["shape"].tolist()))
    return next(iter(parts.values()))
