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
    st.session_state.pop("asking_of", None)
    if st.query_params.get("run") != run_id:
        st.query_params["run"] = run_id


def open_run(run_id: str, *, fresh: bool = False) -> None:
    """Show a run: its id goes into the session and the address, at no particular step.

    `fresh`: it was asked for just now and is followed to its last step, however soon it is over.
    """
    st.session_state["run"] = run_id
    for key in ("shown_run", "asking_of"):
        st.session_state.pop(key, None)
    if fresh:
        st.session_state.update(shown_run=run_id, follow=True, position=0)
    st.query_params.pop("step", None)
    st.query_params["run"] = run_id


def open_none(collection: str) -> None:
    """Show no run: this collection, which has none yet, is about to be asked."""
    st.session_state["asking_of"] = collection
    for key in ("run", "shown_run"):
        st.session_state.pop(key, None)
    for name in ("run", "step"):
        st.query_params.pop(name, None)


def asking_of() -> str | None:
    """The collection that was chosen and has no run yet."""
    return st.session_state.get("asking_of")


def _new_owner() -> str:
    return secrets.token_hex(4)
