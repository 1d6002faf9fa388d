"""A line for every gold passage: its rank at each stop, and what brought it in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from gear_app.analysis.gold import GoldPassage, Ranks, alone, base, title_is_absent
from gear_app.analysis.metrics import found_at, gold_count
from gear_app.analysis.passage_origin import PassageOrigin
from gear_app.analysis.paths import LinkPath, WalkPath
from gear_app.analysis.rankings import CUTS, final, keys, within
from gear_app.events import Event
from gear_app.text import cut
from gear_app.views.labels import base_name, base_name_capital
from gear_app.views.markup import Html, explained, join, tag, term
from gear_app.views.rankings import source

STOPS = {
    "base": "base",
    "walk": "walk",
    "beams": "beams",
    "fused": "fused",
    "fast": "fast",
    "slow": "slow",
    "pool": "pool",
    "promoted": "promoted",
    "total": "so far",
}
AFTER_BASE = [stop for stop in STOPS if stop != "base"]


ROUND = "round"  # a stop "round 2" is the second round of links


class _Stop(NamedTuple):
    iteration: int
    stop: str


MEANINGS = {
    "base": "retrieval with that iteration's query",
    "walk": "passages the walk leads to",
    "round": "all passages ranked again by the links followed until then",
    "beams": "passages the beams lead to",
    "fused": "both",
    "fast": "what the fast thought's query found",
    "slow": "what the slow thought's query found",
    "pool": "all queries until now",
    "promoted": "the pool with verified passages on top",
    "total": "all iterations until now, ranked as if this were the last",
}
FIRST = {"composed": "the first search: BM25's first passages, ranked by dense"}
ABSENT = "– = not in that list"
KEY = "What the columns mean"
FOLLOWS = "below what the hops found"
FEW = 3  # passages that name something; more are not "only" so many
LONGEST = 90  # characters of a query within a sentence


def strip(found: Sequence[GoldPassage], base: str, question: str, *, iterates: bool = True) -> Html:
    """The strip as a table, a line a passage; `base` is the first retrieval's name.

    Folded away: what its columns mean.
    Iteration 1's base is the first column; a run that was that retrieval and nothing else has only
    "final". `iterates` False: the one round is not called an iteration.
    """
    columns = _columns(found)
    body = [tag("tr", join(_cells(one, columns, question))) for one in found]
    heads = _heads(columns, base, iterates=iterates)
    table = tag("table", tag("thead", heads), tag("tbody", join(body)), class_="gear-gold")
    words = ", ".join(_meanings(columns))
    note = (
        f"Ranks. {base} alone = {FIRST.get(base, 'the first search')}, {words}, {ABSENT}."
        if words
        else f"Ranks, counted from 1; {ABSENT}."
    )
    key = tag("details", tag("summary", KEY), note, class_="gear-note gear-key")
    return tag("div", tag("div", table, class_="gear-scroll"), key)


def rows(found: Sequence[GoldPassage], base: str, question: str) -> list[dict[str, Any]]:
    """The same as table rows; ranks as numbers, None where the passage was not in the list."""
    columns = _columns(found)
    return [
        {"passage": one.title, f"{base} alone": one.first}
        | {f"{c.iteration} {_name(c)}": _rank(one, c) for c in columns}
        | {"final": one.final, "found by": how(one, question)}
        for one in found
    ]


def how(found: GoldPassage, question: str) -> str:
    """What brought the passage in, and where plain, why the first retrieval could miss it."""
    missed = not within(found.first, CUTS[0])
    why = (
        " · the question does not name it"
        if missed and title_is_absent(question, found.title)
        else ""
    )
    return origin_words(found.origin) + why


def origin_words(origin: PassageOrigin) -> str:
    """What brought a passage in, in words; a promotion that moved it up is added to them."""
    move = origin.promotion
    if move is None:
        return _origin_words(origin)
    promoted = f"promoted from rank {move.before} to {move.after} in iteration {move.iteration}"
    return f"{_origin_words(origin)}; {promoted}"


def _origin_words(origin: PassageOrigin) -> str:
    match origin.how:
        case "nothing":
            return "not found by any step"
        case "unraised":
            return f"only at rank {origin.rank} at the end; no step raised it"
        case "gist":
            linked = source(origin.gist, origin.gist_texts) if origin.gist else ""
            when = _entry(origin) or f"in iteration {origin.iteration}"
            return f"{when} the gist memory linked to it, {linked}"
        case "first":
            asked = "with the question as asked" if origin.as_asked else "with the first query"
            return f"{base_name(origin.base)} found it {asked}"
        case "walk":
            return walk_words(origin.walk)
        case "link":
            near = "" if within(origin.rank, CUTS[0]) else f", to rank {origin.rank}"
            return link_words(origin.link) + near
        case "beam":
            place = (
                f"{_entry(origin)} beam"
                if origin.entered
                else f"beam of iteration {origin.iteration}"
            )
            return f"{place if origin.iterates else 'beam'}: {_beam_words(origin)}"
        case "below":
            walk = f": {walk_words(origin.walk)}" if origin.walk else ""
            raised = "" if origin.raised else "; nothing raised it"
            return f"{base_name(origin.base)} at rank {origin.rank}{walk}{raised}"
        case "later":
            return _later_words(origin)


def _entry(origin: PassageOrigin) -> str:
    """When it first was among the first five of the ranking so far; a column of the table may have
    had it earlier. "" where it was not, or there is no such ranking.
    """
    if not origin.entered:
        return ""
    return f"first in the top {CUTS[0]}: iteration {origin.iteration},"


def _later_words(origin: PassageOrigin) -> str:
    """Whose query found it, and the walk or beam that led to it."""
    place = _entry(origin).rstrip(",") or f"found in iteration {origin.iteration}"
    if not origin.top:
        place = f"nearest in iteration {origin.iteration}, at rank {origin.rank}"
    path = walk_words(origin.walk) or link_words(origin.link)
    if origin.beam:
        path = f"beam: {_beam_words(origin)}"
    return f"{place}, by {_query_words(origin)}" + (f": {path}" if path else "")


def _query_words(origin: PassageOrigin) -> str:
    thought = origin.thought
    if thought:
        kind = f"{thought.style} thought" if thought.style in ("fast", "slow") else "thought"
        words = cut(thought.text, LONGEST)
        return f"the {kind} of iteration {thought.iteration} as a query, “{words}”"
    inserted = " and ".join(f"“{words}”" for words in origin.inserted)
    query = f"its query, with {inserted} put in" if inserted else "its query"
    if not origin.joins:
        return query
    names = " or ".join(
        join.entity + (" or a synonym" if join.synonyms else "") for join in origin.joins
    )
    number = f"{origin.joins[0].passages} " if len(origin.joins) == 1 else ""
    return f"{query}, among the {number}passages that name {names}"


def walk_words(path: WalkPath | None) -> str:
    """The way of HippoRAG's walk to a passage; "" where none is known."""
    if path is None:
        return ""
    return f"the walk: {' → '.join(path.names)}, named in {path.triples} of its triples"


