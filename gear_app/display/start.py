"""The start screen: a run as a headline and captions whose cards open its steps, and suggested
questions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from gear_app.core.text import count, cut
from gear_app.core.types import Question
from gear_app.display.gold import origin_words
from gear_app.display.labels import absent_from, as_sentence, method_name
from gear_app.display.telling import Card, Column, Telling, gain
from gear_app.methods import METHODS
from gear_app.store.rows import RunInfo
from gear_app.trace.events import Event, RankedPassage, ShownTriple
from gear_app.trace.evidence import answer_of
from gear_app.trace.gold import GoldPassage, base, gold_passages, title_is_absent
from gear_app.trace.metrics import Gold
from gear_app.trace.passage_origin import PassageOrigin, origin_of
from gear_app.trace.rankings import CUTS, is_among, keys
from gear_app.trace.timeline import GistIteration
from gear_app.trace.trace import RunTrace

K = CUTS[0]  # passages that are read
LONGEST = 90  # characters of a query
SUGGESTED = 3


class Example(NamedTuple):
    """A run for a newcomer: its method's idea, its result in figures, its captions."""

    idea: str
    result: str
    captions: Telling


def example(events: Sequence[Event], run: RunInfo, titles: Mapping[str, str]) -> Example | None:
    """An example from a finished run, or None without a search. `titles` are those of gold
    passages, by key.
    """
    trace = RunTrace.of(events)
    if base(trace) is None:
        return None
    spec = METHODS.get(run.method.partition(":")[0])
    idea = (spec.idea if spec else "") or f"{method_name(run.method)} answers a question"
    answer = answer_of(trace)
    parts = gain(trace, run.gold), f"Its answer: {answer}" if answer else ""
    result = as_sentence(". ".join(filter(None, parts)))
    return Example(idea, result, captions(trace, run, titles))


def captions(trace: RunTrace, run: RunInfo, titles: Mapping[str, str]) -> Telling:
    """A run in up to three columns; the id of a card begins with the number of its step."""
    gold, passages = Gold(run.gold), gold_passages(trace, run.gold, titles)
    columns = [_search(trace, run, passages)]
    if not trace.single:
        missed = [passage for passage in passages if not is_among(passage.first, K)]
        beams = [passage.origin for passage in missed if _beam(passage.origin)]
        columns.append(_facts(beams[0], gold) if beams else _new_passages(trace, gold))
        columns.append(_memory(trace) if trace.memory else _ranking(trace, gold))
    numbered = enumerate(columns, start=1)
    return Telling(columns=tuple(replace(col, name=f"{n}. {col.name}") for n, col in numbered))


def step_of(card: str) -> int | None:
    """The number of the step that a card opens; None for one without."""
    number = card.partition("/")[0]
    return int(number) if number else None


def _id(step: int | None, *place: object) -> str:
    return "/".join(["" if step is None else str(step), *map(str, place)])


def _column(name: str, lead: str, cards: Iterator[Card] | Sequence[Card]) -> Column:
    return Column(name, tuple(cards), lead=lead, roomy=True)


def _search(trace: RunTrace, run: RunInfo, passages: Sequence[GoldPassage]) -> Column:
    ranking, step = trace.searches[0].ranking, trace.first_step("retrieve", 1) or 0
    missed = [passage for passage in passages if not is_among(passage.first, K)]
    unnamed = [passage.title for passage in missed if title_is_absent(run.question, passage.title)]
    lead = "One search ranks passages that sound like the question."
    lead += f" The question does not name {' and '.join(unnamed)}." if unnamed else ""
    cards = list(_ranked(ranking, step, Gold(run.gold)))
    for passage in missed:
        place = f"rank {passage.first}" if passage.first else absent_from(ranking)
        id_ = _id(step, "missed", passage.key)
        cards.append(Card(id_, passage.title, place, "pruned", star=True, lead="–"))
    return _column("One search fails" if missed else "One search", lead, cards)


