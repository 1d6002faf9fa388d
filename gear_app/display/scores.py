"""Rankings whose scores open into their parts: bars, arithmetic and rows of tables."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, NamedTuple

from gear_app.core.config import BaseConfig
from gear_app.core.text import count
from gear_app.display.decimals import STORED, exact, fine
from gear_app.display.labels import PAPER, base_name, capital
from gear_app.display.markup import NO_NAMES, pieces
from gear_app.display.telling import ScoredRanking
from gear_app.trace.entities import EntityNames
from gear_app.trace.events import Event, Ranked, RankedPassage, ScorePart
from gear_app.trace.events.base import BY_SCORE, Way
from gear_app.trace.paths import scored
from gear_app.trace.rankings import gist_texts, has_ranking, of_event
from gear_app.trace.trace import RunTrace

CORMACK = BaseConfig().constant  # as where two long lists are fused
SHOWN = 15  # passages of a ranking on the screen
DEPTH = 2  # lists whose scores are of lists, at most
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
    "chain": "kept",
}
TERMS: Mapping[str, str] = {  # of chain, and what each is
    "base": "the rank before any link",
    "alone": "no link reaches it; what the question itself names makes none",
    "parts": "how near two parts of the query the two sentences of its best link are",
    "link": "how rare the name is that the link goes by",
    "start": "what the sentence it is linked from covers of the query",
    "cover": "what the sentence here adds of the query",
    "spread": "what a walk brings here over all shared mentions, the question’s own too",
}
WEIGHED_AS_IN_LUCENE = (
    "BM25's usual word weights find nothing here: a word that half of the passages have weighs"
    " nothing. So the words were weighed as the search engine Lucene does, where every word counts"
    " and rare ones count more."
)
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
LISTS: Mapping[str, str] = {  # what the method added, where it is of one sort
    "iteration": "rankings of the iterations",
    "query": "later queries",
    "walk": "the walk",
    "beams": "passages of the beams",
    "summary": "summaries",
}


class PartList(NamedTuple):
    """A list that scores have a part from: its passages by id, and the way of its own scores."""

    passages: Mapping[int, RankedPassage]
    way: Way


@dataclass(frozen=True)
class Arithmetic:
    """How scores are put into words."""

    way: Way = "sum"
    gist: Sequence[str] = ()  # words of the gist triples, which name the lists "gist 1", …
    lists: Mapping[str, PartList] = field(default_factory=dict)

    @classmethod
    def of(cls, events: Sequence[Event], way: Way) -> Arithmetic:
        """Make it from a run, so that the score of a part opens into its own parts."""
        return cls(way, gist_texts(events), part_lists(events))

    def source(self, part: ScorePart) -> str:
        """A part's list and the passage's rank in it, in words; the name of a term alone."""
        if not part.rank:
            return part.source
        name, _, number = part.source.partition(" ")
        gist = name == "gist" and number.isdigit() and int(number) <= len(self.gist)
        words = f": {self.gist[int(number) - 1]}" if gist else ""
        return f"rank {part.rank} in {base_name(part.source.removesuffix(BY_SCORE))}{words}"

    def term(self, part: ScorePart, link: str = "") -> str:
        """A part as arithmetic: its formula and value, and what they are of. `link` is the name
        that the passage's best link goes by.
        """
        value = exact(part.value)
        if part.formula:
            value = f"{part.formula} = {value}".replace("-", "−")
        score = f", score {exact(part.score)}" if part.score is not None else ""
        match self.way:
            case "terms":
                words = self._meaning(part, link)
            case "walk":
                factors = f"{fine(part.score or 0.0)} × {count(part.rank, 'triple')}"
                return f"{part.source}: {factors} = {exact(part.value)}"
            case "greatest" if part.score is None or not part.rank:
                return f"{part.source}: {value}"
            case "greatest":
                return f"{part.source}: rank {part.rank}{score}, normalised {value}"
            case "mean":
                words = f"half of its normalised score, {self.source(part)}{score}"
            case _ if part.source.endswith(BY_SCORE):
                words = f"normalised score × its weight, {self.source(part)}"
            case _:
                words = self.source(part)
        return f"{value} · {words}"

    def _meaning(self, part: ScorePart, link: str) -> str:
        """Meaning of a term of a sum."""
        if part.source not in TERMS:
            return self.source(part)
        meaning = TERMS[part.source]
        if part.source == "link" and part.score and link:
            meaning = link
        if part.source == "base":
            meaning = f"rank {part.rank} before any link" if part.rank else "not ranked before"
        if part.source == "alone" and not part.score:
            meaning = "a link reaches it"
        return f"{part.source}: {meaning}"

    def total(self, passage: RankedPassage) -> str:
        """Last line of the arithmetic: the result of the parts."""
        if self.way != "greatest" or not passage.parts:
            return f"= {exact(rounded_sum([part.value for part in passage.parts], passage.score))}"
        greatest = max(part.value for part in passage.parts)
        if passage.score > greatest:
            pool = f"where it has {exact(greatest)}"
            return f"{exact(passage.score)}: promoted above every score of the pool, {pool}"
        if not passage.score:
            return "= 0: the last of its query, or below the pool in the order of the first query"
        return f"= {exact(passage.score)}, the greatest of them, not the sum"

    def line(self, passage: RankedPassage) -> str:
        """All parts in one line for a table: as a sum or a choice of the greatest."""
        if self.way == "walk":
            return "; ".join(self.term(part) for part in passage.parts)
        parts = [f"{part.value:.6f} ({self.source(part)})" for part in passage.parts]
        greatest = self.way == "greatest" and parts
        return f"greatest of: {', '.join(parts)}" if greatest else " + ".join(parts)

    def part(self, part: ScorePart, id_: int, link: str = "", depth: int = DEPTH) -> dict[str, Any]:
        """A part as data, with the parts of the passage's score in its list."""
        origin = self.lists.get(part.source)
        passage = origin.passages.get(id_) if origin and depth else None
        inner: list[dict[str, Any]] = []
        if origin and passage:
            arithmetic = replace(self, way=origin.way)
            inner = [arithmetic.part(part, id_, depth=depth - 1) for part in passage.parts]
        named = self.way == "walk" or (self.way == "terms" and part.source not in TERMS)
        return {
            "kind": "kept" if named else kind(part),
            "list": self.way if self.way == "walk" else part.source.partition(" ")[0],
            "value": part.value,
            "words": self.term(part, link),
            "within": inner,
        }

    def bar(self, passage: RankedPassage) -> tuple[ScorePart, ...]:
        """The parts of a bar: all that are added up, or the greatest; of terms those above 0."""
        if self.way == "terms":
            return tuple(part for part in passage.parts if part.value > 0)
        if self.way != "greatest" or not passage.parts:
            return passage.parts
        return (max(passage.parts, key=lambda part: part.value),)

    def length(self, passage: RankedPassage) -> float:
        """How long a passage's bar is, in the unit of its score."""
        terms = self.way == "terms" and passage.parts
        return sum(part.value for part in self.bar(passage)) if terms else passage.score

    def longest(self, ranking: Sequence[RankedPassage]) -> float:
        """The score that fills the bar: the best; in a pool 1, which promotion exceeds."""
        best = max(map(self.length, ranking), default=0.0)
        return min(1.0, best) if self.way == "greatest" else best


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
    """The palette's name for a part; chain's own terms by their names. In a pool the question's
    list is base retrieval's; the others are what the method added.
    """
    if part.source == "query 1":
        return "passage"
    if part.source in TERMS and part.source != "base":
        return part.source
    return KINDS.get(part.source.split(" ")[0], "pruned")


