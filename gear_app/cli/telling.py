"""A run in words: what its reader concluded, and one line for every event."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gear_app.events import (
    Event,
    Expanded,
    Failed,
    Fused,
    Linked,
    Ranked,
    RankedPassage,
    Read,
    Reasoned,
    Remembered,
    Retrieved,
    Rewrote,
    Started,
    Stopped,
)


def conclusion(happened: Sequence[Event]) -> Iterator[str]:
    """The last verdict's answer, if it gave one, and every triple of the gist memory with its iteration."""
    verdicts = [event for event in happened if isinstance(event, Reasoned)]
    if verdicts and verdicts[-1].answer:
        yield f"answer: {verdicts[-1].answer}"
    for event in happened:
        if isinstance(event, Remembered):
            yield from (f"gist {event.iteration}: {t.subject} | {t.predicate} | {t.object}" for t in event.added)


def fact(event: Event) -> str:
    """What an event says, short."""
    match event:
        case Started():
            return f"{event.method}, reader {event.reader or 'none'}"
        case Retrieved():
            return f"{event.base} found {_passages(event.ranking)} for: {event.query}"
        case Fused():
            return f"{event.purpose}: {_passages(event.ranking)} from {', '.join(event.lists)}"
        case Ranked():
            return _passages(event.ranking)
        case Expanded():
            return f"{event.starts} starts, {len(event.steps)} steps, {_passages(event.passages)}"
        case _:
            return _of_reader(event)


def _of_reader(event: Event) -> str:
    match event:
        case Read():
            return f"{event.purpose}: {_triples(len(event.triples))} for: {event.query}"
        case Linked():
            return f"{sum(link.triple is not None for link in event.links)} of {_triples(len(event.links))} linked"
        case Remembered():
            return f"{len(event.added)} new, {len(event.repeated)} repeated, {event.size} in the gist memory"
        case Reasoned():
            return f"{'answerable' if event.answerable else 'not answerable'}: {event.reason}"
        case Rewrote():
            return event.query
        case Stopped():
            return f"{event.why}: {event.sentence}" if event.sentence else event.why
        case Failed():
            return f"{event.step}: {event.message}"
        case _:
            return ""


def _passages(ranking: Sequence[RankedPassage]) -> str:
    if not ranking:
        return "0 passages"
    return f"{len(ranking)} passage{'' if len(ranking) == 1 else 's'}, first {ranking[0].key}"


def _triples(count: int) -> str:
    return f"{count} triple{'' if count == 1 else 's'}"
