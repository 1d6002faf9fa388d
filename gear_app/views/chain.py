"""A round of chain as two columns: the passages it started from, what they are linked to, and the
ranking that came of it, term by term.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gear_app.analysis.entities import EntityNames
from gear_app.analysis.rankings import CUTS, searches
from gear_app.events import Event, Followed, LinkedPassage, RankedPassage
from gear_app.text import cut, normalise_entity
from gear_app.views import rankings
from gear_app.views.labels import base_name
from gear_app.views.markup import NO_NAMES

MISSES = 4  # near misses that are drawn; gold ones always
LONGEST = 46  # characters of a title in a sentence
WIDEST = 0.75  # of the lines that flow.js can draw: a mention that no third passage has
MISSED = 0.15  # and of near misses


@dataclass(frozen=True)
class Round:
    """A round and what is told of it; `earlier` are the rounds before it in its search."""

    event: Followed
    earlier: tuple[Followed, ...]
    gold: Collection[str]

    @cached_property
    def passages(self) -> Mapping[int, RankedPassage]:
        """Everything that is drawn, by id, as it is ranked now."""
        return {one.id: one for one in (*self.event.starts, *self.event.ranking)}

    @cached_property
    def now(self) -> Mapping[int, int]:
        """Ranks after the round, by id."""
        return {one.id: rank for rank, one in enumerate(self.event.ranking, start=1)}

    def rank_now(self, id_: int) -> str:
        """A rank after the round, in words: "below 10" of one after those that the event has."""
        return str(self.now.get(id_) or f"below {len(self.now)}")

    def rank_at_base(self, id_: int) -> str:
        """A rank before any link, in words; "" where the event ends before the passage and so does
        not tell it.
        """
        if id_ in self.at_base:
            return f"{self.base} {self.at_base[id_]}"
        return f"not in {self.base}" if id_ in self.now else ""

    @cached_property
    def before(self) -> Mapping[int, int]:
        """Ranks in the ranking that the round started from, as far as they are known: its first are
        the starts.
        """
        if not self.earlier:
            return self.at_base
        ranked = {one.id: rank for rank, one in enumerate(self.earlier[-1].ranking, start=1)}
        return {one.id: rank for rank, one in enumerate(self.event.starts, start=1)} | ranked

    @cached_property
    def at_base(self) -> Mapping[int, int]:
        """Ranks before any link, as far as they are known; a passage that the base does not have
        has none. The search started from the first of them, also where its ranking ends before.
        """
        first = (*self.earlier, self.event)[0]
        starts = {one.id: rank for rank, one in enumerate(first.starts, start=1)}
        parts = ((one.id, part) for one in self.event.ranking for part in one.parts)
        return starts | {
            id_: part.rank for id_, part in parts if part.source == "base" and part.rank
        }

    @cached_property
    def links(self) -> Mapping[int, LinkedPassage]:
        """The best link into each passage, by id."""
        return {link.id: link for link in self.event.links}

    @property
    def base(self) -> str:
        """What the first retriever is called."""
        return base_name(self.event.base)

    @property
    def name_before(self) -> str:
        """The ranking that the round started from."""
        return f"round {self.event.round - 1}" if self.earlier else self.base

    def title(self, id_: int) -> str:
        """A passage's title."""
        found = self.passages.get(id_)
        return (found.title or found.key) if found else "a passage"

    def is_gold(self, id_: int) -> bool:
        """Whether it is a gold passage."""
        return id_ in self.passages and self.passages[id_].key in self.gold

    def raised(self, id_: int) -> bool:
        """Whether links raised it among as many as are started from, where the base had it not."""
        most = len(self.event.starts)
        best = min(of.get(id_, most + 1) for of in (self.before, self.now))
        return best <= most < self.at_base.get(id_, most + 1)

    def started(self, link: LinkedPassage) -> tuple[RankedPassage, ...]:
        """The passages that the round of this link started from."""
        rounds = (*self.earlier, self.event)
        return next((one.starts for one in rounds if one.round == link.round), self.event.starts)


def round_of(event: Followed, events: Sequence[Event], gold: Collection[str]) -> Round:
    """A round with the search that it is a part of."""
    at = next(place for place, one in enumerate(events) if one is event)
    search = next((one for one in searches(events) if one.start <= at < one.stop), None)
    there = events[search.start : at] if search else []
    earlier = tuple(one for one in there if isinstance(one, Followed))
    return Round(event, earlier, gold)


