"""Evidence of a run as its events tell it: the passages, what its reader concluded, the fact that
its answer rests on, and the step that shows that fact's sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gear_app.analysis import timeline
from gear_app.events import Event, EvidenceFound, ShownTriple
from gear_app.text import normalise_entity
from gear_app.types import ProximalTriple


def evidence_of(events: Sequence[Event]) -> EvidenceFound | None:
    """The evidence of a run; None of one that has not ended or that found nothing."""
    found = next((one for one in reversed(events) if isinstance(one, EvidenceFound)), None)
    return found if found and found.passages else None


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
    answer = last.answer_concluded if last else ""
    if not answer:
        return None
    wanted = normalise_entity(answer)
    for event in reversed(events):
        for fact in event.facts_taken:
            if wanted in (normalise_entity(fact.subject), normalise_entity(fact.object)):
                told = (triple for one in events for triple in one.triples_stored)
                stored = next((triple for triple in told if triple.id == fact.triple_id), None)
                return AnswerSource(answer, fact, stored, timeline.step_of(events, event))
    return AnswerSource(answer)


def conclusions(events: Sequence[Event]) -> list[Event]:
    """What the reader concluded: its verdicts and thoughts, in order."""
    return [event for event in events if event.is_of("reason", "think")]


def last_answer(events: Sequence[Event]) -> str:
    """The last answer that the reader concluded; "" where there is none."""
    answers = [event.answer_concluded for event in events if event.answer_concluded]
    return answers[-1] if answers else ""


def unanswered(events: Sequence[Event]) -> bool:
    """Whether the last verdict or thought of a run has no answer; False where there was none."""
    last = next(reversed(conclusions(events)), None)
    return last is not None and last.leaves_open


def unsure_facts(events: Sequence[Event]) -> Sequence[ProximalTriple]:
    """What the last reading for the gist memory that left any did not take, best first."""
    readings = (event.facts_left for event in reversed(events) if event.is_of("remember"))
    return next((left for left in readings if left), ())
