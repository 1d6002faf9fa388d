"""Arrays that are made once of a revision and memory-mapped from then on, and what is read from
them: words, tables of pairs, sparse matrices, positions of ids.

The files may be deleted at any time. They are named by what is in them (rows, model, rules), so one
can be missing but never stale.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from array import array as Array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gear_app.core.paths import OWNER_FILE, private_folder
from gear_app.core.protocols import Vectors
from gear_app.core.rows import Sparse
from gear_app.core.threads import load_timer

Arrays = Mapping[str, NDArray[Any]]  # by name
Ints = NDArray[np.int64]
UNREADABLE = OSError, ValueError, EOFError
FORMAT = 2  # of the files; those of another are not read
MOST_SETS = 32  # sets of arrays, up to eight a corpus; the least recently used go first
MATRIX = "data", "indices", "indptr", "shape"  # what a sparse matrix consists of


def word_arrays(name: str, words: Iterable[str]) -> Arrays:
    """The arrays of Words and Places."""
    words = list(words)
    encoded = [word.encode("utf-8", "surrogatepass") for word in words]
    return {
        name: np.frombuffer(b"".join(encoded), np.uint8),
        f"{name}.starts": np.cumsum([0, *map(len, encoded)], dtype=np.int64),
        f"{name}.order": np.array(sorted(range(len(words)), key=words.__getitem__), np.int64),
    }


class Words(Sequence[str]):
    """Words by position, from their UTF-8 in one array and where each of them begins."""

    def __init__(self, arrays: Arrays, name: str) -> None:
        self._content, self._starts = arrays[name], arrays[f"{name}.starts"]

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __getitem__(self, place: Any) -> Any:  # noqa: ANN401
        part = self._content[self._starts[place] : self._starts[place + 1]]
        return part.tobytes().decode("utf-8", "surrogatepass")


class Places(Mapping[str, int]):
    """The place of each of some words, each of which is there once, from their arrays."""

    def __init__(self, arrays: Arrays, name: str) -> None:
        self._words, self._order = Words(arrays, name), arrays[f"{name}.order"]

    def __getitem__(self, word: str) -> int:
        at = bisect_left(self._order, word, key=self._words.__getitem__)
        if at == len(self._order) or self._words[self._order[at]] != word:
            raise KeyError(word)
        return int(self._order[at])

    def __len__(self) -> int:
        return len(self._words)

    def __iter__(self) -> Iterator[str]:
        return iter(self._words)


def positions(ids: Ints, selected: ArrayLike) -> Ints:
    """(n,) the positions of the selected ids, in order, among ids that ascend. Raises KeyError for
    one that is not there.
    """
    selected = np.asarray(selected, np.int64)
    begin = np.searchsorted(ids, selected)
    present = np.searchsorted(ids, selected, "right") > begin
    if not present.all():
        raise KeyError(int(selected[np.argmin(present)]))
    return begin


def pairs(first: Ints, second: Ints) -> Ints:
    """(n, 2) a table of pairs, sorted."""
    return np.column_stack([first, second])[np.lexsort((second, first))]


def entries(table: Ints, keys: ArrayLike) -> tuple[Ints, Ints]:
    """The pairs of a sorted table whose first number is one of the keys, in the order of the keys:
    the place of the key, from 0, and the second number of the pair.
    """
    begin, end = (np.searchsorted(table[:, 0], keys, side) for side in ("left", "right"))
    places = np.repeat(np.arange(len(begin)), end - begin)
    skipped = np.repeat(begin - np.cumsum(end - begin) + end - begin, end - begin)
    return places, table[skipped + np.arange(len(places)), 1]


def in_file(parts: Iterable[Ints | Array[int]], width: int) -> Ints:
    """(n, width) the rows of all parts, memory-mapped from a file that goes with them."""
    with tempfile.TemporaryFile() as file:
        file.writelines(part.tobytes() for part in parts)
        # An empty file cannot be mapped.
        numbers = np.memmap(file, np.int64, "r") if file.tell() else np.zeros(0, np.int64)
        return np.asarray(numbers).reshape(-1, width)


def is_among_first(groups: Ints, number: int) -> NDArray[np.bool_]:
    """(n,) whether each is among the first so many of its group; `groups` ascend."""
    return np.arange(len(groups)) - np.searchsorted(groups, groups) < number


def matrix(
    first: Ints, second: Ints, values: NDArray[np.float64], shape: tuple[int, int]
) -> Sparse:
    """A sparse matrix in CSR form: the sum of the values at each row and column."""
    from scipy import sparse  # for the worker, not for the web process

    return sparse.csr_array((values, (first, second)), shape=shape)


def matrix_arrays(name: str, matrix: Sparse) -> Arrays:
    """The arrays of a sparse matrix in CSR form."""
    return {f"{name}.{part}": np.asarray(getattr(matrix, part)) for part in MATRIX}


def read_matrix(arrays: Arrays, name: str) -> Sparse:
    """A sparse matrix from its arrays."""
    from scipy import sparse

    *values, shape = (arrays[f"{name}.{part}"] for part in MATRIX)
    return sparse.csr_array(tuple(values), shape=tuple(shape.tolist()))


class ArrayFolder:
    """A private folder of sets of arrays, never more than MOST_SETS."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def get(self, name: str, make: Callable[[], Arrays]) -> Arrays:
        """The set of this name, made and written where it is missing or damaged."""

        def write(folder: Path) -> None:
            for part, array in make().items():
                np.save(folder / f"{part}.npy", array, allow_pickle=False)

        return self._get(name, write)

    def vectors(self, name: str, rows: int, make: Callable[[], Iterator[Vectors]]) -> Vectors:
        """(rows, d) float32 of this name, written row by row where it is missing or damaged."""

        def write(folder: Path) -> None:
            vectors = make()
            first = next(vectors)
            header = {"descr": "<f4", "fortran_order": False, "shape": (rows, len(first))}
            with (folder / "vectors.npy").open("wb") as file:
                np.lib.format.write_array_header_1_0(file, header)
                file.writelines(vector.tobytes() for vector in chain([first], vectors))

        if rows == 0:
            return np.zeros((0, 0), np.float32)
        return self._get(name, write)["vectors"]

    def text(self, name: str, make: Callable[[], str]) -> str:
        """Text of this name; made now where nobody has."""
        arrays = self.get(name, lambda: {"text": np.frombuffer(make().encode(), np.uint8)})
        return arrays["text"].tobytes().decode()

    def sizes(self) -> list[int]:
        """Bytes of each of its files."""
        return [file.stat().st_size for file in self.path.glob("*/*.npy")]

    def clear(self) -> None:
        """Remove its files; each is made again when it is asked for."""
        for folder in self.path.glob("*/"):
            shutil.rmtree(folder, ignore_errors=True)

    def _get(self, name: str, write: Callable[[Path], None]) -> Arrays:
        folder = self.path / f"{name}-{FORMAT}"
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
        for old in folders[:-MOST_SETS]:
            shutil.rmtree(old, ignore_errors=True)


def _load(folder: Path) -> Arrays:
    """Arrays from the files of a folder. Raises UNREADABLE."""
    files = sorted(folder.glob("*.npy"))
    if not files:
        raise FileNotFoundError(folder)
    with suppress(OSError):  # a folder that may not be written
        os.utime(folder)
    # Views without numpy's class of mapped arrays, whose slices are slow.
    return {file.stem: np.asarray(np.load(file, mmap_mode="r")) for file in files}
