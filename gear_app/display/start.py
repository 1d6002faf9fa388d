"""The start screen: a run as a headline and captions whose cards open its steps, and suggested
questions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from gear_app.core.text import count, cut, normalise_entity
from gear_app.core.types import Question
from gear_app.display.gold import origin_words
from gear_app.display.labels import absent_from, method_name
from gear_app.display.telling import Card, Column, Telling
from gear_app.methods import METHODS
from gear_app.store.rows import RunInfo
from gear_app.trace.events import Event, Expanded, RankedPassage, ShownTriple
from gear_app.trace.evidence import last_answer
from gear_app.trace.gold import GoldPassage, base, decisive_step, gold_passages, title_is_absent
from gear_app.trace.metrics import Gold, exact_match, found_at, gold_count, stands_for
from gear_app.trace.passage_origin import origin_of
from gear_app.trace.paths import beam_of
from gear_app.trace.rankings import CUTS, keys, within
from gear_app.trace.timeline import GistIteration
from gear_app.trace.trace import RunTrace

K = CUTS[0]  # passages that are read
FACTS = 2  # of one iteration
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
    return Example(_idea(run.method), _result(trace, run), captions(trace, run, titles))


def _idea(method: str) -> str:
    spec = METHODS.get(method.partition(":")[0])
    return (spec.idea if spec else "") or f"{method_name(method)} answers a question"


def _result(trace: RunTrace, run: RunInfo) -> str:
    """Gold passages of the first search and of the run, in a sentence."""
    first, answer = base(trace), last_answer(trace)
    if first is None or not run.gold:
        return f"It answers: {answer}." if answer else ""
    total = gold_count(run.gold)
    before, after = (
        found_at(keys(passages), run.gold, K) for passages in (first.ranking, trace.final)
    )
    search = f"One search finds {before} of the {count(total, 'passage')} needed."
    if trace.single:
        return search
    way = f" in {count(trace.iterations, 'iteration')}" if trace.iterates else ""
    correct = answer and run.answers and exact_match(answer, run.answers)
    right = ", and the answer" if correct else ""
    number = f"all {total}" if after == total > 1 else after
    return f"{search} {method_name(run.method)} finds {number}{way}{right}."


def captions(trace: RunTrace, run: RunInfo, titles: Mapping[str, str]) -> Telling:
    """A run in up to three columns; the id of a card begins with the number of its step."""
    passages = gold_passages(trace, run.gold, titles)
    columns = [_search(trace, run, passages)]
    if not trace.single:
        step, beam = _beam(trace, passages)
        gold = Gold(run.gold)
        columns.append(_facts(step, beam, gold) if beam else _origins(trace, gold))
        columns.append(_memory(trace) if trace.memory else _ranking(trace, gold))
    numbered = enumerate(columns, start=1)
    return Telling(columns=tuple(replace(col, name=f"{n}. {col.name}") for n, col in numbered))


def step_of(card: str) -> int | None:
    """The number of the step that a card opens; None for one without."""
    number = card.partition("/")[0]
    return int(number) if number else None


def _id(step: int | None, *place: object) -> str:
    return "/".join(["" if step is None else str(step), *map(str, place)])


def _search(trace: RunTrace, run: RunInfo, passages: Sequence[GoldPassage]) -> Column:
    ranking, step = trace.searches[0].ranking, trace.first_step("retrieve", 1) or 0
    missed = [passage for passage in passages if not within(passage.first, K)]
    unnamed = [passage.title for passage in missed if title_is_absent(run.question, passage.title)]
    lead = "One search ranks passages that sound like the question."
    lead += f" The question does not name {' and '.join(unnamed)}." if unnamed else ""
    lead += f" Only the first {K} are read." if missed else ""
    cards = list(_ranked(ranking, step, Gold(run.gold)))
    for passage in missed:
        place = f"rank {passage.first}" if passage.first else absent_from(ranking)
        id_ = _id(step, "missed", passage.key)
        cards.append(Card(id_, passage.title, place, "pruned", star=True, lead="–"))
    title = "One search fails" if missed else "One search finds them"
    return _column(title if passages else "One search", lead, cards)


def _ranked(ranking: Sequence[RankedPassage], step: int, gold: Gold) -> Iterator[Card]:
    for rank, passage in enumerate(ranking[:K], start=1):
        star = passage.key in gold
        id_, kind = _id(step, "rank", rank), "gold" if star else "passage"
        yield Card(id_, passage.name, kind=kind, star=star, lead=str(rank))


def _facts(step: int | None, beam: Sequence[ShownTriple], gold: Gold) -> Column:
    cards = list[Card]()
    for triple in beam:
        parents = tuple(card.id for card in cards[-1:])
        star, id_ = triple.passage_key in gold, _id(step, "fact", triple.id)
        kind = "gold" if star else "kept"
        cards.append(Card(id_, triple.passage_name, triple.text, kind, star=star, parents=parents))
    name = next(filter(None, (_common(*pair) for pair in pairwise(beam))), "")
    lead = f"A passage names {name}. Facts with this name are followed next."
    fits = "Facts are read from the passages, and one that fits the question is followed."
    return _column("A fact leads on", lead if name else fits, cards)


def _origins(trace: RunTrace, gold: Gold) -> Column:
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
    verdicts = [iteration.verdict for iteration in trace.memory if iteration.verdict]
    enough = not verdicts or verdicts[-1].answerable
    title = "The memory holds the answer" if enough else "The memory is not enough"
    lead = "Each iteration adds facts, decides whether they are enough, and asks for the rest."
    return _column(title, lead, [_iteration(trace, iteration) for iteration in trace.memory])


def _iteration(trace: RunTrace, iteration: GistIteration) -> Card:
    facts = [fact.text for fact in iteration.added[:FACTS]]
    if len(iteration.added) > FACTS:
        facts.append(f"and {len(iteration.added) - FACTS} more")
    verdict, notes = iteration.verdict, list[str]()
    if verdict:
        notes.append(f"{'●' if verdict.answerable else '○'} {verdict.verdict}")
    if iteration.next_query:
        notes.append(f"asks next: {cut(iteration.next_query, LONGEST)}")
    steps = (trace.first_step(verb, iteration.iteration) for verb in ("remember", "reason"))
    step = next((step for step in steps if step is not None), None)
    kind = "gold" if verdict and verdict.answerable else "gist"
    words, lead = "; ".join(facts) or "nothing new", str(iteration.iteration)
    return Card(_id(step, "memory", lead), words, " · ".join(notes), kind, lead=lead)


def _ranking(trace: RunTrace, gold: Gold) -> Column:
    cards = list(_ranked(trace.final, len(trace.steps) - 1, gold))
    return _column("The final ranking", f"The {len(cards)} passages that are read.", cards)


def _column(name: str, lead: str, cards: Sequence[Card]) -> Column:
    return Column(name, tuple(cards), lead=lead, roomy=True)


def _beam(
    trace: RunTrace, gold: Sequence[GoldPassage]
) -> tuple[int | None, tuple[ShownTriple, ...]]:
    """The beam that ends in a gold passage that the first search missed, else the best one, of the
    decisive beam search.
    """
    opening = decisive_step(trace, [passage.key for passage in gold])
    steps = sorted(trace.steps, key=lambda step: step.number != opening)
    passages = sorted(gold, key=lambda passage: within(passage.first, K))
    for step in steps:
        for event in step.events:
            if isinstance(event, Expanded) and event.steps and event.steps[-1].kept:
                beams = event.steps[-1].kept
                ends = [
                    end
                    for passage in passages
                    for end in beams
                    if not end.carried and stands_for(end.triple.passage_key, passage.key)
                ]
                path = beam_of(event, len(event.steps) - 1, next(iter(ends), beams[0]))
                return step.number, tuple(
                    {candidate.triple.id: candidate.triple for candidate in path}.values()
                )
    return None, ()


def _common(fact: ShownTriple, other: ShownTriple) -> str:
    """The name that two facts share, as the second writes it; "" without one."""
    names = {normalise_entity(fact.subject), normalise_entity(fact.object)}
    ends = (other.subject, other.object)
    return next((name for name in ends if normalise_entity(name) in names), "")


def suggested(questions: Sequence[Question], example: str) -> list[tuple[Question, str]]:
    """Up to three other questions with a note: one that needs three passages, one that needs two,
    one without any; the first questions in place of those that are absent.
    """
    remaining = [question for question in questions if question.question != example]
    by_passages = {len(set(question.supporting_keys)): question for question in reversed(remaining)}
    picks = [by_passages[number] for number in (3, 2, 0) if number in by_passages]
    picked = list(dict.fromkeys([*picks, *remaining]))[:SUGGESTED]
    return [(question, _note(question)) for question in picked]


def _note(question: Question) -> str:
    if question.supporting_keys:
        return count(len(set(question.supporting_keys)), "passage")
    return "not in these texts" if question.type == "unanswerable" else ""
