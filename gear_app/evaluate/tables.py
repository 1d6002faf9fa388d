"""Evaluations as Markdown tables, with everything a reader needs to know what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gear_app.evaluate.experiment import KS, Evaluation
from gear_app.evaluate.metrics import Interval, misses_removed_interval, recall_difference_interval

BASELINE = "hybrid"


@dataclass(frozen=True, slots=True)
class Measured:
    """An evaluation and the corpus it was made on."""

    name: str
    triple_set: str
    passages: int
    triples: int
    max_iterations: int | None
    evaluation: Evaluation


def section(measured: Measured) -> str:
    """One set's heading, facts and table. The baseline is `hybrid`, which must be among the methods."""
    evaluation = measured.evaluation
    rows = evaluation.of(BASELINE)
    facts = (
        f"{len(rows)} questions with {sum(row.gold for row in rows)} gold passages, {measured.passages:,} passages, "
        f"{measured.triples:,} triples (`{measured.triple_set}`), at most {measured.max_iterations or 4} iterations."
    )
    ceilings = [f"{_percent(_ceiling(evaluation, k))} at {k}" for k in KS if _ceiling(evaluation, k) < 1]
    if ceilings:
        facts += f" More gold than k: recall cannot exceed {', '.join(ceilings)}."
    heads = ["method", *(f"R@{k}" for k in KS), "all@5", "MRR", *(f"misses removed @{k}" for k in KS), "ms"]
    lines = [_line(heads), _line(["---", *["---:"] * (len(heads) - 1)])]
    lines += [_line(_cells(evaluation, method)) for method in evaluation.methods]
    return f"### {measured.name}, triples: {measured.triple_set}\n\n{facts}\n\n" + "\n".join(lines) + "\n"


def losses(measured: Measured, method: str) -> str:
    """The questions on which a method has fewer gold passages at rank 5 than the baseline, one a line."""
    baseline = {row.id: row for row in measured.evaluation.of(BASELINE)}
    lost = [row for row in measured.evaluation.of(method) if row.found[5] < baseline[row.id].found[5]]
    return "\n".join(f"* `{row.id}`: {row.found[5]} of {row.gold}, hybrid {baseline[row.id].found[5]}" for row in lost)


def _cells(evaluation: Evaluation, method: str) -> list[str]:
    found, baseline = evaluation.of(method), evaluation.of(BASELINE)
    summary = evaluation.summary(method)
    gold = [row.gold for row in baseline]
    removed = [
        "" if method == BASELINE else _interval(misses_removed_interval(*_counts(found, baseline, k), gold)) for k in KS
    ]
    recalls = []
    for k in KS:
        difference = recall_difference_interval([r.recall[k] for r in found], [r.recall[k] for r in baseline])
        significant = difference.low > 0 or difference.high < 0
        recalls.append(_percent(summary["recall"][str(k)]) + ("*" if significant else ""))
    return [
        f"`{method}`", *recalls, _percent(summary["all_recall"]["5"]), f"{summary['mrr']:.3f}", *removed,
        f"{summary['ms_p50']:.0f}",
    ]  # fmt: skip


def _counts(found: Sequence, baseline: Sequence, k: int) -> tuple[list[int], list[int]]:  # type: ignore[type-arg]
    return [row.found[k] for row in found], [row.found[k] for row in baseline]


def _ceiling(evaluation: Evaluation, k: int) -> float:
    gold = [row.gold for row in evaluation.of(BASELINE)]
    return sum(min(k, g) / g for g in gold) / len(gold)


def _interval(interval: Interval) -> str:
    return f"{100 * interval.value:.0f} % ({100 * interval.low:.0f} to {100 * interval.high:.0f})"


def _percent(value: float) -> str:
    return f"{100 * value:.1f}"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
