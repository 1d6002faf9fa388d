"""A step of a run as a slide: at most five large cards a column, in the order they are uncovered.

What is on a slide is what its heading speaks of, and what a hall can read; the rest stands in
Explore.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from gear_app.analysis import timeline
from gear_app.analysis.gold import alone, base
from gear_app.analysis.rankings import CUTS, first_rank, keys, of_event
from gear_app.analysis.timeline import Step
from gear_app.events import (
    Answered,
    Chained,
    Event,
    Expanded,
    Extracted,
    Failed,
    Followed,
    Linked,
    Matched,
    Pooled,
    Promoted,
    Ranked,
    RankedPassage,
    Read,
    Reasoned,
    Recognised,
    Remembered,
    Rewrote,
    ShownTriple,
    Split,
    Thought,
    Verified,
    Walked,
)
from gear_app.types import ProximalTriple
from gear_app.views import beam, calibration, chain, gear, presenter, thoughts, walk_graph
from gear_app.views.labels import base_name

ROWS = CUTS[0]  # of a column, so that they fit a hall's screen; recall is of as many passages
FACT, PASSAGE, ENTITY = "Which fact comes next?", "Which passage comes next?", "Which one is next?"


@dataclass(frozen=True, slots=True)
class Card:
    """One thing on a slide.

    `kind` is a colour's name in the palette, "pruned" is dashed. `lead` is a rank, `note` a number
    at its right. `pieces` are words with a mark each ("del", "ins", "mark" or ""), in place of
    `text`; a "mark" is a name by which facts are joined, as the title is where it is `marked`.
    `given` is never covered. A line leads to it from each of `parents`, by their ids.
    """

    id: str
    title: str
    text: str = ""
    kind: str = "passage"
    star: bool = False
    lead: str = ""
    note: str = ""
    pieces: tuple[tuple[str, str], ...] = ()
    marked: bool = False
    given: bool = False
    parents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Column:
    """Cards under each other; `ask` stands on the one that is uncovered next, `more` are left out.

    `roomy`: few cards with many words.
    """

    name: str
    cards: tuple[Card, ...]
    ask: str = ENTITY
    more: int = 0
    roomy: bool = False


def slide(
    step: Step, steps: Sequence[Step], events: Sequence[Event], gold: Sequence[str], question: str
) -> dict[str, Any]:
    """The step as data for the screen. `events` are those known at it, `steps` the whole run's."""
    there = [one for one in steps if one.iteration == step.iteration]
    stages = {one.verb: one.number for one in reversed(there)}
    named = [verb for verb in dict.fromkeys(one.verb for one in there) if verb]
    iteration = f"iteration {step.iteration} · " if step.iteration and step.iterates else ""
    return {
        "question": question,
        "prompt": presenter.prompt(step),
        "heading": presenter.heading(step, events, gold),
        "columns": [asdict(one) for one in columns(step, events, gold, question) if one.cards],
        "number": step.number,
        "count": len(steps),
        "place": f"{iteration}{step.verb} · step {step.number + 1} of {len(steps)}",
        "dots": [{"number": one.number, "label": one.verb} for one in there],
        "stages": [{"number": stages[verb], "label": verb} for verb in named],
    }


def columns(
    step: Step, events: Sequence[Event], gold: Sequence[str], question: str
) -> tuple[Column, ...]:
    """What the step shows; of a step that gave up, why."""
    draw = COLUMNS.get(step.verb, _ranking)
    found = draw(_Told(step, events, gold, question))
    if found:
        return found
    failures = [event for event in step.events if isinstance(event, Failed)]
    cards = tuple(
        Card(f"f{n}", "This step gave up", event.message, "pruned", given=True)
        for n, event in enumerate(failures[:2])
    )
    return (Column("", cards, roomy=True),) if cards else ()


@dataclass(frozen=True, slots=True)
class _Told:
    """What a slide is made from."""

    step: Step
    events: Sequence[Event]
    gold: Sequence[str]
    question: str

    def one(self, kind: type[presenter.Kind]) -> presenter.Kind | None:
        """The step's last event of a kind."""
        there = (event for event in reversed(self.step.events) if isinstance(event, kind))
        return next(there, None)


def _passage(told: _Told, rank: int, passage: RankedPassage, text: str = "") -> Card:
    gold = passage.key in told.gold
    title = passage.title or passage.key
    kind = "gold" if gold else "passage"
    return Card(f"p{rank}", title, text, kind, star=gold, lead=str(rank))


def _fact(id_: str, triple: ProximalTriple | ShownTriple, kind: str = "proximal") -> Card:
    return Card(id_, triple.subject, f"{triple.predicate} → {triple.object}", kind)


