"""The cards of steps, by verb: those about triples (graph expansion, the agent, GRIEVER), and those
about passages (rankings, the pool, the walk, thoughts, the answer).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from gear_app.analysis import timeline
from gear_app.analysis.answer_source import source_of
from gear_app.analysis.rankings import gist_texts, without_followers
from gear_app.analysis.rankings import of_event as ranking_of
from gear_app.events import (
    Answered,
    Chained,
    Expanded,
    Linked,
    Matched,
    Pooled,
    Promoted,
    Ranked,
    Read,
    Reasoned,
    Recognised,
    Remembered,
    Rewrote,
    Split,
    Thought,
    Verified,
    Walked,
)
from gear_app.text import count
from gear_app.ui.explore.scene import Choice, Scene
from gear_app.ui.shared import components, elements, session
from gear_app.views import (
    answers,
    beam,
    calibration,
    gear,
    griever,
    labels,
    markup,
    rankings,
    reading,
    thoughts,
    walk,
    walk_graph,
)
from gear_app.views.markup import tag

NO_MATCH = "No matched triple could be put into the query."


def _read(scene: Scene) -> Choice:
    for event in scene.of(Read):
        _reading(scene, event)
    return Choice()


def _reading(scene: Scene, event: Read) -> None:
    """What was taken and left of each passage; all of it as a table, too."""
    st.html(tag("p", markup.explained(reading.summary(event)), class_="gear-note"))
    texts = elements.passage_texts(session.workspace(), [one.id for one in event.passages])
    st.html(reading.cards(event, texts, scene.gold, scene.names))
    rows = gear.reading_rows(event)
    if rows:
        elements.folded_table("As a table", lambda: rows, f"read-{event.purpose}")


def _link(scene: Scene) -> Choice:
    for event in scene.of(Linked):
        st.html(gear.links(event, scene.gold))
    return Choice()


def _expand(scene: Scene) -> Choice:
    event = next(iter(scene.of(Expanded)), None)
    if event is None:
        return Choice()
    if not event.steps:
        elements.message("There was no triple to begin with, so the base ranking stands.")
        return Choice()
    graph = beam.graph(event, scene.gold, base=scene.base)
    first = beam.card_of(event, scene.opens) or beam.best_card(event, scene.gold)
    clicked = components.beams(graph, first, f"beams-{scene.key}")
    st.html(markup.legend(beam.legend(graph, event.starts)))
    if len(event.steps) < beam.length_of(scene.settings):
        elements.message("No beam could be extended further.")

    def rows() -> list[dict[str, Any]]:
        return beam.rows(event, scene.gold, beam.gamma_of(scene.settings))

    if clicked.event is not None:
        _candidates(rows(), int(clicked.event) + 1)
    elements.folded_table("All candidates as a table", rows, "beams")
    return Choice(candidate=beam.candidate(event, str(clicked.selected)))


@st.dialog("All candidates", width="large")
def _candidates(rows: list[dict[str, object]], step: int) -> None:
    there = [row for row in rows if row["triple"] == step]
    st.dataframe(
        there,
        hide_index=True,
        height=elements.table_height(len(there), 520),
        column_config=elements.number_columns(there),
    )


def _remember(scene: Scene) -> Choice:
    for event in scene.step.events:
        if isinstance(event, Read):
            _reading(scene, event)
        if isinstance(event, Remembered):
            elements.message(reading.remembered(event), "info")
    return Choice()


def _reason(scene: Scene) -> Choice:
    for event in scene.of(Reasoned):
        elements.message(
            gear.verdict_sentence(event),
            "good" if event.answerable else "busy",
        )
    return Choice()


def _rewrite(scene: Scene) -> Choice:
    for told in scene.of(Rewrote):
        event = replace(told, substitutions=timeline.new_substitutions(scene.events, told))
        matched = any(isinstance(one, Matched) for one in scene.events)
        st.html(
            gear.next_query(event, scene.query, NO_MATCH, scene.names)
            if matched
            else gear.next_query(event, scene.query, names=scene.names)
        )
    return Choice()


def _split(scene: Scene) -> Choice:
    for event in scene.of(Split):
        st.html(griever.clauses(event))
    return Choice()


def _match(scene: Scene) -> Choice:
    for event in scene.of(Matched):
        _matches(scene, event)
    return Choice()


def _matches(scene: Scene, event: Matched) -> None:
    st.html(tag("p", markup.explained(griever.counts(event)), class_="gear-note"))
    st.html(griever.best_matches(event, _substitution(scene), scene.gold))
    if event.joins:
        st.html(tag("div", "The next search is among passages that name", class_="gear-part"))
        st.html(griever.joins(event.joins))
    if event.matches:
        elements.folded_table(
            f"All {count(len(event.matches), 'match', 'matches')} as a table",
            lambda: griever.rows(event, scene.gold),
            "matches",
        )


def _substitution(scene: Scene) -> Rewrote | None:
    """What the iteration made of its matches."""
    there = [event for event in scene.events if isinstance(event, Rewrote)]
    return next((event for event in there if event.iteration == scene.step.iteration), None)


def ranking_card(scene: Scene) -> Choice:
    """The ranking of the step, with a table of all of it."""
    event = next((event for event in scene.step.events if ranking_of(event)), None)
    if event is None:
        elements.message("No passage was found. Try other words, or another base.")
        return Choice()
    ranking, way = ranking_of(event), rankings.way_of(event)
    if isinstance(event, Ranked):
        ranking, way = rankings.ranking_with_parts(event, scene.events)
        _answer_source(scene)
    gist_words = gist_texts(scene.events)
    lines = rankings.lines(ranking, scene.gold, gist_words, way=way, names=scene.names)
    wanted = next((passage.id for passage in ranking if passage.key in scene.gold), ranking[0].id)
    clicked = components.ranking(lines, wanted, f"ranking-{scene.key}", markable=scene.markable)
    label = f"All {len(ranking)} passages as a table" if lines["more"] else "As a table"
    elements.folded_table(
        label,
        lambda: rankings.rows(ranking, scene.gold, gist_words, way),
        f"ranking-{scene.step.verb}",
    )
    return Choice(passage_id=clicked.selected, mark=clicked.event)


def _answer_source(scene: Scene) -> None:
    """Above the final ranking: the reader's answer, the sentence it came from, and its step."""
    source = source_of(scene.events)
    if source is None:
        return
    st.html(gear.answer_source(source, scene.names))
    if source.step is not None:
        st.button(
            "Show where it was read",
            key=f"source-{scene.key}",
            on_click=st.session_state.update,
            kwargs={"position": source.step, "follow": False},
        )


