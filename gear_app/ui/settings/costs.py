"""The section Costs of Settings: what a run may take, what models cost, what was spent, and the
replies that are kept so that nothing is paid twice.
"""

from __future__ import annotations

import zlib
from typing import Any

import pandas as pd
import streamlit as st

from gear_app.errors import GearError
from gear_app.ui.settings import model_words as views
from gear_app.ui.settings.model_words import NOTHING_SPENT
from gear_app.ui.shared import elements, language_models
from gear_app.views import markup
from gear_app.views.labels import as_sentence
from gear_app.workspace import Workspace

FIELD, FAILED = "budget-field", "prices-said"
PER_MILLION = "dollars for a million tokens"


def _budget_card() -> None:
    """How many tokens one run may take."""
    st.html(markup.title("Budget", "of one run, for this session"))
    st.session_state[FIELD] = language_models.budget()
    st.number_input(
        "Tokens one run may take",
        1_000,
        100_000_000,
        step=10_000,
        key=FIELD,
        on_change=_set_budget,
        placeholder="no limit",
        help=(
            "In and out, of all its calls together. A run that reaches it stops and keeps what it"
            " has found"
        ),
    )
    if language_models.budget() is None:
        elements.message("Without a limit a run goes on until its method ends, whatever it takes.")


def _set_budget() -> None:
    language_models.set_budget(st.session_state[FIELD])


def _prices_card(workspace: Workspace) -> None:
    """The table of prices, to be edited."""
    st.html(markup.title("Prices", f"{PER_MILLION}; yours to write down"))
    used = {one.model for one in workspace.costs.spending()}
    rows = views.price_rows(workspace.costs.prices(), used)
    # the rows an edit counts in: others make another table
    key = f"prices-{zlib.crc32(repr(rows).encode())}"
    frame = pd.DataFrame(rows, columns=[views.MODEL, views.INPUT, views.OUTPUT]).astype(
        {views.MODEL: "string", views.INPUT: "float64", views.OUTPUT: "float64"}
    )
    st.data_editor(
        frame,
        key=key,
        num_rows="dynamic",
        hide_index=True,
        on_change=_edit,
        args=(workspace, rows, key),
        placeholder="",
        column_config={
            views.MODEL: st.column_config.TextColumn(
                "Model, as its server calls it", width="medium"
            ),
            views.INPUT: st.column_config.NumberColumn(
                "In", min_value=0.0, help=PER_MILLION.capitalize()
            ),
            views.OUTPUT: st.column_config.NumberColumn(
                "Out", min_value=0.0, help=PER_MILLION.capitalize()
            ),
        },
    )
    sentence = st.session_state.pop(FAILED, "")
    elements.message(sentence, "bad")
    elements.message(views.missing_prices(rows, st.session_state[key]))


def _edit(workspace: Workspace, rows: list[views.Row], key: str) -> None:
    """Keep what was changed, as soon as a row is whole."""
    changes = views.price_edits(rows, st.session_state[key])
    try:
        for model in changes.gone:
            workspace.costs.forget_price(model)
        for model, price in changes.written.items():
            workspace.costs.set_price(model, *price)
    except GearError as error:
        st.session_state[FAILED] = as_sentence(str(error))


def _spent_card(workspace: Workspace) -> None:
    """What each model took."""
    st.html(markup.title("What was spent", "by all runs and extractions of this workspace"))
    rows: list[dict[str, Any]] = views.spending_rows(workspace.costs.spending())
    if not rows:
        elements.message(NOTHING_SPENT)
        return
    st.dataframe(rows, hide_index=True)


def _replies_card(workspace: Workspace) -> None:
    """The replies that are kept."""
    kept = workspace.costs.kept_replies()
    st.html(markup.title("Kept replies"))
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        elements.message(views.kept_words(kept))
        if kept.replies:
            st.button("Forget them", key="forget-replies", on_click=_forget, args=(workspace,))


def _forget(workspace: Workspace) -> None:
    workspace.costs.forget_replies()


def show(workspace: Workspace) -> None:
    """Budget and kept replies beside the prices; what was spent under them."""
    left, right = st.columns([9, 11], gap="medium")
    with left:
        with st.container(border=True):
            _budget_card()
        with st.container(border=True):
            _replies_card(workspace)
    with right, st.container(border=True):
        _prices_card(workspace)
    with st.container(border=True):
        _spent_card(workspace)
