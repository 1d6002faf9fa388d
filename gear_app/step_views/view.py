"""What a step of a run is drawn from, and what every telling of it has: the question that it
answers, what it found in one sentence, its card, and columns of cards for a hall and for paper.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from gear_app.analysis.entities import EntityNames
from gear_app.analysis.metrics import found_at, gold_count
from gear_app.analysis.rankings import CUTS, keys, of_event, rank_of
from gear_app.analysis.timeline import Step
from gear_app.analysis.trace import RunTrace
from gear_app.events import VERBS, Event, Failed, RankedPassage, Retrieved, ShownTriple
from gear_app.step_views.blocks import Block, Card, Column, MarkupBlock, SentenceBlock
from gear_app.store.rows import RunInfo
from gear_app.text import count, cut
from gear_app.types import ProximalTriple
from gear_app.views import calls, labels
from gear_app.views.markup import explained, tag

Kind = TypeVar("Kind", bound=Event)
Texts = Callable[[Sequence[int]], Mapping[int, str]]  # of passages by id, of those that are there


def _no_texts(ids: Sequence[int]) -> Mapping[int, str]:
    return {}


@dataclass(frozen=True)
class Scene:
    """What a step is drawn from; `before` are the steps before it in its iteration.

    `events` are those that are known at the step, or all, if everything is shown. `iterations` is
    how many the run has in all; `over`: the known rankings are final. `opens` is the path of
    the beam whose card is selected first; () leaves that to the picture. `texts` are those of the
    collection's passages.
    """

    run: RunInfo
    events: Sequence[Event]
    step: Step
    before: tuple[Step, ...]
    gold: tuple[str, ...]
    markable: bool = False
    texts: Texts = _no_texts
    iterations: int = 0
    over: bool = True
    opens: tuple[int, ...] = ()

    @property
    def key(self) -> str:
        """A prefix for this step's widgets."""
        return f"{self.run.id}-{self.step.number}"

    def of(self, kind: type[Kind]) -> list[Kind]:
        """The step's events of a kind, in order."""
        return [event for event in self.step.events if isinstance(event, kind)]

    @cached_property
    def names(self) -> EntityNames:
        """The names of the run's entities, to be found in its texts."""
        return RunTrace.of(self.events).names

    @property
    def queries(self) -> list[tuple[str, str]]:
        """The labelled queries of the step's search, else of its iteration, else the question.

        None where the step's card shows them itself.
        """
        heading = VERBS[self.step.verb].heading
        if not heading:
            return []
        if heading == "question":
            return [("Question", self.run.question)]
        if self.step.query:
            return [(_label(self.step.search), self.step.query)]
        iteration = self.step.iteration
        there = [
            search for search in RunTrace.of(self.events).searches if search.iteration == iteration
        ]
        labelled = [(_label(search.name), search.query) for search in there]
        return labelled or [("Query", self.run.question)]

    @property
    def query(self) -> str:
        """The last of the step's queries."""
        return next((words for _, words in reversed(self.queries)), self.run.question)

    @property
    def search(self) -> Retrieved | None:
        """The retrieval that the step's search began with."""
        there = [
            event
            for event in self.events
            if isinstance(event, Retrieved)
            and event.iteration == self.step.iteration
            and self.step.query in ("", event.query)
        ]
        return there[-1] if there else None

    @property
    def settings(self) -> tuple[tuple[str, str], ...]:
        """The run's settings, as its first event tells them."""
        begun = RunTrace.of(self.events).start
        return begun.settings if begun else ()


def _label(name: str) -> str:
    return (
        f"{name.capitalize()} query" if name in ("fast", "slow") else name.capitalize() or "Query"
    )


K = CUTS[0]
LONGEST = 48  # characters of a title or of words of the question, in a headline


class Conclusion(NamedTuple):
    """A value and what it is; `rests` on facts that a page tells elsewhere."""

    value: str
    label: str
    rests: bool = False


