"""The narrow column of Explore: what is selected, and recall per iteration."""

from __future__ import annotations

from functools import partial

import streamlit as st

from gear_app.app.shared import elements, session
from gear_app.display import draw, figures, labels, markup
from gear_app.display.origin_words import origin_words
from gear_app.display.telling import Detail, Scene
from gear_app.trace import gold as golds
from gear_app.trace.events import RankedPassage
from gear_app.trace.passage_origin import origin_of
from gear_app.trace.rankings import CUTS, QuerySearch
from gear_app.workspace.workspace import Workspace

RECALL = markup.explained("Recall")
RANKED = ("retrieve", "fuse", "pool", "rank")


def selection(workspace: Workspace, scene: Scene, detail: Detail) -> None:
    """The selected triple, entity or passage; else the question as asked."""
    if detail == Detail() and scene.query == scene.run.question:
        return
    with st.container(border=True, key="selected"):
        if detail == Detail():
            question = markup.tag("p", markup.named(scene.run.question, scene.names), dir="auto")
            st.html(markup.title("The question", "as it was asked") + question)
            return
        if detail.passage and scene.step.verb == "rank" and not scene.trace.single:
            _origin(scene, detail.passage)
        content = draw.detail(detail)
        if content:
            st.html(content)
        if detail.triple is not None:
            elements.passage_of_triple(workspace, detail.triple, scene.names)
            words = detail.triple.text
            session.curate_link(workspace, scene.run, "Triples", words, "Correct this triple")
        if detail.passage is not None:
            with st.expander("The whole passage") if detail.html else st.container():
                passage = elements.passage_of_line(workspace, detail.passage, scene.names)
            if passage and passage.key in scene.gold:
                st.html(markup.legend([("star", "gold passage of this question")]))


def _origin(scene: Scene, passage_id: int) -> None:
    """What brought a passage of the final ranking in, with a way to the step that shows it."""
    passage = next((line for line in scene.trace.final if line.id == passage_id), None)
    if passage is None:
        return
    origin = origin_of(scene.events, passage.key)
    sentence = labels.as_sentence(labels.capital(origin_words(origin, over=scene.over)))
    st.html(markup.title("Where it comes from") + markup.tag("p", sentence, dir="auto"))
    if origin.step is not None:
        st.button(
            "Show that step",
            key=f"origin-{scene.key}",
            on_click=st.session_state.update,
            kwargs={"position": origin.step, "follow": False},
        )


def recall(scene: Scene) -> None:
    """Recall per iteration as a figure and a table; without gold, how to mark it."""
    with st.container(border=True):
        rankings = scene.trace.rankings
        base = golds.base(scene.events)
        if not scene.gold:
            st.html(markup.title(RECALL))
            advice = (
                "Mark them in the ranking to see recall here."
                if scene.step.verb in RANKED
                else "Go to the rank step to mark gold passages."
            )
            elements.message(f"No gold passage is known for this question. {advice}")
            definition = (
                "Gold passages are those that hold the facts needed to answer the question."
            )
            st.html(markup.tag("p", markup.explained(definition), class_="gear-note"))
        elif not rankings:
            st.html(markup.title(RECALL))
            elements.message("Recall appears after the first iteration.")
        elif len(rankings) == 1:
            _numbers(scene, next(iter(rankings.values())), base)
        else:
            _figure(scene, rankings, base)


def _numbers(scene: Scene, ranking: tuple[RankedPassage, ...], base: QuerySearch | None) -> None:
    """One ranking needs no figure. A run that is its own baseline has nothing beside it."""
    alone = scene.trace.single
    st.html(markup.title(markup.explained("Recall" if scene.over else "Recall so far")))
    st.html(
        markup.facts(figures.recall_numbers(ranking, None if alone else base, scene.gold, CUTS))
    )


def _figure(
    scene: Scene, rankings: dict[int, tuple[RankedPassage, ...]], base: QuerySearch | None
) -> None:
    title = markup.title(markup.explained("Recall per iteration"))
    k = elements.title_with_cut(title, "recall-k", 5)
    drawn = figures.recall_chart(rankings, base, scene.gold, k, session.colours())
    rows = partial(figures.recall_rows, rankings, base, scene.gold, CUTS)
    elements.figure(
        drawn,
        f"recall-{scene.run.id}",
        f"Recall at {k} after each iteration",
        note=markup.tag("p", markup.explained(_of(scene)), class_="gear-note"),
        table=partial(elements.folded_table, "As a table", rows, "recall"),
    )


def _of(scene: Scene) -> str:
    """Which ranking after each iteration it is the recall of."""
    if any(event.is_of("pool") for event in scene.events):
        promoted = any(event.is_of("promote") for event in scene.events)
        return "Of the pool after each iteration" + (
            ", the last one as promoted." if promoted else "."
        )
    if any(event.is_of("match") for event in scene.events):
        return "Of the rankings of all iterations until then, fused."
    return "Of the ranking so far: what the run would end with after that iteration."
