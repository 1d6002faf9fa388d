"""What a reader thought: its words, the facts behind it, and what is searched next.

Safe HTML and rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, get_args

from gear_app.analysis import timeline
from gear_app.analysis.entities import EntityNames
from gear_app.analysis.trace import RunTrace
from gear_app.events import (
    Analysed,
    AnalysedPassage,
    Event,
    Pooled,
    RankedPassage,
    Rewrote,
    Thought,
)
from gear_app.events.iterative import GIVEN
from gear_app.step_views.blocks import (
    Block,
    Card,
    Column,
    MarkupBlock,
    RankingBlock,
    TableBlock,
)
from gear_app.step_views.gist import FACTS
from gear_app.step_views.retrieval import RankingView
from gear_app.step_views.view import LONGEST, Conclusion, StepView, note, titles
from gear_app.text import count, cut
from gear_app.types import Form, ProximalTriple
from gear_app.views import rankings
from gear_app.views.markup import NO_NAMES, Html, fact, join, named, tag

NAMES = {
    "ircot": "Thought",
    "gcot": "What is missing",
    "tog": "Does it suffice?",
    "irgs": "Reasoning",
    "fast": "Fast thought · asks directly",
    "slow": "Slow thought · asks for the bridge",
    **dict.fromkeys(get_args(Form), "The agent"),
}


class ThinkView(
    StepView[Thought], verb="think", kind=Thought, asks="What does the reader make of it?"
):
    """What a reader thinks, once or twice."""

    def headline_of(self, event: Thought) -> str:
        """The answer, or that there are queries."""
        answer = next((one.answer for one in self.events if one.answer), "")
        if answer:
            return f"So the answer is: {answer}"
        if any(one.final for one in self.events):
            return "That is enough to answer"
        asked = sum(bool(one.query) for one in self.events)
        if asked and event.style in get_args(Form):
            return f"The agent searches for “{cut(event.query, LONGEST)}”"
        if not asked:
            return "There is nothing new to ask"
        several = f"{asked} thoughts, {asked} queries"
        return "The thought is the next query" if asked == 1 else several

    @classmethod
    def conclusion_of(cls, event: Thought, *, over: bool) -> Conclusion | None:
        """The final thought, and that there was none."""
        if event.final:
            label = "the reader's answer" if event.answer else "the final thought"
            return Conclusion(event.answer or "Answerable", label, rests=True)
        if over and event.style in ("ircot", "tog", *get_args(Form)):
            return Conclusion("No answer", "after the last thought")
        return None

    @property
    def blocks(self) -> list[Block]:
        """The thoughts beside each other."""
        told = cards(self.events, self.scene.names) if self.events else None
        return [*self.failures, *([MarkupBlock(told)] if told else [])]

    def columns_of(self, event: Thought) -> tuple[Column, ...]:
        """The thoughts."""
        thoughts = tuple(
            Card(f"t{n}", NAMES[one.style], one.text or "(no words)", "query")
            for n, one in enumerate(self.events)
        )
        return (Column("", thoughts, "What does the reader think?", roomy=True),)


class AnalyseView(
    StepView[Analysed], verb="analyse", kind=Analysed, asks="What is the agent shown of it?"
):
    """What a second call wrote of the documents, and what of them is not in it."""

    def headline_of(self, event: Analysed) -> str:
        """The gold passages of which nothing is in it, else how many sentences are not."""
        silent = [
            one.name for one in event.passages if one.key in self.scene.gold and not one.taken
        ]
        if silent:
            return f"The analysis has nothing of the gold passages: {titles(silent)}"
        left = sum(len(one.left) for one in event.passages)
        every = left + sum(len(one.taken) for one in event.passages)
        return f"The analysis leaves out {left} of {count(every, 'sentence')}"

    def card_of(self, event: Analysed) -> list[Block]:
        """The analysis, and beside it every sentence of the documents, in it or left out."""
        names = self.scene.names
        shown = tag(
            "div",
            tag("b", "The agent sees only this"),
            tag("p", named(event.text, names), class_="gear-said", dir="auto"),
            class_="gear-thought",
        )
        read = join(self._document(one, names) for one in event.passages)
        words = "A sentence counts as left out where less than half of its content words stand in"
        return [
            MarkupBlock(tag("div", shown, class_="gear-thoughts")),
            MarkupBlock(tag("div", read, class_="gear-thoughts")),
            note(f"{words} the analysis. Whether the analysis is true nobody checks."),
        ]

    def columns_of(self, event: Analysed) -> tuple[Column, ...]:
        """The analysis, and the documents with how many of their sentences are in it."""
        passages = tuple(
            replace(
                self.passage_card(n, RankedPassage(one.id, one.key, one.title, 0.0)),
                text=f"{len(one.left)} of {count(len(one.left + one.taken), 'sentence')} left out",
            )
            for n, one in enumerate(event.passages, start=1)
        )
        analysis = (Card("a", "The analysis", event.text, "query"),)
        return (
            Column("The documents", passages, "What of these is left out?"),
            Column("The agent sees", analysis, "What is it shown?", roomy=True),
        )

    def _document(self, passage: AnalysedPassage, names: EntityNames) -> Html:
        star = "★ " if passage.key in self.scene.gold else ""
        sentences = [
            tag(
                "div",
                tag("i", label),
                tag("span", named(words, names), dir="auto"),
                class_="gear-asks",
            )
            for label, several in (("Left out", passage.left), ("In it", passage.taken))
            for words in several
        ]
        return tag("div", tag("b", star + passage.name), *sentences, class_="gear-thought")


class PoolView(RankingView[Pooled], verb="pool", kind=Pooled, asks="What have all queries found?"):
    """The pool of what all queries found."""

    def headline_of(self, event: Pooled) -> str:
        """The gold passages in it, else how it grew."""
        if self.scene.gold:
            return self.gold_found(event.ranking)
        return f"{count(len(event.entered), 'passage')} new among all that was found"

    @property
    def blocks(self) -> list[Block]:
        """The queries, and the pool with what is new in it."""
        return [*self.failures, *(self.card_of(self.events[0]) if self.events else [])]

    def card_of(self, event: Pooled) -> list[Block]:
        """The queries, and the pool."""
        scene, ranking = self.scene, event.reached
        lines = rankings.lines(
            ranking,
            scene.gold,
            way="greatest",
            beside=rankings.Beside(pool_badges(event, scene.events), names=scene.names),
            lists=rankings.part_lists(scene.events),
        )
        first = ranking[0].id if ranking else None
        opens = next((passage.id for passage in ranking if passage.key in scene.gold), first)
        rows = partial(rankings.rows, event.ranking, scene.gold, way="greatest")
        return [
            MarkupBlock(pool_queries(event, scene.events)),
            RankingBlock("pool", lines, ranking[: len(lines["lines"])], opens),
            TableBlock("pool", f"All {len(event.ranking)} passages as a table", rows),
        ]

    def place_of(self, passage: RankedPassage) -> str:
        """Where the first search had the passage."""
        return self.place_at_first(passage)

    def origin_of_ranking(self, event: Pooled) -> str:
        """All queries', or the only one's."""
        if _given(event):
            return "what the agent was given, in this order, then the pool of its queries"
        if len(event.queries) > 1:
            return "the pool of all queries, each passage by its best score"
        return "what the question found, the only query that was asked"

    FOLLOWERS = "the first query"


def cards(thoughts: Sequence[Thought], names: EntityNames = NO_NAMES) -> Html:
    """The thoughts beside each other, and under them the facts that several rest on."""
    shared = (
        thoughts[0].because if len(thoughts) > 1 and len({t.because for t in thoughts}) == 1 else ()
    )
    cards = join(_card(thought, () if shared else thought.because, names) for thought in thoughts)
    return tag("div", tag("div", cards, class_="gear-thoughts"), *_because(shared, "Both rest on"))


def _card(thought: Thought, because: Sequence[ProximalTriple], names: EntityNames) -> Html:
    return tag(
        "div",
        tag("b", NAMES[thought.style] + (" · final" if thought.final else "")),
        tag("p", named(thought.text or "(no words)", names), class_="gear-said", dir="auto"),
        *_because(because, "It rests on"),
        *_next(thought, names),
        class_="gear-thought" + (" gear-final" if thought.final else ""),
    )


def _next(thought: Thought, names: EntityNames) -> list[Html]:
    found = []
    if thought.answer:
        found.append(
            tag(
                "div",
                tag("i", "Answer"),
                tag("b", named(thought.answer, names), dir="auto"),
                class_="gear-asks",
            )
        )
    if thought.query:
        same = thought.query == thought.text
        words = "the thought, word for word" if same else named(thought.query, names)
        found.append(
            tag(
                "div", tag("i", "Searched next"), tag("span", words, dir="auto"), class_="gear-asks"
            )
        )
    else:
        why = thought.unasked or "Nothing is searched because of it."
        found.append(tag("div", tag("i", "Not searched"), tag("span", why), class_="gear-asks"))
    return found


def _because(facts: Sequence[ProximalTriple], lead: str) -> list[Html]:
    if not facts:
        return []
    items = join(fact(triple) for triple in facts)
    return [tag("div", tag("span", lead, class_="gear-note"), items, class_="gear-list")]


class MemoryTitle(NamedTuple):
    """The heading over what a run gathered by iteration, and whether a reader had a part in it."""

    name: str
    aside: str
    reads: bool


def memory_title(events: Sequence[Event]) -> MemoryTitle:
    """Of the gist memory, or of the queries and thoughts of a method that has none."""
    if RunTrace.of(events).memory:
        return MemoryTitle("Gist memory", "what each iteration added and what was decided", True)
    thought = any(event.is_of("think") for event in events)
    name = "Queries and thoughts" if thought else "Queries"
    return MemoryTitle(name, "what each iteration asked and what came of it", thought)


def iterations(events: Sequence[Event], current: int = 0) -> Html:
    """All iterations side by side: queries, thoughts, and what went into the next query.

    "" for a run of one round, and for one with a gist memory, which tells this itself.
    """
    first = 0 if any(isinstance(one, Thought) and not one.iteration for one in events) else 1
    found = [_chapter(events, n, current) for n in range(first, RunTrace.of(events).iterations + 1)]
    wanted = any(event.is_of("think", "rewrite") for event in events) and len(found) > 1
    return tag("div", join(found), class_="gear-told", id=FACTS) if wanted else Html("")


def rows(events: Sequence[Event]) -> list[dict[str, Any]]:
    """The same as a table: a line for every query asked and every thought."""
    lines = []
    for n in range(RunTrace.of(events).iterations + 1):
        for search in RunTrace.of(events).searches:
            if search.iteration == n:
                lines.append({"iteration": n, "what": _asked(search.name), "words": search.query})
        for event in timeline.at_iteration(events, n):
            if isinstance(event, Thought):
                lines.append({"iteration": n, "what": NAMES[event.style], "words": event.text})
            if isinstance(event, Rewrote) and event.query:
                lines.append({"iteration": n, "what": "next query", "words": event.query})
    return lines


def _asked(name: str) -> str:
    return f"{name} query" if name in ("fast", "slow") else name or "query"


def _chapter(events: Sequence[Event], n: int, current: int) -> Html:
    there, names = timeline.at_iteration(events, n), RunTrace.of(events).names
    asked = [
        _line(_asked(one.name).capitalize(), named(one.query, names))
        for one in RunTrace.of(events).searches
        if one.iteration == n
    ]
    thoughts = [
        _line(NAMES[event.style].partition(" · ")[0], named(event.text, names), " gear-think")
        for event in there
        if isinstance(event, Thought)
    ]
    here = " gear-here" if n == current else ""
    notes = [tag("div", note, class_="gear-note", dir="auto") for note in _notes(there)]
    return tag(
        "div",
        tag("b", f"Iteration {n}" if n else "Before any search"),
        *asked,
        *notes,
        *thoughts,
        class_=f"gear-chapter{here}",
    )


def _line(kind: str, words: str, more: str = "") -> Html:
    return tag("div", tag("i", kind), tag("span", words, dir="auto"), class_=f"gear-asks{more}")


def _notes(there: Sequence[Event]) -> Iterator[str]:
    """How the pool grew, and what was put into the next query."""
    for event in there:
        if isinstance(event, Pooled):
            yield f"{count(len(event.entered), 'new passage')} in the pool"
        if isinstance(event, Rewrote):
            for change in event.substitutions:
                yield f"“{change.inserted}” for “{change.removed}”"


NORMALISED = {
    "min-max": "Each query's scores are stretched to 0 to 1 first, so that queries compare.",
    "reciprocal rank": (
        "Each query's scores are sums of reciprocal ranks, so 1 / rank takes their place here."
    ),
}


def pool_badges(event: Pooled, events: Sequence[Event]) -> dict[int, str]:
    """Words beside a passage: "new" in the pool, or "better" where its best score rose."""
    before = _before(event, events)
    if before is None:  # everything is new in the first pool
        return {}
    scores = {passage.id: passage.score for passage in before.reached}
    found = dict.fromkeys(event.entered, "new")
    for passage in event.reached:
        if passage.id not in found and passage.score > scores.get(passage.id, passage.score):
            found[passage.id] = f"better, was {scores[passage.id]:.2f}"
    return found


def pool_queries(event: Pooled, events: Sequence[Event]) -> Html:
    """The queries so far, numbered as the arithmetic names them, each with who asked it."""
    lines = [
        tag(
            "li",
            tag("i", f"query {n}"),
            tag("span", words, dir="auto"),
            tag("em", _asker(words, n, events) + _counts(event.weights[n - 1 : n])),
        )
        for n, words in enumerate(event.queries, start=1)
    ]
    new = len(event.entered)
    size = len(event.reached)
    first = _before(event, events) is None
    grown = f"{count(size, 'passage')} in the pool" + ("" if first else f", {new} of them new")
    below = f"; below it {event.below} more of the first query" if event.below else ""
    note = (
        f"{grown}{below}. A passage scores the greatest of its scores, not their sum."
        f" {NORMALISED[event.normalised]}{_powers(event)}{_given(event)}"
    )
    return tag(
        "div", tag("ol", join(lines), class_="gear-queries"), tag("p", note, class_="gear-note")
    )


def _counts(weight: Sequence[float]) -> str:
    """That a query counts less than whole; "" where it does not."""
    return "".join(f" · rests on no sure fact: counts {one:g}" for one in weight if one < 1)


def _powers(event: Pooled) -> str:
    """That later queries' scores count by a power; "" where they do not."""
    if event.power == 1 or len(event.queries) == 1:
        return ""
    how = "squared" if event.power == 2 else f"raised to the power {event.power:g}"
    return (
        f" Those of the queries after the first are then {how}: each asks for one thing, and its"
        " first hits count."
    )


def _given(event: Pooled) -> str:
    """That what an agent was given stands on top; "" where there is none."""
    if not any(part.source == GIVEN for passage in event.ranking for part in passage.parts):
        return ""
    return (
        " What the agent was given stands above the rest, in the order in which it was, the n-th"
        " with 1 + 1 / n: its papers rank nothing, this order is ours."
    )


def _before(event: Pooled, events: Sequence[Event]) -> Pooled | None:
    earlier = [one for one in events if isinstance(one, Pooled) and one.iteration < event.iteration]
    return earlier[-1] if earlier else None


def _asker(words: str, n: int, events: Sequence[Event]) -> str:
    thought = next((one for one in events if isinstance(one, Thought) and one.query == words), None)
    if thought is None:
        return "the question" if n == 1 else ""
    if not thought.iteration:
        return "the agent, before any search"
    kind = f"{thought.style} thought" if thought.style in ("fast", "slow") else "thought"
    return f"{kind} of iteration {thought.iteration}"
