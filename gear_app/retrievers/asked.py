"""The names in a query and what is asked about each: what GRIEVER's matcher compares triples with.

By the word rules of `english.mentions` and `english.phrases`; no reader is asked.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import islice

from gear_app.english.mentions import Anchor, Query
from gear_app.english.phrases import AskedRelation, asked_relation, asks_one_thing, text_of
from gear_app.english.relations import direction, related
from gear_app.events import Clause
from gear_app.types import Span

SAME_WORDS = 0.3  # ours: what a shared way of speaking adds to a cosine
# ours: names of a query that are looked at; reading a phrase costs the square of their number
MANY = 20
TURNED = (
    0.2  # ours: what leading to the kind of thing that is asked for adds to it, or else takes away
)


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in the query with its place, and the phrase that asks about it.

    `beside` are the places of the phrase's words on both sides of the name; none where nothing is
    asked about it but what its whole clause asks, which then is the phrase. A phrase does not reach
    back over the end of another clause.
    """

    text: str
    span: Span
    phrase: str
    beside: tuple[Span, ...]
    asks: AskedRelation

    @property
    def place(self) -> Span:
        """Where the phrase stands, or the name alone."""
        spans = (self.span, *self.beside)
        return Span(min(span.start for span in spans), max(span.end for span in spans))

    def agrees(self, predicate: str, *, forward: bool) -> float:
        """What the words of phrase and predicate add to their cosine; `forward`: read from subject
        to object.
        """
        asks = self.asks
        return round(
            SAME_WORDS * related(asks.relation, predicate)
            + TURNED * direction(asks.head, predicate, forward),
            6,
        )


def mentions(query: str, clauses: Sequence[Clause], names: Collection[str]) -> list[Mention]:
    """The first MANY names in a query, in its order: those called so in `names`, or written with
    capitals.

    A single word without a capital ("county") is none, unless the whole query is written so.
    """
    read = Query(query, names)
    called = (
        anchor for anchor in read.anchors if anchor.first < anchor.last or read.proper(anchor)
    )
    return [_mention(read, anchor, clauses) for anchor in islice(called, MANY)]


def asks_once(query: str, names: Collection[str]) -> bool:
    """Whether the query asks one thing only about the names in it: whatever matches that is the
    answer.
    """
    read = Query(query, names)
    return len(read.anchors) <= MANY and asks_one_thing(read)


def _mention(query: Query, anchor: Anchor, clauses: Sequence[Clause]) -> Mention:
    asks, span = asked_relation(query, anchor), Span(*query.place(anchor))
    text = query.text[span.start : span.end]
    around = next((clause for clause in clauses if span.start < clause.span.end), None)
    first, last = asks.phrase.first, asks.phrase.last
    resumed = (
        around is not None and not around.connector and query.words[first].start < around.span.start
    )
    if not asks.phrase.head or resumed:
        return Mention(text, span, around.text if around else query.text, (), asks)
    left = Span(query.words[first].start, span.start)
    right = Span(span.end, query.words[last].end)
    beside = tuple(place for side in (left, right) if (place := _trimmed(query.text, side)))
    return Mention(text, span, text_of(query, first, last), beside, asks)


def _trimmed(text: str, span: Span) -> Span | None:
    """The span without white space at its ends; None where nothing is left."""
    words = text[span.start : max(span.start, span.end)]
    start = span.start + len(words) - len(words.lstrip())
    return Span(start, start + len(words.strip())) if words.strip() else None