def constant_note(ranking: Sequence[RankedPassage], way: Way) -> str:
    """Why the last fusion counts ranks by another constant than the papers' sources do; "" where it
    does not, or the scores are no sums of reciprocal ranks.
    """
    parts = [part for passage in ranking[:1] for part in passage.parts if part.value]
    constants = {
        constant
        for part in parts
        for constant in [round(1 / part.value) - part.rank]
        if part.formula == f"1/({constant} + {part.rank})"
    }
    if way != "sum" or len(constants) != 1 or CORMACK in constants:
        return ""
    return (
        f"This last fusion counts a rank as 1/({constants.pop()} + rank). The papers’ sources have"
        f" {CORMACK}, with which two tenth places beat one first place;"
        f" “{capital(PAPER)}” in Explore’s Options sets that."
    )


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
    """Component data of a ranking's first passages."""
    arithmetic = Arithmetic.of(events, ranking.way)
    top = ranking.passages[:SHOWN]
    best = arithmetic.longest(top)
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
            "share": round(min(1.0, share), 4),
            "parts": [arithmetic.part(part, passage.id, link) for part in passage.parts],
            "bar": [arithmetic.part(part, 0, link) for part in arithmetic.bar(passage)],
            "badge": ranking.badges.get(passage.id, ""),
            "title": pieces(passage.name, names),
            "score": f"{passage.score:z.{digits}f}".replace("-", "−"),
        }
        drawn.append(line)
    return {
        "lines": drawn,
        "legend": bar_legend([part for line in drawn for part in line["parts"]]),
    }


