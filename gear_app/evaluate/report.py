"""A page of docs/results with its tables: `make eval` makes it, and notes are by hand."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import Any

import gear_app
from gear_app.analysis.metrics import Interval, misses_removed_interval
from gear_app.evaluate.benchmark import EVERYDAY, FAMILIES, HELD_OUT, OTHER, Family
from gear_app.evaluate.breakdown import positions
from gear_app.evaluate.comparison import compare
from gear_app.evaluate.definition import KS
from gear_app.evaluate.evaluation import PERFECT, Case, Evaluation, MeasuredSet, Row, means
from gear_app.evaluate.measured_sets import AGAIN, of_method
from gear_app.evaluate.results import commit

BASELINE = "hybrid"
RECALL, ALL_RECALL = "recall", "all_recall"  # as a summary names them
TITLE = "# Retrieval methods without a language model"
POOLED = {
    # of the sets in one folder, which are small, all together as well
    "everyday, pooled": {name.rpartition("/")[2] for name in EVERYDAY},
    "other genres, pooled": {name.rpartition("/")[2] for name in OTHER},
    "held-out genres, pooled": {name.rpartition("/")[2] for name in HELD_OUT},
}


def report(
    measured: Sequence[MeasuredSet],
    methods: Sequence[str],
    command: str,
    embedder: str,
    notes: str = "",
) -> str:
    """The whole page. `methods` are the rows of the tables, without those that nothing measured.

    `notes` stand after the first table as they are, but for a title in their first line, which is
    the page's.
    """
    title, notes = TITLE, notes.strip()
    if notes.startswith("# "):
        title, _, notes = notes.partition("\n")
    pooled = [one for one in measured if not one.cases]
    for words, names in POOLED.items():
        pooled += together([one for one in pooled if one.name in names], words)
    measured_methods = {name for one in measured for name in one.evaluation.methods}
    methods = [name for name in methods if name in measured_methods]
    parts = [f"{title}\n", _provenance(command, embedder)]
    parts += [
        versions_of((words for one in measured for words in one.evaluation.methods), embedder),
        _definitions(),
    ]
    if pooled:
        parts += ["## All methods, all sets: R@5 / R@10 / R@15\n", overview(pooled, methods)]
        parts += ["## All gold passages of a question: all@5 / all@10 / all@15\n"]
        parts += [overview(pooled, methods, ALL_RECALL)]
    parts += [notes.strip() + "\n"] if notes else []
    parts += ["## Set by set\n"] if pooled else []
    parts += [
        section(one, [name for name in methods if name in one.evaluation.methods]) for one in pooled
    ]
    parts += _cases([one for one in measured if one.cases])
    parts += _ablations(pooled)
    parts += _losses([one for one in pooled if "gear" in one.evaluation.methods])
    return "\n".join(parts)


def together(sets: Sequence[MeasuredSet], name: str) -> list[MeasuredSet]:
    """Several sets as one, with the methods that were measured on all of them; none of less than
    two sets. Ids of questions differ from set to set.
    """
    if len(sets) < 2:
        return []
    methods = [
        method
        for method in sets[0].evaluation.methods
        if all(method in one.evaluation.methods for one in sets)
    ]
    rows = [row for one in sets for row in one.evaluation.rows if row.method in methods]
    failed = [run for one in sets for run in one.evaluation.failed if run.method in methods]
    return [
        MeasuredSet(
            name,
            sets[0].triple_set,
            sum(one.passages for one in sets),
            sum(one.triples for one in sets),
            None,
            Evaluation(
                name,
                tuple(methods),
                tuple(rows),
                questions=tuple(q for one in sets for q in one.evaluation.questions),
                ceiling=tuple(row for one in sets for row in one.evaluation.ceiling),
                failed=tuple(failed),
            ),
            frozenset().union(*(one.timed for one in sets)),
        )
    ]


def made_by(command: str, embedder: str) -> str:
    """What a page was made by, when, and of what, to be continued."""
    return (
        f"Made by `{command}` on {datetime.datetime.now(datetime.UTC).date()} at commit"
        f" {commit()}, gear_app {gear_app.__version__}, embedding model `{embedder}`"
    )


def _provenance(command: str, embedder: str) -> str:
    return (
        f"{made_by(command, embedder)}, local"
        " reader, local extractor unless another triple set is named. The question sets are"
        " described, with their sources and licences, in [sets.md](sets.md); every set holds only"
        " the passages of its own questions, so numbers are higher than on the full corpora of the"
        " papers and are for comparing methods with each other. What each method is, and its"
        " settings: [methods.md](../methods.md).\n"
    )


def versions_of(methods: Iterable[str], embedder: str) -> str:
    """The versions of methods as an evaluation names them, in a sentence."""
    found: dict[str, int] = {}
    for words in dict.fromkeys(methods):
        found |= of_method(words, embedder)["versions"]
    numbers = ", ".join(f"`{name}` {found[name]}" for name in found if name != "embedder")
    return (
        f"Versions of what was measured: {numbers}. The figures are those of the program as it is"
        " while these are the versions in it"
        " ([decision 14](../decisions/0014-results.md)).\n"
    )


def _definitions() -> str:
    return (
        "R@k is the mean fraction of a question's gold passages among the first k of one run at k ="
        " 15, in percent; all@k the share of questions with all of them; MRR the mean reciprocal"
        " rank of the first. *Misses removed* is the net share of the gold passages missed by"
        " `hybrid` that the method finds, pooled over the set, with a paired bootstrap interval of"
        " 95 % (2,000 samples of questions). A star marks a recall that differs significantly from"
        " `hybrid`'s: a paired randomisation test, corrected by Holm for all methods of the table,"
        " as on the page *Evaluate*. ms is the median of the set's"
        f" first {AGAIN} questions, each asked a second time on the machine at hand: models are"
        " loaded, and the vectors of its queries and sequences of triples, which some methods"
        " share, are there. *Failed* runs are in no other number. The *perfect reader* is"
        " `hybrid` asked the known sub-questions with the known answers put in, the first hits of"
        " all in turn: one simple way, which a method can be above. Where"
        " its questions are fewer, their number stands beside it. *Links* are the steps of"
        " a question's decomposition, each with its passage.\n"
    )


def _cases(measured: Sequence[MeasuredSet]) -> list[str]:
    parts: list[str] = []
    for one in measured:
        parts.append("## The case studies, one by one\n")
        parts.append(
            f"Path-finding questions of the HippoRAG paper (its §5.3 and App. E), {facts(one)}.\n"
        )
        parts += [case(one, shown) for shown in one.cases]
    return parts


def _ablations(measured: Sequence[MeasuredSet]) -> list[str]:
    parts: list[str] = []
    for family in FAMILIES:
        among = [one for one in measured if set(family.variants) <= set(one.evaluation.methods)]
        parts += [ablation(among, family)] if among else []
    note = (
        "R@k / all@k. A star marks a recall that differs significantly from the whole method's, by"
        " the test above.\n"
    )
    return ["## Ablations\n", note, *parts] if parts else []


def _losses(measured: Sequence[MeasuredSet]) -> list[str]:
    lost = [
        f"{one.name}, {one.triple_set}:\n\n{losses(one, 'gear') or 'nowhere'}\n" for one in measured
    ]
    return ["## Where GEAR has less than hybrid at rank 5\n", *lost] if lost else []


def overview(measured: Sequence[MeasuredSet], methods: Sequence[str], measure: str = RECALL) -> str:
    """One line a method, one column a set: a measure at every cut-off, and what a perfect reader
    has.

    Empty where a method was not measured on a set, or no question's decomposition is known.
    """
    rows = [
        [
            f"`{method}`",
            *(
                _at_all_cuts(one.evaluation.summary(method)[measure])
                if method in one.evaluation.methods
                else ""
                for one in measured
            ),
        ]
        for method in methods
    ]
    if any(one.evaluation.ceiling for one in measured):
        best = [
            _at_all_cuts(_perfect(one.evaluation)[measure]) + _known_of(one.evaluation)
            if one.evaluation.ceiling
            else ""
            for one in measured
        ]
        rows.append([PERFECT, *best])
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
    ceilings = [
        f"{percent(_ceiling(rows, k))} at {k}" for k in KS if rows and _ceiling(rows, k) < 1
    ]
    if ceilings:
        text += f" More gold than k: recall cannot exceed {', '.join(ceilings)}."
    heads = [
        "method",
        *(f"R@{k}" for k in KS),
        *(f"all@{k}" for k in KS),
        "MRR",
        *(f"misses removed @{k}" for k in KS),
        "ms",
        "failed",
    ]
    cells = [_cells(measured, method) for method in methods]
    if evaluation.ceiling:
        cells.append(_ceiling_cells(evaluation, len(heads)))
    parts = [f"### {measured.title}", text, table(heads, cells)]
    return "\n\n".join([*parts, *_positions(evaluation, methods)])


def _perfect(evaluation: Evaluation) -> dict[str, Any]:
    """The perfect reader's means over the questions with a decomposition; {} without any."""
    rows = evaluation.ceiling
    return means(rows, [k for k in KS if k in rows[0].recall]) if rows else {}


