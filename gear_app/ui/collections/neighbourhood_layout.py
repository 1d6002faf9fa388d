"""Where everything stands in the picture of a neighbourhood: the focus in the middle, its
neighbours in a column on either side, theirs in the next ones outward, passages above and below.

Every line has its own two ends, so that parallel and opposite triples are told apart, and its label
stands on it where it covers nothing. All is computed from the sizes of words and is the same every
time. Lengths are pixels at scale 1; a box is given by its centre.
"""

from __future__ import annotations

import math
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

FONT, LABEL_FONT = 14.0, 13.0  # pixels
TEXT_LINE, PADDING = 18, 12
LABEL_HEIGHT = 17
BETWEEN_LINES = 20  # of two lines that end at the same node
ROW_GAP = 11
GAP = (104, 230)  # least and most between two columns
STEEP = 0.32  # of the height of a column: how wide the gap before it is at least
ARROW = 14
BULGE, MOST_ROUND = 78, 0.5  # of an arc between two nodes of one column
MARGIN = 14
CURVE = 0.55  # of vis-network's cubicBezier: how long a line stays level at its ends
ALONG = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82)


class Box(NamedTuple):
    """A rectangle by its centre."""

    x: float
    y: float
    width: float
    height: float

    def overlaps(self, other: Box, gap: float = 0) -> bool:
        """Whether the two come nearer than `gap` in both directions."""
        return (
            abs(self.x - other.x) * 2 < self.width + other.width + 2 * gap
            and abs(self.y - other.y) * 2 < self.height + other.height + 2 * gap
        )


class GraphPoint(NamedTuple):
    """A place in the picture."""

    x: float
    y: float


class GraphLine(NamedTuple):
    """A triple's line from its subject to its object.

    `roundness` is None for one that leaves and arrives level; else it is an arc, clockwise where
    positive. `label` is None where there is no room for it.
    """

    start: GraphPoint
    end: GraphPoint
    roundness: float | None
    label: Box | None

    def at(self, share: float) -> GraphPoint:
        """The point at this share of the way, as vis-network draws the line."""
        start, end, rest = self.start, self.end, 1 - share
        if self.roundness is None:
            bend = CURVE * (end.x - start.x)
            weights = rest**3, 3 * rest**2 * share, 3 * rest * share**2, share**3
            points = (
                start,
                GraphPoint(start.x + bend, start.y),
                GraphPoint(end.x - bend, end.y),
                end,
            )
        else:
            weights = rest**2, 2 * rest * share, share**2, 0
            points = start, self._via(), end, end
        return GraphPoint(
            sum(weight * point.x for weight, point in zip(weights, points, strict=True)),
            sum(weight * point.y for weight, point in zip(weights, points, strict=True)),
        )

    def _via(self) -> GraphPoint:
        """The control point of vis-network's curvedCW, or curvedCCW."""
        (x, y), (end_x, end_y) = self.start, self.end
        share = 0.5 * abs(self.roundness or 0) + 0.5
        length = math.hypot(end_x - x, end_y - y)
        turn = share if (self.roundness or 0) >= 0 else 1 - share
        angle = math.atan2(y - end_y, end_x - x) + turn * math.pi
        return GraphPoint(
            x + share * length * math.sin(angle), y + share * length * math.cos(angle)
        )


class NodeSize(NamedTuple):
    """A node that wants a place: its words in lines, and the node it stands behind."""

    words: tuple[str, ...]
    parent: int | None = None


class LabelledEdge(NamedTuple):
    """A triple by the positions of its nodes, and its predicate."""

    source: int
    target: int
    words: str


@dataclass(frozen=True)
class Layout:
    """The places of nodes, lines and passages, in the order they were given, and of all together.

    `columns` are the nodes' columns, 0 the focus, negative to its left.
    """

    nodes: list[Box]
    lines: list[GraphLine]
    passages: list[Box]
    columns: list[int]
    frame: Box


def text_width(text: str, size: float = FONT) -> float:
    """About how wide a text is in the application's font; rather too wide than too narrow."""
    return size * sum(_width(letter) for letter in text)


