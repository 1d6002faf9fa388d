"""Gold passages of a run: their rank at each stop, what brought each in, and recall by iteration.

All is drawn from what is known at a step, and grows as somebody steps on.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from gear_app.core.text import cut
from gear_app.display.labels import base_name, capital
from gear_app.display.markup import Html, join, tag
from gear_app.display.palette import Palette
from gear_app.trace.gold import FINAL, FIRST, GoldPassage, Stop, base, title_is_absent
from gear_app.trace.metrics import recall_at
from gear_app.trace.passage_origin import PassageOrigin, Way
from gear_app.trace.paths import LinkPath, WalkPath
from gear_app.trace.rankings import CUTS, is_among, keys
from gear_app.trace.trace import RunTrace

if TYPE_CHECKING:
    import plotly.graph_objects as go

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
    "so far": "all iterations until now, ranked as if this were the last",
}
NOT_YET = "not found yet"  # in place of a title, which would give away where the run leads
LONGEST = 90  # characters of a query within a sentence


def strip(
    events: RunTrace,
    passages: Sequence[GoldPassage],
    question: str,
    *,
    over: bool = True,
    current: Stop | None = None,
) -> Html:
    """A table of the gold passages: the rank of each at every stop, and below what brought it in.

    A run that was its first retrieval and nothing else has only "final", one that is not `over` has
    no "final". The `current` stop is marked. Below it, folded away: what the columns mean.
    """
    first, stops = base(events), _stops(passages)
    names = {stop: f"{stop.name} {stop.round or ''}".strip() for stop in stops}
    if first and (stops or not over):
        names = {FIRST: f"{base_name(first.base)} alone"} | names
    names |= {FINAL: "final"} if over else {}
    marks = {stop: "true" if stop == current else None for stop in names}
    groups = [(n, len(list(group))) for n, group in groupby(names, lambda stop: stop.iteration)]
    above = [
        tag("th", f"Iteration {n}", colspan=width, scope="colgroup") if n else tag("td")
        for n, width in groups
    ]
    heads = [tag("th", name, scope="col", aria_current=marks[stop]) for stop, name in names.items()]
    rows = [tag("tr", tag("td"), *above)] if events.iterates and stops else []
    rows.append(tag("tr", tag("th", "Gold passage", scope="col"), *heads))
    for passage in passages:
        title = passage.title if passage.seen or over else NOT_YET
        ranks = [
            tag("td", _mark(passage.ranks.get(stop)), aria_current=marks[stop]) for stop in names
        ]
        words = capital(origin_sentence(passage, question, over=over))
        rows.append(tag("tr", tag("th", title, scope="row", dir="auto"), *ranks))
        rows.append(tag("tr", tag("td", words, colspan=len(names) + 1, dir="auto")))
    meanings = [f"{name} = {STOPS[name]}" for name in dict.fromkeys(stop.name for stop in stops)]
    note = f"Ranks, counted from 1. {', '.join([*meanings, '– = not in that list'])}."
    key = tag("details", tag("summary", "What the columns mean"), note, class_="gear-note gear-key")
    table = tag("table", *rows, class_="gear-rows gear-gold")
    return join([tag("div", table, class_="gear-scroll"), key])


def _stops(passages: Sequence[GoldPassage]) -> list[Stop]:
    """The lists of iterations that have any of the passages, but for the run's first list, which is
    shown as the first retrieval's.
    """
    stops = {stop for passage in passages for stop in passage.ranks} - {FIRST, FINAL}
    base_list, walk = Stop(1, "base"), Stop(1, "walk")  # HippoRAG begins with a walk
    stops -= {base_list if base_list in stops else walk}
    places = {name: place for place, name in enumerate(STOPS)}
    return sorted(stops, key=lambda stop: (stop.iteration, places[stop.name], stop.round))


def _mark(rank: int | None) -> Html:
    if rank is None:
        return tag("span", "–", class_="gear-rank gear-absent", title="not in this list")
    state = "gear-top" if rank <= CUTS[0] else "gear-near" if rank <= CUTS[-1] else ""
    return tag("span", rank, class_=f"gear-rank {state}")


def origin_sentence(passage: GoldPassage, question: str, *, over: bool = True) -> str:
    """Origin of the passage and, where plain, why the first retrieval could miss it."""
    absent = not is_among(passage.first, CUTS[0]) and title_is_absent(question, passage.title)
    reason = " · the question does not name it" if absent else ""
    return origin_words(passage.origin, over=over) + reason


def recall_rows(trace: RunTrace, gold: Sequence[str]) -> list[dict[str, Any]]:
    """Recall after every iteration: a row an iteration, a column a cut-off; the baseline first."""
    first = base(trace)
    lists = {f"{base_name(first.base)} alone": first.ranking} if first else {}
    lists |= {f"iteration {n}": ranking for n, ranking in sorted(trace.rankings.items())}
    return [
        {"after": name} | {f"R@{k}": f"{recall_at(keys(ranking), gold, k):.2f}" for k in CUTS}
        for name, ranking in lists.items()
    ]


def recall_chart(trace: RunTrace, gold: Sequence[str], palette: Palette) -> go.Figure:
    """Recall at 5 after every iteration, and the first retrieval's as a dotted line."""
    import plotly.graph_objects as go  # late: half a second

    numbers, first = sorted(trace.rankings), base(trace)
    line = go.Scatter(
        x=numbers,
        y=[recall_at(keys(trace.rankings[n]), gold, CUTS[0]) for n in numbers],
        mode="lines+markers",
        line={"color": palette.kept, "width": 3},
        hovertemplate="iteration %{x}: %{y:.2f}<extra></extra>",
    )
    figure = go.Figure(line)
    if first:
        alone = recall_at(keys(first.ranking), gold, CUTS[0])
        dotted = {"dash": "dot", "color": palette.passage}
        words = f"{base_name(first.base)} alone {alone:.2f}"
        figure.add_hline(alone, line=dotted, annotation_text=words)
    figure.update_layout(
        height=220,
        margin={"l": 34, "r": 10, "t": 10, "b": 40},
        paper_bgcolor=palette.background,
        plot_bgcolor=palette.background,
        font={"color": palette.text, "size": 13},
        showlegend=False,
    )
    figure.update_xaxes(title="iteration", dtick=1, gridcolor=palette.grid)
    return figure.update_yaxes(range=[-0.05, 1.1], tickvals=[0, 0.5, 1], gridcolor=palette.grid)


