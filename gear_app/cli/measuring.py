"""The command that measures methods on a collection's questions."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from gear_app.cli import costs, output
from gear_app.cli.output import as_json, note, opened, say, table
from gear_app.errors import BadInput
from gear_app.reader import LLM_READER
from gear_app.workspace import Estimate, Options, Spent, Workspace

if TYPE_CHECKING:
    from gear_app.evaluate import Evaluation, Row

NAMED = 10  # questions that are named where they were not measured


def evaluate(called: argparse.Namespace) -> int:
    """Measure methods on a collection's questions. A run that failed is a row with recall 0, not a
    failure here; 1 where a model failed.
    """
    from gear_app.evaluate import evaluate as measure
    from gear_app.evaluate.experiment import not_lazily
    from gear_app.evaluate.variants import variant

    methods = [name.strip() for name in called.methods.split(",") if name.strip()]
    if called.lazy:
        raise BadInput(not_lazily(called.collection))
    workspace, ks = opened(called), _cutoffs(called.k)
    estimate = _estimate(workspace, called, [variant(method) for method in methods], max(ks))
    if called.dry_run:
        return costs.dry(estimate, json=called.json)
    tell = _counter(len(methods))
    found = measure(
        workspace,
        called.collection,
        methods,
        ks=ks,
        triples=called.triples,
        limit=called.limit,
        reader=called.reader,
        budget=costs.cap(estimate, called.budget) if estimate else None,
        answer=called.answer,
        tell=tell,
    )
    if called.json:
        as_json(found.to_json())
    else:
        _tell_results(found, ks, workspace.collection(called.collection).passages)
    return output.failed(found.failure)


def _estimate(
    workspace: Workspace, called: argparse.Namespace, variants: Sequence[Any], k: int
) -> Estimate | None:
    """None where no language model is asked."""
    if called.reader != LLM_READER:
        return None
    options = Options(answer=called.answer)
    return workspace.estimate_evaluation(
        called.collection, variants, called.limit, triples=called.triples, k=k, options=options
    )


def _cutoffs(text: str) -> list[int]:
    try:
        ks = sorted({int(k) for k in text.split(",")})
    except ValueError:
        ks = []
    if not ks or ks[0] < 1:
        raise BadInput(f"--k takes cut-offs such as 5,10,15, not {text!r}")
    return ks


def _counter(methods: int) -> Callable[[Row], None]:
    done, tell = 0, output.Patience()

    def count(row: Row) -> None:
        nonlocal done
        done += 1
        if row.error:
            note(f"{row.method}, {row.id}: {row.error}")
        tell(f"{done:,} runs done, of {methods} methods; now {row.method}")

    return count


def _tell_results(found: Evaluation, ks: Sequence[int], passages: int) -> None:
    summaries = [found.summary(method) for method in found.methods]
    questions = max((found.of(method) for method in found.methods), key=len)
    count = len(questions) + (0 if questions else len(found.unmeasured[found.methods[0]]))
    say(f"{found.collection}: {count} questions with gold, {passages:,} passages\n")
    asked = any(summary["calls"] for summary in summaries)
    heads = [
        "method",
        "n",
        *(f"R@{k}" for k in ks),
        *(f"all@{k}" for k in ks),
        "MRR",
        "ms p50",
        "ms p95",
        "failed",
    ]
    heads += ["EM", "F1"] if found.answered else []
    table(
        [*heads, *(costs.HEADS if asked else ())],
        [_cells(summary, ks, asked=asked) for summary in summaries],
    )
    for k in ks if questions else ():
        ceiling = sum(min(k, row.gold) / row.gold for row in questions) / len(questions)
        if ceiling < 1:
            say(
                f"R@{k} cannot exceed {100 * ceiling:.1f} here: some questions have more than {k}"
                " gold passages."
            )
    for line in (*_bounds(found), *_unmeasured(found)):
        say(line)


def _cells(summary: dict[str, Any], ks: Sequence[int], *, asked: bool) -> list[object]:
    means = [summary[of][str(k)] for of in ("recall", "all_recall") for k in ks]
    shown = [_percent(mean) for mean in means]
    mrr = "" if summary["mrr"] is None else f"{summary['mrr']:.3f}"
    times = [f"{summary[name]:.0f}" if summary["n"] else "" for name in ("ms_p50", "ms_p95")]
    calls, kept, unusable = (summary[name] for name in ("calls", "kept", "unusable"))
    tokens = summary["tokens"]
    spent = Spent(calls, kept, unusable, tokens["input"], tokens["output"], summary["cost"])
    return [
        summary["method"],
        summary["n"],
        *shown,
        mrr,
        *times,
        summary["failed"],
        *(_percent(summary[name]) for name in ("em", "f1") if name in summary),
        *(costs.cells(spent) if asked else ()),
    ]


def _percent(mean: float | None) -> str:
    return "" if mean is None else f"{100 * mean:.1f}"


def _bounds(found: Evaluation) -> Iterator[str]:
    """What EM and F1 are over, and what answers from the gold passages and from none come to."""
    if not found.answered:
        return
    bounds = found.bounds
    count = bounds["gold"]["n"]
    if not count:
        yield "EM and F1 are not defined: no answer is known for any of these questions."
        return
    yield f"EM and F1 of the questions with known answers ({count:,}). Bounds:"
    for source, words in (("gold", "from the gold passages"), ("nothing", "without passages")):
        yield (
            f"    {words}: EM {_percent(bounds[source]['em'])}, F1 {_percent(bounds[source]['f1'])}"
        )


def _unmeasured(found: Evaluation) -> Iterator[str]:
    """What the budget left out; these questions are in no mean above."""
    for method, ids in found.unmeasured.items():
        named = ", ".join(ids[:NAMED]) + (
            f" and {len(ids) - NAMED:,} more" if len(ids) > NAMED else ""
        )
        questions = "1 question" if len(ids) == 1 else f"{len(ids):,} questions"
        yield f"Not measured with {method}: {questions} ({named})."
    if found.reached:
        yield found.reached
