"""Two lines for every gold passage: its rank at each stop, and below it what brought it in.

The strip is drawn from what is known at a step, and so grows to the right as somebody steps on; the
newest column, that of now, is marked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from gear_app.core.text import count
from gear_app.display.labels import base_name, capital
from gear_app.display.markup import Html, explained, tag
from gear_app.display.origin_words import origin_words
from gear_app.trace.events import Event
from gear_app.trace.gold import GoldPassage, base, title_is_absent
from gear_app.trace.metrics import found_at, gold_count
from gear_app.trace.rankings import CUTS, keys, within
from gear_app.trace.trace import RunTrace

STOPS = {  # lists that a passage has a rank in, by iteration, and what they mean
    "base": "retrieval with that iteration's query",
    "round": "all passages ranked again by the links followed until then",
    "walk": "passages the walk leads to",
    "beams": "passages the beams lead to",
    "anew": "passages as the step after the first search orders them",
    "fused": "both",
    "fast": "what the fast thought's query found",
    "slow": "what the slow thought's query found",
    "pool": "all queries until now",
    "promoted": "the pool with verified passages on top",
    "total": "all iterations until now, ranked as if this were the last",
}


class _Stop(NamedTuple):
    iteration: int
    stop: str
    round: int = 0  # of links

    @property
    def name(self) -> str:
        number = f" {self.round}" if self.round else ""
        return ("so far" if self.stop == "total" else self.stop) + number

    def rank(self, passage: GoldPassage) -> int | None:
        """The rank of a passage there."""
        ranks = next((row for row in passage.ranks if row.iteration == self.iteration), None)
        if ranks and self.round:
            return dict(ranks.rounds).get(self.round)
        rank: int | None = getattr(ranks, self.stop, None)
        return rank


FIRST = {"first search": "BM25's first passages, ranked by dense"}
ABSENT = "– = not in that list"
KEY = "What the columns mean"
EDGE, REST = "gear-edge", "gear-rest"  # where a group begins; what takes the room that is left
LAST = "gear-final"  # stays in sight where the table is scrolled
NOT_YET = "not found yet"  # in place of a title, which would give away where the run leads
FIRST_SEARCH = _Stop(1, "base")
FINAL = _Stop(0, "final")


def newest(passages: Sequence[GoldPassage], *, over: bool) -> _Stop:
    """The column that is the newest to somebody who knows this much of the gold passages."""
    return FINAL if over else [FIRST_SEARCH, *_columns(passages)][-1]


def strip(
    passages: Sequence[GoldPassage],
    base: str,
    question: str,
    *,
    iterates: bool = True,
    now: _Stop | None = None,
    ahead: int = 0,
    over: bool = True,
) -> Html:
    """The strip as a table; `base` is the first retrieval's name.

    Folded away: what its columns mean. Iteration 1's base is the first column; a run that was that
    retrieval and nothing else has only "final". `iterates` False: the one round is not called an
    iteration. While a run is not `over`, what is to come, so many steps `ahead`, stands in place of
    "final". `now` is the column to mark.
    """
    columns = _columns(passages)
    edges = {next(c for c in columns if c.iteration == n) for n in {c.iteration for c in columns}}
    alone = bool(columns) or not over
    stops = [FIRST_SEARCH] * alone + columns + [FINAL] * over
    names = {stop: stop.name for stop in stops} | {FIRST_SEARCH: f"{base} alone"}
    kinds = {stop: _kind(stop, edges, now) for stop in stops}
    rest_words = f"{count(ahead, 'more step')} to come" if ahead else "the run goes on"
    heads = [tag("th", "Gold passage", scope="col")]
    for stop in stops:
        current = "true" if stop == now else None
        words = explained(names[stop])
        heads.append(tag("th", words, class_=kinds[stop], scope="col", aria_current=current))
    lines = [tag("tr", *heads, tag("th", "", class_=REST, colspan=2))]
    if iterates and (columns or not over):
        lines.insert(0, _iterations(columns, alone=alone))
    body = []
    for passage in passages:
        title = passage.title if passage.seen or over else NOT_YET
        cells = [tag("td", _mark(passage, stop), class_=kinds[stop]) for stop in stops]
        to_come = rest_words * (passage is passages[0])
        later = "" if over else tag("td", to_come, class_=f"{EDGE} gear-ahead")
        rest = later, tag("td", "", class_=REST)
        reason = tag("div", capital(how(passage, question, over=over)), dir="auto")
        body += [
            tag("tr", tag("th", title, dir="auto", scope="row"), *cells, *rest),
            tag("tr", tag("td", reason, colspan=len(stops) + 3), class_="gear-how"),
        ]
    table = tag("table", tag("thead", *lines), tag("tbody", *body), class_="gear-gold")
    meanings = [f"{base} alone = {FIRST.get(base, 'the first search')}"] * alone
    used = {stop.stop: stop._replace(round=0).name for stop in columns}
    meanings += [f"{used[stop]} = {STOPS[stop]}" for stop in STOPS if stop in used]
    note = f"Ranks, counted from 1. {', '.join([*meanings, ABSENT])}."
    key = tag("details", tag("summary", KEY), note, class_="gear-note gear-key")
    return tag("div", tag("div", table, class_="gear-scroll"), key)


def _iterations(columns: Sequence[_Stop], *, alone: bool) -> Html:
    """The line of heads over the columns of each iteration."""
    spans = Counter(column.iteration for column in columns)
    heads = [
        tag("th", f"Iteration {n}", colspan=span, class_=EDGE, scope="colgroup")
        for n, span in spans.items()
    ]
    return tag(
        "tr", tag("th", "", colspan=1 + alone), *heads, tag("th", "", class_=EDGE, colspan=3)
    )


def _kind(stop: _Stop, edges: Collection[_Stop], now: _Stop | None) -> str | None:
    """The class of a column: the first of an iteration, the final one, the one of now."""
    edge = f"{EDGE} {LAST}" if stop == FINAL else EDGE if stop in edges else ""
    return " ".join(filter(None, [edge, "gear-now" if stop == now else ""])) or None


def how(passage: GoldPassage, question: str, *, over: bool = True) -> str:
    """Origin of the passage and, where plain, why the first retrieval could miss it."""
    absent = not within(passage.first, CUTS[0]) and title_is_absent(question, passage.title)
    reason = " · the question does not name it" if absent else ""
    return origin_words(passage.origin, over=over) + reason


def verdict(events: Sequence[Event], gold: Sequence[str], *, over: bool = True) -> str:
    """Counts of the gold found by the first search and by the run, in one sentence.

    "" without gold or ranking. `over` False: it is what the run has until now.
    """
    first, last = base(events), RunTrace.of(events).final
    if not gold or first is None or not last:
        return ""
    name, total = capital(base_name(first.base)), gold_count(gold)
    before, after = (found_at(keys(ranking), gold, CUTS[0]) for ranking in (first.ranking, last))
    alone = "" if RunTrace.of(events).single else " alone"
    now = f"; this run has {after}{'' if over else ' so far'}" if alone else ""
    return f"{name}{alone} has {before} of {total} gold passages in its first {CUTS[0]}{now}."


def _columns(passages: Sequence[GoldPassage]) -> list[_Stop]:
    """The stops that hold a rank of any gold passage, in order.

    The first search's list is drawn on its own. A pool is what there is "so far", and is not drawn
    twice.
    """
    columns: list[_Stop] = []
    for ranks in passages[0].ranks if passages else ():
        for stop in STOPS:
            rounds = [number for number, _ in ranks.rounds] if stop == "round" else [0]
            columns += [_Stop(ranks.iteration, stop, number) for number in rounds]
    columns = [column for column in columns if any(column.rank(passage) for passage in passages)]
    pools = {column.iteration for column in columns if column.stop == "pool"}
    walk = _Stop(1, "walk")  # HippoRAG begins with a walk
    first = FIRST_SEARCH if FIRST_SEARCH in columns else walk
    return [
        column
        for column in columns
        if column != first and not (column.stop == "total" and column.iteration in pools)
    ]


def _mark(passage: GoldPassage, stop: _Stop) -> Html:
    """A rank, near or far."""
    ends = {FIRST_SEARCH: passage.first, FINAL: passage.final}
    rank = ends[stop] if stop in ends else stop.rank(passage)
    if rank is None:
        return tag("span", "–", class_="gear-rank gear-absent", title="not in this list")
    state = "gear-top" if rank <= CUTS[0] else "gear-near" if rank <= CUTS[-1] else ""
    return tag("span", rank, class_=f"gear-rank {state}")