def link_words(path: LinkPath | None) -> str:
    """The link that leads to a passage; "" where there is none."""
    if path is None:
        return ""
    only = "only " if path.passages <= FEW else ""
    held = f"{only}{path.passages} of {path.size} passages do"
    return f"a link: {path.start} names {path.mention}, and {held}"


def _beam_words(origin: PassageOrigin) -> str:
    return "; ".join(f"{one.subject} {one.predicate} {one.object}" for one in origin.beam)


def verdict(events: Sequence[Event], gold: Sequence[str]) -> str:
    """What the first search found and what the run found, in one sentence of counts.

    "" without gold or ranking.
    """
    first, last = base(events), final(events)
    if not gold or first is None or not last:
        return ""
    k, total = CUTS[0], gold_count(gold)
    before, after = (found_at(keys(ranking), gold, k) for ranking in (first.ranking, last))
    name = base_name_capital(first.base)
    if alone(events):
        return f"{name} has {after} of {total} gold passages in its first {k}."
    has = f"{name} alone has {before} of {total} gold passages in its first {k}"
    return f"{has}; this run has {after}."


def _columns(found: Sequence[GoldPassage]) -> list[_Stop]:
    """The stops that hold a rank of any gold passage, in order.

    The first search's list is drawn on its own. A pool is what there is "so far", and is not drawn
    twice.
    """
    wanted = [
        _Stop(ranks.iteration, stop)
        for ranks in (found[0].ranks if found else ())
        for stop in ("base", *(f"{ROUND} {number}" for number, _ in ranks.rounds), *AFTER_BASE)
    ]
    there = [column for column in wanted if any(_rank(one, column) is not None for one in found)]
    pools = {column.iteration for column in there if column.stop == "pool"}
    return [
        column
        for column in there
        if column not in ((1, "base"), (1, "walk"))
        and not (column.stop == "total" and column.iteration in pools)
    ]


