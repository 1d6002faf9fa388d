"""Rankings as lines: rank, passage, score, and the parts the score is the sum of."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import product
from types import MappingProxyType
from typing import Any, NamedTuple

from gear_app.analysis.entities import EntityNames
from gear_app.analysis.paths import scored
from gear_app.analysis.rankings import has_ranking, of_event
from gear_app.analysis.trace import RunTrace
from gear_app.config import BaseConfig
from gear_app.events import Event, Ranked, RankedPassage, ScorePart
from gear_app.events.base import BY_SCORE, Way
from gear_app.events.gear import GIST_PASSAGES
from gear_app.text import count
from gear_app.views.decimals import STORED, exact, fine
from gear_app.views.labels import PAPER, base_name, capital
from gear_app.views.markup import NO_NAMES, pieces

CORMACK = BaseConfig().constant  # as where two long lists are fused
KINDS: Mapping[str, str] = {
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
    "link": "how few passages hold what that link goes by",
    "start": "what the sentence it is linked from covers of the query",
    "cover": "what the sentence here adds of the query",
    "spread": "what a walk brings here over all shared mentions, the question’s own too",
}
WEIGHED_AS_IN_LUCENE = (
    "BM25's usual word weights find nothing here: a word that half of the passages have weighs"
    " nothing. So the words were weighed as the search engine Lucene does, where every word counts"
    " and rare ones count more."
)


class PartList(NamedTuple):
    """A list that scores have a part from: its passages by id, and the way of its own scores."""

    passages: Mapping[int, RankedPassage]
    way: Way


NO_LISTS: Mapping[str, PartList] = {}


def part_lists(events: Sequence[Event]) -> dict[str, PartList]:
    """The lists that the parts of a later ranking's scores are from, by the name that these call
    them by, so that the score of a part opens into its own parts: "gist 1", "iteration 2", and of a
    pool "query 2".
    """
    lists: dict[str, Event] = {}
    for event in events:
        if event.is_of("remember") and has_ranking(event):
            lists[str(getattr(event, "name", ""))] = event
    pools = [getattr(one, "queries", ()) for one in reversed(events) if one.is_of("pool")]
    queries: Sequence[str] = pools[0] if pools else ()
    for search in RunTrace.of(events).searches:
        last = [event for event in events[search.start : search.stop] if has_ranking(event)][-1:]
        names = [f"query {queries.index(search.query) + 1}"] if search.query in queries else []
        for name, event in product([f"iteration {search.iteration}", *names], last):
            lists[name] = event
    return {name: _part_list(event) for name, event in lists.items()}


def _part_list(event: Event) -> PartList:
    return PartList({passage.id: passage for passage in scored(event)}, way_of(event))


def kind(part: ScorePart) -> str:
    """The palette's name for a part: base retrieval (BM25 apart from dense), beams, walk, gist;
    chain's own terms by their names.

    In a pool the question's own list is base retrieval's; the others are what the method added.
    """
    if part.source == "query 1":
        return "passage"
    if part.source in TERMS and part.source != "base":
        return part.source
    return KINDS.get(part.source.split(" ")[0], "pruned")


def source(part: ScorePart, gist: Sequence[str] = ()) -> str:
    """A part's list and the passage's rank in it, in words; the name of a term alone."""
    if not part.rank:
        return part.source
    name, _, number = part.source.partition(" ")
    words = (
        gist[int(number) - 1]
        if name == "gist" and number.isdigit() and int(number) <= len(gist)
        else ""
    )
    listed = base_name(part.source.removesuffix(BY_SCORE))
    return f"rank {part.rank} in {listed}" + (f": {words}" if words else "")


def term(part: ScorePart, gist: Sequence[str] = (), way: Way = "sum", link: str = "") -> str:
    """A part as arithmetic: its formula and value, and what they are of. `link` says of the
    passage's best link what it goes by.
    """
    value = exact(part.value)
    if part.formula:
        value = f"{part.formula} = {value}".replace("-", "−")
    own = f", score {exact(part.score)}" if part.score is not None else ""
    if way == "terms":
        return _weighted(part, value, link)
    if way == "walk":
        factors = f"{fine(part.score or 0.0)} × {count(part.rank, 'triple')}"
        return f"{part.source}: {factors} = {exact(part.value)}"
    if way == "greatest" and (part.score is None or not part.rank):
        return f"{part.source}: {value}"
    if way == "greatest":
        return f"{part.source}: rank {part.rank}{own}, normalised {value}"
    if way == "mean":
        return f"{value} · half of its normalised score, {source(part)}{own}"
    if way == "interleaved":
        placed = "whose turn brought it here" if part.value else "after it was there already"
        return f"{source(part, gist)}, {placed}"
    if part.source.endswith(BY_SCORE):
        return f"{value} · normalised score × its weight, {source(part)}"
    if part.source == GIST_PASSAGES:
        return f"{value} · number {part.rank} of the passages that gist triples come from"
    return f"{value} · {source(part, gist)}"


def _constant(part: ScorePart) -> int | None:
    """The number that is added to a rank whose reciprocal a part is; None for other parts."""
    constant = round(1 / part.value) - part.rank if part.value else 0
    return constant if part.formula == f"1/({constant} + {part.rank})" else None


def constant_note(ranking: Sequence[RankedPassage], way: Way = "sum") -> str:
    """Why the last fusion counts ranks by another constant than the papers' sources do; "" where it
    does not, or the scores are no sums of reciprocal ranks.
    """
    parts = [part for passage in ranking[:1] for part in passage.parts]
    constants = {_constant(part) for part in parts} - {None}
    if way not in ("sum", "gist_first") or len(constants) != 1 or CORMACK in constants:
        return ""
    return (
        f"This last fusion counts a rank as 1/({constants.pop()} + rank). The papers’ sources have"
        f" {CORMACK}, with which to be tenth in two of its short lists would count more than to be"
        f" first in one; “{capital(PAPER)}” in Explore’s Options sets that."
    )


def _weighted(part: ScorePart, value: str, link: str) -> str:
    """A term of a sum and what it is."""
    what = TERMS.get(part.source, "")
    if part.rank and not part.value and part.source not in TERMS:
        return f"{source(part)}, which adds nothing"
    if part.source == "link" and part.score and link:
        what = link
    if part.source == "base":
        what = f"rank {part.rank} before any link" if part.rank else "not ranked before any link"
    if part.source == "alone" and not part.score:
        what = "a link reaches it"
    return f"{value} · {part.source}: {what}" if what else f"{value} · {part.source}"


def total(passage: RankedPassage, way: Way = "sum") -> str:
    """What the parts come to."""
    if way == "interleaved" and passage.score:
        return f"= 1/{round(1 / passage.score)}: its place, not a sum"
    if way != "greatest" or not passage.parts:
        return f"= {exact(rounded_sum([part.value for part in passage.parts], passage.score))}"
    greatest = max(part.value for part in passage.parts)
    if passage.score > greatest:
        return (
            f"{exact(passage.score)}: promoted above every score of the pool, where it has"
            f" {exact(greatest)}"
        )
    if not passage.score and not greatest:
        return "= 0: the last of its query, or below the pool in the order of the first query"
    return f"= {exact(passage.score)}, the greatest of them, not the sum"


def rounded_sum(values: Sequence[float], score: float) -> float:
    """What terms add up to as they are shown, each rounded.

    It may be a millionth or two beside the score. The score itself where terms are missing.
    """
    total = round(sum(round(value, STORED) for value in values), STORED)
    return total if abs(total - score) < (len(values) + 1) * 10.0**-STORED else score


def parts_line(passage: RankedPassage, gist: Sequence[str] = (), way: Way = "sum") -> str:
    """All parts in one line for a table: as a sum, a choice of the greatest, or ranks in turn."""
    if way in ("interleaved", "walk"):
        return "; ".join(term(part, gist, way) for part in passage.parts)
    parts = [f"{part.value:.6f} ({source(part, gist)})" for part in passage.parts]
    return f"greatest of: {', '.join(parts)}" if way == "greatest" and parts else " + ".join(parts)


def visible_parts(passage: RankedPassage, way: Way = "sum") -> tuple[ScorePart, ...]:
    """The parts of a bar: all that are added up, or the one that decides, of several the first.

    Of terms those above 0: the numbers tell what the others take away.
    """
    if way == "terms":
        return tuple(part for part in passage.parts if part.value > 0)
    if way == "gist_first" and _goes_first(passage):
        return passage.parts[-1:]
    if way == "interleaved":
        return tuple(part for part in passage.parts if part.value)
    if way != "greatest" or not passage.parts:
        return passage.parts
    return (max(passage.parts, key=lambda part: part.value),)


def longest(ranking: Sequence[RankedPassage], way: Way = "sum") -> float:
    """The score that fills the bar: the best; in a pool 1, which promoted passages are above.

    Where some passages go first, the best of the others.
    """
    if way == "gist_first":
        others = [passage.score for passage in ranking if not _goes_first(passage)]
        return max(others, default=1.0)
    best = max((_length(passage, way) for passage in ranking), default=0.0)
    return min(1.0, best) if way == "greatest" else best


def _length(passage: RankedPassage, way: Way) -> float:
    """How long a passage's bar is, in the unit of its score."""
    if way != "terms" or not passage.parts:
        return passage.score
    return sum(part.value for part in visible_parts(passage, way))


