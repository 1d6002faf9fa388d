"""The table that `eval` prints, and lines on its conditions and what it cannot show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gear_app.cli import prices
from gear_app.cli.output import write, write_table
from gear_app.store.rows import Spent
from gear_app.text import count
from gear_app.views import glossary

if TYPE_CHECKING:
    from gear_app.evaluate.evaluation import Evaluation
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


def write_results(results: Results) -> None:
    """Print the table of an evaluation, and below it the conditions of its numbers."""
    evaluation, ks = results.evaluation, results.evaluation.ks
    summaries = [evaluation.summary(method) for method in evaluation.methods]
    facts = results.facts
    questions = count(len(evaluation.questions), "question with gold", "questions with gold")
    write(f"{facts.collection}: {questions}, {count(facts.passages, 'passage')}\n")
    costs = any(summary["calls"] for summary in summaries)
    heads = ["method", "n", *(f"R@{k}" for k in ks), *(f"all@{k}" for k in ks)]
    heads += ["MRR", f"nDCG@{_deep(ks)}", "ms p50", "ms p95", "failed"]
    heads += ["EM", "F1"] if evaluation.answered else []
    heads += prices.HEADS if costs else ()
    several = len(evaluation.methods) > 1
    heads += [f"R@{ks[0]} over baseline", "p (Holm)"] if several else []
    rows = []
    for summary in summaries:
        row = _cells(summary, ks, costs=costs)
        rows.append(row + (_against(results, summary["method"]) if several else []))
    write_table(heads, rows)
    write()
    for line in _glossary(answered=evaluation.answered, costs=costs, several=several):
        write(line)
    write()
    for line in (*_remarks(results), *_bounds(evaluation), *_unmeasured(evaluation)):
        write(line)


def _glossary(*, answered: bool, costs: bool, several: bool) -> Iterator[str]:
    """Meanings of the columns, a line each, in the words of the page Evaluate."""
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
    """The cut-off of nDCG in the table: 10, as papers have it, if it is measured."""
    return 10 if 10 in ks else ks[-1]


def _cells(summary: dict[str, Any], ks: Sequence[int], *, costs: bool) -> list[object]:
    recalls = [_percent(summary[name][str(k)]) for name in ("recall", "all_recall") for k in ks]
    ranks = [summary["mrr"], summary["ndcg"][str(_deep(ks))]]
    fractions = ["" if value is None else f"{value:.3f}" for value in ranks]
    times = [summary[name] for name in ("ms_p50", "ms_p95")]
    ms = [f"{time:.0f}" if summary["n"] and time is not None else "" for time in times]
    answers = [_percent(summary[name]) for name in ("em", "f1") if name in summary]
    cells = [summary["method"], summary["n"], *recalls, *fractions, *ms, summary["failed"]]
    cells += answers
    if costs and summary["calls"] is None:
        cells += [""] * len(prices.HEADS)
    elif costs:
        calls, cached, unusable = (summary[name] for name in ("calls", "kept", "unusable"))
        tokens = summary["tokens"]
        spent = Spent(calls, cached, unusable, tokens["input"], tokens["output"], summary["cost"])
        cells += prices.cells(spent)
    return cells


def _against(results: Results, method: str) -> list[object]:
    """The difference in recall from the baseline, and its corrected p-value."""
    row = results.comparison.of(method, f"recall@{results.evaluation.ks[0]}")
    if row is None or not row["pairs"]:
        return ["baseline" if method == results.comparison.baseline else "", ""]
    ends = (row["difference"], *row["difference_interval"])
    value, low, high = (100 * end for end in ends)
    words = f"{value:+.1f} ({low:.1f} to {high:.1f})"
    if not row["verdict"]:
        return [f"{words} on {count(row['pairs'], 'question')}", "no verdict"]
    return [f"{words} {MARKS[row['verdict']]}", f"{row['p_holm']:.4f}"]


def _percent(mean: float | None) -> str:
    return "" if mean is None else f"{100 * mean:.1f}"


def _remarks(results: Results) -> Iterator[str]:
    """Conditions of the table, and what it cannot show."""
    from gear_app.views.evaluate.words import facts_line

    yield from _caps(results.evaluation)
    if tests := results.comparison.tests:
        yield (
            f"▲ above, ▼ below, · cannot be told from {results.comparison.baseline}: paired"
            f" randomisation tests, Holm's correction for {count(tests, 'test')} a measure, 5 %."
        )
    yield from results.facts.remarks
    yield from (file.sentence(results.facts.k) for file in results.evaluation.files)
    yield from _oracle(results.to_json()["ceiling"], len(results.evaluation.questions))
    yield from _before_after(results)
    yield from _effects(results)
    yield f"All of it: {facts_line(results.facts)}"
    yield f"Evaluation {results.evaluation.id}. The same again: {results.command}"


def _oracle(ceiling: Mapping[str, Any], questions: int) -> Iterator[str]:
    """Recall of the oracle decomposition, and on how many of the questions."""
    if ceiling["n"]:
        values = ", ".join(f"R@{k} {_percent(value)}" for k, value in ceiling["recall"].items())
        alls = ", ".join(f"all@{k} {_percent(v)}" for k, v in ceiling["all_recall"].items())
        size = count(questions, "question")
        if ceiling["n"] < questions:
            size = f"{ceiling['n']} of {size}: not to be compared with the table’s means"
        yield (
            "The oracle decomposition, which searches hybrid with the known sub-questions and"
            f" answers, has {values}, {alls} ({size}). It is one simple way to search, so a method"
            " can have more."
        )


def _before_after(results: Results) -> Iterator[str]:
    """The effect of a fix on a question set."""
    from gear_app.evaluate.question_set import before_after

    k = results.evaluation.ks[0]
    for row in before_after(results.evaluation, k):
        p = "no verdict" if row["p"] is None else f"p {row['p']:.4f}"
        before, after = _percent(row["before"]), _percent(row["after"])
        yield (
            f"{row['method']}: of {count(row['n'], 'question')} R@{k} {before} when they were"
            f" picked, {after} now; {row['found']} gold passages found since, {row['lost']} lost"
            f" ({p})."
        )


def _effects(results: Results) -> Iterator[str]:
    """The mean effect of every setting that has several values."""
    from gear_app.evaluate.configurations import effects

    k = results.evaluation.ks[0]
    by_setting: dict[str, list[str]] = {}
    for row in effects(results.evaluation, f"recall@{k}"):
        by_setting.setdefault(row["setting"], []).append(f"{row['value']}: {_percent(row['mean'])}")
    for setting, means in by_setting.items():
        yield f"Mean R@{k} by {setting}: {', '.join(means)}"


def _caps(evaluation: Evaluation) -> Iterator[str]:
    """The most that R@k can be, if some questions have more than k gold passages."""
    from gear_app.evaluate.breakdown import recall_caps

    for k, cap in recall_caps(evaluation).items():
        yield (
            f"R@{k} cannot exceed {100 * cap:.1f} here: some questions have more than {k}"
            " gold passages."
        )


def _bounds(evaluation: Evaluation) -> Iterator[str]:
    """Which questions EM and F1 are of, and answers from the gold passages and from none."""
    if not evaluation.answered:
        return
    bounds = evaluation.bounds
    size = bounds["gold"]["n"]
    if not size:
        yield "EM and F1 are not defined: no answer is known for any of these questions."
        return
    yield f"EM and F1 of the questions with known answers ({size:,}). Bounds:"
    for source, words in (("gold", "from the gold passages"), ("nothing", "without passages")):
        em, f1 = _percent(bounds[source]["em"]), _percent(bounds[source]["f1"])
        yield f"    {words}: EM {em}, F1 {f1}"


def _unmeasured(evaluation: Evaluation) -> Iterator[str]:
    """Questions that the budget left out; they are in no mean of the table."""
    for method, ids in evaluation.unmeasured.items():
        more = f" and {len(ids) - NAMED:,} more" if len(ids) > NAMED else ""
        questions = "1 question" if len(ids) == 1 else f"{len(ids):,} questions"
        yield f"Not measured with {method}: {questions} ({', '.join(ids[:NAMED])}{more})."
    if evaluation.reached:
        yield evaluation.reached
