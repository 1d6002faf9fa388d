"""The telling of a step: the question that it answers, its headline, columns of cards with lines
between them, notes, tables and a ranking. Screen, slide, page and print are derived from it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeVar

from gear_app.core.text import count, cut, normalise_entity
from gear_app.core.types import NamedPassage, ProximalTriple, TripleWords
from gear_app.display.labels import base_name, capital
from gear_app.display.markup import Html
from gear_app.store.rows import RunInfo
from gear_app.trace.events import VERBS, Event, RankedPassage, Retrieved, ShownTriple
from gear_app.trace.events.base import Way
from gear_app.trace.gold import base
from gear_app.trace.metrics import document_key, found_at, gold_count, stands_for
from gear_app.trace.rankings import CUTS, keys
from gear_app.trace.timeline import Step
from gear_app.trace.trace import RunTrace

K = CUTS[0]
LONGEST = 48  # characters of a title or of words of the question, in a headline
FACT, PASSAGE, ENTITY = "Which fact comes next?", "Which passage comes next?", "Which one is next?"
EMPTY = Html("")
LINE_KINDS = ("gold", "pruned", "passage", "gist")  # other lines have the colour of "kept"
Rows = Callable[[], list[dict[str, Any]]]
Kind = TypeVar("Kind", bound=Event)


@dataclass(frozen=True, slots=True)
class Card:
    """A thing that a step is about: a fact, a passage, an entity, a query, a verdict."""

    id: str
    title: str
    text: str = ""
    kind: str = "passage"  # a colour's name in the palette; "pruned" is dashed
    star: bool = False  # gold
    lead: str = ""  # a rank
    note: str = ""  # a number
    pieces: tuple[tuple[str, str], ...] = ()  # words with a mark each: "del", "ins", "mark" or ""
    marked: bool = False  # facts are joined by the title, as by a "mark" among the pieces
    uncovered: bool = False  # never covered on a slide
    parents: tuple[str, ...] = ()  # ids of the cards from which a line leads here
    weight: float = 0.0  # where a slide has no room for all cards, greater weights go first
    source: str = ""  # the passage that it is from; not on slides


@dataclass(frozen=True, slots=True)
class Column:
    """Cards under each other."""

    name: str
    cards: tuple[Card, ...]
    ask: str = ENTITY  # stands on the card of a slide that is uncovered next
    more: int = 0  # things that have no card
    roomy: bool = False  # few cards with many words
    shown: int = 0  # cards in the picture, the first ones; 0: all
    lead: str = ""  # words under the name

    @property
    def drawn(self) -> tuple[Card, ...]:
        """The cards in the picture."""
        return self.cards[: self.shown or None]


class Link(NamedTuple):
    """A line from a card to another."""

    start: str
    end: str
    strength: float = 0.3  # its width, from 0 to 1
    words: str = ""
    kind: str = "kept"
    dashed: bool = False
    quiet: bool = False  # drawn only while one of its cards is pointed at or selected


class Table(NamedTuple):
    """Rows folded away under a label; `name` tells the table from others of the step."""

    name: str
    label: str
    rows: Rows


class Message(NamedTuple):
    """A sentence about a state and what to do next."""

    sentence: str
    tone: Literal["info", "good", "busy", "bad"] = "info"


@dataclass(frozen=True)
class Detail:
    """Content of the side panel for a selected card of a picture or line of a ranking."""

    title: str = ""
    aside: str = ""
    html: Html = EMPTY
    sum: tuple[tuple[str, str], ...] = ()  # terms and values, the last line the total
    triple: ShownTriple | None = None  # shown with its passage
    passage: int | None = None  # id


@dataclass(frozen=True)
class ScoredRanking:
    """A ranking whose scores open into their parts."""

    passages: Sequence[RankedPassage]
    way: Way = "sum"  # how scores are made of their parts
    table: Sequence[RankedPassage] = ()  # all passages, where the table has more than the ranking
    badges: Mapping[int, str] = field(default_factory=dict)  # words next to a title, by passage id
    links: Mapping[int, str] = field(default_factory=dict)  # names of links, by passage id


@dataclass(frozen=True)
class Telling:
    """The description of a step."""

    question: str = ""  # what the step answers; it gives nothing away
    headline: str = ""  # its finding in one sentence
    title: str = ""  # heading of the card
    purpose: str = ""  # what the step is for
    messages: tuple[Message, ...] = ()
    extra: Html = EMPTY  # markup above the picture
    columns: tuple[Column, ...] = ()
    links: tuple[Link, ...] | None = None  # None: from each card's parents
    direct: bool = False  # pointing brings out the lines at the card itself, not whole paths
    picture: bool = True  # the screen draws the columns; else they are for slides
    opens: str = ""  # id of the card that is selected first
    detail: Callable[[str], Detail] = lambda _: Detail()  # of a card, by id
    legend: tuple[tuple[str, str], ...] = ()  # names of the palette and what they mean
    notes: tuple[str | Html, ...] = ()
    ranking: ScoredRanking | None = None
    tables: tuple[Table, ...] = ()
    source: int | None = None  # number of the step that an answer was read in

    @property
    def lines(self) -> tuple[Link, ...]:
        """The links, else a line to each card in the picture from those that led to it."""
        if self.links is not None:
            return self.links
        drawn = [card for column in self.columns for card in column.drawn]
        ids = {card.id for card in drawn}
        return tuple(
            Link(parent, card.id, 0.3, card.title, kind, dashed=kind == "pruned")
            for card in drawn
            for kind in [card.kind if card.kind in LINE_KINDS else "kept"]
            for parent in card.parents
            if parent in ids
        )


@dataclass(frozen=True)
class Scene:
    """A step with the events that are known at it (all, where everything is shown), and the run."""

    run: RunInfo
    trace: RunTrace
    step: Step
    before: tuple[Step, ...]  # steps before it in its iteration
    gold: tuple[str, ...]
    markable: bool = False
    over: bool = True  # the known rankings are final
    opens: tuple[int, ...] = ()  # path of the beam whose card is selected first

    @property
    def key(self) -> str:
        """A prefix for this step's widgets."""
        return f"{self.run.id}-{self.step.number}"

    def of(self, kind: type[Kind]) -> list[Kind]:
        """The step's events of a kind, in order."""
        return [event for event in self.step.events if isinstance(event, kind)]

    @property
    def queries(self) -> list[tuple[str, str]]:
        """The labelled queries of the step's search, else of its iteration, else the question.

        None where the step's card shows them itself.
        """
        heading = VERBS[self.step.verb].heading
        if heading != "query":
            return [("Question", self.run.question)] * (heading == "question")
        searches = (s for s in self.trace.searches if s.iteration == self.step.iteration)
        pairs = [(search.name, search.query) for search in searches]
        if self.step.query:
            pairs = [(self.step.search, self.step.query)]
        return [(_label(name), words) for name, words in pairs] or [("Query", self.run.question)]

    @property
    def query(self) -> str:
        """The last of the step's queries."""
        return next((words for _, words in reversed(self.queries)), self.run.question)

    @property
    def searched(self) -> list[Retrieved]:
        """The retrievals before this step."""
        first = self.step.events[0]
        before = itertools.takewhile(lambda event: event is not first, self.trace)
        return [event for event in before if isinstance(event, Retrieved)]

    def is_new(self, key: str) -> bool:
        """Whether a passage is gold and no retrieval before has it among its first."""
        earlier = (passage for event in self.searched for passage in event.ranking[:K])
        return any(stands_for(key, gold) for gold in self.gold) and not any(
            document_key(passage.key) == document_key(key) for passage in earlier
        )

    def new_gold(self, passages: Sequence[RankedPassage]) -> list[str]:
        """Titles of the gold passages of a list that no retrieval before has among its first."""
        new = [passage for passage in passages if self.searched and self.is_new(passage.key)]
        return list({document_key(passage.key): passage.name for passage in new}.values())

    def ranking_headline(self, ranking: Sequence[RankedPassage]) -> str:
        """The gold passages that a ranking brings in, else how many it has, else its first."""
        if not ranking:
            return "No passage was found"
        if not self.gold:
            return f"{titles([ranking[0].name])} comes first"
        if new := self.new_gold(ranking[:K]):
            return f"{titles(new)} {'comes' if len(new) == 1 else 'come'} into the first {K}"
        hits, total = found_at(keys(ranking), self.gold, K), gold_count(self.gold)
        return f"{hits} of {count(total, 'gold passage')} among the first {K}"

    def passage_card(
        self, id_: str, passage: NamedPassage, lead: object = "", text: str = ""
    ) -> Card:
        """A passage, starred where it is gold."""
        gold = passage.key in self.gold
        kind = "gold" if gold else "passage"
        return Card(id_, passage.name, text, kind, star=gold, lead=str(lead), weight=float(gold))


