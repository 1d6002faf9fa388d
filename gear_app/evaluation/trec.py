"""Rankings and judgments as TREC tools read them (trec_eval, ir_measures, ranx).

A run file's lines are `question Q0 passage rank score method`, a judgment file's `question 0
passage relevance`. Fields are apart by blanks, so white space in an id is percent-encoded.

Tools order by score and ignore the rank, and trec_eval keeps scores in single precision. Scores are
therefore written so that they fall strictly in single precision, too: a passage that does not score
below the one before it gets the next smaller number. Where a document was cut, gold names the
document, and its best part stands for it (trace.metrics): that part takes the document's id.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import quote

import numpy as np

from gear_app.core.types import Question
from gear_app.trace.metrics import document_key

_WHITE = re.compile(r"[\s%]")


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
