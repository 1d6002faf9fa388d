"""The card of a round of links, and below it the ranking that came of it, term by term."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from gear_app.analysis.rankings import CUTS
from gear_app.events import Followed
from gear_app.text import count
from gear_app.ui.explore.scene import Choice, Scene
from gear_app.ui.shared import components, elements
from gear_app.views import chain, chain_score, markup
from gear_app.views.chain import Round
from gear_app.views.markup import tag

TERMS = "What every score is the sum of: the rank before any link, in pink, and what links add."


def title(scene: Scene) -> tuple[str, str] | None:
    """What the round found, and what the picture shows; None for another step."""
    shown = _round(scene)
    return (chain.heading(shown), chain.purpose(shown)) if shown else None


def terms(scene: Scene, choice: Choice) -> dict[str, object] | None:
    """The ranking with a column for every term, across the page; a mark changed just now.

    The passage that is selected in the card above is opened.
    """
    shown = _round(scene)
    if shown is None or not shown.event.ranking:
        return None
    with st.container(border=True):
        with st.container(
            horizontal=True,
            vertical_alignment="center",
            horizontal_alignment="distribute",
            gap="small",
        ):
            st.html(markup.title("Ranking", TERMS), width="content")
            k = st.segmented_control(
                "Cut-off",
                CUTS,
                format_func=lambda cut: f"@{cut}",
                key="terms-k",
                default=CUTS[0],
                label_visibility="collapsed",
            )
        lines = chain.ranking(shown, k or CUTS[0], scene.names)
        key = f"terms-{scene.key}-{choice.passage_id}"
        clicked = components.ranking(lines, choice.passage_id, key, markable=scene.markable)
        label = f"All {len(shown.event.ranking)} passages as a table"
        elements.folded_table(label, lambda: chain.ranking_rows(shown), f"terms-{scene.key}")
    mark: dict[str, object] | None = clicked.event
    return mark


def _follow(scene: Scene) -> Choice:
    shown = _round(scene)
    if shown is None:
        return Choice()
    if not shown.event.starts:
        elements.message("No passage was found to start from. Try other words.")
        return Choice()
    if not shown.links:
        elements.message(
            "No mention joins these passages to others, or too many passages hold it: the ranking"
            " stays as it was."
        )
    data = chain.graph(shown)
    clicked = components.flow(data, chain.best_card(shown), f"links-{scene.key}")
    st.html(markup.legend(chain.legend(shown)))
    st.html(
        tag(
            "p",
            "Every linked passage shows its best link, the selected one its others too.",
            class_="gear-note",
        )
    )
    if shown.links:
        elements.folded_table(
            f"All {count(len(shown.links), 'link')} as a table",
            lambda: chain.rows(shown),
            f"links-{scene.key}",
        )
    id_ = chain.passage_of(shown, str(clicked.selected))
    return Choice(passage_id=id_, why=chain_score.explained(shown, id_, scene.names) if id_ else "")


def _round(scene: Scene) -> Round | None:
    event = next(iter(scene.of(Followed)), None)
    return chain.round_of(event, scene.events, scene.gold) if event else None


CARDS: dict[str, Callable[[Scene], Choice]] = {"follow": _follow}
