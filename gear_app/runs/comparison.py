"""Runs of one question side by side: what each came to, their gold, and how they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from gear_app.analysis import gold as gold_analysis
from gear_app.analysis import timeline
from gear_app.analysis.evidence import evidence_of
from gear_app.analysis.gold import GoldPassage
from gear_app.analysis.metrics import (
    ScoredAnswer,
    found_at,
    recall_at,
    retrieved_answer,
    stands_for,
)
from gear_app.analysis.rankings import CUTS, keys, rank_of
from gear_app.analysis.trace import RunTrace
from gear_app.events import Event, EvidenceFound, Failed, RankedPassage, Remembered, Thought
from gear_app.store.rows import RunInfo
from gear_app.types import Hop, Question


class StepRanks(NamedTuple):
    """Where a step's lists have passages: the best rank by key."""

    step: int
    iteration: int
    ranks: Mapping[str, int]


class FirstRank(NamedTuple):
    """When a passage first stood within a method's first k: iteration, rank then, step to open."""

    iteration: int
    rank: int
    step: int


@dataclass(frozen=True, slots=True)
class Digest:
    """What a comparison needs of a finished run's events.

    `rounds` are the rankings after each iteration, `notes` the facts that each added to a gist
    memory, or the thoughts of a method that has none; `steps` its steps up to the final ranking,
    `gold` its gold passages by key, `answer` what it wrote from the final ranking, measured against
    the known answers; `gave_up` is the last step that did; `link_rounds` are chain's, `evidence`
    what it found.
    """

    ranking: tuple[RankedPassage, ...]
    rounds: Mapping[int, tuple[RankedPassage, ...]]
    steps: tuple[StepRanks, ...]
    gold: Mapping[str, GoldPassage]
    iterates: bool
    why_stopped: str
    stop_sentence: str
    gave_up: Failed | None = None
    answer: ScoredAnswer | None = None
    link_rounds: int = 0
    evidence: EvidenceFound | None = None
    notes: Mapping[int, tuple[str, ...]] = field(default_factory=dict)

    def rank(self, key: str) -> int | None:
        """The passage's final rank."""
        return rank_of(key, self.ranking)

    @property
    def last_step(self) -> int:
        """The step with the final ranking."""
        return max(0, len(self.steps) - 1)

    def first_within(self, key: str, k: int) -> FirstRank | None:
        """When the passage first stood in the first k of the ranking "as if it were the last".

        None where it never did. The step is the first of that iteration that had it so high, else
        the one that brought it in, else the iteration's last.
        """
        for iteration, ranking in sorted(self.rounds.items()):
            rank = rank_of(key, ranking[:k])
            if rank is not None:
                return FirstRank(iteration, rank, self._step_with(key, k, iteration))
        return None

    def _step_with(self, key: str, k: int, iteration: int) -> int:
        steps = [step for step in self.steps if step.iteration == iteration]
        showing = [step.step for step in steps if step.ranks.get(key, k + 1) <= k]
        if showing:
            return showing[0]
        numbers = [step.step for step in steps]
        origin = self.gold[key].step if key in self.gold else None
        if origin in numbers and origin is not None:
            return origin
        return numbers[-1] if numbers else self.last_step


def digest(events: Sequence[Event], gold: Sequence[str], known: Sequence[str] = ()) -> Digest:
    """What a comparison needs of a finished run; `known` answers are those known when it ran."""
    stopped = RunTrace.of(events).end
    steps = [step for step in RunTrace.of(events).steps if step.verb != "answer"]
    gave_up = [
        replace(event, step=step.verb)
        for step in steps
        for event in step.events
        if isinstance(event, Failed) and not event.dropped
    ]
    return Digest(
        RunTrace.of(events).final,
        RunTrace.of(events).rankings,
        tuple(_step_ranks(step) for step in steps),
        {passage.key: passage for passage in gold_analysis.gold_passages(events, gold)},
        RunTrace.of(events).iterates,
        stopped.why if stopped else "",
        stopped.sentence if stopped else "",
        gave_up[-1] if gave_up else None,
        retrieved_answer(events, known),
        timeline.link_rounds(events),
        evidence_of(events),
        _notes(events),
    )


def _notes(events: Sequence[Event]) -> dict[int, tuple[str, ...]]:
    notes: dict[int, tuple[str, ...]] = {}
    for event in events:
        words: tuple[str, ...] = ()
        if isinstance(event, Remembered):
            words = tuple(fact.text for fact in event.added)
        elif isinstance(event, Thought) and event.text:
            words = (event.text,)
        if words:
            notes[event.iteration] = notes.get(event.iteration, ()) + words
    return notes


def _step_ranks(step: timeline.Step) -> StepRanks:
    ranks: dict[str, int] = {}
    for event in step.events:
        for rank, passage in enumerate(event.listed, start=1):
            ranks[passage.key] = min(rank, ranks.get(passage.key, rank))
    return StepRanks(step.number, step.iteration, ranks)


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """A run and its name; `digest` is None until it is done, and where it never will be."""

    run: RunInfo
    label: str
    digest: Digest | None = None

    @property
    def measured(self) -> Digest | None:
        """The digest of a run that says something of its method: not of one that lost its model or
        its budget midway, whose ranking is what it had until then.
        """
        return None if self.run.message else self.digest

    @property
    def ranking(self) -> tuple[RankedPassage, ...]:
        """The final ranking; none yet is an empty one."""
        return self.digest.ranking if self.digest else ()

    @property
    def iterations(self) -> int:
        """How many iterations the run had; a method of one step has one."""
        return max(1, self.run.iterations, *(self.digest.rounds if self.digest else ()))


