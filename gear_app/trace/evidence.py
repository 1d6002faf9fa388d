"""Evidence of a run as its events tell it: the passages, what its reader concluded, the fact that
its answer rests on, and the step that shows that fact's sentence; and the labels of passages.

Several passages of one document have its title, and are labelled "Title · 2 of 3". Stored events
keep the plain title, which readers and mentions go by.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

from gear_app.core.text import normalise_entity
from gear_app.core.types import ProximalTriple
from gear_app.trace.events import (
    Answered,
    Event,
    EvidenceFound,
    Read,
    Reasoned,
    Thought,
)
from gear_app.trace.events.base import PassageOfRun, ShownTriple
from gear_app.trace.events.values import replaced, values
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


def answer_of(events: Sequence[Event]) -> str:
    """The answer written from what was retrieved, else the reader's last one; "" for none."""
    for event in events:
        if isinstance(event, Answered) and event.source == "retrieved" and event.answer:
            return event.answer
    answers = [event.answer for event in conclusions(events) if event.answer]
    return answers[-1] if answers else ""


def unanswered(events: Sequence[Event]) -> bool:
    """Whether the last verdict or thought of a run has no answer; False where there was none."""
    last = next(reversed(conclusions(events)), None)
    answered = last.answerable if isinstance(last, Reasoned) else last and last.answer
    return last is not None and not answered


Labelled = TypeVar("Labelled")


def named_passages(events: Sequence[object]) -> set[int]:
    """The ids of all passages that events, or lines of a ranking, name by title."""
    passages = {passage.id for event in events for passage in values(event, PassageOfRun)}
    return passages | {
        triple.passage_id for event in events for triple in values(event, ShownTriple)
    }


def labelled(events: Sequence[Labelled], labels: Mapping[int, str]) -> list[Labelled]:
    """The events, or lines of a ranking, with these labels by passage id instead of titles."""

    def passage(part: PassageOfRun) -> PassageOfRun:
        return replace(part, title=labels[part.id]) if part.id in labels else part

    def triple(part: ShownTriple) -> ShownTriple:
        title = labels.get(part.passage_id)
        return part if title is None else replace(part, passage_title=title)

    if not labels:
        return list(events)
    return [
        replaced(replaced(event, PassageOfRun, passage), ShownTriple, triple) for event in events
    ]


def distinct_names(names: Mapping[str, str]) -> dict[str, str]:
    """Names by key with the key beside those that several have, as of two documents with one title:
    a choice among them goes by what it shows.
    """
    counts = Counter(names.values())
    return {key: f"{name} ({key})" if counts[name] > 1 else name for key, name in names.items()}
