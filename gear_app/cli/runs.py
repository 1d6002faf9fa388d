"""The commands about stored runs: `runs`, `show`, `replay` and `export`."""

from __future__ import annotations

import argparse

from gear_app.cli import run_report
from gear_app.cli.output import note, open_workspace, public, write, write_json, write_table
from gear_app.views.labels import dollars
from gear_app.workspace import RunInfo

HEADS = ("run", "state", "method", "collection", "triples", "ms", "tokens", "cost", "question")


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
    took = [f"{spent.tokens:,}", dollars(spent.cost)] if spent.calls else ["", ""]
    ms = "" if run.ms is None else f"{run.ms:,.0f}"
    about = [run.id, run.state, run.method, run.collection, run.triple_set or ""]
    return [*about, ms, *took, run.question]


def show(arguments: argparse.Namespace) -> int:
    """Print a stored run with its events."""
    workspace = open_workspace(arguments)
    run = workspace.runs.get(workspace.runs.find_id(arguments.run))
    answer = workspace.runs.answer(run.id)
    if arguments.json:
        write_json(run_report.to_json(answer))
        return 0
    write(f"{run.state}{': ' if run.message else ''}{run.message}")
    run_report.write_report(answer, run.k)
    write()
    rows = [[event.iteration, type(event).__name__, event.summary] for event in answer.events]
    write_table(["iteration", "event", ""], rows)
    return 0


def replay(arguments: argparse.Namespace) -> int:
    """Make a run again; with --check 1 where its ranking, or its failure, differs."""
    workspace = open_workspace(arguments)
    again = workspace.runs.replay(workspace.runs.find_id(arguments.run))
    if arguments.json:
        result = {"run": again.run, "identical": not again.difference}
        write_json({**result, "difference": again.difference, "failure": again.failure})
    else:
        same = f"the ranking of {len(again.ranking)} passages is identical."
        if again.failure:
            same = f"it failed again, as it did then: {again.failure}"
        write(f"Run {again.run}: {again.difference or same}")
    return 1 if arguments.check and again.difference else 0


def export(arguments: argparse.Namespace) -> int:
    """Write a run to a workspace file of its own; a note where it cannot be replayed from there."""
    workspace = open_workspace(arguments)
    run_id = workspace.runs.find_id(arguments.run)
    bundle = workspace.runs.export_bundle(run_id, arguments.bundle, force=arguments.force)
    if arguments.json:
        write_json({**bundle._asdict(), "path": str(bundle.path)})
        return 0
    write(f"Run {bundle.run} is in {bundle.path} ({_size(bundle.bytes)}).")
    if bundle.remark:
        note(bundle.remark)
    else:
        replay = f"gear-app replay {bundle.run} --check --workspace {bundle.path}"
        write(f"It gives the identical result there: {replay}")
    return 0


def _size(count: int) -> str:
    return f"{count / 1e6:,.1f} MB" if count >= 1e5 else f"{count / 1e3:,.1f} kB"
