"""The commands about stored runs: `runs`, `show`, `pin`, `unpin`, `why` and `replay`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from gear_app.cli.options import Commands, add_command, positive, run_argument
from gear_app.cli.output import open_workspace, public, write, write_json, write_result, write_table
from gear_app.display.labels import dollars, method_words, run_state

if TYPE_CHECKING:
    from gear_app.store.rows import RunInfo

HEADS = ("run", "state", "method", "collection", "triples", "ms", "tokens", "cost", "question")


def add_to(commands: Commands) -> None:
    """Add `runs`, `show`, `pin`, `unpin`, `why` and `replay`."""
    newest = add_command(commands, "runs", runs, json=True)
    newest.add_argument("--collection", metavar="NAME")
    newest.add_argument("--limit", type=positive, default=20, metavar="N")
    run_argument(add_command(commands, "show", show, json=True))
    run_argument(add_command(commands, "pin", pin, json=True))
    run_argument(add_command(commands, "unpin", unpin, json=True))
    reason = add_command(commands, "why", why, json=True)
    run_argument(reason)
    reason.add_argument("passage", metavar="PASSAGE", help="its id, or its whole title")
    reason.add_argument(
        "--k", type=positive, default=5, help="how many of the first are found; default 5"
    )
    reason.add_argument("--no-trials", action="store_true", help="run nothing again")
    again = add_command(commands, "replay", replay, json=True)
    run_argument(again)
    again.add_argument(
        "--check", action="store_true", help="exit 1 unless the ranking is identical"
    )


def runs(arguments: argparse.Namespace) -> int:
    """List the newest runs."""
    listed = open_workspace(arguments).runs.recent(arguments.collection, arguments.limit)
    if arguments.json:
        write_json([public(run) for run in listed])
    else:
        write_table(HEADS, [_row(run) for run in listed])
    return 0


def _row(run: RunInfo) -> list[str]:
    """The columns of HEADS. Tokens and cost are empty where no language model was asked."""
    spent = run.spent
    cost = [f"{spent.tokens:,}", dollars(spent.cost)] if spent.calls else ["", ""]
    ms = "" if run.ms is None else f"{run.ms:,.0f}"
    method = method_words(run.method, run.config)
    about = [run.id, run_state(run), method, run.collection, run.triple_set or ""]
    return [*about, ms, *cost, run.question]


def show(arguments: argparse.Namespace) -> int:
    """Print a stored run with its events."""
    from gear_app.cli.report import to_json, told_apart, write_report

    workspace = open_workspace(arguments)
    run = workspace.runs.get(workspace.runs.find_id(arguments.run))
    answer = told_apart(workspace, workspace.runs.answer(run.id))
    if arguments.json:
        write_json(to_json(answer))
        return 0
    write(f"{run.state}{': ' if run.message else ''}{run.message}")
    write_report(answer, run.k)
    write()
    rows = [[event.iteration, type(event).__name__, event.summary] for event in answer.events]
    write_table(["iteration", "event", ""], rows)
    return 0


def pin(arguments: argparse.Namespace) -> int:
    """Let a run's collection open with it."""
    runs_ = open_workspace(arguments).runs
    run = runs_.pin(runs_.find_id(arguments.run))
    return _pinned(run, f"{run.collection} opens with: {run.question} (run {run.id})", arguments)


def unpin(arguments: argparse.Namespace) -> int:
    """Let a run's collection open with its latest run again."""
    runs_ = open_workspace(arguments).runs
    run = runs_.unpin(runs_.find_id(arguments.run))
    latest = runs_.featured(run.collection) if run.collection_id is not None else None
    words = f"{run.collection} opens with run {latest.id}." if latest else "Nothing was pinned."
    return _pinned(run, words, arguments)


def _pinned(run: RunInfo, sentence: str, arguments: argparse.Namespace) -> int:
    return write_result(
        arguments, {"run": run.id, "collection": run.collection, "pinned": run.pinned}, sentence
    )


def why(arguments: argparse.Namespace) -> int:
    """Say why a run does not have a passage among its first k, and what would have helped."""
    from gear_app.display import why_not

    workspace = open_workspace(arguments)
    run_id = workspace.runs.find_id(arguments.run)
    key = workspace.why_not.passage(run_id, arguments.passage)
    answer = workspace.why_not.explain(run_id, key, arguments.k)
    service, rerun = workspace.why_not, workspace.reruns.rerun
    trials = [] if arguments.no_trials else service.trials(run_id, key, arguments.k, rerun)
    if arguments.json:
        write_json({"run": run_id, **why_not.to_json(answer, trials)})
    else:
        for line in why_not.text(answer, trials):
            write(line)
    return 0


def replay(arguments: argparse.Namespace) -> int:
    """Make a run again; with --check 1 where its ranking, or its failure, differs."""
    workspace = open_workspace(arguments)
    again = workspace.reruns.replay(workspace.runs.find_id(arguments.run))
    if arguments.json:
        result = {"run": again.run, "identical": not again.difference}
        write_json({**result, "difference": again.difference, "failure": again.failure})
    else:
        same = f"the ranking of {len(again.ranking)} passages is identical."
        if again.failure:
            same = f"it failed again, as it did then: {again.failure}"
        write(f"Run {again.run}: {again.difference or same}")
    return 1 if arguments.check and again.difference else 0
