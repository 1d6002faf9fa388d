"""The difference between a run and its rerun: passages that move, recall, and the steps whose
results differ, with what entered and what left.

Steps are compared by their results (an order of passages, facts, a query, a verdict), not by
scores: another weight changes every score and need not change any result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gear_app.trace.events import (
    Chosen,
    Event,
    Expanded,
    Gathered,
    Linked,
    Read,
    Remembered,
)
from gear_app.trace.metrics import Gold, recall_at
from gear_app.trace.rankings import is_among, keys, rank_of
from gear_app.trace.timeline import Step
from gear_app.trace.trace import RunTrace

FIRST = 10  # passages of a ranking that are compared


class PassageMove(NamedTuple):
    """A passage and its ranks before and after; None: it is not in that ranking."""

    key: str
    title: str
    before: int | None
    after: int | None
    gold: bool = False


class StepDifference(NamedTuple):
    """A step whose result differs, by its number in each run; None where a run has no such step."""

    step: Step
    before: int | None
    after: int | None
    entered: tuple[str, ...]  # results of the second run only
    left: tuple[str, ...]  # results of the first run only


@dataclass(frozen=True, slots=True)
class RunDifference:
    """The difference between two runs of one question."""

    k: int  # the cut-off that passages cross
    moves: tuple[PassageMove, ...]  # of the first passages of either ranking and of all gold
    recall: tuple[float, float] | None  # at k, before and after; None without gold
    steps: tuple[StepDifference, ...]  # in order

    @property
    def sentence(self) -> str:
        """Passages that cross the cut-off, those of the gold if there are such, and recall."""
        k, moves = self.k, self.moves
        crossing = [move for move in moves if is_among(move.before, k) != is_among(move.after, k)]
        crossing = [move for move in crossing if move.gold] or crossing
        crossing.sort(key=lambda move: is_among(move.before, k))
        words = "; ".join(_move_words(move, k) for move in crossing[:4])
        if not words:
            moved = self.steps or any(move.before != move.after for move in moves)
            unchanged = f"The first {k} are the same passages; some change places"
            words = unchanged if moved else "Nothing changes"
        values = dict.fromkeys(f"{value:.2f}" for value in self.recall or ())
        return f"{words}." + (f" Recall@{k}: {' → '.join(values)}." if values else "")


def run_difference(before: RunTrace, after: RunTrace, gold: Sequence[str], k: int) -> RunDifference:
    """The difference between a run and its rerun."""
    rankings = old, new = before.final, after.final
    titles = {passage.key: passage.name for ranking in rankings for passage in ranking}
    compared = [line.key for ranking in rankings for line in ranking[: max(FIRST, k)]]
    compared += [key for key in gold if key in titles]
    moves = [
        PassageMove(key, titles[key], rank_of(key, old), rank_of(key, new), key in Gold(gold))
        for key in dict.fromkeys(compared)
    ]
    last = sum(map(len, rankings)) + 1
    moves.sort(key=lambda move: (move.before or last, move.after or last))
    first, second = (recall_at(keys(r), gold, k) if gold else 0.0 for r in rankings)
    recall = (first, second) if gold else None
    return RunDifference(k, tuple(moves), recall, tuple(_step_differences(before, after)))


def _step_differences(before: RunTrace, after: RunTrace) -> list[StepDifference]:
    first, second = ({_place(step): step for step in run.steps} for run in (before, after))
    differences = []
    for place, step in (first | second).items():
        old, new = first.get(place), second.get(place)
        old_results, new_results = (_results(step) if step else [] for step in (old, new))
        if old_results == new_results and old and new:
            continue
        entered = tuple(item for item in new_results if item not in old_results)
        left = tuple(item for item in old_results if item not in new_results)
        number, changed = (step.number if step else None for step in (old, new))
        differences.append(StepDifference(step, number, changed, entered, left))
    return sorted(differences, key=lambda d: (d.step.iteration or 10**6, d.step.number))


def _place(step: Step) -> tuple[int, str, int, str]:
    return step.iteration, step.verb, step.round, step.search


def _results(step: Step) -> list[str]:
    """Results of a step in words, in order; calls of a model are none."""
    return [words for event in step.events if event.verb for words in _words(event)]


def _words(event: Event) -> list[str]:
    match event:
        case Expanded():
            return [beam.triple.text for step in event.beams[-1:] for beam in step.kept]
        case Read(triples=facts) | Remembered(added=facts) | Gathered(facts=facts):
            return [fact.text for fact in facts]
        case Linked():
            return [link.triple.text for link in event.links if link.triple]
        case Chosen():
            return [fact.triple.text for fact in event.facts if fact.kept]
    return [passage.name for passage in event.listed[:FIRST]] or [event.summary]


def _move_words(move: PassageMove, k: int) -> str:
    title = f"★ {move.title}" if move.gold else move.title
    way = "comes into" if is_among(move.after, k) else "leaves"
    before, after = (str(rank) if rank else "no rank" for rank in (move.before, move.after))
    return f"{title} {way} the first {k} (rank {before} → {after})"
