"""The command `eval`: measure methods on a collection's questions."""

from __future__ import annotations

import argparse
import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gear_app.cli import clusters, report
from gear_app.cli.options import (
    ADOPTED,
    ANY_COLLECTION,
    BUDGET,
    DRY_RUN,
    FORCE,
    JSON,
    READER,
    REPLY,
    SET,
    command,
    flag,
    option,
    positive,
    requested_model,
    several,
)
from gear_app.cli.output import Progress, emit, exit_status, note, open_workspace, table, write_file
from gear_app.core.errors import BadInput
from gear_app.core.text import count, split_quoted
from gear_app.display.labels import PAPER
from gear_app.display.settings import paper_words
from gear_app.methods import as_paper

if TYPE_CHECKING:
    from gear_app.display.evaluate.sections import Section
    from gear_app.evaluation.definition import Definition
    from gear_app.evaluation.evaluation import Evaluation
    from gear_app.evaluation.results import Results
    from gear_app.evaluation.service import EvaluationService
    from gear_app.workspace.runs.costs import Estimate
    from gear_app.workspace.workspace import Workspace

METHODS = "hybrid,sync_ge,gear"
FIXED = ("k", "limit", "sample", "questions", "seed", "triples", "reader", "reply_tokens", "answer")
SECTIONS = ("before", "found")  # printed below the measures


@command(
    "eval",
    JSON,
    ADOPTED,
    ANY_COLLECTION,
    option(
        "--methods",
        help="with commas between, settings after a space (values with blanks in quotes), as in"
        f" 'hybrid,gear width=5'; default {METHODS}. With --resume: methods to add",
    ),
    several(
        "--sweep",
        "NAME=V,V",
        "every method that has the setting with each of these values; two of them make a grid",
    ),
    flag(
        "--as-paper",
        "every method as its paper has it, where our defaults are others; 'gear,gear as-paper'"
        " measures both",
    ),
    option("--k", help="cut-offs; default 5,10,15"),
    [
        option("--limit", type=positive, metavar="N", help="only the first N questions"),
        option("--sample", type=positive, metavar="N", help="N questions, drawn by --seed"),
        option("--questions", metavar="ID,ID", help="only these, or @FILE with an id on each line"),
    ],
    option("--seed", type=int, help="of --sample; default 0"),
    option("--resume", metavar="ID", help="go on with an evaluation, or show it"),
    flag("--list", "the evaluations that are there"),
    several(
        "--run-file",
        "FILE",
        "a TREC run file of another program, measured beside the methods",
    ),
    option("--baseline", metavar="METHOD", help="default: the first of the methods"),
    flag("--causes", "count what lost each missed gold passage, too: some 20 ms for each"),
    option("--trec", metavar="FOLDER", help="write qrels.txt and a run file a method"),
    option("--csv", metavar="FILE", help="write a line for every question and method"),
    option("--html", metavar="FILE", help="write a report that needs no other file"),
    FORCE,
    SET,
    READER,
    BUDGET,
    REPLY,
    flag("--answer", "measure answers too: EM and F1 of each method and of the bounds"),
    DRY_RUN,
)
def evaluate(arguments: argparse.Namespace) -> int:
    """Measure methods on a collection's questions; 1 if runs failed."""
    from gear_app.evaluation import results
    from gear_app.evaluation.service import EvaluationService
    from gear_app.workspace.runs.request import ALL_RIGHTS

    workspace = open_workspace(arguments)
    service = EvaluationService(workspace, ALL_RIGHTS)
    if arguments.list:
        return _list(service, arguments)
    definition = _definition(service, arguments)
    estimate = service.estimate(definition)
    if arguments.dry_run:
        return report.write_estimate(arguments, estimate)
    id_ = arguments.resume or service.create(definition)
    service.set_methods(id_, definition.methods)
    for name in arguments.run_file:
        service.add_file(id_, _content(name), name)
    progress = Progress()
    service.start(id_, _budget(service, id_, estimate, arguments))
    service.work(
        id_,
        lambda counts: progress(
            f"{counts.ended:,} of {counts.total:,} runs done; to go on after an interruption:"
            f" gear-app eval --resume {id_}"
        ),
    )
    loaded = results.load(workspace, id_, arguments.baseline or "")
    causes = _causes(workspace, loaded) if arguments.causes else {}
    value = loaded.to_json()
    if arguments.causes:
        numbers = {k: section.table.numbers.fillna(0).astype(int) for k, section in causes.items()}
        value["causes"] = {k: frame.to_dict() for k, frame in numbers.items()}
    emit(arguments, value, *([] if arguments.json else _lines(loaded, causes.values())))
    _write_files(workspace, loaded, arguments)
    failures = Counter(loaded.evaluation.failed["failure"])
    if not failures:
        return 0
    note(
        f"{count(failures.total(), 'run')} failed; failed runs are in no number. Again: gear-app"
        f" eval --resume {id_}"
    )
    return exit_status(failures.most_common(1)[0][0])


