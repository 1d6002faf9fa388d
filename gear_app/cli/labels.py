"""The command `annotations`: labels of a collection's runs, to a file and from one."""

from __future__ import annotations

import argparse
from pathlib import Path

from gear_app.annotation.counts import settled
from gear_app.cli.options import Commands, add_command, collection_option
from gear_app.cli.output import open_workspace, write, write_file, write_json
from gear_app.core.errors import BadInput
from gear_app.core.text import count


def add_to(commands: Commands) -> None:
    """Add `annotations`."""
    judged = add_command(commands, "annotations", labels_of, json=True)
    collection_option(judged)
    judged.add_argument(
        "--export", metavar="FILE", help="JSON lines: labels, runs and own categories"
    )
    judged.add_argument("--csv", action="store_true", help="export the labels as a table")
    judged.add_argument(
        "--import",
        metavar="FILE",
        dest="import_",
        help="add labels that are later than those stored",
    )
    judged.add_argument("--force", action="store_true", help="overwrite a file that is there")


def labels_of(arguments: argparse.Namespace) -> int:
    """Export, import, or say what there is. Raises BadInput for both at once."""
    if arguments.export and arguments.import_:
        raise BadInput("Say --export FILE or --import FILE, not both.")
    if arguments.csv and not arguments.export:
        raise BadInput("--csv goes with --export FILE. JSON lines can be imported again.")
    service, name = open_workspace(arguments).annotations, arguments.collection
    report: dict[str, object] = {"collection": name}
    if arguments.import_:
        imported = service.import_lines(name, _lines(Path(arguments.import_)))
        report |= {"added": imported.labels, "foreign_questions": imported.foreign}
    if arguments.export:
        pieces = [service.csv(name)] if arguments.csv else service.json_lines(name)
        write_file(Path(arguments.export), pieces, force=arguments.force)
        report["file"] = arguments.export
    labels = service.labels(name)
    cases, undecided = settled(labels)
    people = sorted({key.annotator for key in labels})
    report |= {"labels": len(labels), "cases": len(cases), "annotators": people}
    report["undecided"] = undecided
    if arguments.json:
        write_json(report)
        return 0
    if arguments.import_:
        write(f"{arguments.import_}: {imported.words}")
    if arguments.export:
        write(f"The annotations of {name} are in {arguments.export}.")
    by = ", ".join(people) or "nobody yet"
    write(
        f"{name}: {count(len(cases), 'run')} judged by {by}; {undecided} to adjudicate;"
        f" {count(len(labels), 'label')} in all."
    )
    return 0


def _lines(path: Path) -> list[str]:
    """The lines of a file. Raises BadInput where it cannot be read."""
    try:
        return path.read_text(encoding="utf-8-sig").split("\n")
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is no text in UTF-8.") from error
