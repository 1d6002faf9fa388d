"""The command `eval`: measure methods on a collection's questions."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gear_app.cli import clusters, prices
from gear_app.cli.output import (
    Progress,
    exit_status,
    note,
    open_workspace,
    write,
    write_file,
    write_json,
    write_table,
)
from gear_app.errors import BadInput
from gear_app.reader import LLM_READER
from gear_app.text import count
from gear_app.workspace import Estimate, Options, Spent, Workspace

if TYPE_CHECKING:
    from gear_app.evaluate.definition import Definition
    from gear_app.evaluate.evaluation import Evaluation, Row
    from gear_app.evaluate.results import Results
    from gear_app.evaluate.service import EvaluationService

NAMED = 10  # questions that are named where they were not measured
METHODS = "hybrid,sync_ge,gear"
MARKS = {"above": "▲", "below": "▼", "same": "·", "": ""}


def evaluate(arguments: argparse.Namespace) -> int:
    """Measure methods on a collection's questions; 1 where a model failed, or a method has less
    than `--fail-below` asks for.

    A run that failed is a row with recall 0, and no failure of the command.
    """
    from gear_app.evaluate import results
    from gear_app.evaluate.measure import not_lazily
    from gear_app.evaluate.service import EvaluationService

    if arguments.lazy:
        raise BadInput(not_lazily(arguments.collection or "NAME"))
    workspace = open_workspace(arguments)
    service = EvaluationService(workspace)
    if arguments.list:
        return _list(service, json=arguments.json)
    least = [_least(text) for text in arguments.fail_below]
    definition = _definition(service, arguments)
    _check_least(definition, least)
    estimate = _estimate(workspace, definition)
    if arguments.dry_run:
        return prices.write_estimate(estimate, json=arguments.json)
    id_ = _id(service, definition, arguments)
    _bring(service, id_, arguments)
    service.start(id_, _budget(service, id_, estimate, arguments))
    service.work(id_, _counter(id_))
    found = results.load(workspace, id_, arguments.baseline or "")
    for row in found.evaluation.rows:
        if row.error:
            note(f"{row.method}, {row.id}: {row.error}")
    if arguments.json:
        write_json(found.to_json())
    else:
        _write_results(found)
    _write_files(workspace, found, arguments)
    return max(exit_status(found.evaluation.failure), _gate(found, least))


def _definition(service: EvaluationService, arguments: argparse.Namespace) -> Definition:
    """What is to be measured: as the arguments say, or as it is stored, with methods added."""
    from gear_app.evaluate.definition import define, swept

    sweeps = dict(_sweep(text) for text in arguments.sweep)
    if arguments.resume:
        stored = service.definition(arguments.resume)
        if arguments.methods is None and not sweeps:
            return stored
        added = swept(_names(arguments.methods or ""), sweeps) if arguments.methods else ()
        return stored.with_methods([*stored.methods, *added])
    if not arguments.collection:
        raise BadInput("Say what to measure on: --collection NAME, or --resume ID, or --list")
    return define(
        service.workspace,
        clusters.name_here(arguments, service.workspace),
        swept(_names(arguments.methods or METHODS), sweeps),
        ks=_cutoffs(arguments.k),
        triples=arguments.triples,
        limit=arguments.limit,
        sample=arguments.sample,
        seed=arguments.seed,
        questions=_question_ids(arguments.questions or ""),
        reader=arguments.reader,
        answer=arguments.answer,
    )


def _id(service: EvaluationService, definition: Definition, arguments: argparse.Namespace) -> str:
    if not arguments.resume:
        return service.create(definition)
    service.set_methods(arguments.resume, definition.methods)
    return str(arguments.resume)


def _bring(service: EvaluationService, id_: str, arguments: argparse.Namespace) -> None:
    """Add run files, and take some out. Raises BadInput and Unknown."""
    for tag in arguments.drop_run_file:
        service.drop_file(id_, tag)
    for name in arguments.run_file:
        try:
            with Path(name).open(encoding="utf-8-sig") as lines:
                service.bring(id_, lines, Path(name).name)
        except OSError as error:
            raise BadInput(f"{name} cannot be read: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise BadInput(f"{name} is no text in UTF-8.") from error


def _question_ids(text: str) -> list[str]:
    """`id,id`, or the lines of `@file`. Raises BadInput where the file cannot be read."""
    if not text.startswith("@"):
        return _names(text)
    try:
        lines = Path(text[1:]).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{text[1:]} cannot be read as text in UTF-8: {error}") from error
    return [line.strip() for line in lines if line.strip()]


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _sweep(text: str) -> tuple[str, list[str]]:
    """`width=1,5` as a setting and its values. Raises BadInput."""
    name, _, values = text.partition("=")
    if not name.strip() or not _names(values):
        raise BadInput(f"--sweep takes a setting and its values, as in width=1,5,10, not {text!r}")
    return name.strip(), _names(values)


def _least(text: str) -> tuple[str, float]:
    """`recall@5=0.6` as a measure and its least value. Raises BadInput."""
    name, _, value = text.partition("=")
    try:
        return name.strip(), float(value)
    except ValueError as error:
        raise BadInput(
            f"--fail-below takes a measure and its least value, as in recall@5=0.6, not {text!r}"
        ) from error


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
    """1 where a method has less of a measure than is asked for, or none of it, each with a note."""
    failed = 0
    for metric, value in least:
        for method in found.evaluation.methods:
            measured = found.comparison.of(method, metric)
            has = measured.mean.value if measured else None
            if has is None or has < value:
                words = "was not measured" if has is None else f"is {has:.4f}"
                note(f"{method}: {metric} {words}, below {value:g}")
                failed = 1
    return failed


def _estimate(workspace: Workspace, definition: Definition) -> Estimate | None:
    """What it will cost; None where no language model is asked."""
    from gear_app.evaluate.definition import variant

    if definition.reader != LLM_READER:
        return None
    return workspace.costs.estimate_evaluation(
        definition.collection,
        [variant(words) for words in definition.methods],
        len(definition.questions),
        triples=definition.triples,
        k=max(definition.ks),
        options=Options(answer=definition.answer),
    )


def _budget(
    service: EvaluationService, id_: str, estimate: Estimate | None, arguments: argparse.Namespace
) -> int | None:
    """What all runs may take together: as much as is said, else what the estimate proposes beside
    what was taken before.
    """
    if estimate is None:
        return None
    if arguments.budget is None:
        return service.taken(id_) + int(prices.budget_in_force(estimate, None) or 0)
    return prices.budget_in_force(estimate, arguments.budget)


def _cutoffs(text: str) -> list[int]:
    """`5,10,15` as numbers, in order, each once. Raises BadInput."""
    try:
        ks = sorted({int(k) for k in text.split(",")})
    except ValueError:
        ks = []
    if not ks or ks[0] < 1:
        raise BadInput(f"--k takes cut-offs such as 5,10,15, not {text!r}")
    return ks


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
        from gear_app.views.evaluate.report import page

        files[Path(arguments.html)] = [page(found)]
    for path, pieces in files.items():
        write_file(path, pieces, force=arguments.force)
        note(f"written: {path}")


def _write_results(found: Results) -> None:
    evaluation, ks = found.evaluation, found.evaluation.ks
    summaries = [evaluation.summary(method) for method in evaluation.methods]
    rows = max((evaluation.of(method) for method in evaluation.methods), key=len)
    questions = len(rows) or len(evaluation.unmeasured[evaluation.methods[0]])
    facts = found.facts
    told = count(questions, "question with gold", "questions with gold")
    write(f"{facts.collection}: {told}, {count(facts.passages, 'passage')}\n")
    costs = any(summary["calls"] for summary in summaries)
    heads = ["method", "n", *(f"R@{k}" for k in ks), *(f"all@{k}" for k in ks)]
    heads += ["MRR", f"nDCG@{_deep(ks)}", "ms p50", "ms p95", "failed"]
    heads += ["EM", "F1"] if evaluation.answered else []
    heads += prices.HEADS if costs else ()
    several = len(evaluation.methods) > 1
    heads += [f"R@{ks[0]} over baseline", "p (Holm)"] if several else []
    write_table(
        heads,
        [
            _cells(summary, ks, costs=costs)
            + (_against(found, summary["method"]) if several else [])
            for summary in summaries
        ],
    )
    for line in (*_remarks(found, rows), *_bounds(evaluation), *_left_out(evaluation)):
        write(line)


def _deep(ks: Sequence[int]) -> int:
    """The cut-off of nDCG in the table: 10, as papers have it, where it is measured."""
    return 10 if 10 in ks else ks[-1]


def _cells(summary: dict[str, Any], ks: Sequence[int], *, costs: bool) -> list[object]:
    recalls = [_percent(summary[of][str(k)]) for of in ("recall", "all_recall") for k in ks]
    ranks = [summary["mrr"], summary["ndcg"][str(_deep(ks))]]
    fractions = ["" if value is None else f"{value:.3f}" for value in ranks]
    times = [summary[name] for name in ("ms_p50", "ms_p95")]
    told = [f"{ms:.0f}" if summary["n"] and ms is not None else "" for ms in times]
    answers = [_percent(summary[name]) for name in ("em", "f1") if name in summary]
    cells = [summary["method"], summary["n"], *recalls, *fractions, *told, summary["failed"]]
    cells += answers
    if costs and summary["calls"] is None:
        cells += [""] * len(prices.HEADS)
    elif costs:
        calls, kept, unusable = (summary[name] for name in ("calls", "kept", "unusable"))
        tokens = summary["tokens"]
        spent = Spent(calls, kept, unusable, tokens["input"], tokens["output"], summary["cost"])
        cells += prices.cells(spent)
    return cells


def _against(found: Results, method: str) -> list[object]:
    """How far recall is above the baseline's, and its corrected p-value."""
    measured = found.comparison.of(method, f"recall@{found.evaluation.ks[0]}")
    if measured is None or measured.difference is None or measured.corrected is None:
        return ["baseline" if method == found.comparison.baseline else "", ""]
    value, low, high = (100 * part for part in measured.difference)
    mark = MARKS[measured.verdict]
    return [f"{value:+.1f} ({low:.1f} to {high:.1f}) {mark}", f"{measured.corrected:.4f}"]


