"""Figures that Streamlit draws: never without the buttons that save them, and those of plotly's
never without their table.
"""

from __future__ import annotations

from collections.abc import Callable

import plotly.graph_objects as go
import streamlit as st

from gear_app.views.markup import Html

_save = st.components.v2.component("gear_app.save", html='<div class="save"></div>', js="save.js")
UNTOUCHED = {"displayModeBar": False}  # plotly's own buttons are not drawn


def figure(
    drawn: go.Figure, key: str, alt: str, *, table: Callable[[], None], note: Html | None = None
) -> None:
    """A plotly figure with buttons that save it as SVG and as PNG, a note, and its numbers, which
    `table` draws; `alt` says what it shows.
    """
    _offer(f".st-key-{key} .js-plotly-plot", key, alt)
    st.plotly_chart(drawn, key=key, config=UNTOUCHED, alt=alt)
    if note:
        st.html(note)
    table()


def markup_figure(drawn: Html, key: str, words: str) -> None:
    """A figure of markup with the buttons; `words` name its files. It is its own table."""
    with st.container(key=f"figure-{key}", gap=None):
        _offer(f".st-key-figure-{key} .stHtml > *", key, words)
        st.html(drawn)


def _offer(selector: str, key: str, words: str) -> None:
    """The buttons for what the selector finds on the page, a figure that these words name."""
    _save(data={"figure": selector, "words": words}, key=f"figure-files-{key}")