def _definition(service: EvaluationService, arguments: argparse.Namespace) -> Definition:
    """The definition that the arguments give, or the stored one with methods added. Raises BadInput
    for options that a resumed evaluation would ignore.
    """
    from gear_app.evaluation.definition import Definition, QuestionChoice, cutoffs, define
    from gear_app.evaluation.variants import sweep_of, swept, variant

    sweeps = dict(map(sweep_of, arguments.sweep))
    stored = service.definition(arguments.resume) if arguments.resume else None
    named = split_quoted(arguments.methods or METHODS, ",")
    if stored and not arguments.methods:
        named = list(stored.methods)
    methods = [words.strip() for words in named if words.strip()]
    if arguments.as_paper:
        for method in dict.fromkeys(variant(words).method for words in methods):
            if not as_paper(method):
                note(f"{method} {PAPER}: {paper_words(method)}")
        methods = [str(variant(words).with_paper()) for words in methods]
    if stored:
        clusters.address(arguments)  # whose login the environment has
        values = vars(arguments)
        ignored = [name for name in FIXED if values[name] not in (None, False, "local")]
        if ignored:
            options = ", ".join(f"--{name.replace('_', '-')}" for name in ignored)
            raise BadInput(
                f"--resume would ignore {options}: the evaluation that is resumed defines its"
                " questions, cut-offs, triples and reader."
            )
        return stored.with_methods([*stored.methods, *swept(methods, sweeps)])
    if not arguments.collection:
        raise BadInput("Say what to measure on: --collection NAME, or --resume ID, or --list")
    ids = tuple(question_ids(arguments.questions or ""))
    draft = Definition(
        clusters.name_here(arguments, service.workspace),
        swept(methods, sweeps),
        ks=cutoffs(arguments.k or "5,10,15"),
        triples=arguments.triples,
        reader=arguments.reader,
        answer=arguments.answer,
        choice=QuestionChoice(arguments.limit, arguments.sample, arguments.seed or 0, ids),
    )
    return define(service.workspace, draft, requested_model(arguments))


def question_ids(text: str) -> list[str]:
    """`id,id`, those with commas in quotes, or the lines of `@file`. Raises BadInput for a file
    that cannot be read.
    """
    if text.startswith("@"):
        ids = _content(text[1:]).decode("utf-8-sig", errors="replace").splitlines()
    else:
        ids = next(csv.reader(io.StringIO(text, newline=""), skipinitialspace=True), [])
    return [id_.strip() for id_ in ids if id_.strip()]


def _content(name: str) -> bytes:
    try:
        return Path(name).read_bytes()
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
    stored = service.workspace.store.evaluations.get(id_)
    budget = report.budget_in_force(estimate, arguments.budget, stored.budget)
    new = arguments.budget is None and stored.budget is None
    return budget + stored.taken if new else budget


def _list(service: EvaluationService, arguments: argparse.Namespace) -> int:
    rows: list[dict[str, Any]] = []
    for stored in service.workspace.store.evaluations.all():
        progress, definition = service.progress(stored.id), service.definition(stored.id)
        rows.append(
            {
                "evaluation": stored.id,
                "collection": stored.collection,
                "questions": len(definition.questions),
                "state": progress.state,
                "done": progress.ended,
                "runs": progress.total,
                "created": stored.created,
                "methods": list(definition.methods),
            }
        )
    if not rows:
        return emit(arguments, [], "Nothing was evaluated yet: gear-app eval --collection NAME")
    cells = [[*list(row.values())[:-1], ", ".join(row["methods"])] for row in rows]
    return emit(arguments, rows, table(list(rows[0]), cells))


def _causes(workspace: Workspace, results: Results) -> dict[str, Section]:
    from gear_app.display.evaluate import sections
    from gear_app.evaluation.tables import missed_passages

    return {
        str(k): sections.causes(results, missed_passages(workspace, results.evaluation, k), k)
        for k in results.evaluation.ks
    }


def _lines(results: Results, causes: Iterable[Section]) -> Iterator[str]:
    """The verdict, the tables of an evaluation, and the conditions of their numbers."""
    from gear_app.display.evaluate import sections, words

    evaluation, facts, k = results.evaluation, results.facts, results.evaluation.ks[0]
    questions = count(len(evaluation.questions), "question with gold", "questions with gold")
    yield f"{facts.collection}: {questions}, {count(facts.passages, 'passage')}"
    yield f"{words.verdict(results, k)}\n"
    listed = ("measures", *SECTIONS)
    chosen = [section for section in sections.result(results, k) if section.key in listed]
    for section in (*sorted(chosen, key=lambda section: section.key != "measures"), *causes):
        rows = zip(section.rows, section.words.to_numpy().tolist(), strict=True)
        yield f"{section.title}: {section.note}"
        yield table(["method", *section.words.columns], [[name, *row] for name, row in rows]) + "\n"
        heads: dict[str, list[str]] = {}
        for head, meaning in section.help.items():
            heads.setdefault(meaning, []).append(head)
        yield from (f"{', '.join(names)}: {meaning}" for meaning, names in heads.items())
    yield from (*words.remarks(results), *_bounds(evaluation), *_unmeasured(evaluation))
    yield f"Conditions: {words.facts_line(facts)}"
    yield f"Evaluation {evaluation.id}. The same again: {results.command}"


def _bounds(evaluation: Evaluation) -> Iterator[str]:
    for source, words in (("gold", "from the gold passages"), ("nothing", "without passages")):
        bound = evaluation.bounds[source]
        if bound["n"]:
            answers = count(bound["n"], "question")
            yield f"Answers {words}: EM {bound['em']:.3f}, F1 {bound['f1']:.3f} ({answers})"


def _unmeasured(evaluation: Evaluation) -> Iterator[str]:
    """Questions that the budget left out; they are in no mean of the table."""
    for method, ids in evaluation.unmeasured.items():
        yield f"Not measured with {method}: {count(len(ids), 'question')} ({', '.join(ids)})."
    if evaluation.reached:
        yield evaluation.reached


def _write_files(workspace: Workspace, results: Results, arguments: argparse.Namespace) -> None:
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
