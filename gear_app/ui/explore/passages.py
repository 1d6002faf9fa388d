"""A passage of the selected triple or line, with its sentence marked and, where allowed, its gold
mark.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

import streamlit as st

from gear_app.errors import GearError
from gear_app.events import ShownTriple
from gear_app.types import Passage
from gear_app.ui.shared import session
from gear_app.views import detail
from gear_app.workspace import Workspace


def of_triple(workspace: Workspace, triple: ShownTriple) -> None:
    """The passage of a triple, its source sentence marked; without the passage, the sentence the
    event kept.
    """
    found = _passage(workspace, triple.passage_id)
    if found is None:
        st.html(detail.passage(triple.sentence, None))
        session.say("The passage is no longer in the collection; the run kept its sentence.")
        return
    st.html(
        detail.passage(found.text, triple.span or detail.find_sentence(found.text, triple.sentence))
    )
    if note := detail.sentence(triple):
        st.html(detail.title("", note))


def of_line(workspace: Workspace, passage_id: int) -> Passage | None:
    """The passage of a ranking's line."""
    found = _passage(workspace, passage_id)
    if found is None:
        session.say("This passage is no longer in the collection. The ranking keeps its place.")
        return None
    st.html(detail.title(found.title or found.key, f"id {found.key}"))
    st.html(detail.passage(found.text, None))
    return found


def titles(workspace: Workspace, collection: str, keys: Sequence[str]) -> dict[str, str]:
    """Titles by key, of those that are in the collection: for gold passages that no step found."""
    found = {}
    for key in keys:
        with contextlib.suppress(GearError):
            found[key] = workspace.passage_by_key(collection, key).title
    return found


def _passage(workspace: Workspace, passage_id: int) -> Passage | None:
    try:
        return workspace.passage(passage_id)
    except GearError:
        return None
