"""A round of chain: ranks before and after it, what links raised, and what it found in words."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from gear_app.core.text import cut
from gear_app.display.labels import base_name
from gear_app.trace.events import Event, Followed, LinkedPassage, RankedPassage
from gear_app.trace.rankings import CUTS

K = CUTS[0]
LONGEST = 46  # characters of a title in a sentence


@dataclass(frozen=True)
class Round:
    """A round of links with what its event says of each passage."""

    event: Followed
    gold: Collection[str]

    @cached_property
    def passages(self) -> Mapping[int, RankedPassage]:
        """The passages by id, as they are ranked now."""
        return {passage.id: passage for passage in (*self.event.starts, *self.event.ranking)}

    @cached_property
    def now(self) -> Mapping[int, int]:
        """Ranks after the round, by id."""
        return {passage.id: rank for rank, passage in enumerate(self.event.ranking, start=1)}

    @cached_property
    def at_base(self) -> Mapping[int, int]:
        """Ranks before any link, by id, as far as the terms of the scores have them."""
        starts = self.before if self.event.round == 1 else {}
        parts = ((passage.id, part) for passage in self.event.ranking for part in passage.parts)
        return {**starts, **{id_: p.rank for id_, p in parts if p.source == "base" and p.rank}}

    @cached_property
    def before(self) -> Mapping[int, int]:
        """Ranks of the passages that the round started from."""
        return {passage.id: rank for rank, passage in enumerate(self.event.starts, start=1)}

    @cached_property
    def links(self) -> Mapping[int, LinkedPassage]:
        """The best link into each passage, by id."""
        return {link.id: link for link in self.event.links}

    @property
    def name_before(self) -> str:
        """The ranking that the round started from."""
        first = self.event.round == 1
        return base_name(self.event.base) if first else f"round {self.event.round - 1}"

    def title(self, id_: int) -> str:
        """A passage's title."""
        passage = self.passages.get(id_)
        return passage.name if passage else "a passage"

    def is_gold(self, id_: int) -> bool:
        """Whether it is a gold passage."""
        return id_ in self.passages and self.passages[id_].key in self.gold

    def raised(self, id_: int, most: int) -> bool:
        """Whether a link brought a passage into the first `most`."""
        ranks = self.now.get(id_, most + 1), self.before.get(id_, most + 1)
        return id_ in self.links and ranks[0] <= most < ranks[1]

    def ranks(self, id_: int) -> str:
        """Ranks of a passage before any link and now, in words."""
        before = self.at_base.get(id_)
        base = base_name(self.event.base)
        now = self.now.get(id_) or f"below {len(self.now)}"
        return f"{base} {before or '–'} · now {now}"

    def holders(self, passages: int) -> str:
        """How many passages hold a mention, of how many."""
        return f"{passages} of {self.event.size} passages"


def heading(round_: Round) -> str:
    """The link that brought a gold passage, else another, into the first passages."""
    ids = [link.id for link in round_.event.links if round_.raised(link.id, K)]
    best = next(iter(sorted(ids, key=lambda id_: not round_.is_gold(id_))), None)
    if best is None:
        return f"The links bring nothing new into the first {K}"
    link = round_.links[best]
    start, end = (cut(round_.title(id_), LONGEST) for id_ in (link.start, best))
    return f"“{whole_name(link)}” leads from {start} to {end}"


def links_of(ranking: Sequence[RankedPassage], events: Sequence[Event]) -> Mapping[int, str]:
    """The links into the passages of a ranking in words, of the last round that has this order;
    nothing where none has it.
    """
    ids = [passage.id for passage in ranking]
    for event in reversed(events):
        if isinstance(event, Followed) and [p.id for p in event.ranking[: len(ids)]] == ids:
            return link_words(Round(event, ()))
    return {}


def link_words(round_: Round) -> dict[int, str]:
    """By what each passage's best link goes and from where, by the passage's id."""
    return {
        link.id: f"“{whole_name(link)}”, which {round_.holders(link.passages)} name, from"
        f" {cut(round_.title(link.start), LONGEST)}"
        for link in round_.event.links
    }


def whole_name(link: LinkedPassage) -> str:
    """Name that a link goes by, as the start's sentence writes it: of "Fund" and "Sparrow Fund",
    which the same passages hold, the longer.
    """
    names = [link.mention]
    for other in link.others:
        written = re.search(re.escape(other.mention), link.start_sentence.text, re.IGNORECASE)
        is_alike = (other.start, other.passages) == (link.start, link.passages)
        if written and is_alike and link.mention in written[0]:
            names.append(written[0])
    return max(names, key=len)