def heading(shown: Round) -> str:
    """What the round found, in one sentence: the link that brought a gold passage up, else a new
    one among the first; else that there was none.
    """
    first, ten = CUTS[:2]
    risen = [*_risen(shown, first, gold=True), *_risen(shown, ten, gold=True)]
    link = next(iter([*risen, *_risen(shown, first, gold=False)]), None)
    if link is not None:
        return _leads(shown, link)
    if not shown.links:
        return f"Nothing that the first {len(shown.event.starts)} passages name leads anywhere else"
    now = [one.id for one in shown.event.ranking[:first]]
    if now == sorted(now, key=lambda id_: shown.before.get(id_, len(shown.now) + 1)):
        return f"The links leave the first {first} as they were"
    return f"The links bring nothing new into the first {first}, and change their order"


def _risen(shown: Round, k: int, *, gold: bool) -> list[LinkedPassage]:
    """Links of the round into passages that it raised into the first k, the best of them first."""
    ids = [one.id for one in shown.event.ranking[:k] if shown.is_gold(one.id) or not gold]
    new = [id_ for id_ in ids if shown.before.get(id_, k + 1) > k]
    return [shown.links[id_] for id_ in new if id_ in shown.links]


def _leads(shown: Round, link: LinkedPassage) -> str:
    start, end = (cut(shown.title(id_), LONGEST) for id_ in (link.start, link.id))
    leads = f"leads from {start} to {end}"
    name = whole_name(link)
    if link.passages > 2:
        return f"{name}, which {holders(shown, link.passages)} name, {leads}"
    return f"One {_sort(name)}, {name}, {leads}"


def _sort(mention: str) -> str:
    """What to call a mention, by how it is written."""
    if not any(character.isalpha() for character in mention):
        return "number"
    named = any(character.isupper() or character.isdigit() for character in mention)
    return "name" if named else "word"


def holders(shown: Round, passages: int) -> str:
    """How many passages hold a mention, of how many."""
    return f"{passages} of {shown.event.size} passages"


def links_of(ranking: Sequence[RankedPassage], events: Sequence[Event]) -> dict[int, str]:
    """By what each passage's best link goes and from where, in words, by the passage's id; of the
    last round that has this order, nothing where none has it.
    """
    ids = [passage.id for passage in ranking]
    rounds = [one for one in events if isinstance(one, Followed)]
    for event in reversed(rounds):
        if [passage.id for passage in event.ranking[: len(ids)]] == ids:
            shown = round_of(event, events, ())
            return {link.id: _by(shown, link) for link in event.links}
    return {}


def _by(shown: Round, link: LinkedPassage) -> str:
    start = cut(shown.title(link.start), LONGEST)
    return f"“{whole_name(link)}”, which {holders(shown, link.passages)} name, from {start}"


def whole_name(link: LinkedPassage) -> str:
    """What a link goes by, as the start's sentence writes it: of "Fund" and "Sparrow Fund", which
    the same passages hold, the longer.
    """
    sentence, longest = link.here.text, link.mention
    for other in link.others:
        same = (other.start, other.passages) == (link.start, link.passages)
        found = re.search(re.escape(other.mention), sentence, re.IGNORECASE) if same else None
        written = found[0] if found else ""
        if link.mention in written and len(written) > len(longest):
            longest = written
    return longest


def purpose(shown: Round) -> str:
    """What the picture shows, in a sentence or two."""
    several = f"Links of round {shown.event.round}. " if shown.event.rounds > 1 else ""
    return f"{several}A line joins two passages that name the same; the wider, the fewer name it."


def graph(shown: Round) -> dict[str, Any]:
    """Component data: the starts on the left, on the right what they lead to from further down, the
    near misses below a line; between them the best link into each, further ones at its side.
    """
    starts = {start.id for start in shown.event.starts}
    far = [link for link in shown.event.links if link.id not in starts and link.start in starts]
    new = [link for link in far if shown.now[link.id] <= len(starts)]
    misses = [link for link in far if link not in new]
    drawn = [link for n, link in enumerate(misses) if n < MISSES or shown.is_gold(link.id)]
    left = [_card(shown, start.id, new=False, missed=False) for start in shown.event.starts]
    right = [_card(shown, link.id, new=True, missed=False) for link in new]
    missed = [_card(shown, link.id, new=True, missed=True) for link in drawn]
    among = [link for link in shown.event.links if link.id in starts and link.start in starts]
    between = [_line(shown, link, missed=link in misses) for link in [*new, *drawn]]
    more = len(misses) - len(drawn)
    return {
        "columns": [
            _column(f"First {len(left)} of {shown.name_before}", left, [], 0, len(left)),
            _column("Linked to them, from further down", right, missed, more, len(left)),
        ],
        "links": [
            *between,
            *(line for link in [*new, *drawn] for line in _further(shown, link, starts)),
            *(_line(shown, link, missed=False) | {"quiet": True} for link in among),
        ],
        "direct": True,
        "label": (
            f"Links of round {shown.event.round}: {len(left)} passages lead to {len(between)}"
            " others"
        ),
    }


