"""Settings, a section for what a visitor would look for; the address says which one is open."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from gear_app.app.settings import index, model
from gear_app.app.shared import elements, language_models, session
from gear_app.core.text import count
from gear_app.display import markup
from gear_app.display.labels import byte_words, dollars
from gear_app.workspace import doctor
from gear_app.workspace.workspace import Workspace

FAILED = "price-error"


def costs(workspace: Workspace) -> None:
    """Draw budget and cached replies next to the prices, and what was spent below them."""
    left, right = st.columns([9, 11], gap="medium")
    with left:
        with st.container(border=True):
            _budget()
        with st.container(border=True):
            _replies(workspace)
    with right, st.container(border=True):
        _prices(workspace)
    with st.container(border=True):
        _spent(workspace)


def _budget() -> None:
    st.html(markup.title("Budget", "of one run, for this session"))
    st.session_state.setdefault(language_models.TOKENS, language_models.BUDGET)
    st.number_input(
        "Tokens one run may take",
        1_000,
        100_000_000,
        step=10_000,
        key=language_models.TOKENS,
        persist_state="session",
        placeholder="no limit",
        help="In and out, of all its calls. A run that reaches it stops and keeps its ranking",
    )


def _replies(workspace: Workspace) -> None:
    replies, size = workspace.store.replies.size()
    st.html(markup.title("Cached replies", "asking the same again costs nothing"))
    if not replies:
        elements.message("None yet.")
        return
    elements.message(f"{count(replies, 'reply', 'replies')}, {byte_words(size)}.")
    st.button(
        "Delete them",
        key="forget-replies",
        on_click=elements.attempt,
        args=(FAILED, lambda: workspace.store.replies.forget()),
    )


def _prices(workspace: Workspace) -> None:
    st.html(markup.title("Prices", "dollars for a million tokens"))
    prices = workspace.store.prices.all()
    missing = sorted({row.model for row in workspace.store.tasks.spending()} - prices.keys())
    elements.message(f"No price is known for {', '.join(missing)}." if missing else "")
    rows = [{"model": model, "in": p.input, "out": p.output} for model, p in sorted(prices.items())]
    if rows:
        table: Any = st.dataframe(
            rows, hide_index=True, on_select="rerun", selection_mode="single-row", key="prices"
        )
        for place in table.selection.rows:
            st.button(
                "Remove the price",
                key="price-remove",
                on_click=lambda model: workspace.store.prices.forget(model),
                args=(rows[place]["model"],),
            )
    with (
        st.form("price", border=False),
        st.container(horizontal=True, vertical_alignment="bottom", gap="small"),
    ):
        name = missing[0] if missing else ""
        st.text_input("Model, as its server calls it", name, key="price-of")
        st.number_input("In", 0.0, key="price-in", value=None, width=110)
        st.number_input("Out", 0.0, key="price-out", value=None, width=110)
        st.form_submit_button("Add", key="price-add", on_click=_add, args=(workspace,))
    elements.message(st.session_state.pop(FAILED, ""), "bad")


def _add(workspace: Workspace) -> None:
    model, input_price, output_price = (
        st.session_state[f"price-{name}"] for name in ("of", "in", "out")
    )
    if not model.strip() or input_price is None or output_price is None:
        st.session_state[FAILED] = "A price needs the model's name and both numbers."
        return
    with elements.refusals(FAILED):
        workspace.store.prices.put(model, input_price, output_price)


def _spent(workspace: Workspace) -> None:
    st.html(markup.title("What was spent", "by all runs and extractions of this workspace"))
    rows = [
        {
            "model": row.model,
            "server": row.server,
            "runs": row.runs,
            "extractions": row.jobs,
            "calls": row.spent.calls,
            "from cache": row.spent.kept,
            "not usable": row.spent.unusable,
            "tokens in": row.spent.input_tokens,
            "tokens out": row.spent.output_tokens,
            "cost": dollars(row.spent.cost),
        }
        for row in workspace.store.tasks.spending()
    ]
    if rows:
        st.dataframe(rows, hide_index=True)
    else:
        elements.message("Nothing: no language model has been asked yet.")


APPEARANCE = (
    "Light or dark follows your system. To choose, open the menu ⋮ at the top right of every page."
)


def page() -> None:
    """Draw the sections as tabs; only what is open is drawn, and asked for."""
    workspace = session.workspace()
    elements.tabs(
        {
            "Language model": model.show,
            "Costs": partial(costs, workspace),
            "Index": partial(index.show, workspace),
            "About": partial(_about, workspace),
        },
        "section",
    )


def _about(workspace: Workspace) -> None:
    """Draw what the doctor finds, and where the theme is chosen."""
    findings = list(doctor.examine(workspace))
    st.html(markup.title("About", "as gear-app doctor finds it"))
    wrong = [f"{finding.subject}: {finding.state}." for finding in findings if not finding.ok]
    elements.message(" ".join(wrong), "bad")
    rows = [
        {"": "✓" if finding.ok else "✗", "what": finding.subject, "found": finding.state}
        for finding in findings
    ]
    narrow = {"": st.column_config.Column(width=30), "what": st.column_config.Column(width=190)}
    st.dataframe(rows, hide_index=True, height="content", column_config=narrow)
    st.caption(APPEARANCE)


page()
