"""A run in one sentence: its method's idea, and what came of it, in figures; and which questions to
begin with.
"""

from __future__ import annotations

from collections.abc import Sequence

from gear_app.analysis.evidence import conclusions, last_answer
from gear_app.analysis.gold import base
from gear_app.analysis.metrics import exact_match, found_at, gold_count
from gear_app.analysis.rankings import CUTS, keys
from gear_app.analysis.trace import RunTrace
from gear_app.events import Event
from gear_app.retrievers import METHODS
from gear_app.step_views import chain_round
from gear_app.text import count
from gear_app.types import Question
from gear_app.views.labels import method_name

SEEN = CUTS[0]  # passages that a reader sees
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def is_plain(method: str) -> bool:
    """Whether a method ranks by words and meaning alone."""
    known = METHODS.get(method)
    return known is not None and not known.idea and known.over == "nothing"


def sentence_of(
    events: Sequence[Event], method: str, gold: Sequence[str], known: Sequence[str]
) -> str:
    """What the run is an example of: its method's idea, and what came of it, in figures."""
    name = method_name(method)
    retriever = METHODS.get(method.split(":")[0])
    idea = (retriever.idea if retriever else "") or f"{name} searches on from what it finds"
    who, n = "it", RunTrace.of(events).iterations
    if RunTrace.of(events).iterates:
        who = f"{_in_words(n)} {'iteration' if n == 1 else 'iterations'}"
    ends = "" if RunTrace.of(events).iterates and n != 1 else "s"
    answer = last_answer(events)
    first = base(events)
    if not gold or first is None:
        return f"{idea}: {who} {_without_gold(events, answer, ends)}."
    total = gold_count(gold)
    before = found_at(keys(first.ranking), gold, SEEN)
    after = found_at(keys(RunTrace.of(events).final), gold, SEEN)
    if RunTrace.of(events).single:
        search = "One search" if is_plain(method) else f"One search by {name}"
        if before == total == 1:
            return f"{search} finds the one passage that answers the question."
        found = _all(total) if before == total else f"{before} of the {total}"
        return f"{search} finds {found} passages that answer the question."
    right = bool(answer and known and exact_match(answer, known))
    too = " too" if after == before else ""
    found = _all(total) if after == total else _of(after, total)
    and_answer = " and the answer" if right else ""
    return (
        f"{idea}: one search finds {_of(before, total)}, {who} find{ends} {found}{too}{and_answer}."
    )


def _without_gold(events: Sequence[Event], answer: str, ends: str) -> str:
    if answer:
        return f"lead{ends} from this question to an answer: {answer}"
    if conclusions(events):
        return f"find{ends} no answer to this question"
    new, others = chain_round.new_passages(events, SEEN) or (_new(events), 0)
    if new:
        return f"bring{ends} {_other_passages(new)} into the first five"
    if others:
        return f"lead{ends} to none of the new passages among the first five"
    return f"change{ends} nothing among the first five passages"


def _new(events: Sequence[Event]) -> int:
    """How many of the first passages the first search does not have among its own."""
    first = base(events)
    before = keys(first.ranking)[:SEEN] if first else []
    return sum(key not in before for key in keys(RunTrace.of(events).final)[:SEEN])


def _in_words(number: int) -> str:
    return NUMBERS[number] if number < len(NUMBERS) else f"{number:,}"


def _other_passages(number: int) -> str:
    return "one other passage" if number == 1 else f"{_in_words(number)} other passages"


def _of(found: int, total: int) -> str:
    return f"{found} of {total}"


def _all(total: int) -> str:
    return {1: "the one passage", 2: "both"}.get(total, f"all {_in_words(total)}")


SUGGESTED = 3


def beginnings(questions: Sequence[Question], shown: str) -> list[tuple[Question, str]]:
    """Questions to begin with, other than the one shown, each with where its answer stands: one
    that needs three passages, one that needs two, one whose answer is not in the collection; where
    there are no such, the first ones.
    """
    others = [one for one in questions if one.question != shown]
    answered = [one for one in others if one.supporting_keys]
    by_passages = {len(set(one.supporting_keys)): one for one in reversed(answered)}
    nowhere = next((one for one in others if one.type == "unanswerable"), None)
    wanted = [by_passages[needed] for needed in (3, 2) if needed in by_passages]
    rest = [one for one in others if one is not nowhere]
    picked = list(dict.fromkeys([*wanted, *rest]))[: SUGGESTED - bool(nowhere)]
    return [(one, _where(one)) for one in [*picked, *filter(None, [nowhere])]]


def _where(question: Question) -> str:
    if question.supporting_keys:
        return count(len(set(question.supporting_keys)), "passage")
    return "nowhere: see how it says so" if question.type == "unanswerable" else ""
