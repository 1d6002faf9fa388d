"""The command `annotations`: labels of a collection's runs, to a file and from one."""

from __future__ import annotations

import argparse
from pathlib import Path

from gear_app.annotation.counts import records_that_count
from gear_app.cli.options import COLLECTION, FORCE, JSON, command, option
from gear_app.cli.output import emit, open_workspace, write_file
from gear_app.core.errors import BadInput
from gear_app.core.text import count


@command(
    "annotations",
    JSON,
    COLLECTION,
    [
        option("--export", metavar="FILE", help="JSON lines: labels and own categories"),
        option("--csv", metavar="FILE", help="the labels as a table"),
        option(
            "--import",
            metavar="FILE",
            dest="import_",
            help="add labels that are later than those stored",
        ),
    ],
    FORCE,
)
def labels(arguments: argparse.Namespace) -> int:
    """Export or import labels, and count what is stored."""
    service, name = open_workspace(arguments).annotations, arguments.collection
    report: dict[str, object] = {"collection": name}
    lines = []
    if arguments.import_:
        imported = service.import_lines(name, _lines(Path(arguments.import_)))
        report |= {"added": imported.labels, "foreign_questions": imported.foreign}
        lines.append(f"{arguments.import_}: {imported.words}")
    if file := arguments.export or arguments.csv:
        pieces = [service.csv(name)] if arguments.csv else service.json_lines(name)
        write_file(Path(file), pieces, force=arguments.force)
        report["file"] = file
        lines.append(f"The annotations of {name} are in {file}.")
    stored = service.labels(name)
    cases, undecided = records_that_count(stored)
    people = sorted({key.annotator for key in stored})
    report |= {"labels": len(stored), "cases": len(cases), "annotators": people}
    lines.append(
        f"{name}: {count(len(cases), 'run')} judged by {', '.join(people) or 'nobody yet'};"
        f" {undecided} to adjudicate; {count(len(stored), 'label')} in all."
    )
    return emit(arguments, report | {"undecided": undecided}, *lines)


def _lines(path: Path) -> list[str]:
    """The lines of a file. Raises BadInput if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read as text in UTF-8: {error}") from error
