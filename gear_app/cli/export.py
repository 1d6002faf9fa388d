"""The commands `export`, runs as files to hand on and collections in the formats of others, and
`annotations`, labels of a collection's runs, to a file and from one.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gear_app.annotation.agreement import records_that_count
from gear_app.cli.options import ANY_COLLECTION, COLLECTION, FORCE, JSON, SET, command, option
from gear_app.cli.output import emit, open_workspace, write_file
from gear_app.core.errors import BadInput
from gear_app.core.text import count
from gear_app.integrations import exports
from gear_app.integrations.exports import FORMS, RUNS, Options
from gear_app.store.evaluations import ORACLE
from gear_app.trace.timeline import failure_of

if TYPE_CHECKING:
    from gear_app.store.rows import RunInfo
    from gear_app.workspace.workspace import Workspace


RUNS_AT_MOST = 2000  # of a collection


@command(
    "export",
    JSON,
    option(
        "run",
        metavar="RUN",
        nargs="*",
        help="its id, or the first characters of it; several for a page that compares them",
    ),
    ANY_COLLECTION,
    *(option(f"--{name}", metavar=form.metavar, help=form.help) for name, form in FORMS.items()),
    option("--evaluation", metavar="ID", help="the finished runs of an evaluation"),
    SET,
    option("--licence", metavar="WORDS", default="", help="whose the texts are, said on each page"),
    FORCE,
)
def export(arguments: argparse.Namespace) -> int:
    """Write the forms that were named. Raises BadInput where they do not fit what is exported."""
    named = {name: vars(arguments)[name] for name in FORMS if vars(arguments)[name]}
    kinds = {FORMS[name].source for name in named}
    sources = [arguments.run, arguments.evaluation, arguments.collection]
    wrong_kind = kinds == {exports.COLLECTION} and not arguments.collection
    if len(kinds) != 1 or sum(map(bool, sources)) != 1 or wrong_kind:
        raise BadInput(
            f"Say what to export: RUN …, --evaluation ID or --collection NAME with"
            f" {_options(RUNS)}; --collection NAME with {_options(exports.COLLECTION)}."
        )
    workspace, name = open_workspace(arguments), arguments.collection
    source: Any = name
    if kinds == {exports.COLLECTION}:
        info = workspace.collections.get(name)
        value: dict[str, Any] = {"collection": name}
        contents = f"{count(info.passages, 'passage')}, {count(info.questions, 'question')}"
        subject = f"{name} ({contents}) is"
    else:
        source = _runs(workspace, arguments)
        value = {"runs": source}
        subject = f"{count(len(source), 'run')} written"
    options = Options(arguments.triples, arguments.licence)
    for form, path in named.items():
        for part, pieces in FORMS[form].files(workspace, source, options).items():
            write_file(Path(path) / part, pieces, force=arguments.force)
    lines = (f"{subject} in {path}." for path in named.values())
    return emit(arguments, value | named, *lines)


def _options(source: str) -> str:
    words = [f"--{name} {form.metavar}" for name, form in FORMS.items() if form.source == source]
    return f"{', '.join(words[:-1])} or {words[-1]}"


def _runs(workspace: Workspace, arguments: argparse.Namespace) -> list[str]:
    """Ids of the named runs, or of those of an evaluation or a collection that ended without a
    failure, in the order they were made. Raises BadInput for none.
    """
    if arguments.run:
        return [workspace.runs.get(start).id for start in arguments.run]
    if arguments.evaluation:
        evaluation = workspace.store.evaluations.get(arguments.evaluation)
        measured = workspace.store.evaluations.runs(evaluation.id).values()
        # without the oracle's, which asks parts of questions
        runs: list[RunInfo] = [row for row in measured if row.place.method != ORACLE]
    else:
        runs = workspace.runs.recent(arguments.collection, RUNS_AT_MOST)
    numbers = {run.number: run.id for run in runs if run.state == "done"}
    ids = [numbers[number] for number in sorted(numbers)]
    ids = [run_id for run_id in ids if not failure_of(workspace.runs.events(run_id))]
    if not ids:
        raise BadInput("None of these runs was finished, so there is nothing to export.")
    return ids


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
