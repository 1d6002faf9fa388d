"""The command `eval`: measure methods on a collection's questions."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gear_app.cli import clusters, evaluation_table, prices
from gear_app.cli.evaluation_options import (
    add_options,
    cutoffs,
    least_value,
    names,
    question_ids,
    sweep_values,
)
from gear_app.cli.options import Commands, add_command, model_asked
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
from gear_app.errors import BadInput
from gear_app.retrievers import as_paper
from gear_app.views.labels import PAPER
from gear_app.views.settings import paper_words

if TYPE_CHECKING:
    from gear_app.evaluate.definition import Definition
    from gear_app.evaluate.results import Results
    from gear_app.evaluate.service import EvaluationService
    from gear_app.workspace import Estimate, Workspace

METHODS = "hybrid,sync_ge,gear"


def add_to(commands: Commands) -> None:
    """Add `eval`."""
    add_options(add_command(commands, "eval", evaluate, json=True))


def evaluate(arguments: argparse.Namespace) -> int:
    """Measure methods on a collection's questions; 1 where runs failed, or a method has less than
    `--fail-below` asks for.
    """
    from gear_app.evaluate import results
    from gear_app.evaluate.service import EvaluationService

    if arguments.lazy:
        raise BadInput(
            "An evaluation does not extract on its way: the questions that are asked later would"
            " find more triples than those before them. Extract first: gear-app extract"
            f" --collection {arguments.collection or 'NAME'}"
        )
    workspace = open_workspace(arguments)
    service = EvaluationService(workspace)
    if arguments.list:
        return _list(service, json=arguments.json)
    least = [least_value(text) for text in arguments.fail_below]
    definition = _definition(service, arguments)
    _check_least(definition, least)
    estimate = service.estimate(definition)
    if arguments.dry_run:
        return prices.write_estimate(estimate, json=arguments.json)
    id_ = _id(service, definition, arguments)
    _bring(service, id_, arguments)
    note_loading(arguments, workspace, definition.collection)
    service.start(id_, _budget(service, id_, estimate, arguments))
    service.work(id_, _counter(id_))
    found = results.load(workspace, id_, arguments.baseline or "")
    lost = _causes(workspace, found) if arguments.causes else {}
    if arguments.json:
        write_json(found.to_json() | ({"causes": lost} if arguments.causes else {}))
    else:
        evaluation_table.write_results(found)
        _write_causes(lost)
    _write_files(workspace, found, arguments)
    gate = _gate(found, least)
    return max(_failed(found), gate)


def _failed(found: Results) -> int:
    """1 where runs failed, with how many, why, and how to make them again."""
    from gear_app.views.evaluate.words import failed_sentence

    failures = found.evaluation.failures
    if not failures:
        return 0
    note(failed_sentence(failures))
    note(f"To make them again: gear-app eval --resume {found.evaluation.id}")
    return exit_status(failures.most_common(1)[0][0])


def _causes(workspace: Workspace, found: Results) -> dict[str, Any]:
    """What lost each missed gold passage, counted."""
    from gear_app.evaluate.causes import counted

    return counted(workspace, found.evaluation)


def _write_causes(lost: Mapping[str, Any]) -> None:
    """A table of causes for each cut-off."""
    for k, methods in lost.items():
        rows = [
            [method, cause, number]
            for method, of in methods.items()
            for cause, number in of["causes"].items()
        ]
        if rows:
            write()
            write_table(["method", f"lost the gold missed at {k}", "passages"], rows)


def _definition(service: EvaluationService, arguments: argparse.Namespace) -> Definition:
    """What is to be measured: as the arguments say, or as it is stored, with methods added."""
    from gear_app.evaluate.definition import QuestionChoice, ReaderChoice, define, swept

    sweeps = _sweeps(arguments.sweep)
    if arguments.resume and arguments.reply_tokens is not None:
        raise BadInput(
            "How many tokens a reply may have is part of what is measured: begin a new evaluation"
            " with --reply-tokens, without --resume"
        )
    if arguments.resume:
        stored = service.definition(arguments.resume)
        if arguments.methods is None and not sweeps:
            return stored
        of = _methods(arguments) if arguments.methods else stored.methods
        added = swept(of, sweeps)
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
            question_ids(arguments.questions or ""),
        ),
        reading=ReaderChoice(arguments.reader, model_asked(arguments), arguments.answer),
    )


def _methods(arguments: argparse.Namespace) -> list[str]:
    """The methods that are named, or the usual ones; where asked, with their papers' settings, and
    a note of those that have no others.
    """
    from gear_app.evaluate.definition import variant, with_paper

    named = names(arguments.methods or METHODS)
    if not arguments.as_paper:
        return named
    for method in dict.fromkeys(variant(words).method for words in named):
        if not as_paper(method):
            note(f"{method} {PAPER}: {paper_words(method)}")
    return [with_paper(words) for words in named]


def _sweeps(texts: Sequence[str]) -> dict[str, list[str]]:
    """The settings with their values. Raises BadInput where one is named two times."""
    found: dict[str, list[str]] = {}
    for name, values in map(sweep_values, texts):
        if name in found:
            raise BadInput(f"--sweep {name} is there twice. Give all values at once, as {name}=1,5")
        found[name] = values
    return found


def _id(service: EvaluationService, definition: Definition, arguments: argparse.Namespace) -> str:
    if not arguments.resume:
        return service.create(definition)
    service.set_methods(arguments.resume, definition.methods)
    return str(arguments.resume)


def _bring(service: EvaluationService, id_: str, arguments: argparse.Namespace) -> None:
    """Add run files, and take some out. Raises BadInput and Unknown."""
    from gear_app.evaluate.run_files import opened

    for tag in arguments.drop_run_file:
        service.drop_file(id_, tag)
    for name in arguments.run_file:
        try:
            with Path(name).open("rb") as file, opened(file, name) as lines:
                service.bring(id_, lines, str(Path(name).absolute()))
        except OSError as error:
            raise BadInput(f"{name} cannot be read: {error.strerror}") from error


def _check_least(definition: Definition, least: Sequence[tuple[str, float]]) -> None:
    """Raise BadInput for a measure that is not measured, before anything is."""
    from gear_app.evaluate.breakdown import check_metric
    from gear_app.evaluate.evaluation import Evaluation

    planned = Evaluation(
        definition.collection, (), (), ks=definition.ks, answered=definition.answer
    )
    for metric, _ in least:
        check_metric(planned, metric)


def _gate(found: Results, least: Sequence[tuple[str, float]]) -> int:
    """1 where a method has less of a measure than is asked for, or none of it, or where questions
    were not measured or failed under it, each with a note.
    """
    failed = 0
    for method in found.evaluation.methods if least else ():
        summary = found.evaluation.summary(method)
        left = len(summary["not_measured"])
        if left or summary["failed"]:
            note(f"{method}: {left} of its questions not measured, {summary['failed']} failed")
            failed = 1
    for metric, value in least:
        for method in found.evaluation.methods:
            measured = found.comparison.of(method, metric)
            has = measured.mean.value if measured else None
            if has is None or has < value:
                words = "was not measured" if has is None else f"is {has:.4f}"
                note(f"{method}: {metric} {words}, below {value:g}")
                failed = 1
    return failed


def _budget(
    service: EvaluationService, id_: str, estimate: Estimate | None, arguments: argparse.Namespace
) -> int | None:
    """What all runs may take together: as much as is said, else as was said before, else what the
    estimate proposes beside what was taken before.
    """
    if estimate is None:
        return None
    kept, taken = service.get(id_).budget, service.taken(id_)
    budget = prices.budget_in_force(estimate, arguments.budget, kept)
    return budget + taken if arguments.budget is None and kept is None else budget


def _counter(id_: str) -> Any:  # noqa: ANN401
    """Writes how far it is, every two seconds, and how to go on."""
    progress = Progress()

    def tell(found: Any) -> None:  # noqa: ANN401
        progress(
            f"{found.ended:,} of {found.total:,} runs done; to go on after an interruption:"
            f" gear-app eval --resume {id_}"
        )

    return tell


def _list(service: EvaluationService, *, json: bool) -> int:
    """The evaluations that are there, the newest first."""
    rows = []
    for one in service.all():
        progress, definition = service.progress(one.id), service.definition(one.id)
        rows.append(
            {
                "evaluation": one.id,
                "collection": one.collection,
                "methods": list(definition.methods),
                "questions": len(definition.questions),
                "state": progress.state,
                "done": progress.ended,
                "runs": progress.total,
                "created": one.created,
            }
        )
    if json:
        write_json(rows)
    elif rows:
        heads = [name for name in rows[0] if name != "methods"]
        methods = [", ".join(service.definition(one.id).methods) for one in service.all()]
        cells = [
            [*(row[name] for name in heads), words]
            for row, words in zip(rows, methods, strict=True)
        ]
        write_table([*heads, "methods"], cells)
    else:
        write("Nothing was evaluated yet. Run: gear-app eval --collection NAME")
    return 0


def _write_files(workspace: Workspace, found: Results, arguments: argparse.Namespace) -> None:
    """The files that were asked for."""
    from gear_app.evaluate.exports import table_csv, trec_files

    files: dict[Path, Any] = {}
    if arguments.trec:
        lines = trec_files(workspace, found)
        files |= {Path(arguments.trec) / name: text for name, text in lines.items()}
    if arguments.csv:
        files[Path(arguments.csv)] = [table_csv(found)]
    if arguments.html:
        from gear_app.views.evaluate.sections import report

        files[Path(arguments.html)] = [report(found)]
    for path, pieces in files.items():
        write_file(path, pieces, force=arguments.force)
        note(f"written: {path}")
