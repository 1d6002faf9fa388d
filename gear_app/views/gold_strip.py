"""Two lines for every gold passage: its rank at each stop, and below it what brought it in.

The strip is drawn from what is known at a step, and so grows to the right as somebody steps on; the
newest column, that of now, is marked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from gear_app.analysis.gold import GoldPassage, Ranks, base, title_is_absent
from gear_app.analysis.metrics import found_at, gold_count
from gear_app.analysis.rankings import CUTS, keys, within
from gear_app.analysis.trace import RunTrace
from gear_app.events import Event
from gear_app.text import count
from gear_app.views.labels import base_name_capital, capital
from gear_app.views.markup import Html, explained, join, tag
from gear_app.views.origin_words import origin_words

STOPS = {
    "base": "base",
    "walk": "walk",
    "beams": "beams",
    "anew": "anew",
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
    "anew": "passages as the step after the first search orders them",
    "fused": "both",
    "fast": "what the fast thought's query found",
    "slow": "what the slow thought's query found",
    "pool": "all queries until now",
    "promoted": "the pool with verified passages on top",
    "total": "all iterations until now, ranked as if this were the last",
}
FIRST = {"first search": "BM25's first passages, ranked by dense"}
ABSENT = "– = not in that list"
KEY = "What the columns mean"
EDGE, REST = "gear-edge", "gear-rest"  # where a group begins; what takes the room that is left
LAST = "gear-final"  # stays in sight where the table is scrolled
FOLLOWS = "below all that was found: it only fills the ranking"
NOT_YET = "not found yet"  # in place of a title, which would give away where the run leads


FIRST_SEARCH = _Stop(1, "base")
FINAL = _Stop(0, "final")


class Position(NamedTuple):
    """Where in the run somebody is: what the strip marks, and what it keeps room for.

    `now` is the column to mark, None for none; `ahead` counts the steps to come that are not shown.
    `over`: nothing that is shown can change any more.
    """

    now: _Stop | None = None
    ahead: int = 0
    over: bool = True


def newest(known: Sequence[GoldPassage], *, over: bool) -> _Stop:
    """The column that is the newest to somebody who knows this much of the gold passages."""
    columns = _columns(known)
    if over:
        return FINAL
    return columns[-1] if columns else FIRST_SEARCH


END = Position()


def strip(
    found: Sequence[GoldPassage],
    base: str,
    question: str,
    *,
    iterates: bool = True,
    at: Position = END,
) -> Html:
    """The strip as a table; `base` is the first retrieval's name.

    Folded away: what its columns mean. Iteration 1's base is the first column; a run that was that
    retrieval and nothing else has only "final". `iterates` False: the one round is not called an
    iteration. While a run is not over, what is to come stands in place of "final".
    """
    columns = _columns(found)
    alone = bool(columns) or not at.over
    width = 3 + len(columns) + alone
    body = [
        row
        for place, one in enumerate(found)
        for row in (
            tag("tr", join(_cells(one, columns, at, first=place == 0))),
            tag("tr", _words(one, question, width, at), class_="gear-how"),
        )
    ]
    heads = _heads(columns, base if alone else "", at, iterates=iterates)
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


def how(found: GoldPassage, question: str, *, over: bool = True) -> str:
    """What brought the passage in, and where plain, why the first retrieval could miss it."""
    missed = not within(found.first, CUTS[0])
    why = (
        " · the question does not name it"
        if missed and title_is_absent(question, found.title)
        else ""
    )
    return origin_words(found.origin, over=over) + why


def verdict(events: Sequence[Event], gold: Sequence[str], *, over: bool = True) -> str:
    """What the first search found and what the run found, in one sentence of counts.

    "" without gold or ranking. `over` False: it is what the run has until now.
    """
    first, last = base(events), RunTrace.of(events).final
    if not gold or first is None or not last:
        return ""
    k, total = CUTS[0], gold_count(gold)
    before, after = (found_at(keys(ranking), gold, k) for ranking in (first.ranking, last))
    name = base_name_capital(first.base)
    if RunTrace.of(events).single:
        return f"{name} has {after} of {total} gold passages in its first {k}."
    has = f"{name} alone has {before} of {total} gold passages in its first {k}"
    return f"{has}; this run has {after}{'' if over else ' so far'}."


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
    first = (1, "base") if (1, "base") in there else (1, "walk")  # HippoRAG begins with a walk
    return [
        column
        for column in there
        if column != first and not (column.stop == "total" and column.iteration in pools)
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


def _heads(columns: Sequence[_Stop], base: str, at: Position, *, iterates: bool) -> Html:
    """Both lines of heads; `base` is "" where the first search has no column of its own."""
    iterations = list(dict.fromkeys(column.iteration for column in columns))
    wide = [
        tag(
            "th",
            f"Iteration {n}",
            colspan=sum(c.iteration == n for c in columns),
            class_=EDGE,
            scope="colgroup",
        )
        for n in iterations
    ]
    corner = tag("th", "") + (tag("th", "") if base else "")
    first = tag("tr", Html(corner), join(wide), tag("th", "", class_=EDGE), tag("th", ""))
    narrow = [_head(_name(c), _edge(c, columns), c == at.now) for c in columns]
    names = [tag("th", "Gold passage", scope="col")]
    if base:
        names.append(_head(f"{base} alone", "", at.now == FIRST_SEARCH))
    last = (
        _head("final", f"{EDGE} {LAST}", at.now == FINAL) if at.over else tag("th", "", class_=EDGE)
    )
    second = tag("tr", *names, join(narrow), last, tag("th", "", class_=REST))
    two = iterates and (wide or not at.over)  # as many lines at the beginning as later on
    return Html((first if two else "") + second)


def _head(name: str, kind: str, now: bool) -> Html:
    current = "true" if now else None
    return tag(
        "th",
        explained(name),
        class_=_marked(kind, now=now),
        scope="col",
        aria_current=current,
    )


def _marked(kind: str, *, now: bool) -> str | None:
    return " ".join(filter(None, [kind, "gear-now" if now else ""])) or None


def _cells(
    found: GoldPassage, columns: Sequence[_Stop], at: Position, *, first: bool
) -> list[Html]:
    """The cells of ranks, and the final one; the first line says what is to come in its place."""
    ranks = [_cell(_mark(_rank(found, c)), _edge(c, columns), now=c == at.now) for c in columns]
    title = found.title if found.seen or at.over else NOT_YET
    cells = [tag("th", title, dir="auto", scope="row")]
    if columns or not at.over:
        cells.append(_cell(_mark(found.first), "", now=at.now == FIRST_SEARCH))
    cells += ranks
    if at.over:
        final = _mark(found.final, FOLLOWS if found.follows else None)
        return [
            *cells,
            _cell(final, f"{EDGE} {LAST}", now=at.now == FINAL),
            tag("td", "", class_=REST),
        ]
    words = f"{count(at.ahead, 'more step')} to come" if at.ahead else "the run goes on"
    return [*cells, tag("td", words if first else "", class_=f"{EDGE} gear-ahead", colspan=2)]


def _cell(rank: Html, kind: str, *, now: bool) -> Html:
    return tag("td", rank, class_=_marked(kind, now=now))


def _words(found: GoldPassage, question: str, width: int, at: Position) -> Html:
    """The line of words, across the whole table."""
    words = tag("div", capital(how(found, question, over=at.over)), dir="auto")
    return tag("td", words, colspan=width)


def _edge(column: _Stop, columns: Sequence[_Stop]) -> str:
    first = next(one for one in columns if one.iteration == column.iteration)
    return EDGE if column == first else ""


def _mark(rank: int | None, title: str | None = None) -> Html:
    if rank is None:
        return tag("span", "–", class_="gear-rank gear-absent", title="not in this list")
    state = "gear-near" if rank <= CUTS[-1] else ""
    if rank <= CUTS[0]:
        state = "gear-top"
    return tag("span", rank, class_=f"gear-rank {state}", title=title)
