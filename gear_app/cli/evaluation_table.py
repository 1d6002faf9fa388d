"""What `eval` prints: the table of an evaluation, what it rests on, and what it cannot show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gear_app.cli import prices
from gear_app.cli.output import write, write_table
from gear_app.store.rows import Spent
from gear_app.text import count
from gear_app.views import glossary

if TYPE_CHECKING:
    from gear_app.evaluate.evaluation import Evaluation, Row
    from gear_app.evaluate.results import Results

NAMED = 10  # questions that are named where they were not measured
COUNTED = (
    "n, failed: The questions measured, and those whose run failed, which are in no other number"
    " but what runs took."
)
SUMS = (
    "Calls, tokens and cost are of all questions together; kept: replies from before, at no cost;"
    " not fully usable: replies that could not be used, or not all of them."
)
MARKS = {"above": "▲", "below": "▼", "same": "·", "": ""}


def write_results(found: Results) -> None:
    """Print the table of an evaluation, and below it what it rests on."""
    evaluation, ks = found.evaluation, found.evaluation.ks
    summaries = [evaluation.summary(method) for method in evaluation.methods]
    rows = max((evaluation.of(method) for method in evaluation.methods), key=len)
    facts = found.facts
    told = count(len(evaluation.questions), "question with gold", "questions with gold")
    write(f"{facts.collection}: {told}, {count(facts.passages, 'passage')}\n")
    costs = any(summary["calls"] for summary in summaries)
    heads = ["method", "n", *(f"R@{k}" for k in ks), *(f"all@{k}" for k in ks)]
    heads += ["MRR", f"nDCG@{_deep(ks)}", "ms p50", "ms p95", "failed"]
    heads += ["EM", "F1"] if evaluation.answered else []
    heads += prices.HEADS if costs else ()
    several = len(evaluation.methods) > 1
    heads += [f"R@{ks[0]} over baseline", "p (Holm)"] if several else []
    write_table(
        heads,
        [
            _cells(summary, ks, costs=costs)
            + (_against(found, summary["method"]) if several else [])
            for summary in summaries
        ],
    )
    write()
    for line in _glossary(answered=evaluation.answered, costs=costs, several=several):
        write(line)
    write()
    for line in (*_remarks(found, rows), *_bounds(evaluation), *_left_out(evaluation)):
        write(line)


def _glossary(*, answered: bool, costs: bool, several: bool) -> Iterator[str]:
    """What the columns are, a line each, in the words of the page Evaluate."""
    yield COUNTED
    terms = {"R@k": "R@k", "all@k": "all@k", "MRR": "MRR", "nDCG@k": "NDCG"}
    terms |= {"ms p50": "ms p50", "ms p95": "ms p95"}
    terms |= {"EM": "EM", "F1": "F1"} if answered else {}
    terms |= {name: f"model {name}" for name in ("calls", "tokens", "cost")} if costs else {}
    terms |= {"p (Holm)": "p, Holm"} if several else {}
    for head, term in terms.items():
        yield f"{head}: {glossary.TERMS[term]}"
    if costs:
        yield SUMS


def _deep(ks: Sequence[int]) -> int:
    """The cut-off of nDCG in the table: 10, as papers have it, where it is measured."""
    return 10 if 10 in ks else ks[-1]


def _cells(summary: dict[str, Any], ks: Sequence[int], *, costs: bool) -> list[object]:
    recalls = [_percent(summary[of][str(k)]) for of in ("recall", "all_recall") for k in ks]
    ranks = [summary["mrr"], summary["ndcg"][str(_deep(ks))]]
    fractions = ["" if value is None else f"{value:.3f}" for value in ranks]
    times = [summary[name] for name in ("ms_p50", "ms_p95")]
    told = [f"{ms:.0f}" if summary["n"] and ms is not None else "" for ms in times]
    answers = [_percent(summary[name]) for name in ("em", "f1") if name in summary]
    cells = [summary["method"], summary["n"], *recalls, *fractions, *told, summary["failed"]]
    cells += answers
    if costs and summary["calls"] is None:
        cells += [""] * len(prices.HEADS)
    elif costs:
        calls, kept, unusable = (summary[name] for name in ("calls", "kept", "unusable"))
        tokens = summary["tokens"]
        spent = Spent(calls, kept, unusable, tokens["input"], tokens["output"], summary["cost"])
        cells += prices.cells(spent)
    return cells


def _against(found: Results, method: str) -> list[object]:
    """How far recall is above the baseline's, and its corrected p-value."""
    measured = found.comparison.of(method, f"recall@{found.evaluation.ks[0]}")
    if measured is None or measured.difference is None:
        return ["baseline" if method == found.comparison.baseline else "", ""]
    value, low, high = (100 * part for part in measured.difference)
    told = f"{value:+.1f} ({low:.1f} to {high:.1f})"
    if measured.corrected is None:
        return [f"{told} on {count(measured.pairs, 'question')}", "no verdict"]
    return [f"{told} {MARKS[measured.verdict]}", f"{measured.corrected:.4f}"]


