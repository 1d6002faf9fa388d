"""Evidence of a run as its events tell it: the passages, what its reader concluded, the fact that
its answer rests on, and the step that shows that fact's sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gear_app.core.text import normalise_entity
from gear_app.core.types import ProximalTriple
from gear_app.trace.events import (
    Event,
    EvidenceFound,
    Read,
    Reasoned,
    ShownTriple,
    Thought,
)
from gear_app.trace.events.walk import values
from gear_app.trace.trace import RunTrace


def evidence_of(events: Sequence[Event]) -> EvidenceFound | None:
    """The evidence of a run; None of one that has not ended or that found nothing."""
    evidence = next((event for event in reversed(events) if isinstance(event, EvidenceFound)), None)
    return evidence if evidence and evidence.passages else None


class AnswerSource(NamedTuple):
    """An answer; the fact that names it, None where none does; that fact's stored triple, where it
    is one; and the step of the timeline that shows where it was read.
    """

    answer: str
    fact: ProximalTriple | None = None
    stored: ShownTriple | None = None
    step: int | None = None


def source_of(events: Sequence[Event]) -> AnswerSource | None:
    """Source of the reader's last answer; None for a run without an answer."""
    last = next(reversed(conclusions(events)), None)
    answer = last.answer if last else ""
    if not answer:
        return None
    entity = normalise_entity(answer)
    for event in reversed(events):
        for fact in _facts(event):
            if entity in (normalise_entity(fact.subject), normalise_entity(fact.object)):
                triples = (triple for event in events for triple in values(event, ShownTriple))
                stored = next((triple for triple in triples if triple.id == fact.triple_id), None)
                return AnswerSource(answer, fact, stored, RunTrace.of(events).step_of(event))
    return AnswerSource(answer)


def _facts(event: Event) -> Sequence[ProximalTriple]:
    """The facts that a reader selected, or that its thought rests on, best first."""
    match event:
        case Read(triples=facts) | Thought(because=facts):
            return facts
    return ()


def conclusions(events: Sequence[Event]) -> list[Reasoned | Thought]:
    """The reader's verdicts and thoughts, in order."""
    return [event for event in events if isinstance(event, Reasoned | Thought)]


def last_answer(events: Sequence[Event]) -> str:
    """The last answer that the reader concluded; "" where there is none."""
    answers = [event.answer for event in conclusions(events) if event.answer]
    return answers[-1] if answers else ""


def unanswered(events: Sequence[Event]) -> bool:
    """Whether the last verdict or thought of a run has no answer; False where there was none."""
    last = next(reversed(conclusions(events)), None)
    answered = last.answerable if isinstance(last, Reasoned) else last and last.answer
    return last is not None and not answered