def _ranking(told: _Told) -> tuple[Column, ...]:
    """The first passages, with their places in the lists that were put together."""
    event = next((event for event in reversed(told.step.events) if of_event(event)), None)
    if event is None:
        return ()
    ranking: Sequence[RankedPassage] = of_event(event)
    all_found = isinstance(event, Ranked | Pooled)
    cards = tuple(
        _passage(told, rank, passage, _at_first(told, passage) if all_found else _places(passage))
        for rank, passage in enumerate(ranking[:ROWS], start=1)
    )
    name = f"first {len(cards)} of {len(ranking)}"
    return (Column(name, cards, PASSAGE, max(0, len(ranking) - ROWS)),)


def _at_first(told: _Told, passage: RankedPassage) -> str:
    """Where the first search had the passage; "" where the run is that search alone."""
    first = base(told.events)
    if first is None or alone(told.events):
        return ""
    rank = first_rank(passage.key, first, told.events)
    name = presenter.search_name(first.base)
    return f"{_place(rank)} by {name} alone" if rank else f"not found by {name} alone"


def _places(passage: RankedPassage) -> str:
    """The lists that have the passage, the ones where it is higher first."""
    listed = sorted((part for part in passage.parts if part.rank), key=lambda part: part.rank)
    return " · ".join(
        f"{_place(part.rank)} {LISTS.get(part.source) or f'in {base_name(part.source)}'}"
        for part in listed[:4]
    )


LISTS = {  # whose place it is, after "1st"
    "dense": "by meaning",
    "bm25": "by words",
    "hybrid": "by one search",
    "base": "by one search",
}


def _place(rank: int) -> str:
    """A rank as an ordinal: 1st, 2nd, 3rd, 11th."""
    endings = {1: "st", 2: "nd", 3: "rd"}
    ending = "th" if rank % 100 in (11, 12, 13) else endings.get(rank % 10, "th")
    return f"{rank}{ending}"


def _read(told: _Told) -> tuple[Column, ...]:
    event = told.one(Read)
    if event is None:
        return ()
    cards = tuple(_fact(f"t{n}", triple) for n, triple in enumerate(event.triples[:ROWS]))
    return (Column("facts taken", cards, FACT, max(0, len(event.triples) - ROWS)),)


def _link(told: _Told) -> tuple[Column, ...]:
    event = told.one(Linked)
    if event is None or not event.links:
        return ()
    shown = event.links[:ROWS]
    left = [
        Card(
            f"l{n}",
            link.proximal.subject,
            f"{link.proximal.predicate} → {link.proximal.object}",
            "proximal",
            given=True,
        )
        for n, link in enumerate(shown)
    ]
    right = [
        _stored(told, f"r{n}", f"l{n}", link.triple) for n, link in enumerate(shown) if link.triple
    ]
    more = max(0, len(event.links) - ROWS)
    return (
        Column("read", tuple(left), FACT, more),
        Column("stored, of the passage", tuple(right), FACT, more),
    )


def _stored(told: _Told, id_: str, parent: str, triple: ShownTriple) -> Card:
    gold = triple.passage_key in told.gold
    return Card(
        id_,
        triple.passage_title or triple.passage_key,
        f"{triple.subject} {triple.predicate} → {triple.object}",
        "gold" if gold else "kept",
        star=gold,
        parents=(parent,),
    )


def _expand(told: _Told) -> tuple[Column, ...]:
    """The beams that lead to gold passages, and the best of the others."""
    event = told.one(Expanded)
    if event is None or not event.steps:
        return ()
    search = presenter.searched(told.step, told.events)
    there = keys(search.ranking[:ROWS]) if search else None
    data = beam.graph(event, told.gold, base=there)
    cards = {card["id"]: card for column in data["columns"] for card in column["cards"]}
    wanted: dict[str, set[str]] = {}  # what the next column extends: by which names
    found: list[Column] = []
    for number in reversed(range(len(data["columns"]))):
        column = data["columns"][number]
        chosen = _chosen(column["cards"], wanted)
        drawn = tuple(
            _beam(card, wanted.get(card["id"], set()))
            for card in column["cards"]
            if card["id"] in chosen
        )
        wanted = {}
        for card in (cards[id_] for id_ in chosen if cards[id_]["parent"]):
            wanted.setdefault(card["parent"], set()).update(_joining(card))
        more = column["more"] + len(column["cards"]) - len(drawn)
        found.insert(0, Column(_ordinal(number), drawn, FACT, more))
    return tuple(found)


def _chosen(cards: Sequence[Mapping[str, Any]], wanted: Collection[str]) -> set[str]:
    """Of a column's cards: those that others extend, new gold, gold, and the best of the rest."""
    worth = {
        card["id"]: (card["id"] in wanted, card["fresh"], card["state"] == "gold") for card in cards
    }
    order = sorted(worth, key=lambda id_: worth[id_], reverse=True)  # stable: the best first
    return set(order[:ROWS])


