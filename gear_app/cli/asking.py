"""Commands about questions and runs."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from gear_app import retrievers
from gear_app.cli import output
from gear_app.cli.output import as_json, note, opened, say, table
from gear_app.cli.telling import conclusion, fact
from gear_app.config import settings
from gear_app.errors import BadInput
from gear_app.events import Called
from gear_app.workspace import Answer

if TYPE_CHECKING:
    from gear_app.evaluate import Evaluation, Row


def query(called: argparse.Namespace) -> int:
    """Ask a question in this process."""
    found = opened(called).ask(
        called.question,
        called.collection,
        called.method,
        triples=called.triples,
        reader=called.reader,
        k=called.k,
        settings=output.settings(called.settings),
    )
    if called.json:
        as_json(output.answer(found))
    else:
        _print(found, called.k)
    return 0


def show(called: argparse.Namespace) -> int:
    """Print a stored run."""
    workspace = opened(called)
    run = workspace.run(called.run)
    found = workspace.answer(called.run)
    if called.json:
        as_json(output.answer(found))
        return 0
    say(f"{run.state}{': ' if run.message else ''}{run.message}")
    _print(found, run.k)
    say()
    table(["iteration", "event", ""], [[e.iteration, type(e).__name__, fact(e)] for e in found.events])
    return 0


def runs(called: argparse.Namespace) -> int:
    """List the newest runs."""
    found = opened(called).runs(called.collection, called.limit)
    if called.json:
        as_json([asdict(run) for run in found])
        return 0
    table(
        ["run", "state", "method", "collection", "triples", "ms", "question"],
        [[r.id, r.state, r.method, r.collection, r.triple_set or "", _ms(r.ms), r.question] for r in found],
    )
    return 0


def replay(called: argparse.Namespace) -> int:
    """Make a run again; with --check 1 where its ranking differs."""
    found = opened(called).replay(called.run)
    if called.json:
        as_json({"run": found.run, "identical": not found.difference, "difference": found.difference})
    else:
        say(f"Run {found.run}: {found.difference or f'the ranking of {len(found.ranking)} passages is identical.'}")
    return 1 if called.check and found.difference else 0


def methods(called: argparse.Namespace) -> int:
    """List methods with their bases and their default settings."""
    found = [
        {
            "method": name,
            "summary": method.summary,
            "bases": retrievers.bases(name),
            "settings": settings(method.config),
        }
        for name, method in retrievers.METHODS.items()
    ]
    if called.json:
        as_json(found)
        return 0
    for name, method in retrievers.METHODS.items():
        say(f"{name}: {method.summary}")
        if retrievers.bases(name):
            say(f"    over {', '.join(retrievers.bases(name))}")
        say("    " + ", ".join(f"{key}={value}" for key, value in settings(method.config).items()))
    say("\nA base follows after a colon, as in gear:dense or ircot:sync_ge:bm25; without one it is hybrid.")
    say("The base's own settings are settings too: --set width=5 with ircot:sync_ge.")
    return 0


def evaluate(called: argparse.Namespace) -> int:
    """Measure methods on a collection's questions. A run that failed is a row with recall 0, not a failure here."""
    from gear_app.evaluate import evaluate as measure
    from gear_app.evaluate.variants import variant

    methods = [name.strip() for name in called.methods.split(",") if name.strip()]
    workspace, ks = opened(called), _cutoffs(called.k)
    for method in methods:
        variant(method)
    tell = _counter(len(methods))
    found = measure(
        workspace,
        called.collection,
        methods,
        ks=ks,
        triples=called.triples,
        limit=called.limit,
        reader=called.reader,
        tell=tell,
    )
    if called.json:
        as_json(found.to_json())
    else:
        _tell_results(found, ks, workspace.collection(called.collection).passages)
    return 0


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
    questions = found.of(found.methods[0])
    say(f"{found.collection}: {len(questions)} questions with gold, {passages:,} passages\n")
    table(
        ["method", "n", *(f"R@{k}" for k in ks), *(f"all@{k}" for k in ks), "MRR", "ms p50", "ms p95", "failed"],
        [
            [
                s["method"],
                s["n"],
                *(f"{100 * s[of][str(k)]:.1f}" for of in ("recall", "all_recall") for k in ks),
                f"{s['mrr']:.3f}",
                f"{s['ms_p50']:.0f}",
                f"{s['ms_p95']:.0f}",
                s["failed"],
            ]
            for s in summaries
        ],
    )
    for k in ks:
        ceiling = sum(min(k, row.gold) / row.gold for row in questions) / len(questions)
        if ceiling < 1:
            say(f"R@{k} cannot exceed {100 * ceiling:.1f} here: some questions have more than {k} gold passages.")


def _print(found: Answer, k: int) -> None:
    say(f"{found.question}\n")
    rows = [[rank, f"{line.score:.4f}", line.key, line.title] for rank, line in enumerate(found.ranking[:k], start=1)]
    table(["rank", "score", "passage", "title"], rows)
    concluded = list(conclusion(found.events))
    if concluded:
        say("\n" + "\n".join(concluded))
    iterations = "1 iteration" if found.iterations == 1 else f"{found.iterations} iterations"
    say(f"\nrun {found.run}: {found.method}, {iterations}, {found.ms:,.0f} ms{_called(found)}")


def _called(found: Answer) -> str:
    """Calls of a language model and their tokens; nothing where none was asked."""
    calls = [event for event in found.events if isinstance(event, Called)]
    if not calls:
        return ""
    asked = "1 call" if len(calls) == 1 else f"{len(calls)} calls"
    kept = sum(call.cached for call in calls)
    asked += f" ({kept} kept from before)" if kept else ""
    return f", {asked} of {calls[-1].model}, {found.input_tokens:,} + {found.output_tokens:,} tokens"


def _ms(ms: float | None) -> str:
    return "" if ms is None else f"{ms:,.0f}"
