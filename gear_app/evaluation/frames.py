"""Two frames of an evaluation, from stored runs: `runs` has a row for every method and question,
`gold` one for every method, question and gold passage.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import product, zip_longest
from typing import Any, NamedTuple, get_args

import pandas as pd

from gear_app.core.types import Hop, Question, Source
from gear_app.evaluation.definition import Definition
from gear_app.evaluation.measures import PLACE, measure, ranks_of
from gear_app.evaluation.run_files import FileRun
from gear_app.store.evaluations import ORACLE, MeasuredRun, RunPlace
from gear_app.trace.events import Called, Event
from gear_app.trace.metrics import scored_answers, without_itself
from gear_app.trace.rankings import final, keys, per_iteration
from gear_app.trace.timeline import failure_of
from gear_app.trace.trace import RunTrace

VERSION = 3  # raise it when the same events give other facts, so that they are computed anew
FIRST = 20  # passages of a ranking that are stored by key
SOURCES: tuple[Source, ...] = get_args(Source)  # of answers
_REFERENCE = re.compile(r"#(\d{1,9})(?!\d)")

Line = dict[str, Any]  # of a run: columns of `runs`, and `ranks` by iteration and key, `tokens`
TEXTS: Line = {
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
    """Facts of a run that has ended, as JSON: `rounds`, the ranks of the gold passages after each
    iteration, the last being the final ranking's (an iteration without a ranking keeps the one
    before); `first`, the keys of the first passages; `tokens`, in and out, until each iteration,
    with those before the first; why it `stopped`; `scores` of its answers if it was to write one
    and an answer is known; the `failure` of a model; and `itself`, the question's id if that is a
    passage of the collection, which is left out of all rankings.
    """
    ranks = {
        n: ranks_of(without_itself(keys(ranking), itself), gold)
        for n, ranking in per_iteration(events).items()
    }
    rounds = [ranks_of((), gold)]
    for n in range(1, max(ranks, default=1) + 1):
        rounds.append(ranks.get(n, rounds[-1]))
    last = without_itself(keys(final(events)), itself)
    trace = RunTrace.of(events)
    calls = [event for event in events if isinstance(event, Called)]
    tokens = []
    for n in range(1, max(1, trace.iterations) + 1) if calls else ():
        until = [call for call in calls if call.iteration <= n]
        tokens.append(
            (sum(call.input_tokens for call in until), sum(call.output_tokens for call in until))
        )
    return {
        "rounds": [*rounds[1:-1], ranks_of(last, gold)],
        "first": last[:FIRST],
        "tokens": tokens,
        "stopped": trace.end.why if trace.end else "",
        "scores": answer_scores(events, answers) if answer else {},
        "failure": failure_of(events),
        "itself": itself,
    }


def answer_scores(
    events: Sequence[Event], answers: Sequence[str]
) -> dict[Source, tuple[float, float]]:
    """EM and F1 of a run's answers by source; {} if no answer is known. A source without an answer
    scores 0: the reader had none, its reply was unusable, or the run failed.
    """
    if not answers:
        return {}
    scored = {
        answer.source: (answer.em or 0.0, answer.f1 or 0.0)
        for answer in scored_answers(events, answers)
    }
    return {source: scored.get(source, (0.0, 0.0)) for source in SOURCES}


def oracle_searches(hops: Sequence[Hop]) -> list[str]:
    """The question of every hop, "#2" replaced by the second hop's answer (a number without a hop
    stays); [] if the decomposition is not completely known.
    """

    def answer(match: re.Match[str]) -> str:
        number = int(match[1])
        return hops[number - 1].answer if 0 < number <= len(hops) else match[0]

    texts = [_REFERENCE.sub(answer, hop.question) for hop in hops]
    return texts if all(text.strip() for text in texts) else []


class StoredRuns(NamedTuple):
    """Runs of an evaluation that have ended, and their facts."""

    runs: Mapping[RunPlace, MeasuredRun]
    facts: Mapping[RunPlace, Mapping[str, Any]]

    def failure(self, place: RunPlace) -> str:
        """Why a run failed or lost its model midway: its ranking is not its method's then."""
        run = self.runs[place]
        return run.message if run.state == "failed" else str(self.facts[place]["failure"])

    def line(self, place: RunPlace, question: Question) -> Line:
        """The line of a run."""
        run, facts = self.runs[place], self.facts[place]
        line: Line = {name: getattr(run.spent, name) for name in SPENT}
        line |= {"method": place.method, "question": question.id, "run": run.id}
        if failure := self.failure(place):
            return line | {"failure": failure}
        for source, (em, f1) in facts["scores"].items():
            line |= {f"{source} em": em, f"{source} f1": f1}
        return line | {
            "ranks": [{key: ranks[key] for key in run.gold} for ranks in facts["rounds"]],
            "tokens": facts["tokens"],
            "rounds": len(facts["rounds"]),
            "iterations": max(1, run.iterations),
            "stopped": facts["stopped"],
            "ms": run.ms,
            "stale": run.stale or set(run.gold) != set(question.supporting_keys),
        }

    def oracle(self, question: Question) -> Line | None:
        """The oracle decomposition's line: rankings of its searches, interleaved, exact as deep as
        these are stored. None until all searches are done.
        """
        hops = oracle_searches(question.decomposition)
        places = [RunPlace(ORACLE, question.id, part) for part in range(len(hops))]
        done = (place in self.runs and not self.failure(place) for place in places)
        if not places or not all(done):
            return None
        turns = zip_longest(*(self.facts[place]["first"] for place in places))
        ranking = dict.fromkeys(key for turn in turns for key in turn if key is not None)
        searches: dict[str, str] = {}
        for hop, place in zip(question.decomposition, places, strict=True):
            searches.setdefault(hop.supporting_key, self.runs[place].id)
        ranks = ranks_of([*ranking][:FIRST], question.supporting_keys)
        run = self.runs[places[0]].id
        return {
            "method": ORACLE,
            "question": question.id,
            "run": run,
            "searches": searches,
            "ranks": [ranks],
            "rounds": 1,
        }


