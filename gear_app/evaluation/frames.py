"""Two frames of an evaluation, from stored runs: `runs` has a row for every method and question,
`gold` one for every method, question and gold passage.

The measures of rankings, for any cut-off and any column of ranks. Tests hold them against
ir_measures, which computes them with trec_eval's own code.

* R@k: the share of the gold passages among the first k.
* all@k (all-recall): 1 if every gold passage is among the first k. A chain with one missing link
  cannot be followed, and R@k does not show that.
* RR (its mean is MRR): 1 / rank of the first gold passage.
* nDCG@k: each gold passage among the first k counts its grade / log2(rank + 1), as a share of what
  the best ranking would have. The grade is 1 if nobody graded.

If we cut a document, its best part stands for it (judged_keys), so that any tool measures the same
of the exported files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product, zip_longest
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pandas as pd

from gear_app.core.errors import BadInput
from gear_app.core.types import Hop, Question, Source
from gear_app.evaluation.definition import Definition
from gear_app.store.evaluations import ORACLE, MeasuredRun, RunPlace
from gear_app.trace.events import Called, Event
from gear_app.trace.metrics import document_key, scored_answers, without_itself
from gear_app.trace.rankings import final, keys, per_iteration
from gear_app.trace.trace import RunTrace

if TYPE_CHECKING:
    from gear_app.evaluation.run_files import FileRun

PLACE = ["method", "question"]
FIRST = 20  # passages of a ranking that are stored by key; the oracle's rankings are so deep
VERSION = 4  # raise it when the same events give other facts, so that they are computed anew
SOURCES: tuple[Source, ...] = get_args(Source)  # of answers
_REFERENCE = re.compile(r"#(\d{1,9})(?!\d)")

Row = dict[
    str, Any
]  # of a run: columns of `runs`, and `ranks` by gold passage after each iteration
TEXTS: Row = {
    "method": "",
    "question": "",  # its id
    "run": "",  # its id; "" for a run file
    "failure": "",  # why a run failed; it has no numbers then
    "searches": {},  # the oracle's runs by gold passage
    "stopped": "",  # why the method stopped
    "stale": False,  # passages, triples or gold changed after the run
}
SPENT = ("calls", "kept", "unusable", "input_tokens", "output_tokens", "cost")
NUMBERS = (*SPENT, "ms", "iterations", "rounds")  # rounds: iterations with a ranking
SCORES = [f"{source} {name}" for source in SOURCES for name in ("em", "f1")]


def run_facts(
    events: Sequence[Event],
    gold: Sequence[str],
    answers: Sequence[str] = (),
    *,
    answer: bool = False,
    itself: str = "",
) -> dict[str, Any]:
    """Facts of a run that has ended, as JSON: `ranks` of each gold passage after each iteration,
    the last being the final ranking's (an iteration without a ranking keeps the one before);
    `first`, the keys of the first passages; `itself`, the question's id if that is a passage of the
    collection, which is left out of all rankings; and `columns` of its row: why it `stopped`,
    `given@n` and `written@n`, the tokens until iteration n, with those before the first, and the
    scores of its answers if it was to write one.
    """
    rankings, rounds = per_iteration(events), []
    ranking: list[str] = []
    for n in range(1, max(rankings, default=1)):
        ranking = keys(rankings[n]) if n in rankings else ranking
        rounds.append(ranks_of(without_itself(ranking, itself), gold))
    last = without_itself(keys(final(events)), itself)
    rounds.append(ranks_of(last, gold))
    trace = RunTrace.of(events)
    columns: Row = {"rounds": len(rounds), "stopped": trace.end.why if trace.end else ""}
    calls = [event for event in events if isinstance(event, Called)]
    for n in range(1, max(1, trace.iterations) + 1) if calls else ():
        until = [call for call in calls if call.iteration <= n]
        columns[f"given@{n}"] = sum(call.input_tokens for call in until)
        columns[f"written@{n}"] = sum(call.output_tokens for call in until)
    return {
        "ranks": {key: [ranks[key] for ranks in rounds] for key in gold},
        "first": last[:FIRST],
        "itself": itself,
        "columns": columns | (answer_scores(events, answers) if answer else {}),
    }


def answer_scores(events: Sequence[Event], answers: Sequence[str]) -> dict[str, float]:
    """EM and F1 of a run's answers by source; {} if no answer is known. A source without an answer
    scores 0: the reader had none, its reply was unusable, or the run failed.
    """
    scores = dict.fromkeys(SCORES if answers else (), 0.0)
    for scored in scored_answers(events, answers) if answers else ():
        scores[f"{scored.source} em"] = scored.em or 0.0
        scores[f"{scored.source} f1"] = scored.f1 or 0.0
    return scores


def oracle_searches(hops: Sequence[Hop]) -> list[str]:
    """The question of every hop, "#2" replaced by the second hop's answer (a number without a hop
    stays); [] if the decomposition is not completely known.
    """

    def answer(match: re.Match[str]) -> str:
        number = int(match[1])
        return hops[number - 1].answer if 0 < number <= len(hops) else match[0]

    texts = [_REFERENCE.sub(answer, hop.question) for hop in hops]
    return texts if all(text.strip() for text in texts) else []


Runs = Mapping[RunPlace, MeasuredRun]  # that have ended, with facts


def rows_of(
    definition: Definition,
    questions: Sequence[Question],
    runs: Runs,
    files: Sequence[FileRun] = (),
) -> Iterator[Row]:
    """Rows of an evaluation's methods, run files and oracle decomposition. A run whose gold was
    taken away since is no measurement.
    """
    for words, question in product(definition.methods, questions):
        run = runs.get(RunPlace(words, question.id))
        if run and run.gold:
            yield _row(run, question)
    for file, question in product(files, questions):
        ranks = {key: [rank] for key, rank in file.ranks[question.id].items()}
        yield {"method": file.words, "question": question.id, "ranks": ranks}
    yield from filter(None, (_oracle(runs, question) for question in questions))


def _row(run: MeasuredRun, question: Question) -> Row:
    row: Row = {name: getattr(run.spent, name) for name in SPENT}
    row |= {"method": run.place.method, "question": question.id, "run": run.id}
    if run.failure or run.facts is None:
        return row | {"failure": run.failure}
    return row | {
        **run.facts["columns"],
        "ranks": {key: run.facts["ranks"][key] for key in run.gold},
        "iterations": max(1, run.iterations),
        "ms": run.ms,
        "stale": run.stale or set(run.gold) != set(question.supporting_keys),
    }


def _oracle(runs: Runs, question: Question) -> Row | None:
    """The oracle decomposition's row: rankings of its searches, interleaved, exact as deep as these
    are stored. None until all searches are done.
    """
    hops = oracle_searches(question.decomposition)
    searches = [runs.get(RunPlace(ORACLE, question.id, part)) for part in range(len(hops))]
    done = [run for run in searches if run and run.facts and not run.failure]
    if not hops or len(done) < len(hops):
        return None
    turns = zip_longest(*(run.facts["first"] for run in done if run.facts))
    ranking = dict.fromkeys(key for turn in turns for key in turn if key is not None)
    ranks = ranks_of([*ranking][:FIRST], question.supporting_keys)
    of_passages: dict[str, str] = {}
    for hop, run in zip(question.decomposition, done, strict=True):
        of_passages.setdefault(hop.supporting_key, run.id)
    return {
        "method": ORACLE,
        "question": question.id,
        "run": done[0].id,
        "searches": of_passages,
        "ranks": {key: [rank] for key, rank in ranks.items()},
        "rounds": 1,
    }


def frames(
    rows: Iterable[Row], ks: Sequence[int], questions: Iterable[Question]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The frame `runs`, with a column a measure, and `given@n` and `written@n`, the tokens until
    iteration n; and the frame `gold`: key, grade, final `rank` and `rank@n` after iteration n,
    infinite if it is not in the ranking. After its last iteration a run keeps what it had. NaN: not
    known.
    """
    listed = list(rows)
    grades = {question.id: question.grades for question in questions}
    passages = [
        (row["method"], row["question"], key, grades[row["question"]].get(key, 1), ranks)
        for row in listed
        for key, ranks in row.get("ranks", {}).items()
    ]
    iterations = range(1, 1 + max((len(passage[-1]) for passage in passages), default=1))
    names = [f"rank@{n}" for n in iterations]
    gold = pd.DataFrame(passages, columns=[*PLACE, "key", "grade", "ranks"])
    ranks = [{n: rank or np.inf for n, rank in enumerate(ranks)} for ranks in gold.pop("ranks")]
    gold[names] = pd.DataFrame(ranks, gold.index, range(len(names)), float).ffill(axis=1)
    gold["rank"] = gold[names[-1]]
    spent = [[f"{name}@{n}" for n in iterations] for name in ("given", "written")]
    numbers = [*NUMBERS, *SCORES, *spent[0], *spent[1]]
    frame = pd.DataFrame([{**TEXTS, **row} for row in listed], columns=[*TEXTS, *numbers])
    frame = frame.astype(dict.fromkeys(numbers, float))
    for columns in spent:
        frame[columns] = frame[columns].ffill(axis=1).fillna(0.0)
    frame["tokens"] = frame["input_tokens"] + frame["output_tokens"]
    values = {metric: measure_by_question(gold, metric) for metric in measure_names(ks)}
    frame = frame.join(pd.DataFrame(values), on=PLACE)
    return frame.rename(columns={"retrieved em": "em", "retrieved f1": "f1"}), gold