def _recognise(scene: Scene) -> Choice:
    for event in scene.of(Recognised):
        st.html(walk.entities(event, scene.names))
    return Choice()


def _walk(scene: Scene) -> Choice:
    event = next(iter(scene.of(Walked)), None)
    if event is None:
        return Choice()
    if not event.passages:
        elements.message("The walk reached no passage.")
        return Choice()
    graph = walk_graph.graph(event, scene.gold)
    clicked = components.flow(graph, walk_graph.best_card(event, scene.gold), f"walk-{scene.key}")
    st.html(markup.legend(walk_graph.legend(graph)))
    st.html(tag("p", walk.how(event), class_="gear-note"))
    elements.folded_table(
        f"All {count(len(event.nodes), 'entity', 'entities')} as a table",
        lambda: walk.node_rows(event),
        "nodes",
    )
    elements.folded_table(
        f"All {count(len(event.passages), 'passage')} as a table",
        lambda: walk.passage_rows(event, scene.gold),
        "walked",
    )
    if event.ensembled:
        _ensemble(scene, event)
    return _walk_choice(event, str(clicked.selected))


def _ensemble(scene: Scene, event: Walked) -> None:
    """Both normalised scores of every passage, as the walk alone did not decide."""
    elements.message(walk.ensemble(event))
    lines = rankings.lines(event.ranking, scene.gold, way="mean", names=scene.names)
    wanted = event.ranking[0].id if event.ranking else None
    components.ranking(lines, wanted, f"ensemble-{scene.key}", markable=False)


