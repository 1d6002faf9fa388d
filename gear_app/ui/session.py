"""What every page needs: the workspace, the palette in use, the address, and sentences for the user.

Words of documents and models never reach Streamlit's Markdown: it would fetch what they link to.
"""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Literal

import streamlit as st

import gear_app
from gear_app.views import palette
from gear_app.views.markup import tag
from gear_app.workspace import Workspace

COLLECTIONS = str(Path(__file__).parent / "screens" / "collections.py")
Tone = Literal["info", "busy", "good", "bad"]


@st.cache_resource(show_spinner=False)
def workspace() -> Workspace:
    """The one workspace of this server, with its worker running."""
    opened = gear_app.open()
    opened.ensure_worker()
    return opened


def owner() -> str:
    """Who asks, for the fair queue: this browser session."""
    return str(st.session_state.setdefault("owner", _new_owner()))


def colours() -> palette.Palette:
    """The palette of the theme this visitor sees."""
    return palette.of(st.context.theme.type)


def say(sentence: str, tone: Tone = "info") -> None:
    """One sentence about a state and what to do next; nothing for an empty one."""
    if sentence:
        role = "alert" if tone == "bad" else "status"
        st.html(tag("div", sentence, class_=f"gear-say gear-say-{tone}", role=role, dir="auto"))


def current_run() -> str | None:
    """The run of the address, else the last one this session looked at."""
    return st.query_params.get("run") or st.session_state.get("run")


def remember(run_id: str) -> None:
    """Keep the run that is shown in the session and in the address, so that a reload or a link comes back to it."""
    st.session_state["run"] = run_id
    if st.query_params.get("run") != run_id:
        st.query_params["run"] = run_id


def open_run(run_id: str | None) -> None:
    """Show a run: its id goes into the session and the address, at no particular step."""
    st.session_state["run"] = run_id
    st.session_state.pop("shown_run", None)
    st.query_params.pop("step", None)
    if run_id:
        st.query_params["run"] = run_id


def _new_owner() -> str:
    return secrets.token_hex(4)
