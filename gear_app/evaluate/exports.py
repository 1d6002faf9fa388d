"""An evaluation for other tools: TREC files, and a table of its questions. What every number rests
on goes with each: as columns of the table, and as a file beside the TREC files.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from operator import attrgetter
from typing import Any

from gear_app import retrievers
from gear_app.analysis.metrics import without_itself
from gear_app.evaluate.definition import variant
from gear_app.evaluate.evaluation import Evaluation, Row
from gear_app.evaluate.results import Results
from gear_app.evaluate.run_files import is_brought, tag_of
from gear_app.evaluate.service import EvaluationService
from gear_app.events import Ranked
from gear_app.exports.trec import Scored, field, qrels_lines, run_lines
from gear_app.workspace import Workspace

QRELS, FACTS = "qrels.txt", "facts.json"
SPENT = ("spent.calls", "spent.input_tokens", "spent.output_tokens", "spent.cost")
TOOK = ("iterations", "stopped", "ms", *SPENT)
_UNSAFE = re.compile(r"[^\w.=+-]+")


def trec_files(workspace: Workspace, results: Results) -> dict[str, Iterator[str]]:
    """The lines of the judgments, of a run file a method, and of a file that says what all of them
    rest on, by file name. A run that failed has no lines, which tools count as nothing found; so
    its question is judged for no method, and a method whose runs all failed has no file.
    """
    evaluation = results.evaluation
    failed = {run.id for run in evaluation.failed if evaluation.of(run.method)}
    files = {QRELS: qrels_lines([one for one in evaluation.questions if one.id not in failed])}
    for method, name in _names(evaluation).items():
        if evaluation.of(method) or not evaluation.failed_of(method):
            files[name] = _run_lines(workspace, evaluation, method)
    told = json.dumps(trec_facts(results), ensure_ascii=False, indent=2)
    return files | {FACTS: iter([told + "\n"])}


def trec_facts(results: Results) -> dict[str, Any]:
    """What TREC files have no field for: corpus, triples, embedder, reader, depth, version and
    commit, the command, and by file name the method, its settings, and which questions' runs
    failed.
    """
    evaluation = results.evaluation
    runs: dict[str, dict[str, Any]] = {}
    for method, name in _names(evaluation).items():
        runs[name] = {"tag": field(tag_of(method) if is_brought(method) else method)}
        runs[name] |= {"method": method} | ({} if is_brought(method) else _made_by(method))
        failed = {run.id: run.why for run in evaluation.failed_of(method)}
        runs[name] |= {"questions": len(evaluation.of(method)), "failed": failed}
    return {
        "evaluation": evaluation.id,
        "facts": asdict(results.facts),
        "command": results.command,
        "judgments": QRELS,
        "runs": runs,
    }


def _made_by(method: str) -> dict[str, Any]:
    found = variant(method)
    return {
        "settings": dict(found.changes),
        "versions": retrievers.version_words(found.method),
    }


def table_csv(results: Results) -> str:
    """A line for every question and method, and for the perfect reader: its measures, ranks of the
    gold passages, what it took, its run, and what all numbers rest on. A rank that
    is not there is a dash: `3 - 8`. A run that failed has no measures, and its error.
    """
    evaluation, text = results.evaluation, io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    facts = facts_columns(results)
    heads = ["question", "type", "hops", "method", *evaluation.metrics, "ranks"]
    heads += [name.removeprefix("spent.") for name in TOOK]
    writer.writerow([*heads, "error", "run", *facts])
    questions = {one.id: one for one in evaluation.questions}
    for row in (*evaluation.rows, *evaluation.ceiling):
        asked = questions[row.id]
        ranks = " ".join("-" if rank is None else str(rank) for rank in row.ranks)
        values = [_value(row, metric) for metric in evaluation.metrics]
        known = row.run and not row.searches
        took = [attrgetter(name)(row) if known else None for name in TOOK]
        run = " ".join(row.searches) or row.run
        line = [row.id, asked.type, asked.hops, row.method, *values, ranks, *took, "", run]
        writer.writerow(_plain_line([*line, *facts.values()]))
    for failed in evaluation.failed:
        asked = questions[failed.id]
        nothing = [""] * (len(heads) - 4)
        line = [failed.id, asked.type, asked.hops, failed.method, *nothing, failed.why, failed.run]
        writer.writerow(_plain_line([*line, *facts.values()]))
    return text.getvalue()


def facts_columns(results: Results) -> dict[str, Any]:
    """What all numbers rest on, by the name of a column; a table keeps it when it is cut or put
    below another one.
    """
    told = asdict(results.facts)
    return {"evaluation": results.evaluation.id} | {
        {"k": "depth", "gold": "gold_passages"}.get(name, name): value
        for name, value in told.items()
    }


def _value(row: Row, metric: str) -> float | None:
    """A measure; None where the perfect reader is not known so deep."""
    cut = metric.partition("@")[2]
    return None if cut and int(cut) not in row.recall else row.value(metric)


def _plain_line(cells: Iterable[object]) -> list[object]:
    return ["" if cell is None else _plain(cell) for cell in cells]


def _plain(cell: object) -> object:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in ("=", "+", "@") else cell


def _names(evaluation: Evaluation) -> dict[str, str]:
    """A file name for every method, none twice."""
    names: dict[str, str] = {}
    for method in evaluation.methods:
        name = _UNSAFE.sub("_", method)
        taken = sum(other.split("~")[0] == name for other in map(_stem, names.values()))
        names[method] = f"{name}~{taken + 1}.txt" if taken else f"{name}.txt"
    return names


def _stem(name: str) -> str:
    return name.removesuffix(".txt")


def _run_lines(workspace: Workspace, evaluation: Evaluation, method: str) -> Iterator[str]:
    gold = {one.id: one.supporting_keys for one in evaluation.questions}
    themselves = EvaluationService(workspace).themselves(evaluation.collection)

    def lines(id_: str, scored: list[Scored], tag: str) -> Iterator[str]:
        """Without the question itself, where it is a passage: as it was measured."""
        itself = id_ if id_ in themselves else ""
        counted = [one for one in scored if without_itself([one.key], itself)]
        return run_lines(id_, counted, tag, gold.get(id_, ()))

    if is_brought(method):
        files = workspace.store.run_files.of(evaluation.id)
        brought = next(file for file in files if file.tag == tag_of(method))
        for id_, found in brought.rankings.items():
            yield from lines(id_, [Scored(*passage) for passage in found], brought.tag)
        return
    for row in evaluation.of(method):
        last = workspace.store.events.last(workspace.runs.get(row.run).number, Ranked)
        assert isinstance(last, Ranked)
        ranking = [Scored(passage.key, passage.score) for passage in last.ranking]
        yield from lines(row.id, ranking, method)