def lines_of(
    definition: Definition,
    questions: Sequence[Question],
    stored: StoredRuns,
    files: Sequence[FileRun] = (),
) -> Iterable[Line]:
    """Lines of an evaluation's methods, run files and oracle decomposition. A run whose gold was
    taken away since is no measurement.
    """
    for words, question in product(definition.methods, questions):
        place = RunPlace(words, question.id)
        if place in stored.runs and stored.runs[place].gold:
            yield stored.line(place, question)
    for file, question in product(files, questions):
        ranks = [file.ranks[question.id]]
        yield {"method": file.words, "question": question.id, "ranks": ranks}
    yield from filter(None, map(stored.oracle, questions))


def frames(
    lines: Iterable[Line], ks: Sequence[int], questions: Iterable[Question]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The frame `runs`, with a column a measure, and `given@n` and `written@n`, the tokens until
    iteration n; and the frame `gold`: key, grade, final `rank` and `rank@n` after iteration n,
    infinite if it is not in the ranking. After its last iteration a run keeps what it had. NaN: not
    known.
    """
    runs = list(lines)
    ranked = [line for line in runs if "ranks" in line]
    grades = {question.id: question.grades for question in questions}
    last = max((len(line["ranks"]) for line in ranked), default=1)
    gold: list[tuple[Any, ...]] = []
    for line in ranked:
        tokens = _padded(line.get("tokens") or [(0, 0)], last)
        for n, (given, written) in enumerate(tokens, start=1):
            line |= {f"given@{n}": given, f"written@{n}": written}
        rounds = [line["ranks"][-1], *_padded(line["ranks"], last)]
        for key in rounds[0]:
            ranks = [ranks.get(key) or float("inf") for ranks in rounds]
            grade = grades[line["question"]].get(key, 1)
            gold.append((line["method"], line["question"], key, grade, *ranks))
    iterations = range(1, last + 1)
    numbers = [*NUMBERS, *SCORES]
    numbers += [f"{name}@{n}" for name in ("given", "written") for n in iterations]
    frame = pd.DataFrame([{**TEXTS, **line} for line in runs], columns=[*TEXTS, *numbers])
    frame = frame.astype(dict.fromkeys(numbers, float))
    frame["tokens"] = frame["input_tokens"] + frame["output_tokens"]
    names = ["rank", *(f"rank@{n}" for n in iterations)]
    passages = pd.DataFrame(gold, columns=[*PLACE, "key", "grade", *names])
    passages = passages.astype(dict.fromkeys(names, float))
    values = {metric: measure(passages, metric) for metric in measure_names(ks)}
    frame = frame.join(pd.DataFrame(values), on=PLACE)
    deep = [name for name in values if int(name.partition("@")[2] or 0) > FIRST]
    frame.loc[frame["method"] == ORACLE, deep] = float("nan")
    return frame.rename(columns={"retrieved em": "em", "retrieved f1": "f1"}), passages


def measure_names(ks: Sequence[int]) -> list[str]:
    """Measures of rankings at these cut-offs, in the order of the table."""
    shares = [f"{name}@{k}" for name in ("recall", "all") for k in ks]
    return [*shares, "mrr", *(f"ndcg@{k}" for k in ks)]


def _padded(values: Sequence[Any], size: int) -> list[Any]:
    return [*values, *[values[-1]] * (size - len(values))]
