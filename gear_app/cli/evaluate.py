"""The command `eval`: measure methods on a collection's questions."""

from __future__ import annotations

import argparse
import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gear_app.cli import clusters, evaluation_table, prices
from gear_app.cli.options import (
    Commands,
    add_command,
    answer_option,
    as_paper_option,
    collection_option,
    dry_run_option,
    index_option,
    model_asked,
    positive,
    triples_and_reader_options,
)
from gear_app.cli.output import (
    Progress,
    exit_status,
    note,
    note_loading,
    open_workspace,
    write,
    write_file,
    write_json,
    write_table,
)
from gear_app.core.errors import BadInput
from gear_app.core.text import split_quoted
from gear_app.display.labels import PAPER
from gear_app.display.settings import paper_words
from gear_app.methods import as_paper
from gear_app.store.evaluations import OWNER

if TYPE_CHECKING:
    from gear_app.evaluation.definition import Definition
    from gear_app.evaluation.results import Results
    from gear_app.evaluation.service import EvaluationService
    from gear_app.workspace.runs.costs import Estimate
    from gear_app.workspace.workspace import Workspace

METHODS = "hybrid,sync_ge,gear"


def add_to(commands: Commands) -> None:
    """Add `eval`."""
    add_options(add_command(commands, "eval", evaluate, json=True))


def evaluate(arguments: argparse.Namespace) -> int:
    """Measure methods on a collection's questions; 1 where runs failed."""
    from gear_app.evaluation import results
    from gear_app.evaluation.service import EvaluationService
    from gear_app.workspace.runs.request import ALL_RIGHTS

    workspace = open_workspace(arguments)
    service = EvaluationService(workspace, ALL_RIGHTS)
    if arguments.list:
        return _list(service, json=arguments.json)
    if arguments.resume:
        _check_resume(arguments)
    definition = _definition(service, arguments)
    estimate = service.estimate(definition)
    if arguments.dry_run:
        return prices.write_estimate(estimate, json=arguments.json)
    id_ = _id(service, definition, arguments)
    _bring(service, id_, arguments)
    note_loading(arguments, workspace, definition.collection)
    service.start(id_, _budget(service, id_, estimate, arguments))
    service.work(id_, _counter(id_))
    loaded = results.load(workspace, id_, arguments.baseline or "")
    causes = _causes(workspace, loaded) if arguments.causes else {}
    if arguments.json:
        write_json(loaded.to_json() | ({"causes": causes} if arguments.causes else {}))
    else:
        evaluation_table.write_results(loaded)
        _write_causes(causes)
    _write_files(workspace, loaded, arguments)
    failures = loaded.evaluation.failures
    if not failures:
        return 0
    failed = failures.total()
    are = "run failed. It is" if failed == 1 else "runs failed. They are"
    note(f"{failed:,} {are} in no number. Again: gear-app eval --resume {id_}")
    return exit_status(failures.most_common(1)[0][0])


def _causes(workspace: Workspace, results: Results) -> dict[str, dict[str, dict[str, int]]]:
    """Counts of the causes of missed gold passages, by cut-off and method."""
    from gear_app.evaluation.causes import counted

    return {str(k): counted(workspace, results.evaluation, k) for k in results.evaluation.ks}


def _write_causes(causes: Mapping[str, Mapping[str, Mapping[str, int]]]) -> None:
    """A table of causes for each cut-off."""
    for k, methods in causes.items():
        rows = [
            [method, cause, number]
            for method, of_method in methods.items()
            for cause, number in of_method.items()
        ]
        if rows:
            write()
            write_table(["method", f"cause of a gold passage missed at {k}", "passages"], rows)


FIXED = ("k", "limit", "sample", "questions", "seed", "triples", "reader", "reply_tokens", "answer")
"""Options that `--resume` cannot change: they are part of the evaluation's definition."""


def _check_resume(arguments: argparse.Namespace) -> None:
    """Raise BadInput for options that an evaluation that is resumed would ignore."""
    values, options = vars(arguments), argparse.ArgumentParser()
    add_options(options)
    ignored = [name for name in FIXED if values[name] != options.get_default(name)]
    ignored += ["as_paper"] if arguments.as_paper and not arguments.methods else []
    if ignored:
        named = ", ".join(f"--{name.replace('_', '-')}" for name in ignored)
        raise BadInput(
            f"--resume would ignore {named}: the evaluation that is resumed defines its questions,"
            " cut-offs, triples and reader. Begin a new evaluation without --resume."
        )


