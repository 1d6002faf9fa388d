"""The commands about stored runs: `runs`, `show`, `pin`, `unpin`, `why` and `replay`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from gear_app.cli.options import ANY_COLLECTION, JSON, RUN, command, flag, option, positive
from gear_app.cli.output import emit, open_workspace, public, table
from gear_app.display.labels import dollars, method_words, run_state

if TYPE_CHECKING:
    from gear_app.store.rows import RunInfo

HEADS = ("run", "state", "method", "collection", "triples", "ms", "tokens", "cost", "question")


@command("runs", JSON, ANY_COLLECTION, option("--limit", type=positive, default=20, metavar="N"))
def runs(arguments: argparse.Namespace) -> int:
    """List the newest runs."""
    listed = open_workspace(arguments).runs.recent(arguments.collection, arguments.limit)
    return emit(arguments, [*map(public, listed)], table(HEADS, [*map(_row, listed)]))


def _row(run: RunInfo) -> list[str]:
    """The columns of HEADS. Tokens and cost are empty without calls of a language model."""
    spent = run.spent
    cost = [f"{spent.tokens:,}", dollars(spent.cost)] if spent.calls else ["", ""]
    ms = "" if run.ms is None else f"{run.ms:,.0f}"
    method = method_words(run.method, run.config)
    about = [run.id, run_state(run), method, run.collection, run.triple_set or ""]
    return [*about, ms, *cost, run.question]


@command("show", JSON, RUN)
def show(arguments: argparse.Namespace) -> int:
    """Print a stored run with its events."""
    from gear_app.cli.report import answer_json, labelled_answer, report

    workspace = open_workspace(arguments)
    run = workspace.runs.get(arguments.run)
    answer = labelled_answer(workspace, workspace.runs.answer(run.id))
    rows = [[event.iteration, type(event).__name__, event.summary] for event in answer.events]
    state = f"{run.state}{': ' if run.message else ''}{run.message}"
    events = "\n" + table(["iteration", "event", ""], rows)
    return emit(arguments, answer_json(answer), state, *report(answer, run.k), events)


@command("pin", JSON, RUN)
def pin(arguments: argparse.Namespace) -> int:
    """Let a run's collection open with it."""
    stored = open_workspace(arguments).runs
    run_id = stored.get(arguments.run).id
    stored.pin(run_id)
    run = stored.get(run_id)
    return _pinned(arguments, run, f"{run.collection} opens with: {run.question} (run {run.id})")


@command("unpin", JSON, RUN)
def unpin(arguments: argparse.Namespace) -> int:
    """Let a run's collection open with its latest run again."""
    workspace = open_workspace(arguments)
    run_id = workspace.runs.get(arguments.run).id
    workspace.store.runs.pin(run_id, pinned=False)
    return _pinned(arguments, workspace.runs.get(run_id), f"Run {run_id} is not pinned.")


def _pinned(arguments: argparse.Namespace, run: RunInfo, line: str) -> int:
    value = {"run": run.id, "collection": run.collection, "pinned": run.pinned}
    return emit(arguments, value, line)


@command(
    "why",
    JSON,
    RUN,
    option("passage", metavar="PASSAGE", help="its id, or its whole title"),
    option("--k", type=positive, default=5, help="how many of the first are found; default 5"),
    flag("--no-trials", "run nothing again"),
)
def why(arguments: argparse.Namespace) -> int:
    """Say why a run does not have a passage among its first k, and what would have helped."""
    from gear_app.display import why_not

    workspace = open_workspace(arguments)
    run_id = workspace.runs.get(arguments.run).id
    service = workspace.reruns
    key = service.passage(run_id, arguments.passage)
    answer = service.explain(run_id, key, arguments.k)
    trials = [] if arguments.no_trials else service.trials(run_id, key, arguments.k, service.rerun)
    value = {"run": run_id, **why_not.to_json(answer, trials)}
    return emit(arguments, value, *why_not.text(answer, trials))


@command("replay", JSON, RUN, flag("--check", "exit 1 unless the ranking is identical"))
def replay(arguments: argparse.Namespace) -> int:
    """Make a run again; with --check 1 where its ranking, or its failure, differs."""
    workspace = open_workspace(arguments)
    run_id = workspace.runs.get(arguments.run).id
    difference = workspace.reruns.replay(run_id)
    verdict = difference or "the ranking is identical."
    value = {"run": run_id, "identical": not difference, "difference": difference}
    emit(arguments, value, f"Run {run_id}: {verdict}")
    return 1 if arguments.check and difference else 0