def _rank(found: GoldPassage, column: _Stop) -> int | None:
    ranks: Ranks | None = next(
        (one for one in found.ranks if one.iteration == column.iteration), None
    )
    if ranks and column.stop not in STOPS:
        rounds = {f"{ROUND} {number}": rank for number, rank in ranks.rounds}
        return rounds.get(column.stop)
    value: int | None = getattr(ranks, column.stop) if ranks else None
    return value


def _name(column: _Stop) -> str:
    return STOPS.get(column.stop, column.stop)


def _meanings(columns: Sequence[_Stop]) -> list[str]:
    """What the stops that are there mean, each once."""
    there = dict.fromkeys(stop for stop in STOPS if any(column.stop == stop for column in columns))
    words = [f"{STOPS[stop]} = {MEANINGS[stop]}" for stop in there]
    linked = any(column.stop not in STOPS for column in columns)
    return [*words, *([f"{ROUND} = {MEANINGS[ROUND]}"] if linked else [])]


def _heads(columns: Sequence[_Stop], base: str, *, iterates: bool) -> Html:
    iterations = list(dict.fromkeys(column.iteration for column in columns))
    wide = [
        tag(
            "th",
            f"Iteration {n}",
            colspan=sum(c.iteration == n for c in columns),
            class_="gear-edge",
            scope="colgroup",
        )
        for n in iterations
    ]
    first = tag(
        "tr",
        tag("th", ""),
        tag("th", ""),
        join(wide),
        tag("th", "", class_="gear-edge"),
        tag("th", ""),
    )
    narrow = [
        tag("th", explained(_name(c)), class_=_edge(c, columns), scope="col") for c in columns
    ]
    alone = [tag("th", explained(f"{base} alone"), scope="col")] if columns else []
    names = [tag("th", "Gold passage", scope="col"), *alone]
    last = (
        tag("th", "final", class_="gear-edge", scope="col"),
        tag("th", term("what brought it in"), scope="col"),
    )
    return Html((first if wide and iterates else "") + tag("tr", *names, join(narrow), *last))


def _cells(found: GoldPassage, columns: Sequence[_Stop], question: str) -> list[Html]:
    ranks = [tag("td", _mark(_rank(found, c)), class_=_edge(c, columns)) for c in columns]
    words = how(found, question)
    return [
        tag("td", found.title, dir="auto"),
        *([tag("td", _mark(found.first))] if columns else []),
        *ranks,
        tag("td", _mark(found.final, FOLLOWS if found.follows else None), class_="gear-edge"),
        tag("td", words, dir="auto"),
    ]


def _edge(column: _Stop, columns: Sequence[_Stop]) -> str | None:
    first = next(one for one in columns if one.iteration == column.iteration)
    return "gear-edge" if column == first else None


def _mark(rank: int | None, title: str | None = None) -> Html:
    if rank is None:
        return tag("span", "–", class_="gear-rank gear-absent", title="not in this list")
    state = "gear-near" if rank <= CUTS[-1] else ""
    if rank <= CUTS[0]:
        state = "gear-top"
    return tag("span", rank, class_=f"gear-rank {state}", title=title)