def _goes_first(passage: RankedPassage) -> bool:
    return any(part.source == GIST_PASSAGES for part in passage.parts)


SHOWN = 15


class Beside(NamedTuple):
    """What stands at the passages of a ranking: words of ours beside a title, and what the best
    link into a passage goes by, both by its id; and names that are looked for in the titles.
    """

    badges: Mapping[int, str] = MappingProxyType({})
    links: Mapping[int, str] = MappingProxyType({})
    names: EntityNames = NO_NAMES


NOTHING_BESIDE = Beside()


def lines(
    ranking: Sequence[RankedPassage],
    gold: Collection[str],
    gist: Sequence[str] = (),
    *,
    way: Way = "sum",
    beside: Beside = NOTHING_BESIDE,
    lists: Mapping[str, PartList] = NO_LISTS,
) -> dict[str, Any]:
    """Component data of a ranking's first passages, and how many more there are.

    `gist` holds the words of the gist triples in the order they were remembered, to name the lists
    "gist 1", …. `way` says how scores are made of their parts. `lists` are those that the parts are
    from (`part_lists`): a part opens into what its score there is made of.
    """
    top = ranking[:SHOWN]
    best = longest(top, way)
    digits = score_digits([passage.score for passage in top])
    drawn: list[dict[str, Any]] = []
    for rank, passage in enumerate(top, start=1):
        link = beside.links.get(passage.id, "")
        parts = [
            _part(part, gist, way, link) | {"within": _within(part, passage.id, gist, lists)}
            for part in passage.parts
        ]
        line: dict[str, Any] = {
            "rank": rank,
            "id": passage.id,
            "key": passage.key,
            "gold": passage.key in gold,
            "total": total(passage, way),
            "share": round(min(1.0, _length(passage, way) / best), 4) if best > 0 else 0.0,
            "parts": parts,
            "bar": [_part(part, gist, way, link) for part in visible_parts(passage, way)],
            "badge": beside.badges.get(passage.id, ""),
            "title": pieces(passage.name, beside.names),
            "score": f"{passage.score:z.{digits}f}".replace("-", "−"),
        }
        drawn.append(line)
    return {
        "lines": drawn,
        "more": max(0, len(ranking) - SHOWN),
        "legend": bar_legend([part for line in drawn for part in line["parts"]]),
    }