class StepView(Generic[Kind]):
    """A step as it is told; a family of events has one for each verb of its steps.

    A headline says nothing but what the step's events, and those before them, say. Whoever draws it
    for a hall keeps it back until all that it speaks of is seen, and shows what the step asks.
    """

    VERBS: ClassVar[dict[str, type[StepView[Any]]]] = {}
    KIND: ClassVar[type[Event]] = Event
    ASKS: ClassVar[str] = ""
    ORIGIN: ClassVar[str] = "what the last step ranked"
    FOLLOWERS: ClassVar[str] = ""

    def __init_subclass__(cls, verb: str = "", kind: type[Event] = Event, asks: str = "") -> None:
        """Of a verb: the view tells all its steps, and of these the events of one kind."""
        super().__init_subclass__()
        if verb:
            StepView.VERBS[verb] = cls
            cls.KIND, cls.ASKS = kind, asks

    def __init__(self, scene: Scene) -> None:
        self.scene = scene

    # What is drawn

    @property
    def asks(self) -> str:
        """The question that the step answers; it gives nothing away."""
        return self.ASKS or labels.step_title(self.scene.step)

    @property
    def headline(self) -> str:
        """What the step found, in one short sentence."""
        step = self.scene.step
        if step.failed and all(isinstance(e, Failed) or not e.verb for e in step.events):
            return labels.gave_up(step.verb)
        found = self.headline_of(self.event) if self.event else ""
        return found or labels.step_title(step)

    @property
    def title(self) -> str:
        """What stands above the card."""
        return labels.step_title(self.scene.step)

    @property
    def purpose(self) -> str:
        """What the step is for, in a sentence."""
        told = (event.explanation for event in self.scene.step.events if event.verb)
        return next(told, VERBS[self.scene.step.verb].purpose)

    @property
    def blocks(self) -> list[Block]:
        """The step's card, but for the calls of a language model."""
        return [*self.failures, *(block for event in self.events for block in self.card_of(event))]

    @property
    def columns(self) -> tuple[Column, ...]:
        """The things that the step is about; of a step that gave up, why."""
        columns = self.columns_of(self.event) if self.event else ()
        if columns:
            return columns
        cards = tuple(
            Card(f"f{n}", "This step gave up", event.message, "pruned", given=True)
            for n, event in enumerate(self.scene.of(Failed)[:2])
        )
        return (Column("", cards, roomy=True),) if cards else ()

    def below(self, k: int, opens: int | None) -> list[Block]:
        """What stands below the card, across the page: a ranking whose scores need the room. The
        first k are told from the others; of `opens` by id the arithmetic is open.
        """
        return []

    @property
    def opens(self) -> int | None:
        """The passage that is opened first below, by id."""
        return None

    # What a family says of an event of its kind

    def headline_of(self, event: Kind) -> str:
        """What the event found, in one sentence; "" where there is nothing to say."""
        return ""

    def card_of(self, event: Kind) -> list[Block]:
        """What the card says of the event."""
        return []

    def columns_of(self, event: Kind) -> tuple[Column, ...]:
        """The things that the event is about."""
        return ()

    def origin_of_ranking(self, event: Kind) -> str:
        """How a final ranking came about that is this event's, as the end of a sentence."""
        return self.ORIGIN

    @classmethod
    def conclusion_of(cls, event: Kind, *, over: bool) -> Conclusion | None:
        """What the head of a run says that it concluded, where the event says it; `over` False: the
        run goes on.
        """
        return None

    def order_of_followers(self, event: Kind) -> str:
        """The list in whose order passages follow the ranking's own; "" where that is not known."""
        return self.FOLLOWERS

    # What they say it with

    @cached_property
    def events(self) -> list[Kind]:
        """The step's events of the kind, in order."""
        return [event for event in self.scene.step.events if isinstance(event, self.KIND)]  # type: ignore[misc]

    @property
    def event(self) -> Kind | None:
        """The last of them."""
        return self.events[-1] if self.events else None

    @property
    def failures(self) -> list[Block]:
        """Why the step gave up, or which parts of a reply could not be used."""
        verb = self.scene.step.verb
        return [block for event in self.scene.of(Failed) for block in failure(event, verb)]

    def gold_of(
        self, passages: Sequence[RankedPassage], without: Collection[str] = ()
    ) -> list[str]:
        """Titles of the gold passages of a list, but not of those in `without`."""
        wanted = [key for key in dict.fromkeys(self.scene.gold) if key not in without]
        first = [next((one for one in passages if rank_of(key, [one])), None) for key in wanted]
        return [passage.name for passage in first if passage]

    def gold_found(self, ranking: Sequence[RankedPassage]) -> str:
        """How many gold passages are among the first of a ranking."""
        gold = self.scene.gold
        found, total = found_at(keys(ranking), gold, K), gold_count(gold)
        return f"{found} of {count(total, 'gold passage')} among the first {K}"

    def passage_card(self, rank: int, passage: RankedPassage, text: str = "") -> Card:
        """A passage with its rank, starred where it is gold; `text` is what is said of it."""
        gold = passage.key in self.scene.gold
        kind = "gold" if gold else "passage"
        return Card(f"p{rank}", passage.name, text, kind, star=gold, lead=str(rank))


