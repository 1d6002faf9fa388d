"""Evaluations as Markdown tables, with everything a reader needs to know what was measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from gear_app.analysis.metrics import Interval, misses_removed_interval, recall_difference_interval
from gear_app.evaluate.benchmark import Family
from gear_app.evaluate.evaluation import KS, Evaluation, Row

BASELINE = "hybrid"


@dataclass(frozen=True, slots=True)
class Case:
    """A question that is shown on its own, with the titles of its gold passages."""

    id: str
    question: str
    gold: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MeasuredSet:
    """An evaluation, its corpus, and questions to show one by one (none: only the means)."""

    name: str
    triple_set: str
    passages: int
    triples: int
    max_iterations: int | None
    evaluation: Evaluation
    cases: tuple[Case, ...] = ()

    @property
    def title(self) -> str:
        """The set and its triples."""
        return f"{self.name}, triples: {self.triple_set}"


def overview(measured: Sequence[MeasuredSet], methods: Sequence[str]) -> str:
    """One line a method, one column a set: R@k at every cut-off.

    Empty where a method was not measured on a set.
    """
    rows = [
        [
            f"`{method}`",
            *(
                _recalls(one.evaluation, method) if method in one.evaluation.methods else ""
                for one in measured
            ),
        ]
        for method in methods
    ]
    return table(["method", *(f"{one.name}<br>{one.triple_set}" for one in measured)], rows)


def section(measured: MeasuredSet, methods: Sequence[str]) -> str:
    """One set's heading, facts and table of these methods.

    The baseline is `hybrid`, which must be among them.
    """
    evaluation = measured.evaluation
    rows = evaluation.of(BASELINE)
    text = (
        f"{len(rows)} questions with {sum(row.gold for row in rows)} gold passages,"
        f" {facts(measured)}, at most {measured.max_iterations or 4} iterations."
    )
    ceilings = [f"{percent(_ceiling(rows, k))} at {k}" for k in KS if _ceiling(rows, k) < 1]
    if ceilings:
        text += f" More gold than k: recall cannot exceed {', '.join(ceilings)}."
    heads = [
        "method",
        *(f"R@{k}" for k in KS),
        "all@5",
        "MRR",
        *(f"misses removed @{k}" for k in KS),
        "ms",
        "failed",
    ]
    lines = table(heads, [_cells(evaluation, method) for method in methods])
    return f"### {measured.title}\n\n{text}\n\n{lines}"


def case(measured: MeasuredSet, one: Case) -> str:
    """One question, its gold passages, and what every method found."""
    heads = ["method", *(f"R@{k}" for k in KS), "all@5", "ms"]
    rows = [row for row in measured.evaluation.rows if row.id == one.id]
    cells = [
        [
            f"`{r.method}`",
            *(percent(r.recall[k]) for k in KS),
            "yes" if r.all_recall[5] else "no",
            _ms(r),
        ]
        for r in rows
    ]
    gold = ", ".join(
        f"*{t}*" + (f" ({n} passages)" if n > 1 else "") for t, n in Counter(one.gold).items()
    )
    return f"### “{one.question}”\n\nGold passages: {gold}. `{one.id}`\n\n{table(heads, cells)}"


def ablation(measured: Sequence[MeasuredSet], family: Family) -> str:
    """A method and its variants on some sets.

    A star where the recall differs significantly from the whole method's.
    """
    whole = next(iter(family.variants))
    heads = ["", "setting", *(f"{one.name} R@{k}" for one in measured for k in KS)]
    rows = [
        [
            words,
            f"`{variant}`",
            *(recall for one in measured for recall in _starred(one.evaluation, variant, whole)),
        ]
        for variant, words in family.variants.items()
    ]
    return f"### {family.title}\n\n{table(heads, rows)}"


def losses(measured: MeasuredSet, method: str) -> str:
    """The questions where a method has fewer gold passages in 5 than the baseline, a line each."""
    baseline = {row.id: row for row in measured.evaluation.of(BASELINE)}
    lost = [
        row for row in measured.evaluation.of(method) if row.found[5] < baseline[row.id].found[5]
    ]
    return "\n".join(
        f"* `{row.id}`: {row.found[5]} of {row.gold}, hybrid {baseline[row.id].found[5]}"
        for row in lost
    )


def facts(measured: MeasuredSet) -> str:
    """What was searched."""
    return f"{measured.passages:,} passages, {measured.triples:,} triples (`{measured.triple_set}`)"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; all columns but the first to the right."""
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)], *rows]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in lines)


def percent(value: float) -> str:
    """A fraction as percent, without the sign."""
    return f"{100 * value:.1f}"


def _cells(evaluation: Evaluation, method: str) -> list[str]:
    found, baseline = evaluation.of(method), evaluation.of(BASELINE)
    summary = evaluation.summary(method)
    gold = [row.gold for row in baseline]
    removed = [
        (
            ""
            if method == BASELINE
            else _interval(misses_removed_interval(*_counts(found, baseline, k), gold))
        )
        for k in KS
    ]
    return [
        f"`{method}`",
        *_starred(evaluation, method, BASELINE),
        percent(summary["all_recall"]["5"]),
        f"{summary['mrr']:.3f}",
        *removed,
        f"{summary['ms_p50']:.0f}",
        str(summary["failed"]),
    ]


def _recalls(evaluation: Evaluation, method: str) -> str:
    recall = evaluation.summary(method)["recall"]
    return " / ".join(percent(recall[str(k)]) for k in KS)


def _starred(evaluation: Evaluation, method: str, other: str) -> list[str]:
    """R@k, with a star where it differs significantly from the other method's."""
    cells = []
    for k in KS:
        recall, compared = (
            [row.recall[k] for row in evaluation.of(name)] for name in (method, other)
        )
        difference = recall_difference_interval(recall, compared)
        significant = difference.low > 0 or difference.high < 0
        cells.append(percent(sum(recall) / len(recall)) + ("*" if significant else ""))
    return cells


def _counts(found: Sequence[Row], baseline: Sequence[Row], k: int) -> tuple[list[int], list[int]]:
    return [row.found[k] for row in found], [row.found[k] for row in baseline]


def _ceiling(rows: Sequence[Row], k: int) -> float:
    return sum(min(k, row.gold) / row.gold for row in rows) / len(rows)


def _interval(interval: Interval) -> str:
    return f"{100 * interval.value:.0f} % ({100 * interval.low:.0f} to {100 * interval.high:.0f})"


def _ms(row: Row) -> str:
    return "failed" if row.error else f"{row.ms:.0f}"
