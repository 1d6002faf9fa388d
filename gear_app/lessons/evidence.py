"""What the pages of a lesson are true of: the events of its runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from gear_app.analysis import timeline
from gear_app.analysis.entities import EntityNames, names_of
from gear_app.analysis.rankings import final
from gear_app.analysis.timeline import Step
from gear_app.errors import BadInput, Unknown
from gear_app.events import BeamCandidate, BeamStep, Event, RankedPassage
from gear_app.events.walk import values
from gear_app.lessons.lesson import LessonRun, StepName
from gear_app.steps.fuse import rrf
from gear_app.text import normalise_entity
from gear_app.types import Ranking, TripleWords


@dataclass(frozen=True)
class RunEvidence:
    """The events of one of a lesson's runs, with its gold."""

    run: LessonRun
    events: tuple[Event, ...]
    gold: tuple[str, ...] = ()

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The run's steps."""
        return timeline.steps(self.events)

    @cached_property
    def names(self) -> EntityNames:
        """The names of the run's entities and of its passages."""
        return names_of(self.events)

    @property
    def settings(self) -> tuple[tuple[str, str], ...]:
        """The run's settings, as its first event tells them."""
        begun = timeline.started(self.events)
        return begun.settings if begun else ()

    def step(self, name: StepName) -> Step:
        """A step by its name. Raises Unknown, which lists those there are."""
        there = [
            step
            for step in self.steps
            if step.verb == name.verb and step.iteration in (name.iteration, 0)
        ]
        if not 1 <= name.place <= len(there):
            names = dict.fromkeys(f"{step.verb} {step.iteration}" for step in self.steps)
            raise Unknown(f"step of the run {self.run.name!r}", str(name), names)
        return there[name.place - 1]


RunEvidences = Mapping[str, RunEvidence]


def fused(runs: RunEvidences) -> tuple[RankedPassage, ...]:
    """The final rankings of all the lesson's runs, fused by reciprocal rank (GEAR Eq. 3)."""
    lists = {name: final(one.events) for name, one in runs.items()}
    lines = {passage.id: passage for ranking in lists.values() for passage in ranking}
    rankings = {
        name: Ranking.of((passage.id, 1 / place) for place, passage in enumerate(ranking, start=1))
        for name, ranking in lists.items()
    }
    ranking, parts = rrf(rankings)
    return tuple(replace(lines[id_], score=score, parts=parts[id_]) for id_, score in ranking.hits)


def words_of(triple: TripleWords) -> str:
    """A triple as references write it."""
    return f"{triple.subject} | {triple.predicate} | {triple.object}"


def find_candidate(words: str, beams: Sequence[BeamStep]) -> BeamCandidate:
    """The candidate of the last step of a beam search whose triple is written so; "first > second"
    also names the triple before it.

    Raises BadInput where none is.
    """
    before, _, last = words.rpartition(" > ")
    step = beams[-1]
    earlier = beams[-2].kept if len(beams) > 1 else ()
    for found in (*step.kept, *step.pruned):
        if not same_triple(words_of(found.triple), last):
            continue
        begun = "" if found.parent is None else words_of(earlier[found.parent].triple)
        if not before or same_triple(begun, before):
            return found
    there = "; ".join(words_of(found.triple) for found in (*step.kept, *step.pruned))
    raise BadInput(f"no candidate is “{words}”. There are: {there}")


def beam_search(events: Sequence[Event]) -> tuple[BeamStep, ...] | None:
    """The steps of the first beam search among events; None where there is none."""
    return next((event.beams for event in events if event.is_of("expand")), None)


def opened_first(words: str, event: Event) -> BeamCandidate | None:
    """The candidate of the last step that a page opens first; None where there is none."""
    try:
        return find_candidate(words, event.beams) if words and event.beams else None
    except BadInput:
        return None


def same_triple(left: str, right: str) -> bool:
    """Whether two triples, as references write them, state the same fact."""
    return [normalise_entity(part) for part in left.split("|")] == [
        normalise_entity(part) for part in right.split("|")
    ]


def triples_of(events: Sequence[Event]) -> list[TripleWords]:
    """The triples that a run read, linked, remembered, considered or matched."""
    return [triple for event in events for triple in values(event, TripleWords)]