def _ordinal(number: int) -> str:
    words = ("first", "second", "third", "fourth", "fifth")
    return f"{words[number]} fact" if number < len(words) else f"fact {number + 1}"


def _joining(card: Mapping[str, Any]) -> set[str]:
    """The entities, by normal form, that a card of the beams shares with the one before it."""
    pieces = (*card["subject"], *card["relation"])
    return {piece["entity"] for piece in pieces if piece["shared"]}


def _beam(card: Mapping[str, Any], onward: Collection[str]) -> Card:
    """`onward` are the entities by which the cards that extend it go on."""
    joining = _joining(card).union(onward)
    return Card(
        card["id"],
        "".join(piece["text"] for piece in card["subject"]),
        kind=card["state"],
        star=card["star"],
        note=card["score"],
        pieces=tuple(
            (piece["text"], "mark" if piece["entity"] in joining else "")
            for piece in card["relation"]
        ),
        marked=any(piece["entity"] in joining for piece in card["subject"]),
        parents=(card["parent"],) if card["parent"] else (),
    )


def _follow(told: _Told) -> tuple[Column, ...]:
    event = told.one(Followed)
    if event is None or not event.starts:
        return ()
    return _pictured(chain.graph(chain.round_of(event, told.events, told.gold)), PASSAGE)


def _walk(told: _Told) -> tuple[Column, ...]:
    event = told.one(Walked)
    if event is None or not event.passages:
        return _ranking(told)
    return _pictured(walk_graph.graph(event, told.gold, ROWS, ROWS), ENTITY)


def _promote(told: _Told) -> tuple[Column, ...]:
    event = told.one(Promoted)
    if event is None:
        return ()
    return _pictured(calibration.slope(event, told.gold, ROWS), PASSAGE)


def _pictured(data: Mapping[str, Any], ask: str) -> tuple[Column, ...]:
    """Columns of cards with lines between neighbours, from the data of such a picture.

    What is starred goes first where there are too many, and then what leads to it.
    """
    links = [link for link in data["links"] if not link.get("quiet")]
    wanted: set[str] = set()
    found: list[Column] = []
    for column in reversed(data["columns"]):
        cards = column["cards"]
        worth = {card["id"]: (card["id"] in wanted, bool(card["star"])) for card in cards}
        chosen = set(sorted(worth, key=lambda id_: worth[id_], reverse=True)[:ROWS])
        wanted = {link["from"] for link in links if link["to"] in chosen}
        drawn = tuple(_from_picture(card, links) for card in cards if card["id"] in chosen)
        more = column["more"] + len(cards) - len(drawn)
        found.insert(0, Column(column["name"], drawn, ask, more))
    return tuple(found)


def _from_picture(card: Mapping[str, Any], links: Sequence[Mapping[str, Any]]) -> Card:
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
    )


def _remember(told: _Told) -> tuple[Column, ...]:
    event = told.one(Remembered)
    if event is None:
        return _read(told)
    old = [
        triple
        for one in told.events
        if isinstance(one, Remembered) and one.iteration < event.iteration
        for triple in one.added
    ]
    kept = tuple(_given(f"o{n}", triple) for n, triple in enumerate(old[-ROWS:]))
    new = tuple(_fact(f"n{n}", triple, "gist") for n, triple in enumerate(event.added[:ROWS]))
    before = Column("remembered before", kept, FACT, max(0, len(old) - ROWS))
    now = Column("new", new, FACT, max(0, len(event.added) - ROWS))
    return (before, now) if kept else (now,)


def _given(id_: str, triple: ProximalTriple) -> Card:
    return Card(id_, triple.subject, f"{triple.predicate} → {triple.object}", "gist", given=True)


def _reason(told: _Told) -> tuple[Column, ...]:
    event = told.one(Reasoned)
    if event is None:
        return ()
    held = [triple for one in told.events if isinstance(one, Remembered) for triple in one.added]
    kind = "gold" if event.answerable else "pruned"
    verdict = Card("v", gear.verdict_words(event), event.reason, kind)
    said = Column("the verdict", (verdict,), "Is it answered?", roomy=True)
    facts = tuple(_given(f"g{n}", triple) for n, triple in enumerate(held[-ROWS:]))
    memory = Column("the memory", facts, FACT, max(0, len(held) - ROWS))
    return (memory, said) if facts else (said,)


