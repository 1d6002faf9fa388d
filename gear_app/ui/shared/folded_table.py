"""The table that says what a picture says, folded away; it is made only when somebody opens it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st


def table(label: str, rows: Callable[[], list[dict[str, Any]]], key: str) -> None:
    """An expander with a table in it; `label` is ours, never a document's."""
    fold = st.expander(label, key=f"fold-{key}", on_change="rerun")
    if fold.open:
        fold.dataframe(rows(), hide_index=True, height="content")