class PlainView(StepView[Event]):
    """A step that has no view of its own: a line for each of its events."""

    @property
    def blocks(self) -> list[Block]:
        """Why it gave up, and what its events sum up to."""
        told = [note(event.summary) for event in self.scene.step.events if event.verb]
        return [*self.failures, *told]


def note(words: str) -> MarkupBlock:
    """A quiet remark, with its terms explained."""
    return MarkupBlock(tag("p", explained(words), class_="gear-note"))


def failure(event: Failed, step: str) -> list[MarkupBlock | SentenceBlock]:
    """Why a step gave up, with the raw reply, or which parts of a reply could not be used."""
    if event.dropped:
        where = "The whole reply is under “Model calls of this step”."
        return [SentenceBlock(f"{calls.why(event)} {where}")]
    if event.reply:
        return [SentenceBlock(calls.why(event), "bad"), MarkupBlock(calls.raw(event.reply))]
    return [SentenceBlock(f"{labels.gave_up(step)}: {event.message}", "bad")]


def titles(named: Sequence[str]) -> str:
    """Titles in quotation marks: one, two, or the first and how many others."""
    quoted = [f"“{cut(title, LONGEST)}”" for title in named]
    if len(quoted) < 3:
        return " and ".join(quoted)
    return f"{quoted[0]} and {len(quoted) - 1} more"


def ranking_of(events: Iterable[Event]) -> Sequence[RankedPassage]:
    """The last ranking that events have."""
    rankings = [of_event(event) for event in events if of_event(event)]
    return rankings[-1] if rankings else ()


def fact_card(
    id_: str, triple: ProximalTriple | ShownTriple, kind: str = "proximal", *, note: str = ""
) -> Card:
    """A fact, its subject as the title."""
    return Card(id_, triple.subject, f"{triple.predicate} → {triple.object}", kind, note=note)


def fact_cards(
    prefix: str,
    triples: Iterable[ProximalTriple | ShownTriple],
    kind: str = "proximal",
) -> tuple[Card, ...]:
    """A card for each fact; ids are the prefix and a number from 0."""
    return tuple(fact_card(f"{prefix}{n}", triple, kind) for n, triple in enumerate(triples))


def left_out(things: Sized) -> int:
    """How many things a column of a slide has no row for."""
    return max(0, len(things) - K)


def pictured(data: Mapping[str, Any], ask: str) -> tuple[Column, ...]:
    """Columns of cards with lines between neighbours, from the data of such a picture; what is
    starred goes first where there are too many.
    """
    links = [link for link in data["links"] if not link.get("quiet")]
    return tuple(
        Column(
            column["name"],
            tuple(_pictured(card, links) for card in column["cards"]),
            ask,
            column["more"],
        )
        for column in data["columns"]
    )


def _pictured(card: Mapping[str, Any], links: Sequence[Mapping[str, Any]]) -> Card:
    score, words = card.get("score") or "", card.get("note") or ""
    return Card(
        card["id"],
        card["title"],
        words or score,
        "pruned" if card.get("dashed") else card["kind"],
        star=bool(card["star"]),
        lead=str(card.get("rank") or ""),
        note=score if words else "",
        parents=tuple(link["from"] for link in links if link["to"] == card["id"]),
        weight=float(bool(card["star"])),
    )
