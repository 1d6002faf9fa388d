"""What is selected in the step that Explore shows, and recall per iteration."""

from __future__ import annotations

from functools import partial

import streamlit as st

from gear_app.app.explore import stage
from gear_app.app.shared import elements, session
from gear_app.display import draw, labels, markup
from gear_app.display.gold import origin_words, recall_chart, recall_rows
from gear_app.display.telling import Detail, Scene
from gear_app.trace.passage_origin import origin_of
from gear_app.trace.rankings import CUTS
from gear_app.workspace.workspace import Workspace

NO_GOLD = (
    "No gold passage is known for this question. Gold passages hold the facts needed to answer it;"
    " mark them in the ranking to see recall."
)


def selection(workspace: Workspace, scene: Scene, detail: Detail) -> None:
    """The selected triple, entity or passage; else the question as asked."""
    if detail == Detail() and scene.query == scene.run.question:
        return
    with st.container(border=True, key="selected"):
        if detail == Detail():
            question = markup.tag(
                "p", markup.named(scene.run.question, scene.trace.names), dir="auto"
            )
            st.html(markup.title("The question", "as it was asked") + question)
            return
        if detail.passage and scene.step.verb == "rank" and not scene.trace.single:
            _origin(scene, detail.passage)
        content = draw.detail(detail)
        if content:
            st.html(content)
        if detail.triple is not None:
            elements.passage_of_triple(workspace, detail.triple, scene.trace.names)
            words = detail.triple.text
            session.curate_link(workspace, scene.run, "Triples", words, "Correct this triple")
        if detail.passage is not None:
            with st.expander("The whole passage") if detail.html else st.container():
                passage = elements.passage_of_line(workspace, detail.passage, scene.trace.names)
            if passage and passage.key in scene.gold:
                st.html(markup.legend([("star", "gold passage of this question")]))


def _origin(scene: Scene, passage_id: int) -> None:
    """Origin of a passage of the final ranking, with a way to the step that shows it."""
    passage = next((line for line in scene.trace.final if line.id == passage_id), None)
    if passage is None:
        return
    origin = origin_of(scene.trace, passage.key)
    sentence = labels.as_sentence(labels.capital(origin_words(origin, over=scene.over)))
    st.html(markup.title("Where it comes from") + markup.tag("p", sentence, dir="auto"))
    if origin.step is not None:
        st.button(
            "Show that step",
            key=f"origin-{scene.key}",
            on_click=stage.go_to,
            args=(scene.run.id, origin.step),
        )


def recall(scene: Scene) -> None:
    """Recall after each iteration as a figure and a table."""
    if not scene.gold or not scene.trace.rankings:
        elements.message("" if scene.gold else NO_GOLD)
        return
    st.html(markup.title(markup.explained("Recall per iteration")))
    rows = partial(recall_rows, scene.trace, scene.gold)
    elements.figure(
        recall_chart(scene.trace, scene.gold, session.colours()),
        f"recall-{scene.run.id}",
        f"Recall at {CUTS[0]} after each iteration",
        table=partial(elements.folded_table, "As a table", rows, "recall"),
    )
