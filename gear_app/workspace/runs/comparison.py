"""Runs of one question next to each other: their rankings measured by the same gold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from gear_app.core.types import Hop, Question
from gear_app.store.rows import RunInfo
from gear_app.trace.events import Failed, RankedPassage, Remembered, Thought
from gear_app.trace.metrics import found_at, recall_at, stands_for
from gear_app.trace.passage_origin import origin_of
from gear_app.trace.rankings import CUTS, keys, rank_of
from gear_app.trace.trace import RunTrace


class FirstRank(NamedTuple):
    """The first rank of a passage within a method's first k, with its iteration and step."""

    iteration: int
    rank: int
    step: int


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """A run with its label; `trace` is None until it is done, and where it never will be."""

    run: RunInfo
    label: str
    trace: RunTrace | None = None

    @property
    def measured(self) -> bool:
        """Whether the ranking is the method's: a run that lost its model or its budget midway has
        the ranking of before.
        """
        return self.trace is not None and not self.run.message

    @property
    def ranking(self) -> tuple[RankedPassage, ...]:
        """The final ranking; empty before the run is done."""
        return self.trace.final if self.trace else ()

    @property
    def last_step(self) -> int:
        """The number of the step with the final ranking; an answer is written after it."""
        steps = self.trace.steps if self.trace else ()
        return max((step.number for step in steps if step.verb != "answer"), default=0)

    @property
    def failure(self) -> Failed | None:
        """The last step that failed on the way to the final ranking."""
        steps = self.trace.steps if self.trace else ()
        failures = [
            replace(event, step=step.verb)
            for step in steps
            for event in step.events
            if isinstance(event, Failed) and not event.dropped and step.verb != "answer"
        ]
        return failures[-1] if failures else None

    @property
    def notes(self) -> dict[int, list[str]]:
        """Facts that each iteration added to the gist memory, or its thoughts."""
        notes: dict[int, list[str]] = {}
        for event in self.trace or ():
            if isinstance(event, Remembered):
                notes.setdefault(event.iteration, []).extend(fact.text for fact in event.added)
            elif isinstance(event, Thought) and event.text:
                notes.setdefault(event.iteration, []).append(event.text)
        return notes

    def first_within(self, key: str, k: int) -> FirstRank | None:
        """The first iteration whose ranking "as if it were the last" has the passage in its first
        k. The step is the first of that iteration that ranks it so high, else the one that brought
        it in, else the iteration's last.
        """
        if self.trace is None:
            return None
        for iteration, ranking in sorted(self.trace.rankings.items()):
            rank = rank_of(key, ranking[:k])
            if rank is not None:
                return FirstRank(iteration, rank, self._step_with(key, k, iteration))
        return None

    def _step_with(self, key: str, k: int, iteration: int) -> int:
        trace = self.trace or RunTrace()
        steps = [
            step for step in trace.steps if step.iteration == iteration and step.verb != "answer"
        ]
        for step in steps:
            if any(rank_of(key, event.listed[:k]) for event in step.events):
                return step.number
        numbers, origin = [step.number for step in steps], origin_of(trace, key).step
        if origin is not None and origin in numbers:
            return origin
        return numbers[-1] if numbers else self.last_step


class NumberedGold(NamedTuple):
    """A gold passage with its number on the page and the sub-question that it answers."""

    number: int
    key: str
    title: str
    question: str = ""
    answer: str = ""


@dataclass(frozen=True)
class Comparison:
    """Compared runs in order with the gold that measures them all.

    `disagree`: the runs know different gold. `baseline` is the id of a run.
    """

    columns: Sequence[ComparedRun]
    gold: Sequence[NumberedGold] = ()
    disagree: bool = False
    baseline: str = ""
    k: int = CUTS[0]

    @property
    def keys(self) -> list[str]:
        """Keys of the gold passages."""
        return [row.key for row in self.gold]

    @property
    def done(self) -> list[ComparedRun]:
        """The columns with a ranking."""
        return [column for column in self.columns if column.trace is not None]

    @property
    def base(self) -> ComparedRun | None:
        """The baseline's column, where it is measured."""
        columns = (
            column for column in self.columns if column.run.id == self.baseline and column.measured
        )
        return next(columns, None)

    def with_baseline(self, run_id: str | None) -> Comparison:
        """Comparison with this baseline, else with the first measured run as baseline."""
        ids = [column.run.id for column in self.columns]
        measured = [column.run.id for column in self.columns if column.measured]
        chosen = run_id if run_id in ids else next(iter([*measured, *ids]), "")
        return replace(self, baseline=chosen)

    def hits(self, column: ComparedRun) -> int:
        """Gold passages in the first k of a run."""
        return found_at(keys(column.ranking), self.keys, self.k)

    def recall(self, column: ComparedRun, k: int | None = None) -> float | None:
        """Recall at k; None without gold and for a run that is not measured."""
        if not self.gold or not column.measured:
            return None
        return recall_at(keys(column.ranking), self.keys, k or self.k)

    @property
    def best(self) -> list[ComparedRun]:
        """The runs with most gold passages in the first k, where some run has fewer."""
        measured = [column for column in self.columns if column.measured]
        hits = [self.hits(column) for column in measured]
        if not hits or min(hits) == max(hits):
            return []
        return [
            column for column, number in zip(measured, hits, strict=True) if number == max(hits)
        ]

    @property
    def selected(self) -> str | None:
        """The gold passage to begin with: the first that the baseline misses and another run has,
        both in their first k, else the first; None without gold.
        """
        first = [keys(column.ranking[: self.k]) for column in self.columns]
        base = keys(self.base.ranking[: self.k]) if self.base else []

        def ranked(key: str, ranking: Sequence[str]) -> bool:
            return any(stands_for(passage, key) for passage in ranking)

        missed = [key for key in self.keys if not ranked(key, base)]
        elsewhere = [key for key in missed if any(ranked(key, ranking) for ranking in first)]
        return next(iter([*elsewhere, *self.keys]), None)


def compare(
    columns: Sequence[ComparedRun],
    question: Question | None,
    titles_of: Callable[[Sequence[str]], Mapping[str, str]],
) -> Comparison:
    """The runs measured by the gold that was marked last, numbered in the order of the question's
    decomposition. `titles_of` knows passages that no run ranks.
    """
    runs = [column.run for column in columns]
    last = max(
        runs, key=lambda run: (run.gold_marked or run.created, bool(run.gold_marked), run.number)
    )
    disagree = any(set(run.gold) != set(last.gold) for run in runs)
    titles = {passage.key: passage.name for column in columns for passage in column.ranking}
    missing = [key for key in last.gold if key not in titles]
    titles |= titles_of(missing) if missing else {}
    hops: dict[str, Hop] = {}
    for hop in question.decomposition if question else ():
        if hop.supporting_key in last.gold:
            hops.setdefault(hop.supporting_key, hop)
    gold = []
    for number, key in enumerate(dict.fromkeys([*hops, *last.gold]), start=1):
        hop_ = hops.get(key)
        words = (hop_.question, hop_.answer) if hop_ else ()
        gold.append(NumberedGold(number, key, titles.get(key) or key, *words))
    return Comparison(columns, gold, disagree)


def comparable(runs: Sequence[RunInfo]) -> tuple[list[RunInfo], list[RunInfo]]:
    """The runs with the question and collection of the first one, and the others."""
    first = [(run.question, run.collection, run.collection_id) for run in runs[:1]]
    alike = [run for run in runs if (run.question, run.collection, run.collection_id) in first]
    return alike, [run for run in runs if run not in alike]