def _column(
    name: str, cards: list[dict[str, Any]], missed: list[dict[str, Any]], more: int, first: int
) -> dict[str, Any]:
    ids = [card["id"] for card in cards]
    below = ["rule", *(card["id"] for card in missed)] if missed else []
    return {
        "name": name,
        "cards": [*cards, *missed],
        "more": more,
        "weight": 1,
        "order": [*ids, *below],
        "rule": f"near misses: linked, but below the first {first}" if missed else "",
    }


def _card(shown: Round, id_: int, *, new: bool, missed: bool) -> dict[str, Any]:
    passage, gold = shown.passages[id_], shown.is_gold(id_)
    title, score = passage.title or passage.key, f"{passage.score:z.3f}".replace("-", "−")
    link = shown.links.get(id_)
    linked = f"; {_words(shown, link)}" if link else ""
    return {
        "id": f"c{id_}",
        "title": title,
        "entity": normalise_entity(title),
        "note": " · ".join(_ranks(shown, id_)),
        "score": score if new else "",
        "kind": _kind(shown, id_, missed=missed),
        "star": gold,
        "dashed": missed,
        "label": f"{title}: {', '.join(_ranks(shown, id_))}{linked}" + (", gold" if gold else ""),
    }


def _kind(shown: Round, id_: int, *, missed: bool) -> str:
    """Gold, pink where the base has it among as many as are started from, blue where links did."""
    if shown.is_gold(id_):
        return "gold"
    if missed:
        return "pruned"
    return "kept" if shown.raised(id_) else "passage"


def _ranks(shown: Round, id_: int) -> list[str]:
    """Where a passage stood before any link, after the round before, and now."""
    then = f"{shown.name_before}: {shown.before.get(id_, '–')}" if shown.earlier else ""
    return [*filter(None, (shown.rank_at_base(id_), then)), f"now {shown.rank_now(id_)}"]


def _line(shown: Round, link: LinkedPassage, *, missed: bool) -> dict[str, Any]:
    kind = "pruned" if missed else "kept"
    return {
        "from": f"c{link.start}",
        "to": f"c{link.id}",
        "kind": "gold" if shown.is_gold(link.id) else kind,
        "dashed": missed,
        "strength": (MISSED if missed else WIDEST) * rarity(link.passages),
        "label": whole_name(link),
        "entity": normalise_entity(link.mention),
        "words": _words(shown, link),
    }


def _further(shown: Round, link: LinkedPassage, starts: Collection[int]) -> list[dict[str, Any]]:
    """Lines from the other starts that share something with a passage, one from each."""
    mentions: dict[int, list[str]] = {}
    fewest: dict[int, int] = {}
    for other in link.others:
        if other.start in starts and other.start != link.start:
            mentions.setdefault(other.start, []).append(other.mention)
            fewest[other.start] = min(other.passages, fewest.get(other.start, other.passages))
    return [
        {
            "from": f"c{start}",
            "to": f"c{link.id}",
            "kind": "kept",
            "dashed": False,
            "strength": WIDEST * rarity(fewest[start]),
            "label": ", ".join(names),
            "entity": normalise_entity(names[0]) if len(names) == 1 else "",
            "words": f"{shown.title(start)} and {shown.title(link.id)} name {', '.join(names)}",
            "quiet": True,
        }
        for start, names in mentions.items()
    ]


def rarity(passages: int) -> float:
    """How few passages hold a mention, in (0, 1]: 1 for two, half as much for twice as many."""
    return 2 / max(2, passages)


def _words(shown: Round, link: LinkedPassage) -> str:
    many = holders(shown, link.passages)
    return f"linked from {shown.title(link.start)} by {whole_name(link)}, which {many} name"


