"""The names of a build's triples: numbered in the order in which they appear, encoded, and compared
with each other for synonyms. They lie on disk, and their vectors where the engine shares arrays.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gear_app.cluster.engine import BuildStep, Engine, Shared, Tools
from gear_app.corpus.synonymy import COMPARED_AT_ONCE, LEAST_AT_ONCE
from gear_app.index.entities import Names, Pairs, synonymy
from gear_app.opensearch.documents import EntityName
from gear_app.opensearch.load import Report
from gear_app.seams import Sparse, Vectors
from gear_app.store.disk_map import temporary_database

ENCODED_AT_ONCE = 256
SHARED_AT_ONCE = 8192  # vectors of an array: those of a tile of comparisons
ENDS = "SELECT number FROM names WHERE end ORDER BY number"


class NameTable:
    """Names by number from 0, in the order in which they came first."""

    def __init__(self) -> None:
        """No name is there."""
        self._db = temporary_database()
        self._db.execute(
            "CREATE TABLE names (number INTEGER PRIMARY KEY, normal TEXT UNIQUE, name TEXT,"
            " end INTEGER)"
        )
        self._size = 0

    def __len__(self) -> int:
        """How many names there are."""
        return self._size

    def add(self, names: Sequence[tuple[str, str, bool]]) -> None:
        """Names as normalised and as written, and whether they are an end of a triple. Of a name
        that is there only the last can change.
        """
        for normal, name, end in names:
            changed = self._db.execute(
                "UPDATE names SET end = max(end, ?) WHERE normal = ?", (end, normal)
            )
            if not changed.rowcount:
                self._db.execute(
                    "INSERT INTO names VALUES (?, ?, ?, ?)", (self._size, normal, name, end)
                )
                self._size += 1

    def written(self, start: int = 0, stop: int | None = None) -> Iterator[str]:
        """The names as first written, by number."""
        last = self._size if stop is None else stop
        found = self._db.execute(
            "SELECT name FROM names WHERE number >= ? AND number < ? ORDER BY number",
            (start, last),
        )
        return (name for (name,) in found)

    def ends(self) -> Ends:
        """Those that are an end of a triple."""
        numbers = [number for (number,) in self._db.execute(ENDS)]
        return Ends(self, np.array(numbers, np.int64))

    def name(self, number: int) -> EntityName:
        """One by its number."""
        row = self._db.execute(
            "SELECT normal, name FROM names WHERE number = ?", (number,)
        ).fetchone()
        return EntityName(*row)


class Ends(Sequence[EntityName]):
    """The names that are ends of triples, by position."""

    def __init__(self, table: NameTable, numbers: NDArray[np.int64]) -> None:
        """`numbers` ascending."""
        self._table, self.numbers = table, numbers

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, position: Any) -> Any:  # noqa: ANN401
        return self._table.name(int(self.numbers[position]))


@dataclass(frozen=True, slots=True)
class NameVectors:
    """Vectors of names by number, (n, d), in several arrays (index.entities.VectorRows)."""

    arrays: Sequence[Shared]

    def __getitem__(self, rows: slice) -> Vectors:
        first, last = rows.start // SHARED_AT_ONCE, -(-rows.stop // SHARED_AT_ONCE)
        parts = []
        for number in range(first, last):
            start = number * SHARED_AT_ONCE
            array = self.arrays[number].get()
            parts.append(array[max(0, rows.start - start) : rows.stop - start])
        return np.concatenate(parts)


class NameRange(NamedTuple):
    """Names by number, from `start` to before `stop`."""

    start: int
    stop: int


def synonyms(
    names: NameTable, engine: Engine, tools: Tools, fingerprint: str, report: Report
) -> Sparse:
    """The cosines of synonyms among the ends of triples, (ends, ends). All names are compared, as
    in a workspace.
    """
    arrays = [engine.share(some) for some in _encoded(names, engine, tools, fingerprint, report)]
    compared = engine.share(Names(names.written(), NameVectors(arrays)))
    step = BuildStep[NameRange, Pairs](lambda device: _Comparison(compared), 1)
    found: list[Pairs] = []
    done = 0
    ranges = list(_ranges(len(names)))
    for place, pairs in enumerate(engine.run(ranges, _alone, step)):
        found.append(pairs)
        done = ranges[place].stop
        report("comparing names", done, len(names))
    numbers = names.ends().numbers
    columns = [np.concatenate(column) for column in zip(*found, strict=True)] if found else []
    if not columns:
        nothing = np.zeros(0, np.int64)
        return synonymy(Pairs(nothing, nothing, np.zeros(0)), len(numbers))
    pairs = Pairs(*columns)
    kept = np.isin(pairs.later, numbers) & np.isin(pairs.earlier, numbers)
    later, earlier = (np.searchsorted(numbers, column[kept]) for column in pairs[:2])
    return synonymy(Pairs(later, earlier, pairs.cosine[kept]), len(numbers))


class _Comparison:
    """Compares names with those before them (engine.Worker)."""

    def __init__(self, names: Shared) -> None:
        self._names: Names = names.get()

    def __call__(self, ranges: Sequence[NameRange]) -> Pairs:
        (one,) = ranges
        return self._names.pairs(one.start, one.stop)


class _Encoding:
    """Encodes texts (engine.Worker)."""

    def __init__(self, tools: Tools, fingerprint: str, device: str) -> None:
        self._embedder = tools.make_embedder(fingerprint, device)

    def __call__(self, texts: Sequence[Sequence[str]]) -> Vectors:
        (some,) = texts
        return self._embedder.embed(some)


def _encoded(
    names: NameTable, engine: Engine, tools: Tools, fingerprint: str, report: Report
) -> Iterator[Vectors]:
    """The vectors of names, as many as are shared together."""
    step = BuildStep[Sequence[str], Vectors](
        lambda device: _Encoding(tools, fingerprint, device), 1, "embedder"
    )
    items = [
        list(names.written(start, min(start + ENCODED_AT_ONCE, len(names))))
        for start in range(0, len(names), ENCODED_AT_ONCE)
    ]
    waiting: list[Vectors] = []
    done = 0
    for vectors in engine.run(items, _alone, step):
        waiting.append(vectors)
        done += len(vectors)
        report("encoding names", done, len(names))
        if done % SHARED_AT_ONCE == 0:
            yield np.concatenate(waiting)
            waiting = []
    if waiting:
        yield np.concatenate(waiting)


def _ranges(names: int) -> Iterator[NameRange]:
    """About as many comparisons each; the later a name is, the more there are before it."""
    start = 0
    while start < names:
        stop = min(names, start + max(LEAST_AT_ONCE, COMPARED_AT_ONCE // (start + 1)))
        yield NameRange(start, stop)
        start = stop


def _alone(item: Any) -> list[Any]:  # noqa: ANN401
    """An item that is a row."""
    return [item]