def rows(
    ranking: Sequence[RankedPassage],
    gold: Collection[str],
    gist: Sequence[str] = (),
    way: Way = "sum",
) -> list[dict[str, Any]]:
    """The whole ranking as table rows; the parts are written as a sum."""
    return [
        {
            "rank": rank,
            "gold": passage.key in gold,
            "passage": passage.name,
            "id": passage.key,
            "score": passage.score,
            "parts": parts_line(passage, gist, way),
        }
        for rank, passage in enumerate(ranking, start=1)
    ]


def ranking_with_parts(
    ranked: Ranked, events: Sequence[Event]
) -> tuple[tuple[RankedPassage, ...], Way]:
    """The final ranking with the parts of its scores and the way they make a score.

    They are those of the last ranking before it that has the same order.
    """
    wanted = [passage.id for passage in ranked.ranking]
    for event in reversed(events):
        found = of_event(event)
        if not event.is_of("rank") and [passage.id for passage in found[: len(wanted)]] == wanted:
            return scored(event)[: len(wanted)], way_of(event)
    return ranked.ranking, "sum"


def way_of(event: Event) -> Way:
    """How an event's scores are made of their parts. Chain's are terms, also as a base."""
    first = of_event(event)[:1]
    parts = [part for passage in first for part in passage.parts]
    return way_of_parts(parts) if event.way == "sum" else event.way


def way_of_parts(parts: Sequence[ScorePart]) -> Way:
    """Terms where one is of no list: it has no rank whose reciprocal it could be."""
    return "sum" if all(part.rank for part in parts) else "terms"


def _part(part: ScorePart, gist: Sequence[str], way: Way, link: str) -> dict[str, Any]:
    return {
        "kind": "kept" if way == "walk" or _is_named(part, way) else kind(part),
        "list": way if way == "walk" else part.source.partition(" ")[0],
        "value": part.value,
        "words": term(part, gist, way, link),
    }


def _is_named(part: ScorePart, way: Way) -> bool:
    """Whether a part is of an entity or a passage, which may be called like a list."""
    return way == "terms" and part.source not in TERMS


def _within(
    part: ScorePart, id_: int, gist: Sequence[str], lists: Mapping[str, PartList], depth: int = 2
) -> list[dict[str, Any]]:
    """What a passage's score in the list of a part is made of, each with what that is made of.

    No list is made of lists of lists of lists.
    """
    of = lists.get(part.source)
    passage = of.passages.get(id_) if of and depth else None
    if of is None or passage is None:
        return []
    return [
        _part(one, gist, of.way, "") | {"within": _within(one, id_, gist, lists, depth - 1)}
        for one in passage.parts
    ]


def score_digits(scores: Sequence[float]) -> int:
    """Decimals for a column of scores, the same for all: four digits that count for the best."""
    return 4 if max(map(abs, scores), default=0.0) < 1 else 3


BARS: Mapping[str, str] = {
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


def bar_legend(parts: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """What the colours of bars and of the arithmetic mean, those that occur."""
    there = {part["kind"] for part in parts}
    added = {part["list"] for part in parts if part["kind"] == "kept"}
    kept = LISTS.get(added.pop(), BARS["kept"]) if len(added) == 1 else BARS["kept"]
    names = {**BARS, "kept": kept} | ({"passage": "dense"} if "words" in there else {})
    return [{"kind": kind, "words": words} for kind, words in names.items() if kind in there]
