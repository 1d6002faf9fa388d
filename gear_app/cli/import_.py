"""The command `import`: a file or a folder, the rest of an interrupted import, or its undoing."""

from __future__ import annotations

import argparse

from gear_app.cli.output import Progress, note, open_workspace, write, write_json
from gear_app.errors import BadInput
from gear_app.ingest import FileReport
from gear_app.store.rows import UnfinishedImport
from gear_app.workspace import Workspace


def import_(arguments: argparse.Namespace) -> int:
    """Import, finish an import, or undo one; 1 if no file of it could be used.

    A file that was imported before counts as used.
    """
    workspace = open_workspace(arguments)
    if arguments.undo is not None:
        workspace.imports.undo(arguments.undo)
        write(f"Import {arguments.undo} is undone: what it had stored was taken out again.")
        return 0
    reports = _reports(workspace, arguments)
    if arguments.json:
        write_json([report._asdict() for report in reports])
    else:
        for report in reports:
            why = f": {report.message}" if report.message else ""
            write(f"{report.name}: {report.status}{why}")
    used = (r.status == "accepted" or "there already" in r.message for r in reports)
    return 0 if any(used) else 1


def _reports(workspace: Workspace, arguments: argparse.Namespace) -> list[FileReport]:
    """One report a file. Raises BadInput for a wrong call.

    An import that is interrupted from the keyboard leaves a note with the ways on.
    """
    progress = Progress()
    if arguments.finish is not None:
        return workspace.imports.finish(arguments.finish, progress.of_import)
    if not (arguments.path and arguments.collection):
        raise BadInput("import takes PATH and --collection NAME, or --finish JOB, or --undo JOB")
    try:
        return workspace.import_path(arguments.path, arguments.collection, progress.of_import)
    except KeyboardInterrupt:
        for unfinished in workspace.imports.unfinished(arguments.collection):
            note(ways_on(unfinished))
        raise


def ways_on(unfinished: UnfinishedImport) -> str:
    """An unfinished import, and the commands that finish or undo it."""
    job = unfinished.job
    stored = f"{unfinished.state}, {unfinished.passages:,} passages stored"
    return (
        f"Import of {unfinished.name}, job {job}: {stored}. To finish it: gear-app import --finish"
        f" {job}; to take them out again: gear-app import --undo {job}"
    )