def _percent(mean: float | None) -> str:
    return "" if mean is None else f"{100 * mean:.1f}"


def _remarks(found: Results, rows: Sequence[Row]) -> Iterator[str]:
    """What the table rests on, and what it cannot show."""
    from gear_app.views.evaluate.words import facts_line

    yield from _ceilings(rows, found.evaluation.ks)
    if tests := found.comparison.tests:
        yield (
            f"▲ above, ▼ below, · cannot be told from {found.comparison.baseline}: paired"
            f" randomisation tests, Holm's correction for {count(tests, 'test')} a measure, 5 %."
        )
    yield from (one.sentence(found.facts.k) for one in found.evaluation.brought)
    yield from _perfect(found.to_json()["ceiling"])
    yield from _before_after(found)
    yield from _effects(found)
    yield f"All of it: {facts_line(found.facts)}"
    yield f"Evaluation {found.evaluation.id}. The same again: {found.command}"


def _perfect(ceiling: Mapping[str, Any]) -> Iterator[str]:
    """What a reader that knows every sub-question and answer would find."""
    if ceiling["n"]:
        values = ", ".join(f"R@{k} {_percent(value)}" for k, value in ceiling["recall"].items())
        whole = ", ".join(f"all@{k} {_percent(v)}" for k, v in ceiling["all_recall"].items())
        yield (
            f"A perfect reader, who knows the sub-questions and their answers, has {values},"
            f" {whole} ({count(ceiling['n'], 'question')})."
        )


