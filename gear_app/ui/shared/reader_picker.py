"""Who reads for a run: the local reader, or this session's language model with this session's
key.
"""

from __future__ import annotations

from typing import Literal

import streamlit as st

from gear_app.errors import NotReady
from gear_app.llm.server import Spec
from gear_app.ui.shared import chosen_model, session
from gear_app.ui.shared.chosen_model import READER
from gear_app.views.compare.entries import reads
from gear_app.views.names import LLM, reader_name
from gear_app.workspace import Workspace

LOCAL = "local"
NONE_CHOSEN = (
    "No language model is chosen. Choose one on the page Settings, or let the local reader read."
)


def pick(method: str, *, answers: bool = False) -> None:
    """Who reads, for a method that asks a reader or a run that `answers`; without a language model
    the way to one.
    """
    if not (answers or reads(method)):
        return
    if session.language():
        field(READER, width=150)
    else:
        way_to_settings()


def field(
    key: str,
    *,
    label: Literal["visible", "collapsed"] = "collapsed",
    width: int | Literal["stretch"] = "stretch",
) -> None:
    """A choice between the local reader and the session's language model, where there is one."""
    spec = session.language()
    options = [LOCAL, LLM] if spec else [LOCAL]
    if st.session_state.get(key) not in options:
        st.session_state[key] = LOCAL
    st.selectbox(
        "Reader",
        options,
        key=key,
        format_func=lambda reader: reader_name(reader, spec.model if spec else ""),
        label_visibility=label,
        width=width,
        persist_state="session",
    )


def way_to_settings() -> None:
    """A short way to choose a language model, where none is chosen."""
    if session.language() is None:
        st.page_link(
            session.SETTINGS,
            label="Local reader",
            icon=":material/swap_horiz:",
            help="It reads. Choose a language model to read instead",
        )


def chosen(method: str, *, answers: bool = False) -> str:
    """The name of the reader for a run of this method, or of one that `answers`."""
    asked = (answers or reads(method)) and session.language()
    return str(st.session_state.get(READER, LOCAL)) if asked else LOCAL


def model(reader: str) -> Spec | None:
    """The language model of a run with this reader; None for one that asks none. Raises NotReady or
    BadInput.
    """
    if reader != LLM:
        return None
    spec = session.language()
    if spec is None:
        raise NotReady(NONE_CHOSEN)
    chosen_model.check(spec)
    return spec


def again(workspace: Workspace, run_id: str) -> str:
    """Put a run in the queue once more; its id. Where it asks a language model: with this visitor's
    key and budget.

    Raises BadInput or NotReady.
    """
    run = workspace.run(run_id)
    spec = chosen_model.again(run.model, run.key_from) if run.model else model(run.reader)
    return workspace.again(run_id, session.owner(), spec, session.budget())
