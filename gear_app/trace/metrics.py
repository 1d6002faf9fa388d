"""The measures of a ranking and of an answer, defined before they are computed, and how sure a
difference is.

* R@k, recall at k: the fraction of a question's gold passages that are among the first k. (Not
  Success@k, which asks for one of them; papers mix the two up.) With more than k gold passages the
  ceiling is below 1.
* All-recall@k: 1 where all gold passages are among the first k, else 0.
* MRR: 1 / rank of the first gold passage, 0 where there is none (evaluation.frames).
* EM (exact match) and F1 of an answer: SQuAD's, best over all known answers. Both compare
  normalised words: lower case, without ASCII punctuation, without the articles a, an and the, white
  space as one blank, in this order. It is coarse ("1939–1945" with a dash that is not ASCII differs
  from "1939-1945"), and kept so that figures compare with those of papers. In Chinese, Japanese,
  Korean, Thai and other scripts where blanks do not part words, each letter counts as a word, and
  all punctuation is left out, as measures of data sets in these languages do.

A ranking is a list of keys, best first; gold passages are keys, and one that is named twice counts
once. Where a document was cut by us, gold names the document, "id", and its parts "id#1", "id#2", …
stand for it: the best one counts.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from gear_app.core.text import spaced_letters
from gear_app.core.types import Source
from gear_app.trace.events import Answered, Event, RankedPassage

_PART = re.compile(r"(.+)#[1-9]\d*", re.DOTALL)


def document_key(key: str) -> str:
    """The key of the document that a part was cut from; any other key as it is."""
    part = _PART.fullmatch(key)
    return part[1] if part else key


def stands_for(key: str, gold: str) -> bool:
    """Whether a passage is the gold one of this key, or a part of it."""
    return key == gold or document_key(key) == gold


class Gold(tuple[str, ...]):
    """The gold keys of a run, in order; a passage is in it by its own key or as a part."""

    __slots__ = ()

    def __contains__(self, key: object) -> bool:
        return super().__contains__(key) or (
            isinstance(key, str) and super().__contains__(document_key(key))
        )


def without_itself(ranking: Sequence[str], question: str) -> list[str]:
    """A ranking for a question that is a passage of the collection, by its id, without that
    passage; "" for any other question.
    """
    return [key for key in ranking if not (question and stands_for(key, question))]


def gold_count(gold: Sequence[str]) -> int:
    """How many gold passages there are."""
    return len(set(gold))


def found_at(ranking: Sequence[str], gold: Sequence[str], k: int) -> int:
    """How many of the gold passages are among the first k."""
    first = {*ranking[:k], *map(document_key, ranking[:k])}
    return len(first & set(gold))


def recall_at(ranking: Sequence[str], gold: Sequence[str], k: int) -> float:
    """R@k. Raises ValueError without gold: recall is then not defined."""
    if not gold:
        raise ValueError("recall needs at least one gold passage")
    return found_at(ranking, gold, k) / gold_count(gold)


_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLE = re.compile(r"\b(a|an|the)\b")


class ScoredAnswer(NamedTuple):
    """One answer with its measures, None where no answer is known."""

    source: Source
    answer: str
    passages: tuple[RankedPassage, ...]
    em: float | None = None
    f1: float | None = None


def scored_answers(events: Sequence[Event], gold_answers: Sequence[str]) -> list[ScoredAnswer]:
    """The answers in the order they were written, measured against the known ones."""
    return [_scored_answer(event, gold_answers) for event in events if isinstance(event, Answered)]


def retrieved_answer(events: Sequence[Event], gold_answers: Sequence[str]) -> ScoredAnswer | None:
    """The answer written from what was retrieved; None where none was."""
    return next(
        (answer for answer in scored_answers(events, gold_answers) if answer.source == "retrieved"),
        None,
    )


def _scored_answer(event: Answered, gold_answers: Sequence[str]) -> ScoredAnswer:
    answer = ScoredAnswer(event.source, event.answer, event.passages)
    if not gold_answers:
        return answer
    em = exact_match(event.answer, gold_answers)
    return answer._replace(em=em, f1=f1(event.answer, gold_answers))


def normalise_answer(text: str) -> str:
    """The words that are compared, with one blank between; the letters of scripts without blanks
    between words (text.spaced_letters) are words.
    """
    plain = spaced_letters(text.lower().translate(_PUNCTUATION))
    return " ".join(_ARTICLE.sub(" ", plain).split())


def exact_match(answer: str, gold_answers: Sequence[str]) -> float:
    """EM: 1.0 where the normalised answer is one of the known ones, else 0.0.

    No answer ("") is never right.
    Raises ValueError without known answers: it is then not defined.
    """
    return _best_score(answer, gold_answers, lambda text, other: float(text == other))


def f1(answer: str, gold_answers: Sequence[str]) -> float:
    """F1 of the answer's words and a known answer's, the best over the known answers.

    Words count as often as they occur in both. Words that normalise to nothing ("The") agree only
    with others that do. No answer scores 0.0.
    Raises ValueError without known answers.
    """
    return _best_score(answer, gold_answers, _overlap)


def _best_score(
    answer: str, gold_answers: Sequence[str], score: Callable[[str, str], float]
) -> float:
    if not gold_answers:
        raise ValueError("an answer can only be judged against known answers")
    if not answer.strip():
        return 0.0
    return max(
        score(normalise_answer(answer), normalise_answer(gold_answer))
        for gold_answer in gold_answers
    )


def _overlap(answer: str, other: str) -> float:
    words, other_words = answer.split(), other.split()
    if not words or not other_words:
        return float(words == other_words)
    shared = (Counter(words) & Counter(other_words)).total()
    return 2 * shared / (len(words) + len(other_words))