def origin_words(origin: PassageOrigin, *, over: bool = True) -> str:
    """The way by which a passage came into a ranking, and a promotion that moved it up. `over`
    False: the run goes on.
    """
    words, move = _origin(origin, over=over), origin.promotion
    if move is None:
        return words
    promoted = f"promoted from rank {move.before} to {move.after} in iteration {move.iteration}"
    return f"{words}; {promoted}"


def _origin(origin: PassageOrigin, *, over: bool) -> str:
    way, at = _way(origin.way), f"at rank {origin.rank}" if origin.rank else "in no list"
    if not origin.iteration:
        return f"only {at} {'at the end' if over else 'so far'}; no step raised it"
    by = f"the query “{cut(origin.query, LONGEST)}”" if origin.query else base_name(origin.base)
    by = f"the fact “{origin.gist}” of the gist memory" if origin.gist else by
    later = origin.query or origin.gist or origin.iterates
    place = f" in iteration {origin.iteration}" if later else ""
    if way and origin.raised and not origin.query:
        by = f": {way}" if isinstance(origin.way, str) else f" by {way}"
    else:
        by = f" by {by}{f': {way}' if way else ''}"
    return f"found{place}{by}" + ("" if is_among(origin.rank, CUTS[0]) else f", {at}")


def _way(way: Way) -> str:
    """A walk, a link or a beam that leads to a passage; "" for none."""
    match way:
        case WalkPath():
            return f"the walk: {way.name}, named in {way.triples} of its triples"
        case LinkPath():
            holders = f"{way.passages} of {way.size} passages do"
            return f"a link: {way.start} names {way.mention}, and {holders}"
        case str():
            return way
    return f"a beam: {'; '.join(triple.text for triple in way)}" if way else ""
