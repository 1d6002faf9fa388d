"""The start screen: a run as a headline and captions whose cards open its steps, and suggested
questions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple
from urllib.parse import urlencode

from gear_app.core.text import count, cut, normalise_entity
from gear_app.core.types import ProximalTriple, Question
from gear_app.display.labels import absent_from, method_name
from gear_app.display.markup import Html, entity, join, tag
from gear_app.display.origin_words import origin_words
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
STAR = tag("span", "★ ", class_="star", role="img", aria_label="gold passage: ")


class Example(NamedTuple):
    """A run for a newcomer: its method's idea, its result in figures, its captions."""

    idea: str
    result: str
    captions: Html


def example(events: Sequence[Event], run: RunInfo, titles: Mapping[str, str]) -> Example | None:
    """An example from a finished run, or None without a search. `titles` are those of gold
    passages, by key.
    """
    trace = RunTrace.of(events)
    if base(trace) is None:
        return None
    return Example(_idea(run.method), _result(trace, run), _Cards(trace, run, titles).html())


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


class _Cards:
    """Captions of a run."""

    def __init__(self, trace: RunTrace, run: RunInfo, titles: Mapping[str, str]) -> None:
        self.trace, self.run, self.gold = trace, run, Gold(run.gold)
        self.passages = gold_passages(trace, run.gold, titles)
        self.step, self.beam = _beam(trace, self.passages)

    def html(self) -> Html:
        """The question and its captions in columns."""
        captions = [self._search()]
        if not self.trace.single:
            captions.append(self._facts() if self.beam else self._origins())
            captions.append(self._memory() if self.trace.memory else self._ranking())
        note = f"Example from the collection {self.run.collection}. A card opens its step."
        head = tag("header", tag("p", note), tag("h2", self.run.question))
        columns = tag("div", *captions, class_=f"captions of{len(captions)}")
        return tag("div", head, columns, class_="start")

    def _search(self) -> Html:
        ranking = self.trace.searches[0].ranking
        missed = [passage for passage in self.passages if not within(passage.first, K)]
        title = "One search"
        if self.passages:
            title = "One search fails" if missed else "One search finds them"
        step = self.trace.first_step("retrieve", 1) or 0
        cards = self._ranked(ranking, step)
        lead = "One search ranks passages that sound like the question."
        if missed:
            cards.append(tag("li", f"Only the first {K} are read", class_="cut"))
            unnamed = [
                passage for passage in missed if title_is_absent(self.run.question, passage.title)
            ]
            names = join([entity(passage.title) for passage in unnamed], " and ")
            lead = join([lead, " The question does not name ", names, "."]) if unnamed else lead
        for passage in missed:
            place = f"rank {passage.first}" if passage.first else absent_from(ranking)
            name = self._title(passage.title, passage.key)
            cards.append(self._card("missed", step, "–", name, place))
        return _caption(title, lead, cards)

    def _ranked(self, ranking: Sequence[RankedPassage], step: int) -> list[Html]:
        return [
            self._card("passage", step, rank, self._title(passage.name, passage.key))
            for rank, passage in enumerate(ranking[:K], start=1)
        ]

    def _facts(self) -> Html:
        cards = list[Html]()
        names = ["", *(_common(*pair) for pair in pairwise(self.beam))]
        for triple, name in zip(self.beam, names, strict=True):
            if name:
                cards.append(tag("li", "the same name: ", entity(name), class_="link"))
            title = self._title(triple.passage_name, triple.passage_key)
            cards.append(self._card("fact", self.step, title, _fact(triple)))
        name = next(filter(None, names), "")
        lead = join(["A passage names ", entity(name), ". Facts with this name are followed next."])
        fits = "Facts are read from the passages, and one that fits the question is followed."
        return _caption("A fact leads on", lead if name else fits, cards)

    def _origins(self) -> Html:
        """New passages of a run without beams, with the steps that raised them."""
        before = keys(self.trace.searches[0].ranking)[:K]
        new = [passage for passage in self.trace.final[:K] if passage.key not in before]
        cards = []
        for passage in sorted(new, key=lambda passage: passage.key not in self.gold)[:SUGGESTED]:
            origin, title = (
                origin_of(self.trace, passage.key),
                self._title(passage.name, passage.key),
            )
            cards.append(self._card("fact", origin.step, title, origin_words(origin)))
        lead = "Passages that the first search ranks low come in by another way."
        sentence = f"The first {K} passages stay those of the first search."
        return _caption("The search goes on", lead if cards else sentence, cards)

    def _memory(self) -> Html:
        last = next(
            (iteration.verdict for iteration in reversed(self.trace.memory) if iteration.verdict),
            None,
        )
        enough = last is None or last.answerable
        title = "The memory holds the answer" if enough else "The memory is not enough"
        lead = "Each iteration adds facts, decides whether they are enough, and asks for the rest."
        return _caption(
            title, lead, [self._iteration(iteration) for iteration in self.trace.memory]
        )

    def _iteration(self, iteration: GistIteration) -> Html:
        facts = [_fact(fact) for fact in iteration.added[:FACTS]]
        if len(iteration.added) > FACTS:
            facts.append(join([f"and {len(iteration.added) - FACTS} more"]))
        notes = list[Html]()
        if iteration.verdict:
            tone, sign = ("yes", "● ") if iteration.verdict.answerable else ("no", "○ ")
            notes.append(tag("span", sign, iteration.verdict.verdict, class_=f"note {tone}"))
        if iteration.next_query:
            notes.append(tag("span", f"asks next: {cut(iteration.next_query, LONGEST)}"))
        steps = (
            self.trace.first_step(verb, iteration.iteration) for verb in ("remember", "reason")
        )
        step = next((step for step in steps if step is not None), None)
        words = join(facts or ["nothing new"], "; ")
        return self._card("memory", step, iteration.iteration, words, join(notes, " · "))

    def _ranking(self) -> Html:
        cards = self._ranked(self.trace.final, len(self.trace.steps) - 1)
        return _caption("The final ranking", f"The {len(cards)} passages that are read.", cards)

    def _title(self, title: str, key: str) -> Html:
        return join([STAR if key in self.gold else "", entity(title)])

    def _card(
        self, kind: str, step: int | None, head: object, words: object, below: object = ""
    ) -> Html:
        address = {"run": self.run.id} if step is None else {"run": self.run.id, "step": step}
        card = tag(
            "a",
            tag("span", head, class_="head"),
            tag("span", words, class_="words", dir="auto"),
            tag("span", below, class_="below") if below else "",
            class_="card",
            href=f"./explore?{urlencode(address)}",
            title="Open this step in Explore",
            data_run=self.run.id,
            data_step=step,
        )
        return tag("li", card, class_=kind)


def _caption(title: str, lead: str, cards: Sequence[Html]) -> Html:
    head = tag("h3", title), tag("p", lead, class_="lead")
    return tag("section", *head, tag("ul", *cards), class_="caption")


def _fact(fact: ShownTriple | ProximalTriple) -> Html:
    return join([entity(fact.subject), f" {fact.predicate} ", entity(fact.object)])


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
    one without an answer; the first questions in place of those that are absent.
    """
    questions_ = [question for question in questions if question.question != example]
    by_passages = {
        len(set(question.supporting_keys)): question for question in reversed(questions_)
    }
    unanswerable = [question for question in questions_ if question.type == "unanswerable"][:1]
    rest = [question for question in questions_ if question not in unanswerable]
    picks = [by_passages[number] for number in (3, 2) if number in by_passages]
    picked = list(dict.fromkeys([*picks, *rest]))[: SUGGESTED - len(unanswerable)]
    return [(question, _note(question)) for question in (*picked, *unanswerable)]


def _note(question: Question) -> str:
    if question.supporting_keys:
        return count(len(set(question.supporting_keys)), "passage")
    return "not in these texts" if question.type == "unanswerable" else ""
