"""A run in words: what its reader concluded, and one line for every event."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gear_app.events import (
    Called,
    Chained,
    Event,
    Expanded,
    Failed,
    Fused,
    Linked,
    Matched,
    Pooled,
    Promoted,
    Ranked,
    RankedPassage,
    Read,
    Reasoned,
    Recognised,
    Remembered,
    Retrieved,
    Rewrote,
    Split,
    Started,
    Stopped,
    Thought,
    Verified,
    Walked,
)


def conclusion(happened: Sequence[Event]) -> Iterator[str]:
    """The last verdict's or thought's answer, if it gave one, the gist memory with its iterations, and the chain."""
    verdicts = [event for event in happened if isinstance(event, Reasoned | Thought)]
    if verdicts and verdicts[-1].answer:
        yield f"answer: {verdicts[-1].answer}"
    for event in happened:
        if isinstance(event, Remembered):
            yield from (f"gist {event.iteration}: {t.subject} | {t.predicate} | {t.object}" for t in event.added)
        if isinstance(event, Chained) and event.nodes:
            yield f"chain: {' → '.join(event.nodes)}"


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
        case Pooled():
            return f"{_passages(event.ranking)} from {len(event.queries)} queries, {len(event.entered)} new in the pool"
        case Promoted():
            return f"{len(event.promoted)} promoted, {len(event.kept)} handed on, {_passages(event.ranking)}"
        case Walked():
            return f"{len(event.nodes)} entities reached, {_passages(event.ranking)}"
        case Matched():
            joins = _names(join.entity for join in event.joins)
            return f"{len(event.matches)} of {_triples(event.triples)} matched, next: {joins}"
        case Split():
            return " | ".join(clause.text for clause in event.clauses)
        case _:
            return _of_reader(event)


def _of_reader(event: Event) -> str:
    match event:
        case Called():
            kept = ", kept from before" if event.cached else ""
            return f"{event.model} as {event.role}: {event.input_tokens:,} + {event.output_tokens:,} tokens{kept}"
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
        case Recognised():
            return _names(f"{entity.text} = {entity.node}" if entity.node else entity.text for entity in event.entities)
        case Thought():
            return f"{event.style}: {event.text or 'nothing'}"
        case Chained():
            return " → ".join(event.nodes) or "no chain"
        case Verified():
            return f"{len(event.passages)} of {event.shown} support the chain"
        case Stopped():
            return f"{event.why}: {event.sentence}" if event.sentence else event.why
        case Failed():
            return f"{event.step}: {event.message}"
        case _:
            return ""


def _names(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def _passages(ranking: Sequence[RankedPassage]) -> str:
    if not ranking:
        return "0 passages"
    return f"{len(ranking)} passage{'' if len(ranking) == 1 else 's'}, first {ranking[0].key}"


def _triples(count: int) -> str:
    return f"{count} triple{'' if count == 1 else 's'}"