def _width(letter: str) -> float:
    if letter in "iljtfrI.,:;'|!()[] -":
        return 0.36
    if letter in "mwMW@%—…":
        return 0.86
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.04
    return 0.66 if letter.isupper() else 0.555


def layout(
    nodes: Sequence[NodeSize], edges: Sequence[LabelledEdge], passages: Sequence[float] = ()
) -> Layout:
    """Place everything; the first node is the focus, and a node comes after its parent.

    `passages` are widths. No node at all gives an empty layout.
    """
    if not nodes:
        return Layout([], [], [], [], Box(0, 0, 0, 0))
    return _Plan(nodes, edges).layout(passages)


class _Plan:
    """A layout on its way: each step needs those before it."""

    def __init__(self, nodes: Sequence[NodeSize], edges: Sequence[LabelledEdge]) -> None:
        self.nodes, self.edges = nodes, edges
        self.children: dict[int, list[int]] = defaultdict(list)
        self.level = [0] * len(nodes)
        for number, node in enumerate(nodes):
            if node.parent is not None:
                self.children[node.parent].append(number)
                self.level[number] = self.level[node.parent] + 1
        self.height = [self._height(number) for number in range(len(nodes))]
        self.columns = self._columns()
        self.width = self._widths()
        self.x, self.y = [0.0] * len(nodes), [0.0] * len(nodes)

    def layout(self, passages: Sequence[float]) -> Layout:
        """All steps in order."""
        for side in (-1, 1):
            self._stack([c for c in self.children[0] if self.columns[c] == side], 0.0)
            self._spread(side)
        boxes = [Box(*place) for place in zip(self.x, self.y, self.width, self.height, strict=True)]
        stacked = list(_stacked(boxes[0], passages))
        lines = self._labelled(self._lines(), [*boxes, *stacked])
        return Layout(boxes, lines, stacked, self.columns, _frame([*boxes, *stacked], lines))

    def _widths(self) -> list[float]:
        """The nodes of a column are equally wide: lines and arcs meet them in one line."""
        widest: dict[int, float] = defaultdict(float)
        for node, column in zip(self.nodes, self.columns, strict=True):
            words = max(map(text_width, node.words), default=0)
            widest[column] = max(widest[column], words + 2 * PADDING)
        return [widest[column] for column in self.columns]

    def _height(self, number: int) -> float:
        """High enough for its words and for the lines that end at its inner side."""
        words = len(self.nodes[number].words) * TEXT_LINE + PADDING
        if not number:
            return max(words + 8, 44)
        inner = sum(
            number in edge[:2] and self.level[self._other(edge, number)] < self.level[number]
            for edge in self.edges
        )
        return max(words, inner * BETWEEN_LINES + 4)

    @staticmethod
    def _other(edge: LabelledEdge, number: int) -> int:
        return edge.target if edge.source == number else edge.source

    def _columns(self) -> list[int]:
        """The column of each node: its family's side times its level.

        Families with triples between them stay on one side where the sides are even nevertheless;
        else what the focus is the object of prefers the left.
        """
        first = self._ancestors()
        families = self._families(first)
        tall = {child: self._tall(child) for child in self.children[0]}
        whole = sum(tall.values())
        if any(sum(tall[one] for one in family) > 0.6 * whole for family in families):
            families = [[child] for child in self.children[0]]
        comes_in = {edge.source for edge in self.edges if edge.target == 0}
        used = {-1: 0.0, 1: 0.0}
        side_of: dict[int, int] = {}
        for family in sorted(families, key=lambda one: -sum(tall[child] for child in one)):
            weight = sum(tall[child] for child in family)
            wanted = -1 if comes_in.intersection(family) else 1
            if used[wanted] + weight > 0.5 * whole and used[-wanted] < used[wanted]:
                wanted = -wanted
            used[wanted] += weight
            side_of |= dict.fromkeys(family, wanted)
        # A family stands together, the families in the order of their first.
        order = {child: place for place, family in enumerate(families) for child in family}
        self.children[0].sort(key=lambda child: order[child])
        return [
            0 if not number else side_of[first[number]] * level
            for number, level in enumerate(self.level)
        ]

    def _ancestors(self) -> list[int]:
        """For each node the neighbour of the focus that it stands behind; 0 for the focus."""
        first = [0] * len(self.nodes)
        for number, node in enumerate(self.nodes):
            if node.parent is not None:
                first[number] = number if node.parent == 0 else first[node.parent]
        return first

    def _families(self, first: Sequence[int]) -> list[list[int]]:
        """The focus's neighbours, those together that triples tie, themselves or behind them."""
        family = {child: [child] for child in self.children[0]}
        for edge in self.edges:
            one, other = first[edge.source], first[edge.target]
            if one and other and family[one] is not family[other]:
                joined = family[one] + family[other]
                family |= dict.fromkeys(joined, joined)
        return list({id(found): sorted(found) for found in family.values()}.values())

    def _tall(self, number: int) -> float:
        """The height of a node with all that stands behind it."""
        behind = sum(self._tall(child) for child in self.children[number])
        return max(self.height[number] + ROW_GAP, behind)

    def _stack(self, numbers: Sequence[int], middle: float) -> None:
        """Put nodes below each other around a height, each beside the middle of its children."""
        top = middle - sum(map(self._tall, numbers)) / 2
        for number in numbers:
            tall = self._tall(number)
            self.y[number] = top + tall / 2
            self._stack(self.children[number], self.y[number])
            top += tall

    def _spread(self, side: int) -> None:
        """Put one side's columns beside each other, flush with their inner edge."""
        inner = self.width[0] / 2
        for level in range(1, max(self.level) + 1):
            column = side * level
            numbers = [n for n, of in enumerate(self.columns) if of == column]
            if not numbers:
                return
            inner += self._gap(column)
            for number in numbers:
                self.x[number] = side * (inner + self.width[number] / 2)
            inner += max(self.width[number] for number in numbers)

    def _gap(self, column: int) -> float:
        """Wide enough for the predicates on the lines that cross it, for arcs, and for lines that
        fan out over a tall column.
        """
        words = [
            text_width(edge.words, LABEL_FONT)
            for edge in self.edges
            if column in (self.columns[edge.source], self.columns[edge.target])
            and self.columns[edge.source] != self.columns[edge.target]
        ]
        least, most = GAP
        tall = [self.y[number] for number, of in enumerate(self.columns) if of == column]
        steep = STEEP * (max(tall) - min(tall))
        return min(most, max(least, steep, max(words, default=0) + 2 * ARROW + 26))

    def _lines(self) -> list[GraphLine]:
        """Every edge with its two ends: on the sides of its nodes, spread by where they lead."""
        ends: dict[tuple[int, int], list[tuple[float, int]]] = defaultdict(list)
        sides = [self._sides(edge) for edge in self.edges]
        for number, (edge, (out, into)) in enumerate(zip(self.edges, sides, strict=True)):
            one, other = self.y[edge.source], self.y[edge.target]
            # Parallel arcs lie within each other, parallel lines beside.
            turn = -1 if out == into and one > other else 1
            ends[edge.source, out].append((other, turn * number))
            ends[edge.target, into].append((one, -turn * number if out == into else number))
        places: dict[tuple[int, int], GraphPoint] = {}
        for (node, side), found in ends.items():
            room = self.height[node] - 10
            step = min(BETWEEN_LINES, room / max(1, len(found) - 1))
            for row, (_, number) in enumerate(sorted(found)):
                y = self.y[node] + (row - (len(found) - 1) / 2) * step
                places[node, abs(number)] = GraphPoint(
                    self.x[node] + side * self.width[node] / 2, y
                )
        return [
            self._line(edge, out, places[edge.source, number], places[edge.target, number])
            for number, (edge, (out, _)) in enumerate(zip(self.edges, sides, strict=True))
        ]

    def _sides(self, edge: LabelledEdge) -> tuple[int, int]:
        """At which side of its subject and object an edge ends: -1 left, 1 right."""
        one, other = self.columns[edge.source], self.columns[edge.target]
        if one != other:
            return (1, -1) if one < other else (-1, 1)
        # Within a column an arc, on the outer side where nothing stands further out.
        outward = 1 if one >= 0 else -1
        inward = one + outward in self.columns
        side = -outward if inward else outward
        return side, side

    def _line(self, edge: LabelledEdge, out: int, start: GraphPoint, end: GraphPoint) -> GraphLine:
        if self.columns[edge.source] != self.columns[edge.target]:
            return GraphLine(start, end, None, None)
        roundness = min(MOST_ROUND, BULGE / max(1.0, abs(end.y - start.y)))
        downward = end.y > start.y
        return GraphLine(start, end, roundness if downward == (out > 0) else -roundness, None)

    def _labelled(self, lines: Sequence[GraphLine], boxes: Sequence[Box]) -> list[GraphLine]:
        """The lines with the place of each label, as near to the outer end as it is free."""
        taken = list(boxes)
        found = list(lines)
        # Those with the fewest free places first: lines between neighbouring columns.
        for number in sorted(range(len(lines)), key=lambda n: lines[n].roundness is not None):
            width = text_width(self.edges[number].words, LABEL_FONT) + 8
            places = self._places(number, lines[number], width)
            label = next((box for box in places if not any(map(box.overlaps, taken))), None)
            if label:
                taken.append(label)
                found[number] = lines[number]._replace(label=label)
        return found

    def _places(self, number: int, line: GraphLine, width: float) -> Iterator[Box]:
        """Where a label may stand, the best first."""
        if line.roundness is not None:  # beside the arc
            point = line.at(0.5)
            outward = math.copysign(1, point.x - line.start.x)
            for away in (0, 1, -1, 2, -2):
                x = point.x + outward * (width / 2 + 2)
                yield Box(x, point.y + away * (LABEL_HEIGHT + 1), width, LABEL_HEIGHT)
            return
        for share in self._shares(number, line, width):
            yield Box(*line.at(share), width, LABEL_HEIGHT)

    def _shares(self, number: int, line: GraphLine, width: float) -> Sequence[float]:
        """The shares of a line at which its label may stand: first near its outer end, if any."""
        edge = self.edges[number]
        if abs(self.level[edge.source] - self.level[edge.target]) != 1:
            return ALONG
        outer_last = self.level[edge.target] > self.level[edge.source]
        outer, inner = (line.end, line.start) if outer_last else (line.start, line.end)
        towards = math.copysign(1, inner.x - outer.x)
        wanted = outer.x + towards * (width / 2 + ARROW)
        share = _share_at(lambda at: line.at(at).x, wanted)
        step = -0.06 if outer_last else 0.06
        return [one for one in (share + turn * step for turn in range(8)) if 0 < one < 1]