def _definition(service: EvaluationService, arguments: argparse.Namespace) -> Definition:
    """The definition that the arguments give, or the stored one with methods added."""
    from gear_app.evaluation.definition import QuestionChoice, ReaderChoice, cutoffs, define
    from gear_app.evaluation.variants import swept

    sweeps = _sweeps(arguments.sweep)
    if arguments.resume:
        clusters.address(arguments)  # whose login the environment has
        stored = service.definition(arguments.resume)
        if arguments.methods is None and not sweeps:
            return stored
        methods = _methods(arguments) if arguments.methods else stored.methods
        added = swept(methods, sweeps)
        return stored.with_methods([*stored.methods, *added])
    if not arguments.collection:
        raise BadInput("Say what to measure on: --collection NAME, or --resume ID, or --list")
    return define(
        service.workspace,
        clusters.name_here(arguments, service.workspace),
        swept(_methods(arguments), sweeps),
        ks=cutoffs(arguments.k),
        triples=arguments.triples,
        chosen=QuestionChoice(
            arguments.limit,
            arguments.sample,
            arguments.seed,
            tuple(question_ids(arguments.questions or "")),
        ),
        reading=ReaderChoice(arguments.reader, model_asked(arguments), arguments.answer),
    )


def _methods(arguments: argparse.Namespace) -> list[str]:
    """The methods that are named, or the usual ones; where asked, with their papers' settings, and
    a note of those that have no others.
    """
    from gear_app.evaluation.variants import variant

    named = names(arguments.methods or METHODS)
    if not arguments.as_paper:
        return named
    for method in dict.fromkeys(variant(words).method for words in named):
        if not as_paper(method):
            note(f"{method} {PAPER}: {paper_words(method)}")
    return [str(variant(words).with_paper()) for words in named]


def _sweeps(texts: Sequence[str]) -> dict[str, list[str]]:
    """The settings with their values. Raises BadInput where one is named two times."""
    from gear_app.evaluation.variants import sweep_of

    sweeps: dict[str, list[str]] = {}
    for name, values in map(sweep_of, texts):
        if name in sweeps:
            raise BadInput(f"--sweep {name} is there twice. Give all values at once, as {name}=1,5")
        sweeps[name] = values
    return sweeps


def _id(service: EvaluationService, definition: Definition, arguments: argparse.Namespace) -> str:
    if not arguments.resume:
        return service.create(definition)
    service.set_methods(arguments.resume, definition.methods)
    return str(arguments.resume)


def _bring(service: EvaluationService, id_: str, arguments: argparse.Namespace) -> None:
    """Add run files, and take some out. Raises BadInput and Unknown."""
    from gear_app.evaluation.run_files import opened

    for tag in arguments.drop_run_file:
        service.drop_file(id_, tag)
    for name in arguments.run_file:
        try:
            with Path(name).open("rb") as file, opened(file, name) as lines:
                service.add_file(id_, lines, str(Path(name).absolute()))
        except OSError as error:
            raise BadInput(f"{name} cannot be read: {error.strerror}") from error


def _budget(
    service: EvaluationService, id_: str, estimate: Estimate | None, arguments: argparse.Namespace
) -> int | None:
    """The cap in tokens for all runs together: as the option says, else as before, else what the
    estimate proposes beyond what was taken before.
    """
    if estimate is None:
        return None
    stored = service.get(id_).budget
    budget = prices.budget_in_force(estimate, arguments.budget, stored)
    new = arguments.budget is None and stored is None
    return budget + service.workspace.store.evaluations.taken(OWNER + id_) if new else budget


def _counter(id_: str) -> Any:  # noqa: ANN401
    """Writes how far it is, every two seconds, and how to go on."""
    progress = Progress()

    def report(counts: Any) -> None:  # noqa: ANN401
        progress(
            f"{counts.ended:,} of {counts.total:,} runs done; to go on after an interruption:"
            f" gear-app eval --resume {id_}"
        )

    return report