def _ceiling_cells(evaluation: Evaluation, width: int) -> list[str]:
    """The perfect reader's row."""
    found = _perfect(evaluation)
    name = PERFECT + _known_of(evaluation)
    values = [found[of].get(str(k)) for of in (RECALL, ALL_RECALL) for k in KS]
    cells = [name, *map(percent, values)]
    cells.append(f"{found['mrr']:.3f}")
    return cells + [""] * (width - len(cells))


def _known_of(evaluation: Evaluation) -> str:
    """How many questions the perfect reader is known of, where these are not all."""
    known, asked = len(evaluation.ceiling), len(evaluation.of(BASELINE))
    return "" if known == asked else f" ({known} of {asked} questions)"


def _positions(evaluation: Evaluation, methods: Sequence[str]) -> list[str]:
    """The share of each link's passages that is missed at the first cut-off; [] where no question's
    decomposition names its passages.
    """
    k = KS[0]
    shares = {method: positions(evaluation, evaluation.of(method), k) for method in methods}
    if not any(shares.values()):
        return []
    if evaluation.ceiling:
        shares[PERFECT + _known_of(evaluation)] = positions(evaluation, evaluation.ceiling, k)
    most = max(shares.values(), key=len)
    heads = ["missed at 5", *(f"link {n} ({one.of})" for n, one in enumerate(most, start=1))]
    rows = [
        [
            method if method.startswith(PERFECT) else f"`{method}`",
            *(percent(one.value) for one in found),
            *[""] * (len(most) - len(found)),
        ]
        for method, found in shares.items()
    ]
    return [table(heads, rows)]


