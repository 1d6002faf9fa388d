"""The functions of lessons, which give values of their runs (docs/teach.md lists them), and whether
a page agrees with its runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from gear_app.core.errors import BadInput, GearError, Unknown
from gear_app.core.text import normalise_entity
from gear_app.core.types import Ranking
from gear_app.display import glossary, scores
from gear_app.display.beams import arithmetic, gamma_of
from gear_app.display.markup import Html
from gear_app.language.numbers import number_in
from gear_app.lessons.lesson import Page
from gear_app.lessons.text import Fact, rendered
from gear_app.methods.steps.fuse import rrf
from gear_app.trace.entities import EntityNames, names_of
from gear_app.trace.events import BeamCandidate, BeamStep, Event, RankedPassage
from gear_app.trace.rankings import final, gist_texts, rank_of, title_of, within
from gear_app.trace.timeline import Step
from gear_app.trace.trace import RunTrace

LISTED = 15  # things of a number that are listed
THINGS: Mapping[str, Callable[[Any, Sequence[Event]], int | Sequence[str]]] = {
    "passages": lambda event, _: [passage.name for passage in event.listed],
    "proximal triples": lambda read, _: [triple.text for triple in read.triples],
    "linked triples": lambda linked, _: [link.triple.text for link in linked.links if link.triple],
    "kept beams": lambda expanded, _: [beam.triple.text for beam in expanded.steps[-1].kept],
    "remembered": lambda remembered, known: gist_texts(known) if remembered.added else (),
    "entities": lambda walked, _: [node.name for node in walked.nodes],
    "candidates": lambda matched, _: matched.triples,
    "matches": lambda matched, _: [match.triple.text for match in matched.matches],
    "sentences left out": lambda read, _: [
        text for passage in read.passages for text in passage.left
    ],
}


@dataclass(frozen=True)
class LessonTrace:
    """The events of a lesson's finished run, with its gold."""

    events: tuple[Event, ...]
    gold: tuple[str, ...] = ()

    @cached_property
    def names(self) -> EntityNames:
        """The names of the run's entities."""
        return names_of(self.events)

    @cached_property
    def steps(self) -> dict[str, Step]:
        """Steps by verb and iteration, "expand 1"; the second of the same name is "expand 1 2"."""
        steps: dict[str, Step] = {}
        for step in RunTrace.of(self.events).steps:
            name = f"{step.verb} {step.iteration}"
            number = 1 + sum(f"{step.verb} {step.iteration}" == name for step in steps.values())
            steps[f"{name} {number}" if number > 1 else name] = step
        return steps

    def step(self, name: str) -> Step:
        """A step by its name. Raises Unknown."""
        if name not in self.steps:
            raise Unknown("step of the run", name, self.steps)
        return self.steps[name]

    @property
    def settings(self) -> dict[str, str]:
        """Settings of the run, by the last part of their names."""
        started = RunTrace.of(self.events).start
        return {name.split(".")[-1]: value for name, value in started.settings} if started else {}


Traces = Mapping[str, LessonTrace]  # by the name of the run


def fused(traces: Traces) -> tuple[RankedPassage, ...]:
    """The final rankings of all runs of a lesson, fused by reciprocal rank (GEAR Eq. 3)."""
    lists = {name: final(trace.events) for name, trace in traces.items()}
    lines = {passage.id: passage for ranking in lists.values() for passage in ranking}
    by_rank = {
        name: Ranking.of((passage.id, 1 / rank) for rank, passage in enumerate(ranking, start=1))
        for name, ranking in lists.items()
    }
    ranking, parts = rrf(by_rank)
    return tuple(replace(lines[id_], score=score, parts=parts[id_]) for id_, score in ranking.hits)


def beams(step: Step) -> Sequence[BeamStep]:
    """The beam search of a step."""
    return next((event.beams for event in step.events if event.beams), ())


def candidate(triple: str, search: Sequence[BeamStep]) -> BeamCandidate:
    """The candidate of a search's last step whose triple is "SUBJECT | PREDICATE | OBJECT"."""
    last = [beam for step in search[-1:] for beam in (*step.pruned, *step.kept)]
    candidates = {_words(beam): beam for beam in last}
    if triple not in candidates:
        raise Unknown("candidate", triple, candidates)
    return candidates[triple]


def _words(beam: BeamCandidate) -> str:
    return " | ".join(beam.triple.words)


