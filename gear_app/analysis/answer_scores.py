"""How near an answer comes to the known ones: exact match and F1 as SQuAD defines them, best over
all aliases.

Both compare normalised words: lower case, without ASCII punctuation, without the articles a, an and
the, white space as one blank, in this order. It is coarse ("1939–1945" with a dash that is not
ASCII differs from "1939-1945"), and kept so that figures compare with those of papers.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Sequence

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLE = re.compile(r"\b(a|an|the)\b")


def normalise_answer(text: str) -> str:
    """The words that are compared, with one blank between."""
    return " ".join(_ARTICLE.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def exact_match(answer: str, known: Sequence[str]) -> float:
    """EM: 1.0 where the normalised answer is one of the known ones, else 0.0. No answer ("") is
    never right.

    Raises ValueError without known answers: it is then not defined.
    """
    return _best(answer, known, lambda one, other: float(one == other))


def f1(answer: str, known: Sequence[str]) -> float:
    """F1 of the answer's words and a known answer's, the best of all: words count as often as they
    occur in both.

    Words that normalise to nothing ("The") agree only with others that do. No answer scores 0.0.
    Raises ValueError without known answers.
    """
    return _best(answer, known, _overlap)


def _best(answer: str, known: Sequence[str], score: Callable[[str, str], float]) -> float:
    if not known:
        raise ValueError("an answer can only be judged against known answers")
    return (
        max(score(normalise_answer(answer), normalise_answer(one)) for one in known)
        if answer.strip()
        else 0.0
    )


def _overlap(one: str, other: str) -> float:
    words, others = one.split(), other.split()
    if not words or not others:
        return float(words == others)
    shared = (Counter(words) & Counter(others)).total()
    return 2 * shared / (len(words) + len(others))