def _percent(mean: float | None) -> str:
    return "" if mean is None else f"{100 * mean:.1f}"


def _remarks(found: Results, rows: Sequence[Row]) -> Iterator[str]:
    """What the table rests on, and what it cannot show."""
    from gear_app.views.evaluate.words import facts_line

    yield from _ceilings(rows, found.evaluation.ks)
    if tests := found.comparison.tests:
        yield (
            f"▲ above, ▼ below, · cannot be told from {found.comparison.baseline}: paired"
            f" randomisation tests, Holm's correction for {count(tests, 'test')} a measure, 5 %."
        )
    yield from found.facts.remarks
    yield from (one.sentence(found.facts.k) for one in found.evaluation.brought)
    yield from _perfect(found.to_json()["ceiling"], len(found.evaluation.questions))
    yield from _before_after(found)
    yield from _effects(found)
    yield f"All of it: {facts_line(found.facts)}"
    yield f"Evaluation {found.evaluation.id}. The same again: {found.command}"


def _perfect(ceiling: Mapping[str, Any], asked: int) -> Iterator[str]:
    """What a reader that knows every sub-question and answer would find in one simple way, and on
    how many of the questions `asked`.
    """
    if ceiling["n"]:
        values = ", ".join(f"R@{k} {_percent(value)}" for k, value in ceiling["recall"].items())
        whole = ", ".join(f"all@{k} {_percent(v)}" for k, v in ceiling["all_recall"].items())
        yield (
            f"A perfect reader over hybrid, who knows the sub-questions and their answers, has"
            f" {values},"
            f" {whole} ({_of(ceiling['n'], asked)}). It searches in one simple way, so a method can"
            " have more."
        )


def _of(known: int, asked: int) -> str:
    """How many questions; where these are not all, that the table is of others."""
    if known == asked:
        return count(known, "question")
    return f"{known} of {count(asked, 'question')}: not to be compared with the table’s means"


def _before_after(found: Results) -> Iterator[str]:
    """What became of a set's questions since they were picked."""
    from gear_app.evaluate.question_set import before_after

    k = found.evaluation.ks[0]
    for one in before_after(found.evaluation, k):
        yield (
            f"{one.method}: of {count(one.n, 'question')} R@{k} {_percent(one.before)} when they"
            f" were picked, {_percent(one.after)} now; {one.found} gold passages found since,"
            f" {one.lost} lost ({'no verdict' if one.p is None else f'p {one.p:.4f}'})."
        )


def _effects(found: Results) -> Iterator[str]:
    """The mean effect of every setting that has several values."""
    from gear_app.evaluate.configurations import effects

    metric = f"recall@{found.evaluation.ks[0]}"
    by_setting: dict[str, list[str]] = {}
    for one in effects(found.evaluation, metric):
        by_setting.setdefault(one.setting, []).append(f"{one.value}: {_percent(one.mean)}")
    for setting, means in by_setting.items():
        yield f"Mean R@{found.evaluation.ks[0]} by {setting}: {', '.join(means)}"


def _ceilings(rows: Sequence[Row], ks: Sequence[int]) -> Iterator[str]:
    """The most that R@k can be, where some questions have more than k gold passages."""
    from gear_app.evaluate.breakdown import recall_caps

    for k, cap in recall_caps(rows, ks).items():
        yield (
            f"R@{k} cannot exceed {100 * cap:.1f} here: some questions have more than {k}"
            " gold passages."
        )


def _bounds(evaluation: Evaluation) -> Iterator[str]:
    """What EM and F1 are over, and what answers from the gold passages and from none come to."""
    if not evaluation.answered:
        return
    bounds = evaluation.bounds
    known = bounds["gold"]["n"]
    if not known:
        yield "EM and F1 are not defined: no answer is known for any of these questions."
        return
    yield f"EM and F1 of the questions with known answers ({known:,}). Bounds:"
    for source, words in (("gold", "from the gold passages"), ("nothing", "without passages")):
        em, f1 = _percent(bounds[source]["em"]), _percent(bounds[source]["f1"])
        yield f"    {words}: EM {em}, F1 {f1}"


def _left_out(evaluation: Evaluation) -> Iterator[str]:
    """What the budget left out; these questions are in no mean of the table."""
    for method, ids in evaluation.unmeasured.items():
        more = f" and {len(ids) - NAMED:,} more" if len(ids) > NAMED else ""
        questions = "1 question" if len(ids) == 1 else f"{len(ids):,} questions"
        yield f"Not measured with {method}: {questions} ({', '.join(ids[:NAMED])}{more})."
    if evaluation.reached:
        yield evaluation.reached
