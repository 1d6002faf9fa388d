"""GEAR's agent: links to stored triples, the gist memory over the iterations with the verdicts on
it, and the next query.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from gear_app.analysis import timeline
from gear_app.analysis.entities import EntityNames
from gear_app.analysis.evidence import AnswerSource
from gear_app.events import (
    Event,
    Link,
    Linked,
    PassagesLinked,
    Reasoned,
    Remembered,
    Rewrote,
    ShownTriple,
)
from gear_app.step_views.blocks import (
    FACT,
    Block,
    Card,
    Column,
    MarkupBlock,
    SentenceBlock,
    TableBlock,
)
from gear_app.step_views.reading import ReadView
from gear_app.step_views.view import LONGEST, Conclusion, StepView, fact_cards, note
from gear_app.text import count, cut
from gear_app.types import ProximalTriple, Span, Substitution
from gear_app.views.labels import as_sentence, capital
from gear_app.views.markup import (
    NO_NAMES,
    Html,
    around,
    entity,
    fact,
    join,
    named,
    tag,
    triple_words,
)
from gear_app.views.rankings import rows, source

NOTHING_NEW = "The gist memory offers nothing new to ask for."
NO_MATCH = "No matched triple could be put into the query."
LINKED = (
    "Each new fact is searched for, among passages and among triples. The passages found and those"
    " of the triples found become one list by reciprocal rank; it counts in the final ranking."
)


class LinkView(StepView[Linked], verb="link", kind=Linked, asks="Which stored facts are these?"):
    """Proximal triples and the stored ones that they were linked to."""

    def headline_of(self, event: Linked) -> str:
        """How many have a place among the stored ones."""
        linked = sum(link.triple is not None for link in event.links)
        if not event.links:
            return "There is no fact to begin with"
        if linked == len(event.links):
            return "Every fact has its place in the graph: here the search begins"
        facts = count(len(event.links), "fact")
        return f"{linked} of {facts} {'has' if linked == 1 else 'have'} a place"

    def card_of(self, event: Linked) -> list[Block]:
        """All links."""
        return [MarkupBlock(links(event, self.scene.gold))]

    def columns_of(self, event: Linked) -> tuple[Column, ...]:
        """Facts as they were read beside the stored ones."""
        if not event.links:
            return ()
        left = fact_cards("l", [link.proximal for link in event.links])
        right = [
            self._stored(f"r{n}", f"l{n}", link.triple)
            for n, link in enumerate(event.links)
            if link.triple
        ]
        return (
            Column("read", tuple(replace(card, given=True) for card in left), FACT),
            Column("stored, of the passage", tuple(right), FACT),
        )

    def _stored(self, id_: str, parent: str, triple: ShownTriple) -> Card:
        gold = triple.passage_key in self.scene.gold
        return Card(
            id_,
            triple.passage_name,
            f"{triple.subject} {triple.predicate} → {triple.object}",
            "gold" if gold else "kept",
            star=gold,
            parents=(parent,),
        )


class RememberView(
    StepView[Remembered], verb="remember", kind=Remembered, asks="What is worth remembering?"
):
    """What was read for the gist memory, and what it holds then."""

    @property
    def headline(self) -> str:
        """Also that nothing was remembered."""
        event = self.event
        if event and event.added:
            facts = count(len(event.added), "fact")
            return f"{facts} remembered; the memory holds {event.size}"
        return super().headline if self.scene.step.failed else "Nothing new to remember"

    @property
    def blocks(self) -> list[Block]:
        """What was read and remembered in its order, and the passages it was linked to."""
        drawn: list[Block] = self.failures
        reading = ReadView(self.scene)
        for event in self.scene.step.events:
            for read in (one for one in reading.events if one is event):
                drawn += reading.card_of(read)
            if isinstance(event, Remembered):
                drawn.append(SentenceBlock(remembered(event)))
        linked = self.scene.of(PassagesLinked)
        if linked:
            label = "The passages that each new fact is linked to, as a table"
            rows = partial(linked_rows, linked, self.scene.gold)
            drawn += [note(LINKED), TableBlock("linked", label, rows)]
        return drawn

    @property
    def columns(self) -> tuple[Column, ...]:
        """What was read where nothing is remembered."""
        return super().columns if self.event else ReadView(self.scene).columns

    def columns_of(self, event: Remembered) -> tuple[Column, ...]:
        """What the memory had beside what is new in it."""
        before = memory_cards(self.scene.events, event.iteration)
        new = Column("new", fact_cards("n", event.added, "gist"), FACT)
        return (Column("remembered before", before, FACT), new) if before else (new,)


class ReasonView(
    StepView[Reasoned], verb="reason", kind=Reasoned, asks="Is the question answered?"
):
    """The verdict on the gist memory; whoever words a verdict words it by `Reasoned.verdict`."""

    def headline_of(self, event: Reasoned) -> str:
        """The verdict."""
        return capital(event.verdict)

    @classmethod
    def conclusion_of(cls, event: Reasoned, *, over: bool) -> Conclusion:
        """The answer, else the verdict."""
        if event.answerable and event.answer:
            return Conclusion(event.answer, "the reader's answer", rests=True)
        verdict = capital(event.verdict)
        return Conclusion(verdict.removesuffix(" yet") if over else verdict, "the reader's verdict")

    def card_of(self, event: Reasoned) -> list[Block]:
        """The verdict and its reason."""
        return [SentenceBlock(verdict_sentence(event), "good" if event.answerable else "busy")]

    def columns_of(self, event: Reasoned) -> tuple[Column, ...]:
        """The memory beside the verdict."""
        kind = "gold" if event.answerable else "pruned"
        verdict = Card("v", capital(event.verdict), event.reason, kind)
        said = Column("the verdict", (verdict,), "Is it answered?", roomy=True)
        held = memory_cards(self.scene.events, event.iteration + 1)
        return (Column("the memory", held, FACT), said) if held else (said,)


class RewriteView(StepView[Rewrote], verb="rewrite", kind=Rewrote, asks="What is asked next?"):
    """The next query, and what it was made of."""

    def headline_of(self, event: Rewrote) -> str:
        """What came in for what."""
        if not event.query.strip():
            return "There is nothing new to ask"
        new = timeline.new_substitutions(self.scene.events, event)
        if not new:
            return "The next query asks in other words"
        inserted = cut(new[-1].inserted, LONGEST)
        if not new[-1].removed:
            return f"“{inserted}” comes in"
        return f"“{cut(new[-1].removed, LONGEST)}” is now “{inserted}”"

    def card_of(self, event: Rewrote) -> list[Block]:
        """The query before and after."""
        scene = self.scene
        matches = any(one.is_of("match") for one in scene.events)
        nothing = NO_MATCH if matches else NOTHING_NEW
        new = replace(event, substitutions=timeline.new_substitutions(scene.events, event))
        return [MarkupBlock(next_query(new, scene.query, nothing, scene.names))]

    def columns_of(self, event: Rewrote) -> tuple[Column, ...]:
        """The query with what is struck out, and the next one with what was put in."""
        changes = timeline.new_substitutions(self.scene.events, event)
        struck = _pieces(self.scene.query, "del", [change.removed for change in changes])
        asked = Card("q", "Query", pieces=struck, kind="query", given=True)
        following = Card("n", "No next query", "There is nothing new to ask.", "pruned")
        if event.query.strip():
            put_in = _pieces(event.query, "ins", [change.inserted for change in changes])
            because = " ".join(f"Because {change.because}." for change in changes if change.because)
            following = Card("n", "Next query", because, "query", pieces=put_in)
        return (Column("", (asked, following), self.ASKS, roomy=True),)


def _pieces(text: str, mark: str, words: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The text cut around the first occurrence of each of the words, which get the mark."""
    places = sorted((text.find(one), one) for one in words if one and one in text)
    pieces: list[tuple[str, str]] = []
    at = 0
    for start, one in places:
        if start >= at:
            pieces += [(text[at:start], ""), (one, mark)]
            at = start + len(one)
    return tuple(piece for piece in [*pieces, (text[at:], "")] if piece[0])


