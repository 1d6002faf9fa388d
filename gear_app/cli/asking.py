"""Commands about questions and runs."""

from __future__ import annotations

import argparse

from gear_app import retrievers
from gear_app.cli import costs, output
from gear_app.cli.output import as_json, opened, say, shown, table
from gear_app.cli.telling import answered, conclusion
from gear_app.events import Called, Stopped
from gear_app.overrides import settings
from gear_app.text import count
from gear_app.views.spending import dollars
from gear_app.workspace import Answer, Options, Spent

LONG_S = 0.1  # of loading models and arrays: less is not told


def query(called: argparse.Namespace) -> int:
    """Ask a question in this process; 1 where a model failed, with what was found until then."""
    found = opened(called).ask(
        called.question,
        called.collection,
        called.method,
        triples=called.triples,
        reader=called.reader,
        k=called.k,
        settings=output.settings(called.settings),
        options=Options(answer=called.answer, lazy=called.lazy),
        budget=called.budget,
    )
    if called.json:
        as_json(output.answer(found))
    else:
        _print(found, called.k)
    return output.failed(found.failure)


def show(called: argparse.Namespace) -> int:
    """Print a stored run."""
    workspace = opened(called)
    run = workspace.run(workspace.run_id(called.run))
    found = workspace.answer(run.id)
    if called.json:
        as_json(output.answer(found))
        return 0
    say(f"{run.state}{': ' if run.message else ''}{run.message}")
    _print(found, run.k)
    say()
    table(
        ["iteration", "event", ""],
        [[e.iteration, type(e).__name__, e.summary] for e in found.events],
    )
    return 0


def runs(called: argparse.Namespace) -> int:
    """List the newest runs."""
    found = opened(called).runs(called.collection, called.limit)
    if called.json:
        as_json([shown(run) for run in found])
        return 0
    table(
        ["run", "state", "method", "collection", "triples", "ms", "tokens", "cost", "question"],
        [
            [
                r.id,
                r.state,
                r.method,
                r.collection,
                r.triple_set or "",
                _ms(r.ms),
                *_took(r.spent),
                r.question,
            ]
            for r in found
        ],
    )
    return 0


def _took(spent: Spent) -> list[str]:
    """Tokens and cost; nothing where no language model was asked."""
    return [f"{spent.tokens:,}", dollars(spent.cost)] if spent.calls else ["", ""]


def replay(called: argparse.Namespace) -> int:
    """Make a run again; with --check 1 where its ranking, or its failure, differs."""
    workspace = opened(called)
    found = workspace.replay(workspace.run_id(called.run))
    if called.json:
        as_json(
            {
                "run": found.run,
                "identical": not found.difference,
                "difference": found.difference,
                "failure": found.failure,
            }
        )
    else:
        same = f"the ranking of {len(found.ranking)} passages is identical."
        if found.failure:
            same = f"it failed again, as it did then: {found.failure}"
        say(f"Run {found.run}: {found.difference or same}")
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
    say(
        "\nA base follows after a colon, as in gear:dense or ircot:sync_ge:bm25; without one it is"
        " hybrid."
    )
    say("The base's own settings are settings too: --set width=5 with ircot:sync_ge.")
    return 0


def _print(found: Answer, k: int) -> None:
    say(f"{found.question}\n")
    rows = [
        [rank, f"{line.score:.4f}", line.key, line.title]
        for rank, line in enumerate(found.ranking[:k], start=1)
    ]
    table(["rank", "score", "passage", "title"], rows)
    concluded = list(conclusion(found.events))
    if concluded:
        say("\n" + "\n".join(concluded))
    written = list(answered(found.events, found.known))
    if written:
        say("\n" + "\n".join(written))
    iterations = count(found.iterations, "iteration")
    stops = [
        event for event in found.events if isinstance(event, Stopped) and event.why == "budget"
    ]
    for stopped in stops:
        say(f"\nstopped: {stopped.sentence}")
    model = next((event.model for event in found.events if isinstance(event, Called)), "")
    took = costs.spent(found.spent, model)
    seconds = found.loading_ms / 1000
    loaded = f" after {seconds:,.1f} s of loading" if seconds >= LONG_S else ""
    say(f"\nrun {found.run}: {found.method}, {iterations}, {found.ms:,.0f} ms{loaded}{took}")


def _ms(ms: float | None) -> str:
    return "" if ms is None else f"{ms:,.0f}"