class _Functions:
    """The functions of a page. `step` "" is the step that the page reveals, `run` "" its run; "end"
    is the final ranking, "rrf" that of all runs fused.
    """

    def __init__(self, page: Page, traces: Traces) -> None:
        self._page, self._traces = page, traces

    def _trace(self, run: str = "") -> LessonTrace:
        return self._traces[run or self._page.run]

    def _step(self, step: str, run: str) -> Step:
        return self._trace(run).step(step or self._page.reveal)

    def _ranking(self, step: str, run: str) -> Sequence[RankedPassage]:
        if step == "rrf":
            return fused(self._traces)
        if step == "end":
            return final(self._trace(run).events)
        return [event.listed for event in self._step(step, run).events if event.listed][-1]

    def _event(self, verb: str, iteration: int) -> Any:  # noqa: ANN401
        events = self._trace().events
        return next(event for event in events if event.is_of(verb) and event.iteration == iteration)

    def name(self, words: str) -> Fact:
        for start, end, key in glossary.places(words):
            if (start, end) == (0, len(words)):
                return Fact(words, meaning=glossary.TERMS[key])
        entity = normalise_entity(words)
        if entity not in [place.entity for place in self._trace().names.places(words)]:
            raise BadInput("the run has no such name")
        return Fact(words, entity)

    def setting(self, name: str) -> Fact:
        value = self._trace().settings[name]
        number = number_in(value)
        return Fact(value if number is None else number)

    def rank(self, passage: str, step: str = "", run: str = "") -> Fact:
        ranking = self._ranking(step, run)
        rank = rank_of(passage, ranking)
        return _of_line(float(rank), ranking[rank - 1]) if rank else Fact("none")

    def score(self, passage: str, step: str = "", run: str = "") -> Fact:
        line = next(line for line in self._ranking(step, run) if line.key == passage)
        return _of_line(line.score, line)

    def first(self, step: str = "", run: str = "") -> Fact:
        return Fact(self._ranking(step, run)[0].key)

    def gold(self, k: int = 0, step: str = "", run: str = "") -> Fact:
        trace = self._trace(run)
        titles = [title_of(trace.events, key) for key in trace.gold]
        if not k:
            return _counted(titles)
        ranks = [rank_of(key, self._ranking(step, run)) for key in trace.gold]
        words = [f"rank {rank}" if rank else "not ranked" for rank in ranks]
        fact = _counted([f"{title}: {place}" for title, place in zip(titles, words, strict=True)])
        return replace(fact, value=float(sum(within(rank, k) for rank in ranks)))

    def beam(self, number: str, triple: str, step: str = "", run: str = "") -> Fact:
        beam = candidate(triple, beams(self._step(step, run)))
        numbers: dict[str, str | float] = {"score": beam.score, "sum": beam.total}
        numbers |= {"place": float(beam.position + 1), "kept": "yes" if beam.kept else "no"}
        terms = arithmetic(beam, gamma_of(list(self._trace(run).settings.items())))
        return Fact(numbers[number], terms=tuple(f"{name}: {value}" for name, value in terms))

    def survivor(self, rank: int, step: str = "", run: str = "") -> Fact:
        return Fact(_words(beams(self._step(step, run))[-1].kept[rank - 1]))

    def count(self, things: str, step: str = "", run: str = "") -> Fact:
        events = self._trace(run).events
        for event in self._step(step, run).events:
            with suppress(AttributeError):
                return _counted(THINGS[things](event, events[: events.index(event) + 1]))
        raise BadInput("the step has nothing of the kind")

    def answerable(self, iteration: int) -> Fact:
        return Fact("yes" if self._event("reason", iteration).answerable else "no")

    def answer(self, iteration: int) -> Fact:
        answer = self._event("reason", iteration).answer
        return Fact(answer or "none", normalise_entity(answer))

    def query(self, iteration: int) -> Fact:
        return Fact(self._event("retrieve", iteration).query)

    def iterations(self) -> Fact:
        return Fact(float(RunTrace.of(self._trace().events).iterations))


class PageText(NamedTuple):
    """The texts of a page, and a sentence for all that its runs do not bear out."""

    text: Html
    after: Html
    problems: list[str]


def page_text(page: Page, traces: Traces) -> PageText:
    """Render a page's texts and check its steps, its names and the solution of its task."""
    problems: list[str] = []

    def checked(name: str) -> Callable[..., Fact]:
        def call(*arguments: object, **run: str) -> Fact:
            try:
                fact: Fact = getattr(_Functions(page, traces), name)(*arguments, **run)
            except (GearError, LookupError, StopIteration, TypeError) as error:
                plain = isinstance(error, (GearError, TypeError))
                words = str(error) if plain else "the run has nothing of the kind"
                problems.append(f"{name}({', '.join(map(str, arguments))}): {words}")
                return Fact(str(arguments[0]) if name == "name" else "?")
            return fact

        return call

    functions = {name: checked(name) for name in vars(_Functions) if not name.startswith("_")}
    texts = [Html(""), Html("")]
    try:
        for step in filter(None, (page.step, page.reveal)):
            traces[page.run].step(step)
        texts = [rendered(text, functions)[0] for text in (page.text, page.after)]
        if page.opens:
            functions["beam"]("score", page.opens, page.step)
        if page.task:
            _, (fact,) = rendered("{{" + page.task.asks + "}}", functions)
            options = [option.value or option.text for option in page.task.options]
            correct = [n for n, option in enumerate(options, start=1) if fact.equals(option)]
            if correct != [page.task.solution]:
                problems.append(f"the task: the run says “{fact}”, correct options: {correct}")
    except Exception as error:  # a template can raise anything
        problems.append(f"{type(error).__name__}: {error}")
    return PageText(texts[0], texts[1], problems)


def _of_line(number: float, line: RankedPassage) -> Fact:
    """A rank or score, with the arithmetic of the score where it has parts."""
    arithmetic_ = scores.Arithmetic(scores.way_of_parts(line.parts))
    terms = [arithmetic_.term(part) for part in line.parts]
    if terms:
        terms.append(arithmetic_.total(line))
    return Fact(number, normalise_entity(line.title), tuple(filter(None, terms)))


def _counted(things: int | Sequence[str]) -> Fact:
    """A number of things, the first of which are its terms."""
    if isinstance(things, int):
        return Fact(float(things))
    more = [f"and {len(things) - LISTED} more"] if len(things) > LISTED else []
    return Fact(float(len(things)), terms=(*things[:LISTED], *more))