def measure_names(ks: Sequence[int]) -> list[str]:
    """Measures of rankings at these cut-offs, in the order of the table."""
    shares = [f"{name}@{k}" for name in ("recall", "all") for k in ks]
    return [*shares, "mrr", *(f"ndcg@{k}" for k in ks)]


def judged_keys(keys: Sequence[str], gold: Sequence[str]) -> list[str]:
    """The keys of a ranking as judgments name them: the first part of a gold document takes its
    id.
    """
    free = set(gold) - set(keys)
    judged: list[str] = []
    for key in keys:
        document = document_key(key)
        judged.append(document if document in free else key)
        free.discard(document)
    return judged


def ranks_of(ranking: Sequence[str], gold: Sequence[str]) -> dict[str, int | None]:
    """Rank of each gold passage in a ranking of keys; of a document that was cut, of its first
    part.
    """
    places = {key: rank for rank, key in enumerate(judged_keys(ranking, gold), start=1)}
    return {key: places.get(key) for key in gold}


def measure_by_question(gold: pd.DataFrame, metric: str, rank: str = "rank") -> pd.Series:
    """A measure (`recall@5`, `all@5`, `ndcg@5`, `mrr`) by method and question, from a column of
    ranks of gold passages, infinite for those not ranked; none of the oracle deeper than its
    rankings. Raises BadInput for another measure.
    """
    name, _, cut = metric.partition("@")
    if cut.isdecimal() and int(cut) > FIRST:
        gold = gold[gold["method"] != ORACLE]
    by_place = [gold[column] for column in PLACE]
    if metric == "mrr":
        return (1 / gold[rank]).groupby(by_place, sort=False).max()
    if name not in ("recall", "all", "ndcg") or not cut.isdecimal():
        raise BadInput(f"There is no measure {metric!r}")
    hits = gold[rank] <= int(cut)
    if name == "ndcg":
        best = gold.groupby(PLACE, sort=False)["grade"].rank(method="first", ascending=False)
        gains = (gold["grade"] / np.log2(gold[rank] + 1)).where(hits, 0.0)
        ideal = (gold["grade"] / np.log2(best + 1)).where(best <= int(cut), 0.0)
        gained, most = (part.groupby(by_place, sort=False).sum() for part in (gains, ideal))
        return gained / most
    share = hits.groupby(by_place, sort=False).mean()
    return share if name == "recall" else (share == 1).astype(float)
