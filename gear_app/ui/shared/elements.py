"""Elements of every page: a sentence about a state, and a table that is folded away.

Words of documents and models never reach Streamlit's Markdown: it would fetch what they link to.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import streamlit as st

from gear_app.views.markup import tag

Tone = Literal["info", "busy", "good", "bad"]


def message(sentence: str, tone: Tone = "info") -> None:
    """One sentence about a state and what to do next; nothing for an empty one."""
    if sentence:
        role = "alert" if tone == "bad" else "status"
        st.html(tag("div", sentence, class_=f"gear-say gear-say-{tone}", role=role, dir="auto"))


def folded_table(label: str, rows: Callable[[], list[dict[str, Any]]], key: str) -> None:
    """An expander with a table in it; `label` is ours, never a document's."""
    fold = st.expander(label, key=f"fold-{key}", on_change="rerun")
    if fold.open:
        fold.dataframe(rows(), hide_index=True, height="content")