def memory_cards(events: Sequence[Event], before: int) -> tuple[Card, ...]:
    """What the gist memory held before an iteration; the newest go first where there are many."""
    held = [triple for iteration, triple in gist_facts(events) if iteration < before]
    cards = enumerate(fact_cards("g", held, "gist"))
    return tuple(replace(card, given=True, weight=float(place)) for place, card in cards)


def iterations_with_memory(events: Sequence[Event]) -> set[int]:
    """The iterations in which something could be remembered, be it nothing new."""
    return {event.iteration for event in events if isinstance(event, Remembered)}


def gist_facts(events: Sequence[Event]) -> Iterator[tuple[int, ProximalTriple]]:
    """The facts that the gist memory took in, each with its iteration."""
    for event in events:
        if isinstance(event, Remembered):
            yield from ((event.iteration, fact) for fact in event.added)


def links(event: Linked, gold: Sequence[str]) -> Html:
    """Each proximal triple and the stored triple it was linked to."""
    if not event.links:
        return tag("p", "There was no proximal triple to link.", class_="gear-note")
    same = [link for link in event.links if link.identity and link.triple is not None]
    other = [link for link in event.links if link not in same]
    note = _selected(len(same), len(event.links))
    head = [tag("p", note, class_="gear-note")] if same else []
    stored = [_item(link.triple, gold) for link in same if link.triple is not None]
    return tag(
        "div", join([*head, *stored, *(_link(link, gold) for link in other)]), class_="gear-list"
    )


def linked_rows(events: Sequence[PassagesLinked], gold: Sequence[str]) -> list[dict[str, Any]]:
    """The passages that gist triples were linked to, with the parts of their scores, as rows."""
    return [
        {"list": event.name, "fact": event.query}
        | row
        | {"in the final ranking": "counts" if row["rank"] <= event.size else "too far down"}
        for event in events
        for row in rows(event.ranking, gold)
    ]


