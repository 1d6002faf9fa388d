"""The gist memory over the iterations: the facts that each added as a graph, and the verdicts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from gear_app.analysis.entities import EntityNames
from gear_app.analysis.timeline import GistIteration
from gear_app.analysis.trace import RunTrace
from gear_app.events import Event, PassagesLinked, Read
from gear_app.step_views import fact_graph
from gear_app.step_views.fact_graph import GraphFact
from gear_app.views.labels import capital
from gear_app.views.markup import Html, entity, join, named, tag

FACTS = "facts"  # where a page tells the chain of facts that an answer rests on
AGAIN = "known already, not added again"
WIDTH = 290  # px that a column needs


def graph(
    events: Sequence[Event], current: int = 0, room: int = 0, gold: Collection[str] = ()
) -> Html:
    """A column an iteration: its verdict, and below it the facts that it added.

    `current` is the iteration to emphasise; there is `room` for so many, where more are to come. No
    gist memory gives an empty string.
    """
    trace = RunTrace.of(events)
    iterations, names = trace.memory, trace.names
    if not iterations:
        return Html("")
    room = max(len(iterations), room)
    waiting = "no verdict" if trace.result is not None else "reading …"
    heads = [_head(gist, current, waiting, names) for gist in iterations]
    style = f"grid-template-columns:repeat({room},minmax(0,1fr))"
    facts = fact_graph.draw(_columns(events, iterations, gold, names), room)
    none = tag("div", "Nothing was added to the gist memory.", class_="gear-note")
    return tag(
        "div",
        tag("div", *heads, class_="gear-gist-heads", style=style),
        facts or none,
        class_="gear-gist",
        id=FACTS,
        style=f"min-width:{WIDTH * room}px",
    )


def rows(events: Sequence[Event]) -> list[dict[str, Any]]:
    """The same as a table: a line for every triple added or repeated."""
    return [
        {
            "iteration": found.iteration,
            "what": "repeated, not added" if repeated else "added",
            "subject": triple.subject,
            "predicate": triple.predicate,
            "object": triple.object,
            "why": triple.why,
        }
        for found in RunTrace.of(events).memory
        for repeated, triples in ((False, found.added), (True, found.repeated))
        for triple in triples
    ]


def _columns(
    events: Sequence[Event],
    iterations: Sequence[GistIteration],
    gold: Collection[str],
    names: EntityNames,
) -> list[list[GraphFact]]:
    stored = {one.id: one for event in events if isinstance(event, Read) for one in event.stored}
    linked = {event.name: event for event in events if isinstance(event, PassagesLinked)}
    columns, number = [], 0
    for gist in iterations:
        column = []
        for triple in gist.added:
            number += 1
            from_ = stored.get(triple.triple_id or 0)
            opened = fact_graph.source(from_, gold, names)
            opened = join([opened, *_passages(linked.get(f"gist {number}"), gold)])
            column.append(GraphFact(triple, from_.passage_name if from_ else "", opened))
        columns.append([*column, *(GraphFact(one, AGAIN, again=True) for one in gist.repeated)])
    return columns


def _passages(event: PassagesLinked | None, gold: Collection[str]) -> list[Html]:
    """The passages that a fact was linked to and that count, best first."""
    if event is None:
        return []
    titles = [
        tag("li", "★ " if passage.key in gold else "", entity(passage.name), dir="auto")
        for passage in event.ranking[: event.size]
    ]
    head = tag("span", "Linked to these passages, best first:", class_="gear-why")
    return [tag("div", head, tag("ol", *titles, class_="gear-linked"))]


def _head(gist: GistIteration, current: int, waiting: str, names: EntityNames) -> Html:
    verdict = gist.verdict
    state, words = "open", waiting
    if verdict:
        state, sign = ("yes", "●") if verdict.answerable else ("no", "○")
        words = f"{sign} {capital(verdict.verdict)}"
    return tag(
        "div",
        tag("b", f"Iteration {gist.iteration}"),
        " ",
        tag("span", named(words, names), class_=f"gear-verdict gear-{state}"),
        tag("div", named(capital(verdict.reason) if verdict else "", names), class_="gear-reason"),
        class_="gear-gist-head" + (" gear-here" if gist.iteration == current else ""),
    )