def best_card(shown: Round) -> str | None:
    """The card to open first: a gold passage that links raised, on the right before the left, else
    another that they raised, else a gold one, else the first.
    """
    starts, linked = (column["cards"] for column in graph(shown)["columns"])
    raised = [card for card in (*linked, *starts) if shown.raised(int(card["id"][1:]))]
    cards = [*raised, *starts, *linked]
    wanted = [card for of in (raised, cards) for card in of if card["star"]] or cards
    if raised and not wanted[0]["star"]:
        wanted = raised
    return wanted[0]["id"] if wanted else None


def passage_of(shown: Round, card: str) -> int | None:
    """The passage id of a card id."""
    return next((id_ for id_ in shown.passages if card == f"c{id_}"), None)


def legend(shown: Round) -> list[tuple[str, str]]:
    """What colours and lines mean, as (palette name, words)."""
    there = any(shown.is_gold(id_) for id_ in shown.passages)
    starts = len(shown.event.starts)
    return [
        ("passage", f"among {shown.base}’s first {starts}"),
        ("kept", "raised by links"),
        *([("gold", "★ gold passage")] if there else []),
        ("pruned", "near miss"),
        ("", "point at a card to see how it is linked itself"),
    ]


def rows(shown: Round) -> list[dict[str, Any]]:
    """Every link as a table row, in the order of the ranking."""
    return [
        {
            "passage": shown.title(link.id),
            "gold": shown.is_gold(link.id),
            "linked from": shown.title(link.start),
            "both name": link.mention,
            "passages that do": link.passages,
            "weight": link.weight,
            "part compared with the first": link.here.part,
            "its cosine": link.here.cosine,
            "part compared with this": link.there.part,
            "cosine": link.there.cosine,
            "the first covers": link.covered,
            "this adds": link.cover,
            "round": link.round,
            f"rank in {shown.base}": shown.at_base.get(link.id),
            "rank now": shown.now.get(link.id),
            "also": ", ".join(
                f"{other.mention} ({other.passages}) with {shown.title(other.start)}"
                for other in link.others
            ),
        }
        for link in shown.event.links
    ]


def ranking(shown: Round, k: int, names: EntityNames = NO_NAMES) -> dict[str, Any]:
    """Component data: the ranking with its terms as stacked bars and in columns, and a line below
    the first k.
    """
    links = {link.id: _by(shown, link) for link in shown.event.links}
    data = rankings.lines(shown.event.ranking, shown.gold, way="terms", names=names, links=links)
    for line, passage in zip(data["lines"], shown.event.ranking, strict=False):
        parts = {part.source: part for part in passage.parts}
        values = [parts[name].value if name in parts else None for name in rankings.TERMS]
        line["numbers"] = [_number(value) for value in values]
        line["before"] = str(shown.at_base.get(passage.id, "–"))
        line["score"] = _number(passage.score)
    data["legend"] = []  # the columns name the terms
    weights = {
        one.term: f"{rankings.TERMS[one.term]} × {one.weight:g}" for one in shown.event.weights
    }
    return data | {
        "terms": [
            {"name": name, "kind": "passage" if name == "base" else name, "words": words}
            for name, words in weights.items()
        ],
        "before": shown.base,
        "cut": k,
        "cut_words": f"the first {k} end here · near misses below",
    }


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:z.3f}".replace("-", "−")


def ranking_rows(shown: Round) -> list[dict[str, Any]]:
    """The whole ranking as table rows, a column a term; those far down have no terms."""
    return [
        {
            "rank": rank,
            "gold": passage.key in shown.gold,
            "passage": passage.title or passage.key,
            "id": passage.key,
        }
        | dict.fromkeys(rankings.TERMS)
        | {part.source: part.value for part in passage.parts}
        | {"score": passage.score, f"rank in {shown.base}": shown.at_base.get(passage.id)}
        for rank, passage in enumerate(shown.event.ranking, start=1)
    ]


def came_in(events: Sequence[Event]) -> str:
    """How many passages links brought among the first, in a sentence; "" without links."""
    last = next((event for event in reversed(events) if isinstance(event, Followed)), None)
    if last is None:
        return ""
    shown, k = round_of(last, events, ()), CUTS[0]
    new = [one.id for one in last.ranking[:k] if shown.at_base.get(one.id, k + 1) > k]
    if not new:
        return f"Links brought no passage into the first {k}."
    passages = "one passage" if len(new) == 1 else f"{len(new)} passages"
    return f"Links brought {passages} into the first {k}."
