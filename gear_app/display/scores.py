"""Rankings whose scores open into their parts: bars, arithmetic and rows of tables."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, NamedTuple

from gear_app.core.text import count
from gear_app.display.labels import STORED, base_name, exact, fine, number
from gear_app.display.markup import NO_NAMES, pieces
from gear_app.display.telling import ScoredRanking
from gear_app.trace.entities import EntityNames
from gear_app.trace.events import Event, Ranked, RankedPassage, ScorePart
from gear_app.trace.events.base import BY_SCORE, Way
from gear_app.trace.paths import scored
from gear_app.trace.rankings import gist_texts, has_ranking
from gear_app.trace.trace import RunTrace

PASSAGES_SHOWN = 15  # passages of a ranking on the screen
KINDS: Mapping[str, str] = {  # palette names by list
    "bm25": "words",
    "dense": "passage",
    "hybrid": "passage",
    "base": "passage",
    "walk": "kept",
    "beams": "kept",
    "gist": "gist",
    "iteration": "kept",
    "passage": "passage",
    "summary": "kept",
    "query": "kept",
    "query 1": "passage",  # the question's
    "chain": "kept",
}
TERMS: Mapping[str, str] = {  # of chain, and what each is
    "base": "the rank before any link",
    "alone": "1 where no link reaches it",
    "parts": "how near two parts of the query the two sentences of its best link are",
    "link": "how rare the name is that the link goes by",
    "start": "what the sentence it is linked from covers of the query",
    "cover": "what the sentence here adds of the query",
    "spread": "what a walk brings here over all shared mentions, the question’s own too",
}
BARS: Mapping[str, str] = {  # what the colours of bars mean
    "passage": "base search",
    "words": "BM25",
    "kept": "what the method added",
    "gist": "gist memory",
    "pruned": "other lists",
    "parts": "nearness of two linked sentences",
    "link": "rarity of what links them",
    "start": "covered by the first sentence",
    "cover": "added by the second",
    "spread": "walk over all shared mentions",
    "alone": "no link reaches it",
}


class PartList(NamedTuple):
    """A list that scores have a part from: its passages by id, and the way of its own scores."""

    passages: Mapping[int, RankedPassage]
    way: Way


@dataclass(frozen=True)
class Arithmetic:
    """How scores are put into words."""

    way: Way = "sum"
    gist: Mapping[str, str] = field(default_factory=dict)  # words of the lists "gist 1", …
    lists: Mapping[str, PartList] = field(default_factory=dict)

    @classmethod
    def of_run(cls, events: Sequence[Event], way: Way) -> Arithmetic:
        """Make it from a run, so that the score of a part opens into its own parts."""
        gist = {f"gist {n}": text for n, text in enumerate(gist_texts(events), start=1)}
        return cls(way, gist, part_lists(events))

    def source(self, part: ScorePart) -> str:
        """A part's list and the passage's rank in it, in words; the name of a term alone."""
        if not part.rank:
            return part.source
        place = f"rank {part.rank} in {base_name(part.source.removesuffix(BY_SCORE))}"
        fact = self.gist.get(part.source)
        return f"{place}: {fact}" if fact else place

    def term(self, part: ScorePart, link: str = "") -> str:
        """A part as arithmetic: its formula and value, and what they are of. `link` is the name
        that the passage's best link goes by.
        """
        if self.way == "walk":
            factors = f"{fine(part.score or 0.0)} × {count(part.rank, 'triple')}"
            return f"{part.source}: {factors} = {exact(part.value)}"
        words = self.source(part)
        if self.way == "terms" and part.source in TERMS:
            named = part.source == "link" and part.score and link
            rank = f", {part.rank}" if part.rank else ""
            words = f"{part.source}: {link if named else TERMS[part.source]}{rank}"
        elif self.way in ("greatest", "mean") and part.score is not None:
            words += f", score {exact(part.score)}"
        formula = f"{part.formula} = " if part.formula else ""
        return f"{formula}{exact(part.value)}".replace("-", "−") + f" · {words}"

    def total(self, passage: RankedPassage) -> str:
        """Last line of the arithmetic: the result of the parts."""
        values = [part.value for part in passage.parts]
        if self.way != "greatest" or not values:
            return f"= {exact(rounded_sum(values, passage.score))}"
        above = passage.score > max(values)
        words = "promoted above every score of the pool" if above else "the greatest, not the sum"
        return f"= {exact(passage.score)}, {words}"

    def part(self, part: ScorePart, id_: int, link: str = "") -> dict[str, Any]:
        """A part as data, with the parts of the passage's score in its list."""
        origin = self.lists.get(part.source)
        passage = origin.passages.get(id_) if origin else None
        inner: list[dict[str, Any]] = []
        if origin and passage:
            arithmetic = replace(self, way=origin.way, lists={})
            inner = [arithmetic.part(part, id_) for part in passage.parts]
        named = self.way == "walk" or (self.way == "terms" and part.source not in TERMS)
        return {
            "kind": "kept" if named else kind(part),
            "value": part.value,
            "words": self.term(part, link),
            "within": inner,
        }

    def bar(self, passage: RankedPassage) -> Sequence[ScorePart]:
        """The parts of a bar: all above 0 that are added up, or the greatest."""
        if self.way == "greatest":
            return sorted(passage.parts, key=lambda part: -part.value)[:1]
        return [part for part in passage.parts if part.value > 0]

    def length(self, passage: RankedPassage) -> float:
        """How long a passage's bar is, in the unit of its score."""
        return sum(part.value for part in self.bar(passage)) or passage.score


