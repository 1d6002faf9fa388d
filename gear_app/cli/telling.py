"""A run in words: what its reader concluded, and one line for every event."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gear_app.events import (
    Answered,
    Called,
    Chained,
    Event,
    Expanded,
    Extracted,
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
from gear_app.views import answers
from gear_app.views.names import count


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
    written = answers.judged(happened, known)
    for one in written:
        source, measured = answers.heading(one, happened), answers.measures(one)
        beside = f" ({measured})" if measured else ""
        yield f"answer {source[0].lower()}{source[1:]}: {one.answer or 'none'}{beside}"
    if written and known:
        yield f"known answer: {', or '.join(known)}"


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
            return (
                f"{_passages(event.ranking)} from {len(event.queries)} queries,"
                f" {len(event.entered)} new in the pool"
            )
        case Promoted():
            return (
                f"{len(event.promoted)} promoted, {len(event.kept)} handed on,"
                f" {_passages(event.ranking)}"
            )
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
        case Extracted():
            failed = f", {len(event.failed)} failed" if event.failed else ""
            made = (
                f"{_triples(len(event.triples))} of {count(len(event.passages), 'passage')}{failed}"
            )
            return (
                f"{made}, made on the way by {event.extractor}: revision {event.before} to"
                f" {event.revision}"
            )
        case Called() if event.failed:
            return f"{event.model} as {event.role}: no reply. {event.failed}"
        case Called():
            kept = ", kept from before" if event.cached else ""
            return (
                f"{event.model} as {event.role}: {event.input_tokens:,} + {event.output_tokens:,}"
                f" tokens{kept}"
            )
        case Read():
            return f"{event.purpose}: {_triples(len(event.triples))} for: {event.query}"
        case Linked():
            return (
                f"{sum(link.triple is not None for link in event.links)} of"
                f" {_triples(len(event.links))} linked"
            )
        case Remembered():
            return (
                f"{len(event.added)} new, {len(event.repeated)} repeated, {event.size} in the gist"
                " memory"
            )
        case Reasoned():
            return f"{'answerable' if event.answerable else 'not answerable'}: {event.reason}"
        case Rewrote():
            return event.query
        case Recognised():
            return _names(
                f"{entity.text} = {entity.node}" if entity.node else entity.text
                for entity in event.entities
            )
        case Thought():
            return f"{event.style}: {event.text or 'nothing'}"
        case Chained():
            return " → ".join(event.nodes) or "no chain"
        case Verified():
            return f"{len(event.passages)} of {event.shown} support the chain"
        case Answered():
            return f"{event.source}, {_count(event.passages)}: {event.answer or 'no answer'}"
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
    return f"{_count(ranking)}, first {ranking[0].key}"


def _count(passages: Sequence[RankedPassage]) -> str:
    return f"{len(passages)} passage{'' if len(passages) == 1 else 's'}"


def _triples(count: int) -> str:
    return f"{count} triple{'' if count == 1 else 's'}"
