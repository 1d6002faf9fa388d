"""Runs of one question next to each other: their rankings measured by the same gold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from gear_app.core.types import Question
from gear_app.store.rows import RunInfo
from gear_app.trace.events import Thought
from gear_app.trace.metrics import found_at, recall_at
from gear_app.trace.rankings import CUTS, keys, rank_of
from gear_app.trace.trace import RunTrace


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """A run with its label; `trace` is empty until it is done, and where it never will be."""

    run: RunInfo
    label: str
    trace: RunTrace

    @property
    def measured(self) -> bool:
        """Whether the ranking is the method's: a run that lost its model or its budget midway has
        the ranking of before.
        """
        return bool(self.trace) and not self.run.message

    @property
    def notes(self) -> dict[int, list[str]]:
        """Facts that each iteration added to the gist memory, or its thoughts."""
        notes = {entry.iteration: [f.text for f in entry.added] for entry in self.trace.memory}
        for event in self.trace:
            if isinstance(event, Thought) and event.text:
                notes.setdefault(event.iteration, []).append(event.text)
        return notes

    def first_within(self, key: str, k: int) -> tuple[int, int] | None:
        """The first iteration whose ranking "as if it were the last" has the passage in its first
        k, and the rank.
        """
        rankings = sorted(self.trace.rankings.items())
        ranks = ((iteration, rank_of(key, ranking[:k])) for iteration, ranking in rankings)
        return next(((iteration, rank) for iteration, rank in ranks if rank is not None), None)


@dataclass(frozen=True)
class Comparison:
    """Compared runs in order with the gold that measures them all: titles by key, numbered from 1
    in their order.

    `disagree`: the runs know different gold. `chosen` is the id of the run that is the baseline.
    """

    columns: Sequence[ComparedRun]
    gold: Mapping[str, str] = field(default_factory=dict)
    disagree: bool = False
    chosen: str | None = None
    k: int = CUTS[0]

    @property
    def done(self) -> list[ComparedRun]:
        """The columns with a ranking."""
        return [column for column in self.columns if column.trace]

    @property
    def baseline(self) -> ComparedRun:
        """The column that was chosen, else the first that is measured."""
        return min(self.columns, key=lambda c: (c.run.id != self.chosen, not c.measured))

    def hits(self, column: ComparedRun) -> int:
        """Gold passages in the first k of a run."""
        return found_at(keys(column.trace.final), [*self.gold], self.k)

    def recall(self, column: ComparedRun, k: int | None = None) -> float | None:
        """Recall at k; None without gold and for a run that is not measured."""
        if not self.gold or not column.measured:
            return None
        return recall_at(keys(column.trace.final), [*self.gold], k or self.k)

    @property
    def best(self) -> list[ComparedRun]:
        """The runs with most gold passages in the first k, where some run has fewer."""
        measured = [column for column in self.columns if column.measured]
        most = max(map(self.hits, measured), default=0)
        best = [column for column in measured if self.hits(column) == most]
        return best if len(best) < len(measured) else []

    @property
    def selected(self) -> str | None:
        """The gold passage to begin with: the first that the baseline misses in its first k, else
        the first; None without gold.
        """
        first = self.baseline.trace.final[: self.k]
        return next(
            (key for key in self.gold if not rank_of(key, first)), next(iter(self.gold), None)
        )


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
    titles = {passage.key: passage.name for column in columns for passage in column.trace.final}
    titles |= titles_of([key for key in last.gold if key not in titles])
    hops = [hop.supporting_key for hop in question.decomposition] if question else []
    ordered = [*(key for key in hops if key in last.gold), *last.gold]
    return Comparison(columns, {key: titles.get(key) or key for key in ordered}, disagree)


def comparable(runs: Sequence[RunInfo]) -> tuple[list[RunInfo], list[RunInfo]]:
    """The runs with the question and collection of the first one, and the others."""
    first = [(run.question, run.collection, run.collection_id) for run in runs[:1]]
    alike = [run for run in runs if (run.question, run.collection, run.collection_id) in first]
    return alike, [run for run in runs if run not in alike]