def part_lists(events: Sequence[Event]) -> dict[str, PartList]:
    """The lists that the parts of a later ranking's scores are from, by the name that these call
    them by: "gist 1", "iteration 2", and of a pool "query 2".
    """
    lists: dict[str, Event] = {}
    for event in events:
        if event.is_of("remember") and has_ranking(event):
            lists[str(getattr(event, "name", ""))] = event
    pools = [getattr(event, "queries", ()) for event in reversed(events) if event.is_of("pool")]
    queries: Sequence[str] = pools[0] if pools else ()
    for search in RunTrace.of(events).searches:
        last = [event for event in events[search.start : search.stop] if has_ranking(event)][-1:]
        names = [f"query {queries.index(search.query) + 1}"] if search.query in queries else []
        for name, event in product([f"iteration {search.iteration}", *names], last):
            lists[name] = event
    return {
        name: PartList({passage.id: passage for passage in scored(event)}, way_of(event))
        for name, event in lists.items()
    }


def kind(part: ScorePart) -> str:
    """The palette's name for a part; chain's own terms by their names."""
    if part.source in TERMS and part.source != "base":
        return part.source
    return KINDS.get(part.source) or KINDS.get(part.source.split(" ")[0], "pruned")


def rounded_sum(values: Sequence[float], score: float) -> float:
    """Sum of terms as they are shown, each rounded; the score where terms are missing."""
    total = round(sum(round(value, STORED) for value in values), STORED)
    return total if abs(total - score) < (len(values) + 1) * 10.0**-STORED else score


def lines(
    ranking: ScoredRanking,
    events: Sequence[Event],
    gold: Collection[str],
    names: EntityNames = NO_NAMES,
) -> dict[str, Any]:
    """Component data of a ranking's first passages, and the colours' meanings that occur."""
    arithmetic = Arithmetic.of_run(events, ranking.way)
    top = ranking.passages[:PASSAGES_SHOWN]
    best = max(map(arithmetic.length, top), default=0.0)
    digits = 4 if max((abs(passage.score) for passage in top), default=0.0) < 1 else 3
    drawn: list[dict[str, Any]] = []
    for rank, passage in enumerate(top, start=1):
        link = ranking.links.get(passage.id, "")
        share = arithmetic.length(passage) / best if best > 0 else 0.0
        line: dict[str, Any] = {
            "rank": rank,
            "id": passage.id,
            "key": passage.key,
            "gold": passage.key in gold,
            "total": arithmetic.total(passage),
            "share": round(share, 4),
            "parts": [arithmetic.part(part, passage.id, link) for part in passage.parts],
            "bar": [arithmetic.part(part, 0, link) for part in arithmetic.bar(passage)],
            "badge": ranking.badges.get(passage.id, ""),
            "title": pieces(passage.name, names),
            "score": number(passage.score, digits),
        }
        drawn.append(line)
    kinds = {part["kind"] for line in drawn for part in line["parts"]}
    meanings = {**BARS, "passage": "dense"} if "words" in kinds else BARS
    legend = [{"kind": name, "words": words} for name, words in meanings.items() if name in kinds]
    return {"lines": drawn, "legend": legend}


def rows(
    ranking: ScoredRanking, events: Sequence[Event], gold: Collection[str]
) -> list[dict[str, Any]]:
    """The whole ranking as table rows, the arithmetic in one line."""
    arithmetic = Arithmetic.of_run(events, ranking.way)
    return [
        {
            "rank": rank,
            "gold": passage.key in gold,
            "passage": passage.name,
            "id": passage.key,
            "score": passage.score,
            "parts": "; ".join(map(arithmetic.term, passage.parts)),
        }
        for rank, passage in enumerate(ranking.table or ranking.passages, start=1)
    ]


def final_ranking(ranked: Ranked, events: Sequence[Event]) -> ScoredRanking:
    """The final ranking with the parts of its scores: those of the last ranking before it that has
    its first passages in the same order, the last of them with the same score.
    """
    for event in reversed(events):
        listed = event.listed[: len(ranked.ranking)]
        first = ranked.ranking[: len(listed)]
        is_listed = [passage.id for passage in listed] == [passage.id for passage in first]
        if event.is_of("rank") or not listed or not is_listed:
            continue
        if len(first) == len(ranked.ranking) or listed[-1].score == first[-1].score:
            rest = ranked.ranking[len(listed) :]
            return ScoredRanking((*scored(event)[: len(listed)], *rest), way_of(event))
    return ScoredRanking(ranked.ranking)


def way_of(event: Event) -> Way:
    """How an event's scores are made of their parts. Chain's are terms: a part of no list has no
    rank whose reciprocal it could be.
    """
    parts = [part for passage in event.listed[:1] for part in passage.parts]
    terms = event.way == "sum" and any(not part.rank for part in parts)
    return "terms" if terms else event.way
