"""Figures of plotly's: never without the buttons that save them, and never without their table."""

from __future__ import annotations

import re
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
    name = re.sub("[^a-z0-9]+", "-", alt.lower()).strip("-")
    _save(data={"chart": key, "name": name}, key=f"figure-files-{key}")
    st.plotly_chart(drawn, key=key, config=UNTOUCHED, alt=alt)
    if note:
        st.html(note)
    table()