def gain(trace: RunTrace, gold: Sequence[str], *, over: bool = True) -> str:
    """Counts of the gold found by the first search and by the run, in one sentence; "" without gold
    or ranking. `over` False: it is what the run has until now.
    """
    first = base(trace)
    if not gold or first is None or not trace.final:
        return ""
    before, after = (found_at(keys(ranking), gold, K) for ranking in (first.ranking, trace.final))
    name = capital(base_name(first.base))
    words = f"{name} has {before} of {count(gold_count(gold), 'gold passage')} in its first {K}"
    return words if trace.single else f"{words}; this run has {after}{'' if over else ' so far'}"


def _label(name: str) -> str:
    suffix = " query" if name in ("fast", "slow") else ""
    return f"{capital(name)}{suffix}" or "Query"


class Teller(NamedTuple):
    """How steps of a verb are told."""

    kind: type[Event]
    question: str
    describe: Callable[[Scene, Any], Telling]


TELLERS: dict[str, Teller] = {}
TellerFunction = Callable[[Scene, Kind], Telling]


def teller(
    verb: str, kind: type[Kind], question: str
) -> Callable[[TellerFunction[Kind]], TellerFunction[Kind]]:
    """Register the teller of a verb; it is called with the step's last event of the kind."""

    def register(describe: TellerFunction[Kind]) -> TellerFunction[Kind]:
        TELLERS[verb] = Teller(kind, question, describe)
        return describe

    return register


