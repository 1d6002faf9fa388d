"""The rows of an evaluation out of stored runs: of a method, a run file, and the perfect reader.

That is what one simple way to search finds that knows all answers: a question's published steps,
each with the answers of those before put in, searched for one by one. A method can find more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from gear_app.evaluate.evaluation import PERFECT, FailedRun, Row
from gear_app.evaluate.measures import Measures, measures_of_ranks
from gear_app.evaluate.run_facts import FIRST, Ranks, RunFacts, ranks_of
from gear_app.evaluate.run_files import BroughtRun
from gear_app.store.evaluations import MeasuredRun, RunPlace
from gear_app.types import Hop, Question

_REFERENCE = re.compile(r"#(\d{1,9})(?!\d)")


def searches(decomposition: Sequence[Hop]) -> list[str]:
    """The question of every hop, "#2" replaced by the second hop's answer; a number that no hop
    has stays.
    """

    def answer(match: re.Match[str]) -> str:
        number = int(match[1])
        return decomposition[number - 1].answer if 0 < number <= len(decomposition) else match[0]

    return [_REFERENCE.sub(answer, hop.question) for hop in decomposition]


def searches_of(question: Question) -> list[str]:
    """What a perfect reader would ask; [] where the decomposition is not known whole."""
    texts = searches(question.decomposition)
    return texts if all(text.strip() for text in texts) else []


def method_rows(
    words: str,
    questions: Sequence[Question],
    runs: Mapping[RunPlace, MeasuredRun],
    facts: Mapping[RunPlace, RunFacts],
    ks: Sequence[int],
) -> Iterator[Row]:
    """The rows of one method, of the questions whose run has ended and did not fail."""
    places = {one.id: RunPlace(words, one.id) for one in questions}
    ranks = {
        id_: facts[place].ranks
        for id_, place in places.items()
        if place in runs and not _why_failed(runs[place], facts[place])
    }
    known_grades = {one.id: one.grades for one in questions}
    grades = {  # of the gold that the run has
        id_: [known_grades[id_].get(key, 1) for key in dict.fromkeys(runs[places[id_]].gold)]
        for id_ in ranks
    }
    measured = measures_of_ranks(ranks, grades, ks)
    for id_ in ranks:
        run, known = runs[places[id_]], facts[places[id_]]
        yield _measured(
            id_,
            words,
            run.id,
            ranks[id_],
            measured[id_],
            rounds=known.rounds,
            ms=run.ms,
            spent=run.spent,
            scores=known.scores,
            tokens=known.tokens,
            iterations=max(1, run.iterations),
            stopped=known.stopped,
            stale=run.stale,
        )


def file_rows(
    brought: BroughtRun, questions: Sequence[Question], ks: Sequence[int]
) -> Iterator[Row]:
    """The rows of a run file: what an iteration found, and what was taken, is not known."""
    measured = measures_of_ranks(brought.ranks, _grades(questions), ks)
    for id_, ranks in brought.ranks.items():
        yield _measured(id_, brought.words, "", ranks, measured[id_], rounds=(), iterations=0)


def failed_runs(
    words: str,
    questions: Sequence[Question],
    runs: Mapping[RunPlace, MeasuredRun],
    facts: Mapping[RunPlace, RunFacts],
) -> Iterator[FailedRun]:
    """The runs of one method that failed, in the order of the questions."""
    for one in questions:
        place = RunPlace(words, one.id)
        if place in runs and (why := _why_failed(runs[place], facts[place])):
            yield FailedRun(one.id, words, runs[place].id, why, runs[place].spent)


def _why_failed(run: MeasuredRun, facts: RunFacts) -> str:
    """Why a run is no measurement; "" where it is one. A run that lost its model midway ends with
    a ranking, which is not its method's.
    """
    return run.message if run.state == "failed" else facts.failure


def _grades(questions: Sequence[Question]) -> dict[str, list[int]]:
    return {one.id: list(one.grades.values()) for one in questions}


def _measured(
    id_: str,
    words: str,
    run: str,
    ranks: Ranks,
    found: Measures,
    **more: Any,  # noqa: ANN401
) -> Row:
    """A row with its measures; `more` are other fields, which are known of a run."""
    return Row(
        id=id_,
        method=words,
        run=run,
        recall=found.recall,
        all_recall=found.all_recall,
        reciprocal_rank=found.reciprocal_rank,
        ndcg=found.ndcg,
        ranks=ranks,
        **{"ms": 0.0, "rounds": (ranks,), **more},
    )


def ceiling_rows(
    questions: Sequence[Question],
    runs: Mapping[RunPlace, MeasuredRun],
    facts: Mapping[RunPlace, RunFacts],
    ks: Sequence[int],
) -> tuple[Row, ...]:
    """The rows of the perfect reader, of questions all of whose searches are done. Its rankings are
    exact as deep as those of its searches are kept; below that there are none.
    """
    ranks: dict[str, Ranks] = {}
    asked: dict[str, tuple[str, ...]] = {}
    for question in questions:
        places = [
            RunPlace(PERFECT, question.id, part) for part in range(len(searches_of(question)))
        ]
        if places and all(place in runs and runs[place].state == "done" for place in places):
            turns = zip_longest(*(facts[place].first for place in places))
            keys = dict.fromkeys(key for turn in turns for key in turn if key is not None)
            ranks[question.id] = ranks_of([*keys][:FIRST], question.supporting_keys)
            asked[question.id] = tuple(runs[place].id for place in places)
    deep = [k for k in ks if k <= FIRST]
    measured = measures_of_ranks(ranks, _grades(questions), deep) if deep else {}
    return tuple(
        _measured(id_, PERFECT, asked[id_][0], ranks[id_], measured[id_], searches=asked[id_])
        for id_ in measured
    )