def case(measured: MeasuredSet, one: Case) -> str:
    """One question, its gold passages, and what every method found."""
    heads = ["method", *(f"R@{k}" for k in KS), "all@5", "ms"]
    rows = [row for row in measured.evaluation.rows if row.id == one.id]
    cells = [
        [
            f"`{r.method}`",
            *(percent(r.recall[k]) for k in KS),
            "yes" if r.all_recall[5] else "no",
            f"{r.ms:.0f}",
        ]
        for r in rows
    ]
    cells += [
        [f"`{run.method}`", *[""] * (len(KS) + 1), "failed"]
        for run in measured.evaluation.failed
        if run.id == one.id
    ]
    gold = ", ".join(
        f"*{t}*" + (f" ({n} passages)" if n > 1 else "") for t, n in Counter(one.gold).items()
    )
    return f"### “{one.question}”\n\nGold passages: {gold}. `{one.id}`\n\n{table(heads, cells)}"


def ablation(measured: Sequence[MeasuredSet], family: Family) -> str:
    """A method and its variants on some sets, recall and all-recall.

    A star where the recall differs significantly from the whole method's.
    """
    whole = next(iter(family.variants))
    heads = ["", "setting", *(f"{one.name} @{k}" for one in measured for k in KS)]
    among = [_only(one.evaluation, tuple(family.variants)) for one in measured]
    rows = [
        [
            words,
            f"`{variant}`",
            *(cell for one in among for cell in _both_recalls(one, variant, whole)),
        ]
        for variant, words in family.variants.items()
    ]
    if any(one.ceiling for one in among):
        best = [
            _pair(_perfect(one), k) + _known_of(one) if one.ceiling else ""
            for one in among
            for k in KS
        ]
        rows.append([PERFECT, "", *best])
    return f"### {family.title}\n\n{table(heads, rows)}"