def bar_legend(parts: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Meanings of the colours of bars and of the arithmetic, those that occur."""
    kinds = {part["kind"] for part in parts}
    added = {part["list"] for part in parts if part["kind"] == "kept"}
    colour = LISTS.get(added.pop(), BARS["kept"]) if len(added) == 1 else BARS["kept"]
    names = {**BARS, "kept": colour} | ({"passage": "dense"} if "words" in kinds else {})
    return [{"kind": name, "words": words} for name, words in names.items() if name in kinds]


def rows(
    ranking: ScoredRanking, events: Sequence[Event], gold: Collection[str]
) -> list[dict[str, Any]]:
    """The whole ranking as table rows; the parts are written as a sum."""
    arithmetic = Arithmetic.of(events, ranking.way)
    return [
        {
            "rank": rank,
            "gold": passage.key in gold,
            "passage": passage.name,
            "id": passage.key,
            "score": passage.score,
            "parts": arithmetic.line(passage),
        }
        for rank, passage in enumerate(ranking.table or ranking.passages, start=1)
    ]


def final_ranking(ranked: Ranked, events: Sequence[Event]) -> ScoredRanking:
    """The final ranking with the parts of its scores: those of the last ranking before it that has
    the same order, or its first passages with the same scores.
    """
    ids = [passage.id for passage in ranked.ranking]
    for event in reversed(events):
        listed = of_event(event)[: len(ids)]
        is_listed = listed and [passage.id for passage in listed] == ids[: len(listed)]
        complete = len(listed) == len(ids) or (
            listed and listed[-1].score == _score(ranked, listed)
        )
        if not event.is_of("rank") and is_listed and complete:
            rest = ranked.ranking[len(listed) :]
            return ScoredRanking((*scored(event)[: len(listed)], *rest), way_of(event))
    return ScoredRanking(ranked.ranking)


def _score(ranked: Ranked, listed: Sequence[RankedPassage]) -> float:
    return ranked.ranking[len(listed) - 1].score


def way_of(event: Event) -> Way:
    """How an event's scores are made of their parts. Chain's are terms, also as a base."""
    parts = [part for passage in of_event(event)[:1] for part in passage.parts]
    return way_of_parts(parts) if event.way == "sum" else event.way


def way_of_parts(parts: Sequence[ScorePart]) -> Way:
    """Terms where a part is of no list: it has no rank whose reciprocal it could be."""
    return "sum" if all(part.rank for part in parts) else "terms"
