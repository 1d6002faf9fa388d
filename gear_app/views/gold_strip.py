"""One line for every gold passage: its rank at each stop of the pipeline, and what brought it
in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from gear_app.analysis.gold import CUTS, Found, Ranks, unnamed
from gear_app.views.markup import Html, join, tag

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


class _Column(NamedTuple):
    iteration: int
    stop: str


MEANINGS = {
    "base": "retrieval with that iteration's query",
    "walk": "passages the walk leads to",
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


def drawn(found: Sequence[Found], base: str, question: str, *, iterates: bool = True) -> Html:
    """The strip as a table, a line a passage; `base` is the first retrieval's name.

    Folded away: what its columns mean, and of a line too long to be shown whole, the rest.
    Iteration 1's base is the first column; a run that was that retrieval and nothing else has only
    "final". `iterates` False: the one round is not called an iteration.
    """
    columns = _columns(found)
    body = [tag("tr", join(_cells(one, columns, question))) for one in found]
    heads = _heads(columns, base, iterates=iterates)
    table = tag("table", tag("thead", heads), tag("tbody", join(body)), class_="gear-gold")
    there = dict.fromkeys(stop for stop in STOPS if any(column.stop == stop for column in columns))
    words = ", ".join(f"{STOPS[stop]} = {MEANINGS[stop]}" for stop in there)
    note = (
        f"Ranks. {base} alone = {FIRST.get(base, 'the first search')}, {words}, {ABSENT}."
        if words
        else f"Ranks, counted from 1; {ABSENT}."
    )
    key = tag("details", tag("summary", KEY), note, class_="gear-note gear-key")
    return tag("div", tag("div", table, class_="gear-scroll"), key)


def rows(found: Sequence[Found], base: str, question: str) -> list[dict[str, Any]]:
    """The same as table rows; ranks as numbers, None where the passage was not in the list."""
    columns = _columns(found)
    return [
        {"passage": one.title, f"{base} alone": one.first}
        | {f"{c.iteration} {STOPS[c.stop]}": _rank(one, c) for c in columns}
        | {"final": one.final, "found by": how(one, question)}
        for one in found
    ]


def how(found: Found, question: str) -> str:
    """What brought the passage in, and where that is plain, why the first retrieval could miss
    it.
    """
    missed = found.first is None or found.first > CUTS[0]
    why = " · the question does not name it" if missed and unnamed(question, found.title) else ""
    return found.how + why


def _columns(found: Sequence[Found]) -> list[_Column]:
    """The stops that hold a rank of any gold passage, in order; the first search's list is drawn on
    its own.

    A pool is what there is "so far", and is not drawn twice.
    """
    wanted = [
        _Column(ranks.iteration, stop)
        for ranks in (found[0].ranks if found else ())
        for stop in STOPS
    ]
    there = [column for column in wanted if any(_rank(one, column) is not None for one in found)]
    pools = {column.iteration for column in there if column.stop == "pool"}
    return [
        column
        for column in there
        if column not in ((1, "base"), (1, "walk"))
        and not (column.stop == "total" and column.iteration in pools)
    ]


def _rank(found: Found, column: _Column) -> int | None:
    ranks: Ranks | None = next(
        (one for one in found.ranks if one.iteration == column.iteration), None
    )
    value: int | None = getattr(ranks, column.stop) if ranks else None
    return value


def _heads(columns: Sequence[_Column], base: str, *, iterates: bool) -> Html:
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
        tag("th", STOPS[c.stop], class_=_edge(c, columns), scope="col", title=MEANINGS[c.stop])
        for c in columns
    ]
    alone = [tag("th", f"{base} alone", scope="col")] if columns else []
    names = [tag("th", "Gold passage", scope="col"), *alone]
    last = (
        tag("th", "final", class_="gear-edge", scope="col"),
        tag("th", "what brought it in", scope="col"),
    )
    return Html((first if wide and iterates else "") + tag("tr", *names, join(narrow), *last))


def _cells(found: Found, columns: Sequence[_Column], question: str) -> list[Html]:
    ranks = [tag("td", _mark(_rank(found, c)), class_=_edge(c, columns)) for c in columns]
    words = how(found, question)
    return [
        tag("td", found.title, dir="auto"),
        *([tag("td", _mark(found.first))] if columns else []),
        *ranks,
        tag("td", _mark(found.final, FOLLOWS if found.follows else None), class_="gear-edge"),
        tag(
            "td", tag("details", tag("summary", words, title=words), class_="gear-how"), dir="auto"
        ),
    ]


def _edge(column: _Column, columns: Sequence[_Column]) -> str | None:
    first = next(one for one in columns if one.iteration == column.iteration)
    return "gear-edge" if column == first else None


def _mark(rank: int | None, title: str | None = None) -> Html:
    if rank is None:
        return tag("span", "–", class_="gear-rank gear-absent", title="not in this list")
    state = "gear-top" if rank <= CUTS[0] else "gear-near" if rank <= CUTS[-1] else ""
    return tag("span", rank, class_=f"gear-rank {state}", title=title)
