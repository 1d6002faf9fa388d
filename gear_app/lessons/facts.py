"""Texts of lessons: Markdown, in which Jinja prints values of runs (docs/teach.md lists the
functions), `[Name]` lights up, and one option of a task has to be right.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from jinja2 import StrictUndefined
from jinja2.sandbox import SandboxedEnvironment
from markdown_it import MarkdownIt

from gear_app.core.errors import BadInput, Unknown
from gear_app.core.text import normalise_entity
from gear_app.core.types import Ranking
from gear_app.display import markup
from gear_app.display.markup import Html, tag, term
from gear_app.language.dates import NUMBER_WORDS, ORDINALS, number_in
from gear_app.lessons.lesson import Page
from gear_app.methods.fuse import rrf
from gear_app.trace.events import BeamCandidate, BeamStep, Event, RankedPassage
from gear_app.trace.rankings import final, gist_texts, is_among, rank_of
from gear_app.trace.timeline import Step
from gear_app.trace.trace import RunTrace

THINGS: Mapping[str, Callable[[Any, Sequence[Event]], int]] = {
    "passages": lambda event, _: len(event.listed),
    "proximal triples": lambda read, _: len(read.triples),
    "linked triples": lambda linked, _: sum(bool(link.triple) for link in linked.links),
    "remembered": lambda remembered, events: len(gist_texts(events)) if remembered.added else 0,
    "entities": lambda walked, _: len(walked.nodes),
    "candidates": lambda matched, _: matched.triples,
    "sentences left out": lambda read, _: sum(len(passage.left) for passage in read.passages),
}

Value = str | float
_MARKS, _ESCAPED = re.compile(r"([!-/:-@\[-`{-~])"), r"\\\1"
_NAME = re.compile(r"\[([^\[\]]+)\]")
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).disable("image")


@dataclass(frozen=True)
class LessonTrace:
    """The events of a lesson's finished run, with its gold."""

    events: RunTrace
    gold: tuple[str, ...] = ()

    @cached_property
    def steps(self) -> dict[str, Step]:
        """Steps by verb and iteration, "expand 1"; the second of the same name is "expand 1 2"."""
        steps: dict[str, Step] = {}
        for step in self.events.steps:
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
        started = self.events.start
        return {name.split(".")[-1]: value for name, value in started.settings} if started else {}


Traces = Mapping[str, LessonTrace]  # by the name of the run


def fused(traces: Traces) -> tuple[RankedPassage, ...]:
    """The final rankings of all runs of a lesson, fused by reciprocal rank (GEAR Eq. 3)."""
    lists = {name: final(trace.events) for name, trace in traces.items()}
    lines = {passage.id: passage for ranking in lists.values() for passage in ranking}
    ranking, parts = rrf(
        {
            name: Ranking.of((line.id, 1 / rank) for rank, line in enumerate(passages, start=1))
            for name, passages in lists.items()
        }
    )
    return tuple(replace(lines[id_], score=score, parts=parts[id_]) for id_, score in ranking.hits)


def beams(step: Step) -> Sequence[BeamStep]:
    """The beam search of a step."""
    return next((event.beams for event in step.events if event.beams), ())


def candidate(triple: str, search: Sequence[BeamStep]) -> BeamCandidate:
    """The candidate of a search's last step whose triple is "SUBJECT | PREDICATE | OBJECT"."""
    last = [beam for step in search[-1:] for beam in (*step.pruned, *step.kept)]
    candidates = {triple_words(beam): beam for beam in last}
    if triple not in candidates:
        raise Unknown("candidate", triple, candidates)
    return candidates[triple]


def triple_words(beam: BeamCandidate) -> str:
    """The last triple of a beam as lessons write it."""
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
        return next(e for e in self._trace().events if e.is_of(verb) and e.iteration == iteration)

    def setting(self, name: str) -> Value:
        setting = self._trace().settings[name]
        return number_in(setting) or setting

    def rank(self, passage: str, step: str = "", run: str = "") -> Value:
        rank = rank_of(passage, self._ranking(step, run))
        return float(rank) if rank else "none"

    def score(self, passage: str, step: str = "", run: str = "") -> Value:
        return next(line.score for line in self._ranking(step, run) if line.key == passage)

    def first(self, step: str = "", run: str = "") -> Value:
        return self._ranking(step, run)[0].key

    def gold(self, k: int = 0, step: str = "", run: str = "") -> Value:
        gold = self._trace(run).gold
        if not k:
            return float(len(gold))
        ranking = self._ranking(step, run)
        return float(sum(is_among(rank_of(key, ranking), k) for key in gold))

    def beam(self, number: str, triple: str, step: str = "", run: str = "") -> Value:
        beam = candidate(triple, beams(self._step(step, run)))
        numbers: dict[str, Value] = {
            "score": beam.score,
            "sum": beam.total,
            "place": float(beam.position + 1),
            "kept": "yes" if beam.kept else "no",
        }
        return numbers[number]

    def survivor(self, rank: int, step: str = "", run: str = "") -> Value:
        return triple_words(beams(self._step(step, run))[-1].kept[rank - 1])

    def count(self, things: str, step: str = "", run: str = "") -> Value:
        events = self._trace(run).events
        for event in self._step(step, run).events:
            with suppress(AttributeError):
                return float(THINGS[things](event, events[: events.index(event) + 1]))
        raise BadInput(f"The step has no {things}.")

    def answerable(self, iteration: int) -> Value:
        return "yes" if self._event("reason", iteration).answerable else "no"

    def answer(self, iteration: int) -> Value:
        return self._event("reason", iteration).answer or "none"

    def query(self, iteration: int) -> Value:
        return str(self._event("retrieve", iteration).query)

    def iterations(self) -> Value:
        return float(self._trace().events.iterations)


