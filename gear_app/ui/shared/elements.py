"""Elements of every page: a sentence about a state, a table that is folded away, and a passage,
whole or with a sentence marked.

Words of documents and models never reach Streamlit's Markdown: it would fetch what they link to.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import streamlit as st

from gear_app.analysis.entities import EntityNames
from gear_app.errors import BadInput, ClusterFailed, GearError, NotReady, Unknown
from gear_app.events import ShownTriple
from gear_app.types import Passage
from gear_app.views import decimals, labels, markup
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
        found = rows()
        fold.dataframe(
            found, hide_index=True, height="content", column_config=number_columns(found)
        )


def number_columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The columns of a table whose numbers have more decimals than it shows by itself."""
    return {
        name: st.column_config.NumberColumn(format=f"%.{places}f")
        for name, places in decimals.columns(rows).items()
    }


ROW, HEAD = 35, 38  # heights of a table's rows and of its head, which frames it as well


def table_height(rows: int, tallest: int, row: int = ROW) -> int:
    """The height of a table that is as tall as its rows, up to the `tallest` it may be."""
    return min(tallest, HEAD + row * max(rows, 1))


def passage_of_triple(
    workspace: Workspace, triple: ShownTriple, names: EntityNames = markup.NO_NAMES
) -> None:
    """The passage of a triple, its sentence marked; without the passage, the event's sentence."""
    try:
        shown = workspace.collections.passage(triple.passage_id)
    except GearError as error:
        st.html(markup.passage(triple.sentence, None, names))
        gone = "The passage is no longer in the collection; the run kept its sentence."
        _unread(error, gone)
        return
    span = triple.span or markup.find_sentence(shown.text, triple.sentence)
    st.html(markup.passage(shown.text, span, names))
    if note := markup.sentence(triple):
        st.html(markup.title("", note))


def passage_of_line(
    workspace: Workspace, passage_id: int, names: EntityNames = markup.NO_NAMES
) -> Passage | None:
    """The passage of a ranking's line."""
    try:
        shown = workspace.collections.passage(passage_id)
    except GearError as error:
        _unread(error, "This passage is no longer in the collection. The ranking keeps its place.")
        return None
    label = workspace.collections.label(shown)
    st.html(markup.title(markup.named(label, names), labels.id_words(shown.key)))
    st.html(markup.passage(shown.text, None, names))
    return shown


def passage_texts(workspace: Workspace, ids: Sequence[int]) -> dict[int, str]:
    """Texts by id, of those that are still in a collection; those that a cluster does not give are
    left out.
    """
    texts = {}
    with contextlib.suppress(ClusterFailed):  # once, not after every passage: it may hang
        for id_ in ids:
            with contextlib.suppress(Unknown, NotReady):
                texts[id_] = workspace.collections.passage(id_).text
    return texts


def passage_titles(workspace: Workspace, collection: str, keys: Sequence[str]) -> dict[str, str]:
    """Titles by key, of those that are in the collection: for gold passages that no step found."""
    by_key = {}
    with contextlib.suppress(ClusterFailed):
        for key in keys:
            with contextlib.suppress(BadInput, NotReady):
                passage = workspace.collections.passage_by_key(collection, key)
                by_key[key] = workspace.collections.label(passage)
    return by_key


def _unread(error: GearError, gone: str) -> None:
    """Why a passage is not shown: its cluster did not give it, or it is gone."""
    if isinstance(error, Unknown):
        message(gone)
    else:
        message(str(error), "bad")
