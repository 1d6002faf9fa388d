"""The command that hands out runs."""

from __future__ import annotations

import argparse

from gear_app.cli.output import as_json, note, opened, say


def export(called: argparse.Namespace) -> int:
    """Write a run to a file of its own. One that cannot be made again from the file is exported
    with a note.
    """
    workspace = opened(called)
    found = workspace.runs.export_bundle(
        workspace.runs.find_id(called.run), called.bundle, force=called.force
    )
    if called.json:
        as_json({**found._asdict(), "path": str(found.path)})
        return 0
    say(f"Run {found.run} is in {found.path} ({_size(found.bytes)}).")
    if found.remark:
        note(found.remark)
    else:
        say(
            f"It gives the identical result there: gear-app replay {found.run} --check --workspace"
            f" {found.path}"
        )
    return 0


def _size(count: int) -> str:
    return f"{count / 1e6:,.1f} MB" if count >= 1e5 else f"{count / 1e3:,.1f} kB"