def words(value: Value) -> str:
    """A value as a text prints it."""
    return value if isinstance(value, str) else f"{value:g}"


def equals(value: Value, stated: str) -> bool:
    """Whether words state a value; a number in digits or words."""
    if isinstance(value, str):
        return normalise_entity(stated) == normalise_entity(value)
    return number_in(stated) == value


def _nth(value: Value, names: list[str], first: int) -> Value:
    place = -1 if isinstance(value, str) else int(value) - first
    return names[place] if 0 <= place < len(names) else value


def _print(value: Value) -> str:
    """A value in bold, of which nothing is Markdown."""
    return f"**{_MARKS.sub(_ESCAPED, words(value))}**"


_TEXTS, _VALUES = (
    SandboxedEnvironment(undefined=StrictUndefined, finalize=finalize)
    for finalize in (_print, None)
)
_TEXTS.filters |= {
    "word": lambda value: _nth(value, NUMBER_WORDS, 0),
    "ordinal": lambda value: _nth(value, ORDINALS, 1),
    "round": lambda value, digits: f"{value:.{digits}f}",
}


def rendered(
    text: str, functions: Mapping[str, Callable[..., Value]], name: Callable[[str], Html]
) -> Html:
    """A text as HTML; `name` gives what stands for a name. Raises jinja2.TemplateError and what the
    functions raise.
    """
    page = _MARKDOWN.render(_TEXTS.from_string(text).render(functions))
    page = _NAME.sub(lambda match: name(html.unescape(match[1])), page)
    return Html(page)  # escaped by Markdown


class PageText(NamedTuple):
    """The texts of a page and the place of the right option, or what its runs do not bear out."""

    text: Html = Html("")
    after: Html = Html("")
    solution: int = 0
    problem: str = ""


def page_text(page: Page, traces: Traces) -> PageText:
    """Render a page's texts, and check its names and that one option is right."""

    def element(name: str) -> Html:
        for start, end, key in markup.places(name):
            if (start, end) == (0, len(name)):
                return term(name, meaning=markup.TERMS[key])
        entity = normalise_entity(name)
        if entity not in [place.entity for place in traces[page.run].events.names.places(name)]:
            raise Unknown("name of the run", name)
        return tag(
            "span",
            name,
            data_entity=entity,
            tabindex=0,
            role="button",
            class_="gear-lesson-name",
        )

    methods = _Functions(page, traces)
    functions = {name: getattr(methods, name) for name in dir(methods) if not name.startswith("_")}
    try:
        solutions = [0]
        if page.task:
            fact: Any = _VALUES.compile_expression(page.task.fact, undefined_to_none=False)(
                functions
            )
            options = [option.value or option.text for option in page.task.options]
            solutions = [place for place, option in enumerate(options) if equals(fact, option)]
            if len(solutions) != 1:
                raise BadInput(f"The run says “{words(fact)}”: {len(solutions)} options state it.")
        text, after = (rendered(text, functions, element) for text in (page.text, page.after))
        return PageText(text, after, solutions[0])
    except Exception as error:  # a template can raise anything
        return PageText(problem=f"{type(error).__name__}: {error}")


DEFAULT = "2b"  # the paper's γ: twice the width
EXTENSIONS = 3  # extensions of each beam, besides those that some γ keeps


class Rival(NamedTuple):
    """An extension at one value of γ."""

    beam: BeamCandidate  # that it extends
    extension: BeamCandidate
    rank: int | None  # among the kept; None: pruned


def gammas(width: int) -> dict[str, int | None]:
    """Values of γ by name; None: no weighting."""
    return {"off": None, "1": 1, "b": width, DEFAULT: 2 * width, "4b": 4 * width}


def competition(searches: Mapping[str, Sequence[BeamStep]]) -> dict[str, list[Rival]]:
    """For each γ the extensions in the search made with it, by beam and place in it.

    Searches have two steps: after a third, γ would have chosen the beams, too.
    """
    survivors = {extension.path for search in searches.values() for extension in search[-1].kept}
    rivals: dict[str, list[Rival]] = {}
    for name, (first, last) in searches.items():
        survivor_paths = [extension.path for extension in last.kept]
        rivals[name] = sorted(
            (
                Rival(
                    first.kept[extension.parent],
                    extension,
                    survivor_paths.index(extension.path) + 1 if extension.kept else None,
                )
                for extension in (*last.kept, *last.pruned)
                if extension.parent is not None and not extension.carried
                if extension.position < EXTENSIONS or extension.path in survivors
            ),
            key=lambda rival: (rival.extension.parent, rival.extension.position),
        )
    return rivals