def _list(service: EvaluationService, *, json: bool) -> int:
    """The evaluations that are there, the newest first."""
    rows: list[dict[str, Any]] = []
    for stored in service.workspace.store.evaluations.all():
        progress, definition = service.progress(stored.id), service.definition(stored.id)
        rows.append(
            {
                "evaluation": stored.id,
                "collection": stored.collection,
                "methods": list(definition.methods),
                "questions": len(definition.questions),
                "state": progress.state,
                "done": progress.ended,
                "runs": progress.total,
                "created": stored.created,
            }
        )
    if json:
        write_json(rows)
    elif rows:
        heads = [name for name in rows[0] if name != "methods"]
        cells = [[*(row[name] for name in heads), ", ".join(row["methods"])] for row in rows]
        write_table([*heads, "methods"], cells)
    else:
        write("Nothing was evaluated yet. Run: gear-app eval --collection NAME")
    return 0


def _write_files(workspace: Workspace, results: Results, arguments: argparse.Namespace) -> None:
    """The files that were asked for."""
    from gear_app.evaluation.exports import table_csv, trec_files

    files: dict[Path, Any] = {}
    if arguments.trec:
        lines = trec_files(workspace, results)
        files |= {Path(arguments.trec) / name: text for name, text in lines.items()}
    if arguments.csv:
        files[Path(arguments.csv)] = [table_csv(results)]
    if arguments.html:
        from gear_app.display.evaluate.sections import report

        files[Path(arguments.html)] = [report(results)]
    for path, pieces in files.items():
        write_file(path, pieces, force=arguments.force)
        note(f"written: {path}")


def add_options(measure: argparse.ArgumentParser) -> None:
    """Every option of the command."""
    index_option(measure, adopts=True)
    collection_option(measure, required=False)
    measure.add_argument(
        "--methods",
        help=(
            "with commas between, settings after a space (values with blanks in quotes), as in"
            " 'hybrid,gear width=5'; default hybrid,sync_ge,gear. With --resume: methods to add"
        ),
    )
    measure.add_argument(
        "--sweep",
        action="append",
        default=[],
        metavar="NAME=V,V",
        help="every method that has the setting with each of these values; repeatable: a grid",
    )
    as_paper_option(
        measure,
        "every method as its paper has it, where our defaults are others; 'gear,gear as-paper'"
        " measures both",
    )
    measure.add_argument("--k", default="5,10,15", help="cut-offs; default 5,10,15")
    chosen = measure.add_mutually_exclusive_group()
    chosen.add_argument("--limit", type=positive, metavar="N", help="only the first N questions")
    chosen.add_argument("--sample", type=positive, metavar="N", help="N questions, drawn by --seed")
    chosen.add_argument(
        "--questions", metavar="ID,ID", help="only these, or @FILE with an id on each line"
    )
    measure.add_argument("--seed", type=int, default=0, help="of --sample; default 0")
    measure.add_argument("--resume", metavar="ID", help="go on with an evaluation, or show it")
    measure.add_argument("--list", action="store_true", help="the evaluations that are there")
    measure.add_argument(
        "--run-file",
        action="append",
        default=[],
        metavar="FILE",
        help="a TREC run file of another program, measured beside the methods; repeatable",
    )
    measure.add_argument(
        "--drop-run-file",
        action="append",
        default=[],
        metavar="TAG",
        help="measure the run file with this tag no more; repeatable",
    )
    measure.add_argument("--baseline", metavar="METHOD", help="default: the first of the methods")
    measure.add_argument(
        "--causes",
        action="store_true",
        help="count what lost each missed gold passage, too: some 20 ms for each",
    )
    measure.add_argument("--trec", metavar="FOLDER", help="write qrels.txt and a run file a method")
    measure.add_argument("--csv", metavar="FILE", help="write a line for every question and method")
    measure.add_argument("--html", metavar="FILE", help="write a report that needs no other file")
    measure.add_argument("--force", action="store_true", help="overwrite files that are there")
    triples_and_reader_options(measure)
    answer_option(measure, "measure answers too: EM and F1 of each method and of the bounds")
    dry_run_option(measure)


def question_ids(text: str) -> list[str]:
    """`id,id`, those with commas in quotes, or the lines of `@file`. Raises BadInput where the file
    cannot be read.
    """
    if not text.startswith("@"):
        ids = next(csv.reader(io.StringIO(text, newline=""), skipinitialspace=True), [])
        return ids if text.startswith('"') else [id_.strip() for id_ in ids if id_.strip()]
    try:
        lines = Path(text[1:]).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{text[1:]} cannot be read as text in UTF-8: {error}") from error
    return [line.strip() for line in lines if line.strip()]


def names(text: str) -> list[str]:
    """`a, b` as a list; empty ones are left out, and commas in quotes part nothing."""
    return [name.strip() for name in split_quoted(text, ",") if name.strip()]