def titles(names: Sequence[str]) -> str:
    """Titles in quotation marks: one, two, or the first and how many others."""
    quoted = [f"“{cut(name, LONGEST)}”" for name in names]
    if len(quoted) < 3:
        return " and ".join(quoted)
    return f"{quoted[0]} and {len(quoted) - 1} more"


Fact = ProximalTriple | ShownTriple


def names_of(triple: TripleWords) -> set[str]:
    """The normal forms of a triple's subject and object."""
    return {normalise_entity(name) for name in (triple.subject, triple.object)} - {""}


def fact_card(
    id_: str, triple: Fact, kind: str = "proximal", note: str = "", shared: Collection[str] = ()
) -> Card:
    """A fact, its subject as the title; its names in `shared`, by normal form, are marked."""
    source = f"in {triple.passage_name}" if isinstance(triple, ShownTriple) else ""
    mark = "mark" if normalise_entity(triple.object) in shared else ""
    pieces = ((f"{triple.predicate} → ", ""), (triple.object, mark))
    marked = normalise_entity(triple.subject) in shared
    return Card(
        id_, triple.subject, kind=kind, note=note, pieces=pieces, marked=marked, source=source
    )


def fact_cards(prefix: str, triples: Iterable[Fact], kind: str = "proximal") -> tuple[Card, ...]:
    """A card for each fact; ids are the prefix and a number from 0."""
    return tuple(fact_card(f"{prefix}{n}", triple, kind) for n, triple in enumerate(triples))


def passages_column(
    scene: Scene, ranking: Sequence[RankedPassage], words: Callable[[RankedPassage], str]
) -> tuple[Column, ...]:
    """The first passages of a ranking as a column of a slide; none of an empty ranking."""
    cards = tuple(
        scene.passage_card(f"p{rank}", passage, rank, words(passage))
        for rank, passage in enumerate(ranking[:K], start=1)
    )
    name = f"first {len(cards)} of {len(ranking)}"
    return (Column(name, cards, PASSAGE, max(0, len(ranking) - K)),) if cards else ()
