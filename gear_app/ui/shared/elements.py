"""Elements of every page: a sentence about a state, a table that is folded away, and a passage,
whole or with a sentence marked.

Words of documents and models never reach Streamlit's Markdown: it would fetch what they link to.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any, Literal

import streamlit as st

from gear_app.errors import GearError
from gear_app.events import ShownTriple
from gear_app.types import Passage
from gear_app.views import labels, markup
from gear_app.views.markup import tag
from gear_app.workspace import Workspace

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


def passage_of_triple(workspace: Workspace, triple: ShownTriple) -> None:
    """The passage of a triple, its sentence marked; without the passage, the event's sentence."""
    shown = _passage(workspace, triple.passage_id)
    if shown is None:
        st.html(markup.passage(triple.sentence, None))
        message("The passage is no longer in the collection; the run kept its sentence.")
        return
    st.html(
        markup.passage(shown.text, triple.span or markup.find_sentence(shown.text, triple.sentence))
    )
    if note := markup.sentence(triple):
        st.html(markup.title("", note))


def passage_of_line(workspace: Workspace, passage_id: int) -> Passage | None:
    """The passage of a ranking's line."""
    shown = _passage(workspace, passage_id)
    if shown is None:
        message("This passage is no longer in the collection. The ranking keeps its place.")
        return None
    st.html(markup.title(workspace.collections.label(shown), labels.id_words(shown.key)))
    st.html(markup.passage(shown.text, None))
    return shown


def passage_titles(workspace: Workspace, collection: str, keys: Sequence[str]) -> dict[str, str]:
    """Titles by key, of those that are in the collection: for gold passages that no step found."""
    by_key = {}
    for key in keys:
        with contextlib.suppress(GearError):
            passage = workspace.collections.passage_by_key(collection, key)
            by_key[key] = workspace.collections.label(passage)
    return by_key


def _passage(workspace: Workspace, passage_id: int) -> Passage | None:
    try:
        return workspace.collections.passage(passage_id)
    except GearError:
        return None
