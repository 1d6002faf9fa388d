"""Slides of words: what is asked, thought and answered, and how a query was rewritten."""

from __future__ import annotations

from collections.abc import Sequence

from gear_app.analysis import timeline
from gear_app.events import Answered, Recognised, Rewrote, Split, Thought
from gear_app.views import thoughts
from gear_app.views.slides.column import ENTITY, ROWS, Card, Column, Moment


def recognise(moment: Moment) -> tuple[Column, ...]:
    """What the question names beside the nodes of the graph that were found for it."""
    event = moment.one(Recognised)
    entities = event.entities[:ROWS] if event else ()
    names = tuple(Card(f"q{n}", one.text, kind="query") for n, one in enumerate(entities))
    nodes = tuple(
        Card(f"e{n}", one.node or one.title, kind="kept", parents=(f"q{n}",))
        for n, one in enumerate(entities)
        if one.node or one.title
    )
    if not names:
        return ()
    return (Column("the question names", names, ENTITY), Column("in the graph", nodes, ENTITY))


def split(moment: Moment) -> tuple[Column, ...]:
    """The clauses that the question was split into."""
    event = moment.one(Split)
    cards = tuple(
        Card(f"c{n}", clause.text, kind="kept", lead=str(n))
        for n, clause in enumerate(event.clauses[:ROWS] if event else (), start=1)
    )
    return (Column("clauses", cards, "What else does it ask?"),) if cards else ()


def think(moment: Moment) -> tuple[Column, ...]:
    """What the reader thinks."""
    said = [event for event in moment.step.events if isinstance(event, Thought)][:2]
    cards = tuple(
        Card(f"t{n}", thoughts.NAMES[one.style], one.text or "(no words)", "query")
        for n, one in enumerate(said)
    )
    return (Column("", cards, "What does the reader think?", roomy=True),) if cards else ()


def rewrite(moment: Moment) -> tuple[Column, ...]:
    """The query with what is struck out, and the next one with what was put in."""
    event = moment.one(Rewrote)
    if event is None:
        return ()
    before = moment.step.query or _asked(moment)
    changes = timeline.new_substitutions(moment.events, event)
    struck = _pieces(before, "del", [change.removed for change in changes])
    asked = Card("q", "Query", pieces=struck, kind="query", given=True)
    if not event.query.strip():
        none = Card("n", "No next query", "There is nothing new to ask.", "pruned")
        return (Column("", (asked, none), "What is asked next?", roomy=True),)
    put_in = _pieces(event.query, "ins", [change.inserted for change in changes])
    because = " ".join(f"Because {change.because}." for change in changes if change.because)
    following = Card("n", "Next query", because, "query", pieces=put_in)
    return (Column("", (asked, following), "What is asked next?", roomy=True),)


def _asked(moment: Moment) -> str:
    """The query of the step's iteration."""
    there = (
        getattr(event, "query", "")
        for event in moment.events
        if event.iteration == moment.step.iteration
    )
    return next((query for query in there if query), moment.question)


def _pieces(text: str, mark: str, words: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The text cut around the first occurrence of each of the words, which get the mark."""
    places = sorted((text.find(one), one) for one in words if one and one in text)
    pieces: list[tuple[str, str]] = []
    at = 0
    for start, one in places:
        if start >= at:
            pieces += [(text[at:start], ""), (one, mark)]
            at = start + len(one)
    return tuple(piece for piece in [*pieces, (text[at:], "")] if piece[0])


def answer(moment: Moment) -> tuple[Column, ...]:
    """The answer from what was retrieved."""
    found = [event for event in moment.step.events if isinstance(event, Answered)]
    own = next((event for event in found if event.source == "retrieved"), None)
    if own is None:
        return ()
    return (
        Column("", (Card("a", own.answer or "No answer", kind="kept"),), "What is it?", roomy=True),
    )