def _ranked(ranking: Sequence[RankedPassage], step: int, gold: Gold) -> Iterator[Card]:
    for rank, passage in enumerate(ranking[:K], start=1):
        star = passage.key in gold
        id_, kind = _id(step, "rank", rank), "gold" if star else "passage"
        yield Card(id_, passage.name, kind=kind, star=star, lead=str(rank))


def _beam(origin: PassageOrigin) -> list[ShownTriple]:
    """The facts of the beam that leads to a passage; none where something else does."""
    way = origin.way if isinstance(origin.way, tuple) else ()
    return [triple for triple in way if isinstance(triple, ShownTriple)]


def _facts(origin: PassageOrigin, gold: Gold) -> Column:
    cards = list[Card]()
    for triple in _beam(origin):
        parents = tuple(card.id for card in cards[-1:])
        star, id_ = triple.passage_key in gold, _id(origin.step, "fact", triple.id)
        kind = "gold" if star else "kept"
        cards.append(Card(id_, triple.passage_name, triple.text, kind, star=star, parents=parents))
    lead = (
        "Facts are read from the passages. One that fits the question leads to the next by a name."
    )
    return _column("A fact leads on", lead, cards)


def _new_passages(trace: RunTrace, gold: Gold) -> Column:
    """New passages of a run without beams, with the steps that raised them."""
    before = keys(trace.searches[0].ranking)[:K]
    new = [passage for passage in trace.final[:K] if passage.key not in before]
    cards = []
    for passage in sorted(new, key=lambda passage: passage.key not in gold)[:SUGGESTED]:
        origin, star = origin_of(trace, passage.key), passage.key in gold
        id_, kind = _id(origin.step, "new", passage.key), "gold" if star else "kept"
        cards.append(Card(id_, passage.name, origin_words(origin), kind, star=star))
    lead = "Passages that the first search ranks low come in by another way."
    unchanged = f"The first {K} passages stay those of the first search."
    return _column("The search goes on", lead if cards else unchanged, cards)


def _memory(trace: RunTrace) -> Column:
    lead = "Each iteration adds facts, decides whether they are enough, and asks for the rest."
    cards = [_iteration(trace, iteration) for iteration in trace.memory]
    return _column("The memory grows", lead, cards)


def _iteration(trace: RunTrace, iteration: GistIteration) -> Card:
    facts, verdict = "; ".join(fact.text for fact in iteration.added), iteration.verdict
    answerable = verdict is not None and verdict.answerable
    notes = [f"{'●' if answerable else '○'} {verdict.verdict}"] if verdict else []
    if iteration.next_query:
        notes.append(f"asks next: {cut(iteration.next_query, LONGEST)}")
    number = iteration.iteration
    steps = [step.number for step in trace.steps if step.iteration == number]
    step = trace.first_step("remember", number) or next(iter(steps), None)
    kind, id_ = "gold" if answerable else "gist", _id(step, "memory", number)
    return Card(id_, facts or "nothing new", " · ".join(notes), kind, lead=str(number))


def _ranking(trace: RunTrace, gold: Gold) -> Column:
    cards = list(_ranked(trace.final, len(trace.steps) - 1, gold))
    return _column("The final ranking", f"The {len(cards)} passages that are read.", cards)


def suggested(questions: Sequence[Question], example: str) -> list[tuple[Question, str]]:
    """Up to three other questions with a note: one that needs three passages, one that needs two,
    one without any; the first questions in place of those that are absent.
    """
    remaining = [question for question in questions if question.question != example]
    numbers = {question.id: len(set(question.supporting_keys)) for question in remaining}
    by_number = {numbers[question.id]: question for question in reversed(remaining)}
    picks = [by_number[number] for number in (3, 2, 0) if number in by_number]
    picked = list(dict.fromkeys([*picks, *remaining]))[:SUGGESTED]
    absent = {
        question.id: "not in these texts" * (question.type == "unanswerable") for question in picked
    }
    return [(q, count(numbers[q.id], "passage") if numbers[q.id] else absent[q.id]) for q in picked]
