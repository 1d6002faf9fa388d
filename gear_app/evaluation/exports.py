"""An evaluation for other tools: TREC files, and a table of its questions. Each has the conditions
of every number: the table as columns, the TREC files as a file beside them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from gear_app import methods as retrievers
from gear_app.core.text import csv_table
from gear_app.core.types import Question
from gear_app.evaluation.evaluation import Evaluation, none, ranks_by_question
from gear_app.evaluation.results import Results
from gear_app.evaluation.service import EvaluationService
from gear_app.evaluation.trec import Scored, field, qrels_lines, run_lines
from gear_app.evaluation.variants import is_file, tag_of, variant
from gear_app.store.evaluations import ORACLE
from gear_app.trace.events import Ranked
from gear_app.trace.metrics import without_itself
from gear_app.workspace.workspace import Workspace

QRELS, FACTS = "qrels.txt", "facts.json"
COSTS = ("iterations", "stopped", "ms", "calls", "input_tokens", "output_tokens", "cost")
COUNTS = ("iterations", "calls", "input_tokens", "output_tokens")
RENAMED = {"k": "depth", "gold": "gold_passages"}
_UNSAFE = re.compile(r"[^\w.=+-]+")


def trec_files(workspace: Workspace, results: Results) -> dict[str, Iterator[str]]:
    """Lines of the judgments, of a run file a method, and of the facts, by file name. A failed run
    has no lines, which tools count as nothing found; so its question is judged for no method, and a
    method whose runs all failed has no file.
    """
    evaluation, names = results.evaluation, _names(results.evaluation)
    empty = [method for method in names if evaluation.of(method).empty]
    failed = evaluation.failed[~evaluation.failed["method"].isin(empty)]
    ids = set(failed["question"])
    judged = [question for question in evaluation.questions if question.id not in ids]
    files = {QRELS: qrels_lines(judged)}
    for method, name in names.items():
        if method not in empty or evaluation.failed_of(method).empty:
            files[name] = _run_lines(workspace, evaluation, method)
    facts = json.dumps(trec_facts(results), ensure_ascii=False, indent=2)
    return files | {FACTS: iter([facts + "\n"])}


def trec_facts(results: Results) -> dict[str, Any]:
    """Conditions that TREC files have no field for, the command, and by file name the method, its
    settings, and the questions whose runs failed.
    """
    evaluation = results.evaluation
    runs: dict[str, dict[str, Any]] = {}
    for method, name in _names(evaluation).items():
        facts: dict[str, Any] = {"tag": field(tag_of(method)), "method": method}
        if not is_file(method):
            parsed = variant(method)
            facts |= {"settings": dict(parsed.changes)}
            facts |= {"versions": retrievers.version_words(parsed.method)}
        failed = evaluation.failed_of(method)
        facts |= {"questions": len(evaluation.of(method))}
        runs[name] = facts | {
            "failed": dict(zip(failed["question"], failed["failure"], strict=True))
        }
    return {
        "evaluation": evaluation.id,
        "facts": asdict(results.facts),
        "command": results.command,
        "judgments": QRELS,
        "runs": runs,
    }


def table_csv(results: Results) -> str:
    """A row for every question and method, and for the oracle decomposition: measures, ranks of the
    gold passages (`3 – 8`: the second is not ranked), costs, run, and the facts as columns. A
    failed run has no measures, and its error.
    """
    evaluation = results.evaluation
    facts = {"evaluation": evaluation.id}
    facts |= {RENAMED.get(name, name): value for name, value in asdict(results.facts).items()}
    heads = ["question", "type", "hops", "method", *evaluation.metrics, "ranks", *COSTS]
    rows: list[list[object]] = [[*heads, "error", "run", *facts]]
    questions = {question.id: question for question in evaluation.questions}
    for method in (*evaluation.methods, ORACLE):
        ranks = ranks_by_question(evaluation.gold_of(method))
        for row in evaluation.of(method).to_dict("records"):
            places = ranks[row["question"]].values()
            row["ranks"] = " ".join("–" if rank is None else str(rank) for rank in places)
            rows.append(_line(row, questions[row["question"]], heads, facts))
    for row in evaluation.failed.to_dict("records"):
        costs = dict.fromkeys(COSTS)
        rows.append(_line(row | costs, questions[row["question"]], heads, facts))
    return csv_table(rows)


def _line(
    row: Mapping[Any, Any], question: Question, heads: list[str], facts: Mapping[str, Any]
) -> list[object]:
    cells = {**row, "type": question.type, "hops": question.hops}
    cells |= {name: int(row[name]) for name in COUNTS if none(row[name]) is not None}
    run = " ".join(row["searches"].values()) or row["run"]
    values = [none(cells.get(name)) for name in heads]
    values += [row["failure"], run, *facts.values()]
    return ["" if value is None else value for value in values]


def _names(evaluation: Evaluation) -> dict[str, str]:
    """A unique file name for every method."""
    names: dict[str, str] = {}
    for method in evaluation.methods:
        name = _UNSAFE.sub("_", method)
        stems = [other.removesuffix(".txt").split("~")[0] for other in names.values()]
        names[method] = f"{name}~{stems.count(name) + 1}.txt" if name in stems else f"{name}.txt"
    return names


def _run_lines(workspace: Workspace, evaluation: Evaluation, method: str) -> Iterator[str]:
    """Rankings as they were measured: without the question itself if it is a passage."""
    gold = {question.id: question.supporting_keys for question in evaluation.questions}
    in_corpus = EvaluationService(workspace).questions_in_corpus(evaluation.collection)
    for id_, ranking in _rankings(workspace, evaluation, method):
        itself = id_ if id_ in in_corpus else ""
        counted = [passage for passage in ranking if without_itself([passage.key], itself)]
        yield from run_lines(id_, counted, tag_of(method), gold.get(id_, ()))


def _rankings(
    workspace: Workspace, evaluation: Evaluation, method: str
) -> Iterator[tuple[str, list[Scored]]]:
    if is_file(method):
        files = workspace.store.run_files.of(evaluation.id)
        stored = next(file for file in files if file.tag == tag_of(method))
        for id_, ranking in stored.rankings.items():
            yield id_, [Scored(*passage) for passage in ranking]
        return
    for id_, run in evaluation.of(method)["run"].items():
        last = workspace.store.events.last(workspace.runs.get(run).number, Ranked)
        assert isinstance(last, Ranked)
        yield str(id_), [Scored(passage.key, passage.score) for passage in last.ranking]