def _selected(same: int, all_: int) -> str:
    """That triples were chosen among the stored ones, so that nothing had to be looked for."""
    if same == all_ == 1:
        return "The fact was chosen among the stored triples, so it is its own link."
    if same == all_:
        return f"All {all_} facts were chosen among the stored triples, so each is its own link."
    be, own = ("was", "it is its own link") if same == 1 else ("were", "each is its own link")
    return f"{same} of {all_} facts {be} chosen among the stored triples, so {own}."


def next_query(
    event: Rewrote,
    before: str,
    nothing: str = NOTHING_NEW,
    names: EntityNames = NO_NAMES,
) -> Html:
    """The query before, what was replaced, and the query after.

    `nothing` is said where there is none.
    """
    if not event.query.strip():
        return tag("p", nothing, class_="gear-note")
    return tag(
        "div",
        tag(
            "dl",
            tag("dt", "Query"),
            tag("dd", query_struck(before, event.substitutions, names), dir="auto"),
            class_="gear-facts",
        ),
        tag(
            "dl",
            tag("dt", "Next query"),
            tag("dd", query_inserted(event, names), dir="auto"),
            class_="gear-facts",
        ),
        join(
            tag("p", named(_because(change), names), class_="gear-note", dir="auto")
            for change in event.substitutions
        ),
        class_="gear-rewrite",
    )


def query_struck(
    query: str, changes: Sequence[Substitution], names: EntityNames = NO_NAMES
) -> Html:
    """The query with the words that give way struck through."""
    return _around(query, "del", [change.removed for change in changes], names)


def query_inserted(event: Rewrote, names: EntityNames = NO_NAMES) -> Html:
    """The next query with the words that came in underlined."""
    return _around(event.query, "ins", [change.inserted for change in event.substitutions], names)


def _around(text: str, name: str, marked: Sequence[str], names: EntityNames) -> Html:
    """The text with the first occurrence of each of the words wrapped in a tag.

    Those absent are skipped.
    """
    spans = [
        Span(start, start + len(word))
        for word in marked
        if word and (start := text.find(word)) >= 0
    ]
    return around(text, [(span, name, "") for span in spans], names)


def _because(change: Substitution) -> str:
    removed = (
        f"“{change.removed}” became “{change.inserted}”"
        if change.removed
        else f"“{change.inserted}” was added"
    )
    return as_sentence(f"{removed}, because {change.because}" if change.because else removed)


def _link(link: Link, gold: Sequence[str]) -> Html:
    left = tag("div", triple_words(link.proximal), class_="gear-item gear-proximal", dir="auto")
    if link.triple is None:
        right = tag("div", "nothing near enough", class_="gear-item gear-nothing")
    else:
        right = _item(link.triple, gold)
    return tag(
        "div",
        left,
        tag("div", "→", tag("span", _how(link)), class_="gear-arrow"),
        right,
        class_="gear-link",
    )


def _item(triple: ShownTriple, gold: Sequence[str]) -> Html:
    return tag(
        "div", triple_words(triple), _of(triple, gold), class_="gear-item gear-kept", dir="auto"
    )


def _how(link: Link) -> str:
    ranks = ", ".join(source(part) for part in link.parts)
    return ranks or (f"score {link.score:.3f}" if link.score is not None else "")


def _of(triple: ShownTriple, gold: Sequence[str]) -> Html:
    star = "★ " if triple.passage_key in gold else ""
    title = entity(triple.passage_name)
    return tag("span", star, title, class_="gear-why")


def remembered(event: Remembered) -> str:
    """What became of the gist memory, in sentences."""
    added, known = len(event.added), len(event.repeated)
    again = f"{count(known, 'fact')} {'was' if known == 1 else 'were'} in it already."
    if not added and not known:
        new = "Nothing was added to the gist memory."
    elif not added:
        return f"Nothing new: {again} It holds {count(event.size, 'fact')}."
    else:
        new = f"{count(added, 'fact')} added to the gist memory."
    holds = f" It holds {count(event.size, 'fact')} now." if event.size else " It is empty."
    return f"{new} {again if known else ''}".strip() + holds


def verdict_sentence(verdict: Reasoned) -> str:
    """The verdict with its reason, which may begin in lower case."""
    words = capital(verdict.summary)
    return words if verdict.reason else as_sentence(words)


def answer_source(source: AnswerSource, names: EntityNames) -> Html:
    """An answer with the fact it rests on, and that fact's sentence where it is known."""
    said = tag("div", tag("b", named(source.answer, names)), class_="gear-answer", dir="auto")
    rest = []
    if source.fact:
        rest.append(fact(source.fact))
    else:
        rest.append(tag("p", "No fact that was taken names it word for word.", class_="gear-note"))
    if source.stored and source.stored.sentence:
        title = source.stored.passage_name
        quoted = tag("mark", named(source.stored.sentence, names))
        words = join([quoted, " ", tag("span", f"({title})", class_="gear-why")])
        rest.append(tag("p", words, class_="gear-passage", dir="auto"))
    return tag("div", said, *rest, class_="gear-thought gear-final")
