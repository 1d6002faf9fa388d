"""Facts as a graph that grows in columns: an entity stands where the first fact that names it put
it, a fact between its two, and both stay there whatever comes later. A fact opens under the graph.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gear_app.analysis.entities import EntityNames
from gear_app.events import ShownTriple
from gear_app.text import normalise_entity
from gear_app.types import ProximalTriple
from gear_app.views import markup
from gear_app.views.markup import Html, entity, named, tag, triple_words

ROW = 62  # px from one fact to the next
PILL = 54  # px that an entity or a fact is high
LANES = ((0.5, 28.0), (33.0, 34.0), (71.5, 28.0))  # start and width, in percent of a column
BEGINS, FACT, ENDS = range(3)
NOTHING = Html("")


@dataclass(frozen=True, slots=True)
class GraphFact:
    """A fact of a column: `note` is a quiet line in it, `opened` what it opens into.

    `again`: it was known before.
    """

    triple: ProximalTriple | ShownTriple
    note: str = ""
    opened: Html = NOTHING
    again: bool = False

    @property
    def ends(self) -> dict[str, str]:
        """Subject and object, each by what it is told from others by."""
        names = (self.triple.subject, self.triple.object)
        return {normalise_entity(name) or name: name for name in names}


class Place(NamedTuple):
    """Where something stands: the column and the row from 0, and the lane of the column."""

    column: int
    lane: int
    row: int


def places(columns: Sequence[Sequence[GraphFact]]) -> dict[str, Place]:
    """Each entity's place. A fact puts what is new of it into its own row: a subject before it, an
    object behind it; where one of the two has a place already, the other stands behind the fact.
    """
    found: dict[str, Place] = {}
    for column, facts in enumerate(columns):
        for row, fact in enumerate(facts):
            new = [end for end in fact.ends if end not in found]
            lanes = (BEGINS, ENDS) if len(new) == 2 else (ENDS,)
            found |= {end: Place(column, lane, row) for end, lane in zip(new, lanes, strict=False)}
    return found


def draw(columns: Sequence[Sequence[GraphFact]], room: int) -> Html:
    """The graph with room for so many columns; "" without a fact."""
    ends = places(columns)
    facts = [
        (fact, Place(column, FACT, row))
        for column, there in enumerate(columns)
        for row, fact in enumerate(there)
    ]
    if not facts:
        return NOTHING
    words: dict[str, str] = {}
    for fact, _ in facts:
        words = fact.ends | words
    height = ROW * (1 + max(place.row for _, place in facts))
    lines = [line for fact, place in facts for line in _lines(fact, place, ends, room)]
    return tag(
        "div",
        *lines,
        *(_entity(words[end], place, room) for end, place in ends.items()),
        *(_fact(fact, place, room) for fact, place in facts),
        class_="gear-graph",
        style=f"padding-top:{height}px",
    )


def source(stored: ShownTriple | None, gold: Collection[str], names: EntityNames) -> Html:
    """The sentence of a fact and its passage; that it has none where a model wrote it."""
    if stored is None:
        return tag("p", "The reader wrote it; it is no stored triple.", class_="gear-note")
    title = tag("b", "★ " if stored.passage_key in gold else "", entity(stored.passage_name))
    missing = markup.sentence(stored)
    said = [tag("mark", named(stored.sentence, names))] if stored.sentence else []
    note = [tag("span", f" ({missing})" if said else missing, class_="gear-why")] if missing else []
    return tag("p", title, ": ", *said, *note, class_="gear-passage", dir="auto")


def _entity(name: str, place: Place, room: int) -> Html:
    words = entity(name, focus=True)
    return tag("div", words, class_="gear-node", dir="auto", style=_style(place, room))


def _fact(fact: GraphFact, place: Place, room: int) -> Html:
    note = [tag("small", fact.note)] if fact.note else []
    pill = tag(
        "summary",
        tag("span", tag("b", fact.triple.predicate), *note),
        class_="gear-again" if fact.again else None,
        dir="auto",
        style=_style(place, room),
    )
    words = tag("div", triple_words(fact.triple), dir="auto")
    return tag("details", pill, tag("div", words, fact.opened, class_="gear-item gear-opened"))


def _lines(fact: GraphFact, place: Place, ends: Mapping[str, Place], room: int) -> list[Html]:
    """From the subject to the fact, and from there with an arrow to the object."""
    there = [ends[end] for end in fact.ends]  # one end, where a fact says a thing of itself
    again = " gear-again" if fact.again else ""
    return [
        _line(there[0], place, room, "gear-edge-from" + again),
        _line(place, there[-1], room, "gear-edge-to" + again),
    ]


def _line(from_: Place, to: Place, room: int, class_: str) -> Html:
    """A line between the sides that face each other: the diagonal of a box, whose height is none
    where it is level.
    """
    onward = from_ < to
    left, right = sorted((_sides(from_, room)[onward], _sides(to, room)[not onward]))
    top, low = sorted((from_.row, to.row))
    slope = "level" if top == low else "down" if (from_.row < to.row) == onward else "up"
    way = "on" if onward else "back"
    return tag(
        "i",
        class_=f"gear-edge gear-{slope} gear-{way} {class_}",
        style=f"left:{left:.2f}%;width:{right - left:.2f}%;"
        f"top:{top * ROW + PILL // 2}px;height:{(low - top) * ROW}px",
    )


def _sides(place: Place, room: int) -> tuple[float, float]:
    """Where something begins and ends, in percent of the graph's width."""
    start, width = LANES[place.lane]
    return (100 * place.column + start) / room, (100 * place.column + start + width) / room


def _style(place: Place, room: int) -> str:
    left, right = _sides(place, room)
    return f"left:{left:.2f}%;width:{right - left:.2f}%;top:{place.row * ROW}px;height:{PILL}px"
