"""An evaluation for other tools: TREC files, and a table of its questions."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

from gear_app.evaluate.evaluation import Evaluation
from gear_app.evaluate.run_files import is_brought, tag_of
from gear_app.events import Ranked
from gear_app.exports.trec import Scored, qrels_lines, run_lines
from gear_app.workspace import Workspace

QRELS = "qrels.txt"
_UNSAFE = re.compile(r"[^\w.=+-]+")


def trec_files(workspace: Workspace, evaluation: Evaluation) -> dict[str, Iterator[str]]:
    """The lines of the judgments and of a run file a method, by file name. A run that failed has no
    lines, which tools count as nothing found.
    """
    files = {QRELS: qrels_lines(evaluation.questions)}
    for method, name in _names(evaluation).items():
        files[name] = _run_lines(workspace, evaluation, method)
    return files


def table_csv(evaluation: Evaluation) -> str:
    """A line for every question and method: its measures, ranks of the gold passages, what it took,
    and its run. A rank that is not there is empty between the blanks' places: `3 - 8`.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    facts = ["iterations", "stopped", "ms", "calls", "input_tokens", "output_tokens", "cost"]
    heads = ["question", "type", "hops", "method", *evaluation.metrics, "ranks", *facts]
    writer.writerow([*heads, "error", "run"])
    questions = {one.id: one for one in evaluation.questions}
    for row in evaluation.rows:
        asked = questions[row.id]
        ranks = " ".join("-" if rank is None else str(rank) for rank in row.ranks)
        values = [row.value(metric) for metric in evaluation.metrics]
        took = [getattr(row, name) if row.run else None for name in facts]
        cells = [row.id, asked.type, asked.hops, row.method, *values, ranks, *took, row.error]
        writer.writerow(["" if cell is None else _plain(cell) for cell in (*cells, row.run)])
    return text.getvalue()


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
    if is_brought(method):
        files = workspace.store.run_files.of(evaluation.id)
        brought = next(file for file in files if file.tag == tag_of(method))
        for id_, found in brought.rankings.items():
            scored = [Scored(*passage) for passage in found]
            yield from run_lines(id_, scored, brought.tag, gold.get(id_, ()))
        return
    for row in evaluation.of(method):
        if row.error:
            continue
        last = workspace.store.events.last(workspace.runs.get(row.run).number, Ranked)
        assert isinstance(last, Ranked)
        ranking = [Scored(passage.key, passage.score) for passage in last.ranking]
        yield from run_lines(row.id, ranking, method, gold[row.id])
