"""A run in words: what its reader concluded, and the answers that were written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gear_app.analysis.answers import scored
from gear_app.events import Chained, Event, Reasoned, Remembered, Thought
from gear_app.views import answers


def conclusion(happened: Sequence[Event]) -> Iterator[str]:
    """The last verdict's or thought's answer, if it gave one, the gist memory with its iterations,
    and the chain.
    """
    verdicts = [event for event in happened if isinstance(event, Reasoned | Thought)]
    if verdicts and verdicts[-1].answer:
        yield f"answer: {verdicts[-1].answer}"
    for event in happened:
        if isinstance(event, Remembered):
            yield from (
                f"gist {event.iteration}: {t.subject} | {t.predicate} | {t.object}"
                for t in event.added
            )
        if isinstance(event, Chained) and event.nodes:
            yield f"chain: {' → '.join(event.nodes)}"


def answered(happened: Sequence[Event], known: Sequence[str]) -> Iterator[str]:
    """The answers that were written, with EM and F1 where an answer is known, and what is known."""
    written = scored(happened, known)
    for one in written:
        source, measured = answers.heading(one, happened), answers.measures(one)
        beside = f" ({measured})" if measured else ""
        yield f"answer {source[0].lower()}{source[1:]}: {one.answer or 'none'}{beside}"
    if written and known:
        yield f"known answer: {', or '.join(known)}"