def _walk_choice(event: Walked, card: str) -> Choice:
    node = walk.node_of(event, card)
    if node is not None:
        return Choice(node=tuple(walk.about_node(event, node)))
    passage = walk.passage_of(event, card)
    return (
        Choice(passage_id=passage.id, sums=tuple(walk.arithmetic(event, passage)))
        if passage
        else Choice()
    )


def _think(scene: Scene) -> Choice:
    events = scene.of(Thought)
    if events:
        st.html(thoughts.cards(events, scene.names))
    return Choice()


def _pool(scene: Scene) -> Choice:
    event = next(iter(scene.of(Pooled)), None)
    if event is None:
        return Choice()
    st.html(thoughts.pool_queries(event, scene.events))
    passages, badges = without_followers(event), thoughts.pool_badges(event, scene.events)
    lines = rankings.lines(passages, scene.gold, badges=badges, way="greatest", names=scene.names)
    wanted = next(
        (passage.id for passage in passages if passage.key in scene.gold),
        passages[0].id if passages else None,
    )
    clicked = components.ranking(lines, wanted, f"pool-{scene.key}", markable=scene.markable)
    label = f"All {len(event.ranking)} passages as a table"
    elements.folded_table(
        label, lambda: rankings.rows(event.ranking, scene.gold, way="greatest"), "pool"
    )
    return Choice(passage_id=clicked.selected, mark=clicked.event)


def _chain(scene: Scene) -> Choice:
    for event in scene.of(Chained):
        st.html(calibration.chain(event))
    return Choice()


def _verify(scene: Scene) -> Choice:
    for event in scene.of(Verified):
        st.html(calibration.verified_passages(event, scene.gold))
    return Choice()


def _promote(scene: Scene) -> Choice:
    event = next(iter(scene.of(Promoted)), None)
    if event is None:
        return Choice()
    data = calibration.slope(event, scene.gold)
    clicked = components.flow(
        data, calibration.best_card(event, scene.gold), f"promoted-{scene.key}"
    )
    st.html(markup.legend(calibration.legend(event, scene.gold)))
    st.html(tag("p", calibration.cut_sentence(event), class_="gear-note"))
    st.html(markup.sum_of(calibration.arithmetic(event)))
    elements.folded_table(
        "Every passage that moved, as a table", lambda: calibration.rows(event, scene.gold), "moved"
    )
    return Choice(passage_id=calibration.passage_of(event, str(clicked.selected)))


def _answer(scene: Scene) -> Choice:
    if not scene.of(Answered):
        return Choice()
    known = scene.run.answers
    st.html(answers.cards(scene.events, known, scene.gold))
    begun = timeline.started(scene.events)
    note = labels.reader_note(begun.reader, labels.model_of(scene.run)) if begun else ""
    st.html(tag("p", f"Answered {note}." if note else "", class_="gear-note"))
    elements.folded_table(
        "As a table", lambda: answers.rows(scene.events, known, scene.gold), "answers"
    )
    return Choice()


CARDS: dict[str, Callable[[Scene], Choice]] = {
    "read": _read,
    "link": _link,
    "expand": _expand,
    "remember": _remember,
    "reason": _reason,
    "rewrite": _rewrite,
    "split": _split,
    "match": _match,
    "retrieve": ranking_card,
    "fuse": ranking_card,
    "rank": ranking_card,
    "recognise": _recognise,
    "walk": _walk,
    "think": _think,
    "pool": _pool,
    "chain": _chain,
    "verify": _verify,
    "promote": _promote,
    "answer": _answer,
}
