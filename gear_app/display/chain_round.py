"""What is known of a round of chain, which views draw and tell: ranks before and after it, what
links raised, and what it found, in words.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from gear_app.core.text import count, cut
from gear_app.display.labels import base_name
from gear_app.trace.events import Event, Followed, LinkedPassage, RankedPassage
from gear_app.trace.rankings import CUTS
from gear_app.trace.trace import RunTrace

LONGEST = 46  # characters of a title in a sentence


@dataclass(frozen=True)
class Round:
    """A round and what is told of it; `earlier` are the rounds before it in its search."""

    event: Followed
    earlier: tuple[Followed, ...]
    gold: Collection[str]

    @cached_property
    def passages(self) -> Mapping[int, RankedPassage]:
        """Everything that is drawn, by id, as it is ranked now."""
        return {passage.id: passage for passage in (*self.event.starts, *self.event.ranking)}

    @cached_property
    def now(self) -> Mapping[int, int]:
        """Ranks after the round, by id."""
        return {passage.id: rank for rank, passage in enumerate(self.event.ranking, start=1)}

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
        ranked = {
            passage.id: rank for rank, passage in enumerate(self.earlier[-1].ranking, start=1)
        }
        return {
            passage.id: rank for rank, passage in enumerate(self.event.starts, start=1)
        } | ranked

    @cached_property
    def at_base(self) -> Mapping[int, int]:
        """Ranks before any link, as far as they are known; a passage that the base does not have
        has none. The search started from the first of them, also where its ranking ends before.
        """
        first = (*self.earlier, self.event)[0]
        starts = {passage.id: rank for rank, passage in enumerate(first.starts, start=1)}
        parts = ((passage.id, part) for passage in self.event.ranking for part in passage.parts)
        return starts | {
            id_: part.rank for id_, part in parts if part.source == "base" and part.rank
        }

    @cached_property
    def links(self) -> Mapping[int, LinkedPassage]:
        """The best link into each passage, by id."""
        return {link.id: link for link in self.event.links}

    @property
    def base(self) -> str:
        """Name of the first retriever."""
        return base_name(self.event.base)

    @property
    def name_before(self) -> str:
        """The ranking that the round started from."""
        return f"round {self.event.round - 1}" if self.earlier else self.base

    def title(self, id_: int) -> str:
        """A passage's title."""
        passage = self.passages.get(id_)
        return passage.name if passage else "a passage"

    def is_gold(self, id_: int) -> bool:
        """Whether it is a gold passage."""
        return id_ in self.passages and self.passages[id_].key in self.gold

    def unlinked(self, id_: int) -> bool:
        """Whether the terms of its score tell that no link leads to it."""
        parts = self.passages[id_].parts if id_ in self.passages else ()
        return any(part.source == "alone" and part.score for part in parts)

    def raised(self, id_: int) -> bool:
        """Whether a link raised it among as many as are started from."""
        return self.risen(id_) and not self.unlinked(id_)

    def risen(self, id_: int) -> bool:
        """Whether it came among as many as are started from, where the base had it not."""
        most = len(self.event.starts)
        best = min(ranks.get(id_, most + 1) for ranks in (self.before, self.now))
        return best <= most < self.at_base.get(id_, most + 1)

    def started(self, link: LinkedPassage) -> tuple[RankedPassage, ...]:
        """The passages that the round of this link started from."""
        rounds = (*self.earlier, self.event)
        return next(
            (round_.starts for round_ in rounds if round_.round == link.round), self.event.starts
        )


def round_of(event: Followed, events: Sequence[Event], gold: Collection[str]) -> Round:
    """A round with the search that it is a part of."""
    at = next(place for place, other in enumerate(events) if other is event)
    search = next(
        (search for search in RunTrace.of(events).searches if search.start <= at < search.stop),
        None,
    )
    earlier_events = events[search.start : at] if search else []
    earlier = tuple(event for event in earlier_events if isinstance(event, Followed))
    return Round(event, earlier, gold)


def heading(round_: Round) -> str:
    """Result of the round in one sentence: the link that brought a gold passage up, else a new
    one among the first; else that there was none.
    """
    first, ten = CUTS[:2]
    risen = [*_risen(round_, first, gold=True), *_risen(round_, ten, gold=True)]
    link = next(iter([*risen, *_risen(round_, first, gold=False)]), None)
    if link is not None:
        return _leads(round_, link)
    if not round_.links:
        return (
            f"Nothing that the first {len(round_.event.starts)} passages name leads anywhere else"
        )
    now = [passage.id for passage in round_.event.ranking[:first]]
    alone = [id_ for id_ in now if round_.before.get(id_, first + 1) > first]
    if alone:
        rose = f"{count(len(alone), 'passage')} rose there without a link"
        return f"The links bring nothing new into the first {first}; {rose}"
    if now == sorted(now, key=lambda id_: round_.before.get(id_, len(round_.now) + 1)):
        return f"The links leave the first {first} as they were"
    return f"The links bring nothing new into the first {first}, and change their order"


def _risen(round_: Round, k: int, *, gold: bool) -> list[LinkedPassage]:
    """Links of the round into passages that it raised into the first k, the best of them first."""
    ids = [
        passage.id for passage in round_.event.ranking[:k] if round_.is_gold(passage.id) or not gold
    ]
    new = [id_ for id_ in ids if round_.before.get(id_, k + 1) > k]
    return [round_.links[id_] for id_ in new if id_ in round_.links]


def _leads(round_: Round, link: LinkedPassage) -> str:
    start, end = (cut(round_.title(id_), LONGEST) for id_ in (link.start, link.id))
    leads = f"leads from {start} to {end}"
    name = whole_name(link)
    if link.passages > 2:
        return f"{name}, which {holders(round_, link.passages)} name, {leads}"
    return f"One {_sort(name)}, {name}, {leads}"


def _sort(mention: str) -> str:
    """Word for a mention, by its spelling: number, name or word."""
    if not any(character.isalpha() for character in mention):
        return "number"
    named = any(character.isupper() or character.isdigit() for character in mention)
    return "name" if named else "word"


def holders(round_: Round, passages: int) -> str:
    """How many passages hold a mention, of how many."""
    return f"{passages} of {round_.event.size} passages"


def links_of(ranking: Sequence[RankedPassage], events: Sequence[Event]) -> dict[int, str]:
    """The links into the passages of a ranking in words, of the last round that has this order;
    nothing where none has it.
    """
    ids = [passage.id for passage in ranking]
    rounds = [event for event in events if isinstance(event, Followed)]
    for event in reversed(rounds):
        if [passage.id for passage in event.ranking[: len(ids)]] == ids:
            return link_words(round_of(event, events, ()))
    return {}


def link_words(round_: Round) -> dict[int, str]:
    """By what each passage's best link goes and from where, by the passage's id."""
    return {
        link.id: (
            f"“{whole_name(link)}”, which {holders(round_, link.passages)} name, from"
            f" {cut(round_.title(link.start), LONGEST)}"
        )
        for link in round_.event.links
    }


def whole_name(link: LinkedPassage) -> str:
    """What a link goes by, as the start's sentence writes it: of "Fund" and "Sparrow Fund", which
    the same passages hold, the longer.
    """
    sentence, longest = link.here.text, link.mention
    for other in link.others:
        is_alike = (other.start, other.passages) == (link.start, link.passages)
        match_ = re.search(re.escape(other.mention), sentence, re.IGNORECASE) if is_alike else None
        written = match_[0] if match_ else ""
        if link.mention in written and len(written) > len(longest):
            longest = written
    return longest
