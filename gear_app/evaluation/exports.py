"""An evaluation for other tools: TREC files, and a table of its questions. Each has the conditions
of every number: the table as columns, the TREC files as a file beside them.

Fields of TREC files are apart by blanks, so white space in an id is percent-encoded. Tools order by
score and ignore the rank, and trec_eval keeps scores in single precision. Scores are therefore
written so that they fall strictly in single precision, too: a passage that does not score below the
one before it gets the next smaller number. Where a document was cut, gold names the document, and
its best part stands for it (trace.metrics): that part takes the document's id.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from urllib.parse import quote

import numpy as np

from gear_app.core.text import csv_table
from gear_app.core.types import Question
from gear_app.evaluation.evaluation import Evaluation
from gear_app.evaluation.frames import PLACE, judged_keys
from gear_app.evaluation.results import Results
from gear_app.evaluation.service import EvaluationService
from gear_app.evaluation.variants import FILE, tag_of
from gear_app.trace.metrics import without_itself
from gear_app.workspace.workspace import Workspace

QRELS, FACTS = "qrels.txt", "facts.json"
COSTS = ["iterations", "stopped", "ms", "calls", "input_tokens", "output_tokens", "cost"]
RENAMED = {"k": "depth", "gold": "gold_passages"}
_WHITE = re.compile(r"[\s%]")
_UNSAFE = re.compile(r"[^\w.=+-]+")


def trec_files(workspace: Workspace, results: Results) -> dict[str, Iterator[str]]:
    """Lines of the judgments, of a run file a method, and of the facts, by file name. A failed run
    has no lines, which tools count as nothing found; so its question is judged for no method, and a
    method whose runs all failed has no file.
    """
    evaluation = results.evaluation
    names = {
        method: _UNSAFE.sub("_", method) + ".txt"
        for method in evaluation.methods
        if len(evaluation.runs_of(method))
    }
    failed = evaluation.failed[evaluation.failed["method"].isin(names)]
    ids = set(failed["question"])
    judged = [question for question in evaluation.questions if question.id not in ids]
    runs = {name: {"tag": field(tag_of(words)), "method": words} for words, name in names.items()}
    facts = {"evaluation": evaluation.id, "facts": asdict(results.facts), "runs": runs}
    text = json.dumps({**facts, "command": results.command}, ensure_ascii=False, indent=2)
    lines = {name: _run_lines(workspace, evaluation, method) for method, name in names.items()}
    return {QRELS: qrels_lines(judged), **lines, FACTS: iter([text + "\n"])}


def table_csv(results: Results) -> str:
    """A row for every question and method, and for the oracle decomposition: measures, ranks of the
    gold passages (`3 – 8`: the second is not ranked), costs, run, and the facts as columns. A
    failed run has no measures, and its error.
    """
    evaluation = results.evaluation
    ranks = evaluation.gold["rank"].map(lambda rank: "–" if np.isinf(rank) else f"{rank:.0f}")
    ranks = ranks.groupby([evaluation.gold[name] for name in PLACE]).agg(" ".join)
    questions = {question.id: question for question in evaluation.questions}
    frame = evaluation.runs.join(ranks.rename("ranks"), on=PLACE)
    frame = frame.rename(columns={"failure": "error"})
    frame["type"] = [questions[id_].type for id_ in frame["question"]]
    frame["hops"] = [questions[id_].hops for id_ in frame["question"]]
    frame["place"] = frame["method"].map([*evaluation.methods, *frame["method"]].index)
    heads = ["question", "type", "hops", "method", *evaluation.metrics, "ranks", *COSTS]
    frame = frame.sort_values("place", kind="stable")[[*heads, "error", "run"]].convert_dtypes()
    facts = {"evaluation": evaluation.id}
    facts |= {RENAMED.get(name, name): value for name, value in asdict(results.facts).items()}
    frame = frame.astype(object).assign(**facts)
    return csv_table([list(frame), *frame.where(frame.notna(), "").to_numpy().tolist()])


def _run_lines(workspace: Workspace, evaluation: Evaluation, method: str) -> Iterator[str]:
    """Rankings as they were measured: without the question itself if it is a passage."""
    in_corpus = EvaluationService(workspace).questions_in_corpus(evaluation.collection)
    files = {FILE + file.tag: file for file in workspace.store.evaluations.files(evaluation.id)}
    runs = evaluation.runs_of(method)["run"]
    for question in evaluation.questions:
        if method in files:
            ranking = files[method].rankings.get(question.id, ())
        elif question.id in runs:
            number = workspace.runs.get(runs[question.id]).number
            ranking = workspace.store.events.ranking(number)
        else:  # not measured yet, or failed
            continue
        itself = question.id if question.id in in_corpus else ""
        counted = [scored for scored in ranking if without_itself([scored[0]], itself)]
        yield from run_lines(question.id, counted, tag_of(method), question.supporting_keys)


def run_lines(
    question: str, ranking: Sequence[tuple[str, float]], method: str, gold: Sequence[str]
) -> Iterator[str]:
    """A question's ranking, best first, as lines of a run file of `method`."""
    keys = judged_keys([key for key, _ in ranking], gold)
    scores = falling([score for _, score in ranking])
    for rank, (key, score) in enumerate(zip(keys, scores, strict=True), start=1):
        yield f"{field(question)} Q0 {field(key)} {rank} {score!s} {field(method)}\n"


def qrels_lines(questions: Iterable[Question]) -> Iterator[str]:
    """The gold of questions, with its grades, as lines of a judgment file."""
    for question in questions:
        for key, grade in question.grades.items():
            yield f"{field(question.id)} 0 {field(key)} {grade}\n"


def falling(scores: Sequence[float]) -> list[np.float32]:
    """Scores in single precision, each below the one before it and as near as that allows to what
    it was. `str` of each is the shortest decimal that means the same number.
    """
    result: list[np.float32] = []
    for score in scores:
        single = np.float32(score)
        if result and single >= result[-1]:
            single = np.nextafter(result[-1], np.float32(-np.inf))
        result.append(single)
    return result


def field(text: str) -> str:
    """A text as one field: white space and `%` are percent-encoded."""
    return _WHITE.sub(lambda white: quote(white[0]), text) or "-"