def _share_at(x_of: Callable[[float], float], wanted: float) -> float:
    """Where a function that only rises, or only falls, between 0 and 1 has this value."""
    low, high = 0.0, 1.0
    rises = x_of(1) > x_of(0)
    for _ in range(30):
        middle = (low + high) / 2
        if (x_of(middle) < wanted) == rises:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _stacked(focus: Box, widths: Sequence[float]) -> Iterator[Box]:
    """Passages under the focus and above it, in turns."""
    height = TEXT_LINE + PADDING
    for number, width in enumerate(widths):
        away = focus.height / 2 + 34 + height / 2 + (number // 2) * (height + ROW_GAP)
        yield Box(0, away if number % 2 == 0 else -away, width, height)


def _frame(boxes: Sequence[Box], lines: Sequence[GraphLine]) -> Box:
    around = [*boxes, *(line.label for line in lines if line.label)]
    around += [Box(*line.at(0.5), 0, 0) for line in lines]
    left = min(box.x - box.width / 2 for box in around) - MARGIN
    right = max(box.x + box.width / 2 for box in around) + MARGIN
    top = min(box.y - box.height / 2 for box in around) - MARGIN
    bottom = max(box.y + box.height / 2 for box in around) + MARGIN
    return Box((left + right) / 2, (top + bottom) / 2, right - left, bottom - top)
