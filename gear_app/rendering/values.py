"""What a page tells, as plain values: sections of tables, charts, parts of a whole and notes.

A telling is composed once. The renderers beside this module draw it for a page, a report or a
terminal, and know nothing of what it is about.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple


class GlossaryTerm(NamedTuple):
    """Words that are explained on pointing at them: by the glossary under `key` (by default the
    words), or by the meaning given.
    """

    words: str
    key: str = ""
    meaning: str = ""


Words = str | GlossaryTerm | tuple["str | GlossaryTerm", ...]


class Mark(NamedTuple):
    """A sign after a number, its tone ("above", "below", "same" or none) and what it means."""

    sign: str
    tone: str = ""
    meaning: str = ""


class Axis(NamedTuple):
    """The least and the greatest value of an axis."""

    low: float
    high: float

    def share(self, value: float) -> float:
        """Where a value is between the ends, from 0 to 1."""
        return (value - self.low) / (self.high - self.low)


class Range(NamedTuple):
    """A mean with its interval, `values` (mean, low, high), None where nothing is measured; of
    quartiles the mean may lie outside. Beside it the baseline's mean and a ceiling. `shape` of its
    dot: "diamond" for the baseline, "hollow" where it cannot be told from that, else "filled".
    """

    axis: Axis
    values: tuple[float, float, float] | None
    baseline: float | None = None
    ceiling: float | None = None
    shape: str = "filled"


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table: words, and what they choose where they are a number that leads to a list.

    A bar is of this share of a width, a shade of this share of the darkest, `range` a dot on an
    axis, `ticks` that axis itself. `small` stands below in small letters; `kind` is the cell's
    class.
    """

    words: Words = ""
    pick: str = ""
    title: str = ""
    bar: float | None = None
    shade: float | None = None
    mark: Mark | None = None
    range: Range | None = None
    ticks: Axis | None = None
    small: tuple[Cell, ...] = ()
    kind: str = ""
    span: int = 1
    width: float | None = None


EMPTY = Cell()


class TableRow(NamedTuple):
    """A row by its name. Its kind: "base" the baseline, "hot" the highlighted one, "oracle" the
    ceiling, "group" the head of the rows below it, "" another.
    """

    name: Words
    cells: Sequence[Cell]
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A head for each column, the first of them the names', and the rows; cells that are missing at
    a row's end are empty. Its kind is its class; `folded`: it says the same as what is above it.
    """

    heads: Sequence[Cell]
    rows: Sequence[TableRow]
    kind: str = "main"
    folded: bool = False
    foot: Sequence[Cell] = ()


class Slice(NamedTuple):
    """A part of a whole; its kind is its class."""

    kind: str
    words: str
    number: int
    pick: str = ""


class Whole(NamedTuple):
    """A whole by its parts, and what is said below them."""

    parts: Sequence[Slice]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Series:
    """A line of a chart: values at 1, 2, … It goes on dotted where others are longer. Its kind as a
    row's; `picks` are what its marks choose, one more where it goes on; `now` is the place, from 1,
    of a larger mark. What a mark says on pointing at it begins with the name.
    """

    name: str
    values: Sequence[float]
    kind: str = ""
    picks: Sequence[str] = ()
    now: int = 0


class AxisCounts(NamedTuple):
    """Numbers under the axis of a chart, what they are, and what each chooses."""

    words: str
    numbers: Sequence[int]
    picks: Sequence[str]


class Level(NamedTuple):
    """A value that is the same everywhere, as a thin line."""

    name: str
    value: float


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines over iterations, up to `last` or as long as the longest. `levels` are the values with a
    grid line, the first and the last the ends of the axis; `format` is how values are printed;
    `notes` are what is said beside the names where these stand below.
    """

    words: str
    series: Sequence[Series]
    levels: Sequence[float] = (0.0, 0.5, 1.0)
    format: str = ".2f"
    ceiling: Level | None = None
    counts: AxisCounts | None = None
    notes: Sequence[str] = ()
    last: int = 1
    wide: bool = False

    @property
    def end(self) -> int:
        """The last iteration of the axis."""
        return max([self.last, *(len(one.values) for one in self.series)])


class Note(NamedTuple):
    """Sentences below, a paragraph each."""

    paragraphs: Sequence[str]


Drawn = Table | Chart | Whole | Note


@dataclass(frozen=True, slots=True)
class Section:
    """A card: what was found as its heading, a quiet remark, and what shows it. `key` is its name
    on its page.
    """

    key: str
    heading: str
    aside: str
    parts: Sequence[Drawn] = field(default_factory=tuple)