def _before_after(found: Results) -> Iterator[str]:
    """What became of a set's questions since they were picked."""
    from gear_app.evaluate.question_set import before_after

    k = found.evaluation.ks[0]
    for one in before_after(found.evaluation, k):
        yield (
            f"{one.method}: R@{k} {_percent(one.before)} when the questions were picked,"
            f" {_percent(one.after)} now; {one.found} gold passages found since, {one.lost} lost"
            f" (p {one.p:.4f})."
        )


def _effects(found: Results) -> Iterator[str]:
    """The mean effect of every setting that has several values."""
    from gear_app.evaluate.configurations import effects

    metric = f"recall@{found.evaluation.ks[0]}"
    by_setting: dict[str, list[str]] = {}
    for one in effects(found.evaluation, metric):
        by_setting.setdefault(one.setting, []).append(f"{one.value}: {_percent(one.mean)}")
    for setting, means in by_setting.items():
        yield f"Mean R@{found.evaluation.ks[0]} by {setting}: {', '.join(means)}"


def _ceilings(rows: Sequence[Row], ks: Sequence[int]) -> Iterator[str]:
    """The most that R@k can be, where some questions have more than k gold passages."""
    for k in ks if rows else ():
        ceiling = sum(min(k, row.gold) / row.gold for row in rows) / len(rows)
        if ceiling < 1:
            yield (
                f"R@{k} cannot exceed {100 * ceiling:.1f} here: some questions have more than {k}"
                " gold passages."
            )


def _bounds(evaluation: Evaluation) -> Iterator[str]:
    """What EM and F1 are over, and what answers from the gold passages and from none come to."""
    if not evaluation.answered:
        return
    bounds = evaluation.bounds
    known = bounds["gold"]["n"]
    if not known:
        yield "EM and F1 are not defined: no answer is known for any of these questions."
        return
    yield f"EM and F1 of the questions with known answers ({known:,}). Bounds:"
    for source, words in (("gold", "from the gold passages"), ("nothing", "without passages")):
        em, f1 = _percent(bounds[source]["em"]), _percent(bounds[source]["f1"])
        yield f"    {words}: EM {em}, F1 {f1}"


def _left_out(evaluation: Evaluation) -> Iterator[str]:
    """What the budget left out; these questions are in no mean of the table."""
    for method, ids in evaluation.unmeasured.items():
        more = f" and {len(ids) - NAMED:,} more" if len(ids) > NAMED else ""
        questions = "1 question" if len(ids) == 1 else f"{len(ids):,} questions"
        yield f"Not measured with {method}: {questions} ({', '.join(ids[:NAMED])}{more})."
    if evaluation.reached:
        yield evaluation.reached
