"""The large card of Explore: what one step of a run did, drawn from the blocks of `step_views`."""

from __future__ import annotations

from typing import Any

import streamlit as st

from gear_app.analysis.rankings import CUTS
from gear_app.step_views import step
from gear_app.step_views.blocks import (
    Block,
    Choice,
    FoldBlock,
    MarkupBlock,
    PictureBlock,
    RankingBlock,
    SentenceBlock,
    StepLink,
    TableBlock,
)
from gear_app.step_views.view import Scene
from gear_app.ui.shared import components, elements
from gear_app.views import markup

CHOICES = "choices"  # in the session: of the step that is shown, what was selected in each block
TERMS = "What every score is the sum of: the rank before any link, in pink, and what links add."


def draw(scene: Scene) -> Choice:
    """Draw the card; what is selected in the step itself, not in those that led to it: of its
    pictures and rankings, in the one that was clicked last.
    """
    choices = list[Choice]()
    for its, block in step.card(scene):
        shown = its.step is scene.step
        chosen = _block(block, its, "shown" if shown else str(its.step.number))
        choices += [chosen] if shown and chosen else []
    step_key, before, clicked = st.session_state.get(CHOICES, ("", [], -1))
    if step_key != scene.key or len(before) != len(choices):
        before, clicked = choices, len(choices) - 1
    changed = (n for n, pair in enumerate(zip(before, choices, strict=True)) if pair[0] != pair[1])
    clicked = next(changed, clicked)
    if choices and choices[clicked] == Choice():  # a card of which there is nothing to tell
        clicked = len(choices) - 1
    st.session_state[CHOICES] = scene.key, choices, clicked
    return choices[clicked] if choices else Choice()


def compared(scene: Scene) -> None:
    """Draw the card without what folds or leads elsewhere, to stand next to another."""
    for its, block in step.card(scene):
        if isinstance(block, MarkupBlock | SentenceBlock | RankingBlock | PictureBlock):
            _block(block, its, "compared")


def terms(scene: Scene, choice: Choice) -> dict[str, object] | None:
    """The ranking with a column for every term, across the page; a mark changed just now.

    The passage that is selected in the card above is opened.
    """
    view = step.view_of(scene)
    if not view.below(CUTS[0], None):
        return None
    with st.container(border=True):
        k = elements.title_with_cut(markup.title("Ranking", TERMS), "terms-k", CUTS[0])
        mark = None
        for block in view.below(k, choice.passage_id):
            chosen = _block(block, scene, "shown")
            mark = chosen.mark if chosen else mark
    return mark


def _block(block: Block, scene: Scene, place: str) -> Choice | None:
    """Draw a block; what is selected in it, None where nothing can be. `place` tells a fold from
    those of other steps on the page, and is the same from step to step for the one that is shown.
    """
    match block:
        case MarkupBlock(html):
            st.html(html)
        case SentenceBlock(sentence, tone):
            elements.message(sentence, tone)
        case TableBlock(name, label, rows):
            elements.folded_table(label, rows, name)
        case FoldBlock():
            _fold(block, scene, place)
        case StepLink(name, label, number):
            st.button(
                label,
                key=f"{name}-{scene.key}",
                on_click=st.session_state.update,
                kwargs={"position": number, "follow": False},
            )
        case RankingBlock():
            return _ranking(block, scene)
        case PictureBlock():
            return _picture(block, scene)
    return None


def _fold(block: FoldBlock, scene: Scene, place: str) -> None:
    """Each part is a piece of the page of its own, so that one that was opened stays open while
    others come in.
    """
    fold = st.expander(block.label, key=f"{block.name}-{place}", on_change="rerun")
    if fold.open:
        with fold:
            for part in block.parts():
                _block(part, scene, place)


def _ranking(block: RankingBlock, scene: Scene) -> Choice | None:
    key = f"{block.name}-{scene.key}"
    markable = block.chooses and scene.markable
    clicked = components.ranking(block.lines, block.opens, key, markable=markable)
    return Choice(passage_id=clicked.selected, mark=clicked.event) if block.chooses else None


def _picture(block: PictureBlock, scene: Scene) -> Choice:
    drawn = components.beams if block.kind == "beam" else components.flow
    clicked = drawn(block.data, block.opens, f"{block.name}-{scene.key}")
    if clicked.event is not None and block.more:
        _candidates(block.more(int(clicked.event)))
    return block.choose(str(clicked.selected))


@st.dialog("All candidates", width="large")
def _candidates(rows: list[dict[str, Any]]) -> None:
    st.dataframe(
        rows,
        hide_index=True,
        height=elements.table_height(len(rows), 520),
        column_config=elements.number_columns(rows),
    )
