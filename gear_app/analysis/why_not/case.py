"""One question of one run: the events, the passage, what is known of it; and what all families of
methods ask of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from gear_app.analysis import timeline
from gear_app.analysis.metrics import stands_for
from gear_app.analysis.rankings import QuerySearch, rank_of
from gear_app.analysis.why_not.facts import DeepRank, PassageFacts
from gear_app.analysis.why_not.model import (
    AddedTerm,
    Change,
    Claim,
    Evidence,
    ExtractedTriples,
    ListPlace,
    Margin,
    Need,
    StepOutcome,
    TrailStep,
)
from gear_app.events import Event, RankedPassage

E = TypeVar("E", bound=Event)
MORE = 10  # values of a whole number that are worth a run, one after the other
FEW = 3  # of one that makes a run much longer


class RunSetting(NamedTuple):
    """A setting of the run by its full name."""

    name: str
    value: str

    @property
    def number(self) -> int:
        """Its value, which is a whole number."""
        return int(self.value)


@dataclass(frozen=True, slots=True)
class LossCase:
    """A finished run, one passage by key, and the cut-off that says what "found" is."""

    events: Sequence[Event]
    key: str
    facts: PassageFacts
    k: int

    def rank(self, ranking: Sequence[RankedPassage]) -> int | None:
        """The passage's rank."""
        return rank_of(self.key, ranking)

    def of(self, search: QuerySearch, kind: type[E]) -> list[E]:
        """The events of a kind in a search."""
        return [one for one in self.events[search.start : search.stop] if isinstance(one, kind)]

    def first(self, search: QuerySearch, *verbs: str) -> Event | None:
        """The first event of a search that belongs to a step of one of these names."""
        during = self.events[search.start : search.stop]
        return next((event for event in during if event.is_of(*verbs)), None)

    def last(self, *verbs: str) -> Event | None:
        """The last event of the run that belongs to a step of one of these names."""
        return next((event for event in reversed(self.events) if event.is_of(*verbs)), None)

    def all(self, kind: type[E]) -> list[E]:
        """The events of a kind in the run."""
        return [event for event in self.events if isinstance(event, kind)]

    def deep(self, search: QuerySearch) -> DeepRank:
        """Its rank in what a search began with, as deep as is known."""
        shown = self.rank(search.ranking)
        if shown is not None:
            return DeepRank(shown)
        return self.facts.ranks.get(search.query, DeepRank(None, unknown=True))

    def step(
        self,
        name: str,
        outcome: StepOutcome,
        event: Event | None = None,
        evidence: Evidence | None = None,
    ) -> TrailStep:
        """A step of the trail; `event` is what shows it."""
        if event is None:
            return TrailStep(name, outcome, evidence)
        number = timeline.step_of(self.events, event)
        return TrailStep(name, outcome, evidence, event.iteration, number)

    def lost(
        self, name: str, event: Event | None = None, evidence: Evidence | None = None
    ) -> TrailStep:
        """The step that lost the passage."""
        return self.step(name, StepOutcome.LOST, event, evidence)

    def passed(
        self,
        name: str,
        event: Event | None = None,
        evidence: Evidence | None = None,
        *,
        by: object = True,
    ) -> TrailStep:
        """A step that the passage passed by something, or that did not bring it in."""
        outcome = StepOutcome.PASSED if by else StepOutcome.SKIPPED
        return self.step(name, outcome, event, evidence)

    def extract(self, *, leads: bool = True) -> TrailStep:
        """Whether there are triples of it, for methods that need some."""
        texts = tuple(triple.text for triple in self.facts.triples or ())
        outcome = StepOutcome.PASSED if self.facts.triples != () and leads else StepOutcome.LOST
        return self.step("extract", outcome, None, ExtractedTriples(texts))

    def retrieve(self, search: QuerySearch) -> TrailStep:
        """Whether the search began with it; where not, that did not bring it in."""
        event = self.first(search, "retrieve")
        known = self.deep(search)
        cut = len(search.ranking)
        place = ListPlace(search.base, known.rank, cut, known.deeper, unknown=known.unknown)
        return self.passed("retrieve", event, place, by=self.rank(search.ranking))

    def setting(self, name: str) -> RunSetting | None:
        """The setting whose full name ends so; the outermost where there are several."""
        begun = timeline.started(self.events)
        found = [
            RunSetting(*pair)
            for pair in (begun.settings if begun else ())
            if f".{pair[0]}".endswith(f".{name}")
        ]
        return min(found, key=lambda one: one.name.count("."), default=None)

    def at_least(
        self, name: str, value: int, claim: Claim = "", *, values: int = MORE
    ) -> list[Change]:
        """A whole-numbered setting from a value on, so many values; none where the run has no such
        setting, or has as much already.
        """
        there = self.setting(name)
        if there is None or value <= there.number:
            return []
        tried = tuple(str(value + more) for more in range(values))
        return [Change(there.name, there.value, tried, claim)]

    def more(self, name: str, *, values: int = MORE) -> list[Change]:
        """Greater values of a whole-numbered setting than the run's."""
        there = self.setting(name)
        return self.at_least(name, there.number + 1, values=values) if there else []

    def others(self, name: str, values: Iterable[object]) -> list[Change]:
        """A setting with these values instead; none where the run has no such setting."""
        there = self.setting(name)
        left = tuple(str(value) for value in values)
        left = tuple(value for value in left if there and value != there.value)
        return [Change(there.name, there.value, left)] if there and left else []

    def margin(
        self, of: str, ranking: Sequence[RankedPassage], cut: int, rank: int | None = None
    ) -> Margin | None:
        """How far it is below the passage at the cut; None where the ranking has it not."""
        rank = rank or self.rank(ranking)
        if rank is None or not ranking:
            return None
        mine, holder = ranking[rank - 1], ranking[min(cut, len(ranking)) - 1]
        return Margin(
            ListPlace(of, rank, cut),
            mine.score,
            holder.score,
            _terms(mine),
            holder.name,
            _terms(holder),
        )

    def needs(self, margin: Margin | None) -> tuple[Need, ...]:
        """The rank and the score that a margin asks for."""
        if margin is None:
            return ()
        rank = Need(f"rank in {margin.place.of}", margin.place.rank, margin.place.cut)
        return rank, Need(f"score in {margin.place.of}", margin.score, margin.needed)

    def is_own(self, passage: RankedPassage) -> bool:
        """Whether a line of a ranking is the passage, or a part of it."""
        return stands_for(passage.key, self.key)


def _terms(passage: RankedPassage) -> tuple[AddedTerm, ...]:
    """The parts of a score; those of a list with the rank in it."""
    return tuple(
        AddedTerm(f"{part.source}, rank {part.rank}" if part.rank else part.source, part.value)
        for part in passage.parts
    )