def _only(evaluation: Evaluation, methods: tuple[str, ...]) -> Evaluation:
    rows = tuple(row for row in evaluation.rows if row.method in methods)
    failed = tuple(run for run in evaluation.failed if run.method in methods)
    return replace(evaluation, methods=methods, rows=rows, failed=failed)


def losses(measured: MeasuredSet, method: str) -> str:
    """The questions where a method has fewer gold passages in 5 than the baseline, a line each."""
    return "\n".join(
        f"* `{row.id}`: {row.found[5]} of {row.gold}, hybrid {baseline.found[5]}"
        for row, baseline in _pairs(measured.evaluation, method)
        if row.found[5] < baseline.found[5]
    )


def facts(measured: MeasuredSet) -> str:
    """What was searched."""
    return f"{measured.passages:,} passages, {measured.triples:,} triples (`{measured.triple_set}`)"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; all columns but the first to the right."""
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)], *rows]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in lines)


def percent(value: float | None) -> str:
    """A fraction as percent, without the sign; "" where nothing was measured."""
    return "" if value is None else f"{100 * value:.1f}"


def _cells(measured: MeasuredSet, method: str) -> list[str]:
    evaluation = measured.evaluation
    found, summary = evaluation.of(method), evaluation.summary(method)
    pairs = _pairs(evaluation, method)
    times = [row.ms for row in found if row.id in measured.timed]
    removed = [
        interval_cell(misses_removed_interval(*_counts(pairs, k)))
        if method != BASELINE and pairs
        else ""
        for k in KS
    ]
    return [
        f"`{method}`",
        *_with_star(evaluation, method, BASELINE),
        *(percent(summary["all_recall"][str(k)]) for k in KS),
        f"{summary['mrr']:.3f}" if found else "",
        *removed,
        f"{median(times):.0f}" if times else "",
        str(summary["failed"]),
    ]


def _at_all_cuts(by_k: Mapping[str, float | None]) -> str:
    return " / ".join(filter(None, (percent(by_k.get(str(k))) for k in KS)))


def _pair(found: Mapping[str, Any], k: int, star: str = "") -> str:
    """Recall and all-recall of some means."""
    return f"{percent(found[RECALL][str(k)])}{star} / {percent(found[ALL_RECALL][str(k)])}"


def _both_recalls(evaluation: Evaluation, method: str, other: str) -> list[str]:
    summary, stars = evaluation.summary(method), _stars(evaluation, other)
    return [_pair(summary, k, stars.get((method, k), "")) for k in KS]


def _with_star(evaluation: Evaluation, method: str, other: str) -> list[str]:
    """R@k, with a star where it differs significantly from the other method's."""
    recall, stars = evaluation.summary(method)[RECALL], _stars(evaluation, other)
    return [percent(recall[str(k)]) + stars.get((method, k), "") for k in KS]


def _stars(evaluation: Evaluation, baseline: str) -> dict[tuple[str, int], str]:
    """A star by method and cut-off where recall differs from the baseline's after Holm."""
    found = compare(evaluation, baseline, [f"recall@{k}" for k in KS])
    return {
        (method, k): "*"
        for method in evaluation.methods
        for k in KS
        if (cell := found.of(method, f"recall@{k}")) and cell.verdict in ("above", "below")
    }


def _pairs(evaluation: Evaluation, method: str) -> list[tuple[Row, Row]]:
    """A method's rows, each with the baseline's of the same question, of those that have both."""
    baseline = {row.id: row for row in evaluation.of(BASELINE)}
    return [(row, baseline[row.id]) for row in evaluation.of(method) if row.id in baseline]


def _counts(pairs: Sequence[tuple[Row, Row]], k: int) -> tuple[list[int], list[int], list[int]]:
    """How many gold passages a method and the baseline found, and how many there are."""
    found, baseline = ([rows[at].found[k] for rows in pairs] for at in (0, 1))
    return found, baseline, [row.gold for row, _ in pairs]


def _ceiling(rows: Sequence[Row], k: int) -> float:
    """The most that R@k can be on these questions."""
    return sum(min(k, row.gold) / row.gold for row in rows) / max(1, len(rows))


def interval_cell(interval: Interval) -> str:
    """A share in percent with its interval."""
    return f"{100 * interval.value:.0f} % ({100 * interval.low:.0f} to {100 * interval.high:.0f})"
