"""The command `eval`: measure methods on a collection's questions."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from gear_app.cli import prices
from gear_app.cli.output import (
    Progress,
    exit_status,
    note,
    open_workspace,
    write,
    write_json,
    write_table,
)
from gear_app.errors import BadInput
from gear_app.reader import LLM_READER
from gear_app.text import count
from gear_app.workspace import Estimate, Options, Spent, Workspace

if TYPE_CHECKING:
    from gear_app.evaluate import Evaluation, Row

NAMED = 10  # questions that are named where they were not measured


def evaluate(arguments: argparse.Namespace) -> int:
    """Measure methods on a collection's questions; 1 where a model failed.

    A run that failed is a row with recall 0, and no failure of the command.
    """
    from gear_app.evaluate import evaluate as measure
    from gear_app.evaluate.measure import not_lazily, variant

    methods = [name.strip() for name in arguments.methods.split(",") if name.strip()]
    if arguments.lazy:
        raise BadInput(not_lazily(arguments.collection))
    workspace, ks = open_workspace(arguments), _cutoffs(arguments.k)
    variants = [variant(method) for method in methods]
    estimate = _estimate(workspace, arguments, variants, max(ks))
    if arguments.dry_run:
        return prices.write_estimate(estimate, json=arguments.json)
    evaluation = measure(
        workspace,
        arguments.collection,
        methods,
        ks=ks,
        triples=arguments.triples,
        limit=arguments.limit,
        reader=arguments.reader,
        budget=prices.budget_in_force(estimate, arguments.budget) if estimate else None,
        answer=arguments.answer,
        tell=_counter(len(methods)),
    )
    if arguments.json:
        write_json(evaluation.to_json())
    else:
        _write_results(evaluation, ks, workspace.collections.get(arguments.collection).passages)
    return exit_status(evaluation.failure)


def _estimate(
    workspace: Workspace, arguments: argparse.Namespace, variants: Sequence[Any], k: int
) -> Estimate | None:
    """What it will cost; None where no language model is asked."""
    if arguments.reader != LLM_READER:
        return None
    return workspace.costs.estimate_evaluation(
        arguments.collection,
        variants,
        arguments.limit,
        triples=arguments.triples,
        k=k,
        options=Options(answer=arguments.answer),
    )


def _cutoffs(text: str) -> list[int]:
    """`5,10,15` as numbers, in order, each once. Raises BadInput."""
    try:
        ks = sorted({int(k) for k in text.split(",")})
    except ValueError:
        ks = []
    if not ks or ks[0] < 1:
        raise BadInput(f"--k takes cut-offs such as 5,10,15, not {text!r}")
    return ks


def _counter(methods: int) -> Callable[[Row], None]:
    """Counts rows as they come; writes progress, and errors at once."""
    done, progress = 0, Progress()

    def count_row(row: Row) -> None:
        nonlocal done
        done += 1
        if row.error:
            note(f"{row.method}, {row.id}: {row.error}")
        progress(f"{done:,} runs done, of {methods} methods; now {row.method}")

    return count_row


def _write_results(evaluation: Evaluation, ks: Sequence[int], passages: int) -> None:
    summaries = [evaluation.summary(method) for method in evaluation.methods]
    rows = max((evaluation.of(method) for method in evaluation.methods), key=len)
    questions = len(rows) or len(evaluation.unmeasured[evaluation.methods[0]])
    told = count(questions, "question with gold", "questions with gold")
    write(f"{evaluation.collection}: {told}, {count(passages, 'passage')}\n")
    costs = any(summary["calls"] for summary in summaries)
    heads = ["method", "n", *(f"R@{k}" for k in ks), *(f"all@{k}" for k in ks)]
    heads += ["MRR", "ms p50", "ms p95", "failed"]
    heads += ["EM", "F1"] if evaluation.answered else []
    heads += prices.HEADS if costs else ()
    write_table(heads, [_cells(summary, ks, costs=costs) for summary in summaries])
    for line in (*_ceilings(rows, ks), *_bounds(evaluation), *_left_out(evaluation)):
        write(line)


def _cells(summary: dict[str, Any], ks: Sequence[int], *, costs: bool) -> list[object]:
    recalls = [_percent(summary[of][str(k)]) for of in ("recall", "all_recall") for k in ks]
    mrr = "" if summary["mrr"] is None else f"{summary['mrr']:.3f}"
    times = [f"{summary[name]:.0f}" if summary["n"] else "" for name in ("ms_p50", "ms_p95")]
    answers = [_percent(summary[name]) for name in ("em", "f1") if name in summary]
    cells = [summary["method"], summary["n"], *recalls, mrr, *times, summary["failed"], *answers]
    if costs:
        calls, kept, unusable = (summary[name] for name in ("calls", "kept", "unusable"))
        tokens = summary["tokens"]
        spent = Spent(calls, kept, unusable, tokens["input"], tokens["output"], summary["cost"])
        cells += prices.cells(spent)
    return cells


def _percent(mean: float | None) -> str:
    return "" if mean is None else f"{100 * mean:.1f}"


def _ceilings(rows: Sequence[Row], ks: Sequence[int]) -> Iterator[str]:
    """The most that R@k can be, where some questions have more than k gold passages."""
    for k in ks if rows else ():
        ceiling = sum(min(k, row.gold) / row.gold for row in rows) / len(rows)
        if ceiling < 1:
            yield (
                f"R@{k} cannot exceed {100 * ceiling:.1f} here: some questions have more than {k}"
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