class NumberedGold(NamedTuple):
    """A gold passage with its number on the page, and the sub-question it answers where known."""

    number: int
    key: str
    title: str
    question: str = ""
    answer: str = ""


class Difference(NamedTuple):
    """What a ranking has that the baseline's has not within the first k.

    `gold` is by how many gold passages it has more; `moves` are (key, rank before, rank after).
    """

    gold: int
    gained: tuple[RankedPassage, ...]
    lost: tuple[RankedPassage, ...]
    moves: tuple[tuple[str, int | None, int | None], ...]


def known_gold(runs: Sequence[RunInfo]) -> tuple[tuple[str, ...], bool]:
    """The gold to measure all runs by, and whether they disagree.

    It is the snapshot that was taken or marked last.
    """
    if not runs:
        return (), False
    last = max(
        runs,
        key=lambda run: (run.gold_marked or run.created, run.gold_marked is not None, run.number),
    )
    return last.gold, any(set(run.gold) != set(last.gold) for run in runs)


def number_gold(
    gold: Sequence[str], question: Question | None, titles: Mapping[str, str]
) -> list[NumberedGold]:
    """The gold passages in the order of the question's decomposition, then those it leaves out."""
    hops: dict[str, Hop] = {}
    for hop in question.decomposition if question else ():
        if hop.supporting_key in gold:
            hops.setdefault(hop.supporting_key, hop)
    rows = []
    for number, key in enumerate(dict.fromkeys([*hops, *gold]), start=1):
        words = (hops[key].question, hops[key].answer) if key in hops else ("", "")
        rows.append(NumberedGold(number, key, titles.get(key) or key, *words))
    return rows


def by_recall(columns: Sequence[ComparedRun], gold: Sequence[str], k: int) -> list[ComparedRun]:
    """The columns by recall of their first k, the lowest first and what has none last.

    Of equal ones a longer list decides; those that are equal still, and all without gold, stay in
    the order given.
    """
    if not gold:
        return list(columns)

    def recalls(column: ComparedRun) -> tuple[float, ...]:
        ranked = keys(column.ranking)
        return tuple(recall_at(ranked, gold, cut) for cut in (k, *CUTS))

    return sorted(columns, key=lambda one: (one.measured is None, recalls(one)))


def titles(columns: Sequence[ComparedRun]) -> dict[str, str]:
    """Titles by key, of every passage that any run ranks."""
    passages = (passage for column in columns for passage in column.ranking)
    return {passage.key: passage.name for passage in passages}


def difference(
    base: Sequence[RankedPassage], ranking: Sequence[RankedPassage], gold: Sequence[str], k: int
) -> Difference:
    """What changed from the baseline's first k to this ranking's.

    `moves` holds every gold passage whose rank changed, however deep.
    """
    before, after = set(keys(base[:k])), set(keys(ranking[:k]))
    ranks = [(key, rank_of(key, base), rank_of(key, ranking)) for key in dict.fromkeys(gold)]
    return Difference(
        found_at(keys(ranking), gold, k) - found_at(keys(base), gold, k),
        tuple(passage for passage in ranking[:k] if passage.key not in before),
        tuple(passage for passage in base[:k] if passage.key not in after),
        tuple(move for move in ranks if move[1] != move[2]),
    )


def baseline(columns: Sequence[ComparedRun], wanted: str | None) -> str | None:
    """The id of the run to measure against: the one wanted, else the first done, else the first."""
    ids = [column.run.id for column in columns]
    if wanted in ids:
        return wanted
    done = [column.run.id for column in columns if column.measured]
    return next(iter([*done, *ids]), None)


def best(columns: Sequence[ComparedRun], gold: Sequence[str]) -> str:
    """The label of the run with the highest recall at 5, then 10, then 15, then the later one.

    Without gold the last that is done; "" where none is done.
    """
    done = [column for column in columns if column.measured]
    if not done or not gold:
        return done[-1].label if done else ""
    recalls = [tuple(recall_at(keys(one.ranking), gold, k) for k in CUTS) for one in done]
    return done[max(range(len(done)), key=lambda n: (recalls[n], n))].label


def first_selected(
    columns: Sequence[ComparedRun], gold: Sequence[str], base: str | None, k: int
) -> str | None:
    """The gold passage to begin with: the first that the baseline misses and another run has.

    Both within their first k. Without such the first; None without gold.
    """

    def has(column: ComparedRun, key: str) -> bool:
        return any(stands_for(passage.key, key) for passage in column.ranking[:k])

    against = next((column for column in columns if column.run.id == base), None)
    missed = [key for key in gold if not (against and has(against, key))]
    by_others = [key for key in missed if any(has(column, key) for column in columns)]
    return next(iter([*by_others, *gold]), None)


def comparable(runs: Sequence[RunInfo]) -> tuple[list[RunInfo], list[RunInfo]]:
    """The runs that ask what the first one asks of the same collection, and those that do not."""
    if not runs:
        return [], []
    first = runs[0].question, runs[0].collection, runs[0].collection_id
    alike = [run for run in runs if (run.question, run.collection, run.collection_id) == first]
    return alike, [run for run in runs if run not in alike]