def _rewrite(told: _Told) -> tuple[Column, ...]:
    event = told.one(Rewrote)
    if event is None:
        return ()
    before = told.step.query or _asked(told)
    changes = timeline.new_substitutions(told.events, event)
    struck = _pieces(before, "del", [change.removed for change in changes])
    asked = Card("q", "Query", pieces=struck, kind="query", given=True)
    if not event.query.strip():
        none = Card("n", "No next query", "There is nothing new to ask.", "pruned")
        return (Column("", (asked, none), "What is asked next?", roomy=True),)
    put_in = _pieces(event.query, "ins", [change.inserted for change in changes])
    because = " ".join(f"Because {change.because}." for change in changes if change.because)
    following = Card("n", "Next query", because, "query", pieces=put_in)
    return (Column("", (asked, following), "What is asked next?", roomy=True),)


def _asked(told: _Told) -> str:
    """The query of the step's iteration."""
    there = (
        getattr(event, "query", "")
        for event in told.events
        if event.iteration == told.step.iteration
    )
    return next((query for query in there if query), told.question)


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


def _recognise(told: _Told) -> tuple[Column, ...]:
    event = told.one(Recognised)
    entities = event.entities[:ROWS] if event else ()
    names = tuple(Card(f"q{n}", one.text, kind="query") for n, one in enumerate(entities))
    nodes = tuple(
        Card(f"e{n}", one.node or one.title, kind="kept", parents=(f"q{n}",))
        for n, one in enumerate(entities)
        if one.node or one.title
    )
    if not names:
        return ()
    return (Column("the question names", names, ENTITY), Column("in the graph", nodes, ENTITY))


def _think(told: _Told) -> tuple[Column, ...]:
    said = [event for event in told.step.events if isinstance(event, Thought)][:2]
    cards = tuple(
        Card(f"t{n}", thoughts.NAMES[one.style], one.text or "(no words)", "query")
        for n, one in enumerate(said)
    )
    return (Column("", cards, "What does the reader think?", roomy=True),) if cards else ()


def _split(told: _Told) -> tuple[Column, ...]:
    event = told.one(Split)
    cards = tuple(
        Card(f"c{n}", clause.text, kind="kept", lead=str(n))
        for n, clause in enumerate(event.clauses[:ROWS] if event else (), start=1)
    )
    return (Column("clauses", cards, "What else does it ask?"),) if cards else ()


def _match(told: _Told) -> tuple[Column, ...]:
    event = told.one(Matched)
    if event is None or not event.matches:
        return ()
    cards = tuple(
        Card(
            f"m{n}",
            match.triple.subject,
            f"{match.triple.predicate} → {match.triple.object}",
            "kept" if match.taken else "pruned",
            note=f"{match.score:.2f}",
        )
        for n, match in enumerate(event.matches[:ROWS])
    )
    return (Column("best matches", cards, FACT, max(0, len(event.matches) - ROWS)),)


def _chain(told: _Told) -> tuple[Column, ...]:
    event = told.one(Chained)
    if event is None or not event.nodes:
        return ()
    facts = tuple(_fact(f"f{n}", triple) for n, triple in enumerate(event.because[:ROWS]))
    nodes = tuple(
        Card(f"n{n}", node, kind="kept", lead=str(n))
        for n, node in enumerate(event.nodes[:ROWS], start=1)
    )
    chained = Column("the chain", nodes, ENTITY, max(0, len(event.nodes) - ROWS))
    return (chained, Column("its facts", facts, FACT)) if facts else (chained,)


def _verify(told: _Told) -> tuple[Column, ...]:
    event = told.one(Verified)
    if event is None or not event.passages:
        return ()
    reasons = [*event.reasons, *[""] * len(event.passages)]
    cards = tuple(
        _passage(told, n, passage, reason)
        for n, (passage, reason) in enumerate(
            zip(event.passages[:ROWS], reasons, strict=False), start=1
        )
    )
    return (Column("passages that bear it out", cards, PASSAGE),)


def _answer(told: _Told) -> tuple[Column, ...]:
    found = [event for event in told.step.events if isinstance(event, Answered)]
    own = next((event for event in found if event.source == "retrieved"), None)
    if own is None:
        return ()
    return (
        Column("", (Card("a", own.answer or "No answer", kind="kept"),), "What is it?", roomy=True),
    )


def _extract(told: _Told) -> tuple[Column, ...]:
    event = told.one(Extracted)
    if event is None or not event.triples:
        return ()
    cards = tuple(_fact(f"t{n}", triple, "kept") for n, triple in enumerate(event.triples[:ROWS]))
    return (Column("the first facts", cards, FACT, max(0, len(event.triples) - ROWS)),)


COLUMNS: Mapping[str, Callable[[_Told], tuple[Column, ...]]] = {
    "extract": _extract,
    "read": _read,
    "link": _link,
    "expand": _expand,
    "follow": _follow,
    "remember": _remember,
    "reason": _reason,
    "rewrite": _rewrite,
    "recognise": _recognise,
    "walk": _walk,
    "promote": _promote,
    "think": _think,
    "split": _split,
    "match": _match,
    "chain": _chain,
    "verify": _verify,
    "answer": _answer,
}
