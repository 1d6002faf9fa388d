"""The sub-graph of beams that joins the passages a run ended with (GEAR Fig. 1): for each of them
the best beam through one of its triples, all beams over each other.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from gear_app.analysis.paths import beam_path
from gear_app.analysis.rankings import rank_of
from gear_app.analysis.trace import RunTrace
from gear_app.events import Event, ShownTriple
from gear_app.step_views import fact_graph
from gear_app.step_views.fact_graph import GraphFact
from gear_app.views.markup import Html

JOINED = 5  # passages of the final ranking
TITLE = "The beams that join the first passages"
PURPOSE = (
    "Of each of the first 5 passages that a beam reached, the best beam that led there: its triples"
    " from left to right, each with its passage and that passage's final rank."
)


def beams(events: Sequence[Event], first: int = JOINED) -> list[tuple[ShownTriple, ...]]:
    """The beams that lead to the first passages, by these passages' ranks; of several searches the
    last that reached it. A passage that no beam reached has none.
    """
    searches = [event for event in reversed(events) if event.beams]
    found = (
        next((path for event in searches if (path := beam_path(event, passage.key))), ())
        for passage in RunTrace.of(events).final[:first]
    )
    return list(dict.fromkeys(path for path in found if path))


def graph(events: Sequence[Event], gold: Collection[str]) -> Html:
    """The beams as one graph, a column a place in them; "" where none led to these passages."""
    names, ranking = RunTrace.of(events).names, RunTrace.of(events).final
    columns: list[list[GraphFact]] = []
    drawn: set[int] = set()
    for path in beams(events):
        for column, triple in enumerate(path):
            if column == len(columns):
                columns.append([])
            if triple.id not in drawn:
                drawn.add(triple.id)
                rank = rank_of(triple.passage_key, ranking)
                star = "★ " if triple.passage_key in gold else ""
                note = f"{star}{rank or '–'} · {triple.passage_name}"
                columns[column].append(
                    GraphFact(triple, note, fact_graph.source(triple, gold, names))
                )
    return fact_graph.draw(columns, len(columns))
