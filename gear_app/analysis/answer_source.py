"""The fact that a reader's answer rests on, and the step that shows its sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gear_app.analysis import timeline
from gear_app.events import Event, Linked, Read, Reasoned, ShownTriple, Thought
from gear_app.text import normalise_entity
from gear_app.types import ProximalTriple


class AnswerSource(NamedTuple):
    """An answer; the fact that names it, None where none does; that fact's stored triple, where it
    is one; and the step of the timeline that shows where it was read.
    """

    answer: str
    fact: ProximalTriple | None = None
    stored: ShownTriple | None = None
    step: int | None = None


def source_of(events: Sequence[Event]) -> AnswerSource | None:
    """Where the reader's last answer comes from; None for a run without one."""
    last = next(reversed(conclusions(events)), None)
    answer = last.answer if last else ""
    if not answer:
        return None
    wanted = normalise_entity(answer)
    for event in reversed(events):
        facts = event.triples if isinstance(event, Read) else ()
        if isinstance(event, Thought):
            facts = event.because
        for fact in facts:
            if wanted in (normalise_entity(fact.subject), normalise_entity(fact.object)):
                stored = _stored(events, fact.triple_id)
                return AnswerSource(answer, fact, stored, timeline.step_of(events, event))
    return AnswerSource(answer)


def conclusions(events: Sequence[Event]) -> list[Reasoned | Thought]:
    """What the reader concluded: its verdicts and thoughts, in order."""
    return [event for event in events if isinstance(event, Reasoned | Thought)]


def last_answer(events: Sequence[Event]) -> str:
    """The last answer that the reader concluded; "" where there is none."""
    answers = [event.answer for event in conclusions(events) if event.answer]
    return answers[-1] if answers else ""


def unanswered(events: Sequence[Event]) -> bool:
    """Whether the last verdict or thought of a run has no answer; False where there was none."""
    last = next(reversed(conclusions(events)), None)
    if isinstance(last, Reasoned):
        return not last.answerable
    return last is not None and not last.answer


def unsure_facts(events: Sequence[Event]) -> Sequence[ProximalTriple]:
    """What the last reading for the gist memory that left any did not take, best first."""
    readings = [one for one in events if isinstance(one, Read) and one.purpose == "gist"]
    return next((one.passed_over for one in reversed(readings) if one.passed_over), ())


def _stored(events: Sequence[Event], id_: int | None) -> ShownTriple | None:
    """The stored triple of an id, as an event has it with its passage and sentence."""
    if id_ is None:
        return None
    for event in events:
        triples: Sequence[ShownTriple] = ()
        if isinstance(event, Read):
            triples = event.stored
        if isinstance(event, Linked):
            triples = [link.triple for link in event.links if link.triple]
        found = next((triple for triple in triples if triple.id == id_), None)
        if found:
            return found
    return None
