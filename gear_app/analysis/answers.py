"""The answers a run wrote, and how near each comes to the known ones: exact match and F1.

They are SQuAD's, best over all aliases (the known answers). Both compare normalised words: lower
case, without ASCII punctuation, without the articles a, an and the, white space as one blank, in
this order. It is coarse ("1939–1945" with a dash that is not
ASCII differs from "1939-1945"), and kept so that figures compare with those of papers.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from gear_app.events import Answered, Event, RankedPassage
from gear_app.types import Source

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLE = re.compile(r"\b(a|an|the)\b")


class ScoredAnswer(NamedTuple):
    """One answer with its measures, None where no answer is known.

    `nearest` is the known answer that F1 is of; "" where F1 is 0 or not defined.
    """

    source: Source
    answer: str
    passages: tuple[RankedPassage, ...]
    em: float | None = None
    f1: float | None = None
    nearest: str = ""


def scored(events: Sequence[Event], known: Sequence[str]) -> list[ScoredAnswer]:
    """The answers in the order they were written, measured against the known ones."""
    return [_scored(event, known) for event in events if isinstance(event, Answered)]


def from_retrieved(events: Sequence[Event], known: Sequence[str]) -> ScoredAnswer | None:
    """The answer written from what was retrieved; None where none was."""
    return next((one for one in scored(events, known) if one.source == "retrieved"), None)


def _scored(event: Answered, known: Sequence[str]) -> ScoredAnswer:
    answer = ScoredAnswer(event.source, event.answer, event.passages)
    if not known:
        return answer
    nearest = max(known, key=lambda one: f1(event.answer, [one]))  # the first of several as near
    best = f1(event.answer, known)
    em = exact_match(event.answer, known)
    return answer._replace(em=em, f1=best, nearest=nearest if best else "")


def normalise_answer(text: str) -> str:
    """The words that are compared, with one blank between."""
    return " ".join(_ARTICLE.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def exact_match(answer: str, known: Sequence[str]) -> float:
    """EM: 1.0 where the normalised answer is one of the known ones, else 0.0.

    No answer ("") is never right.
    Raises ValueError without known answers: it is then not defined.
    """
    return _best(answer, known, lambda one, other: float(one == other))


def f1(answer: str, known: Sequence[str]) -> float:
    """F1 of the answer's words and a known answer's, the best over the known answers.

    Words count as often as they occur in both. Words that normalise to nothing ("The") agree only
    with others that do. No answer scores 0.0.
    Raises ValueError without known answers.
    """
    return _best(answer, known, _overlap)


def _best(answer: str, known: Sequence[str], score: Callable[[str, str], float]) -> float:
    if not known:
        raise ValueError("an answer can only be judged against known answers")
    if not answer.strip():
        return 0.0
    return max(score(normalise_answer(answer), normalise_answer(one)) for one in known)


def _overlap(one: str, other: str) -> float:
    words, others = one.split(), other.split()
    if not words or not others:
        return float(words == others)
    shared = (Counter(words) & Counter(others)).total()
    return 2 * shared / (len(words) + len(others))
