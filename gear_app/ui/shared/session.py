"""What every page needs: the workspace, the palette in use, and the runs of the address."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import streamlit as st

import gear_app
from gear_app.analysis.rankings import CUTS
from gear_app.views import palette
from gear_app.workspace import Workspace

UI = Path(__file__).parents[1]
EXPLORE = str(UI / "explore" / "page.py")
COMPARE = str(UI / "compare" / "page.py")
COLLECTIONS = str(UI / "collections" / "page.py")
SETTINGS = str(UI / "settings" / "page.py")
NAMED_AT_MOST = 32  # runs of an address that are looked up


@st.cache_resource(show_spinner=False)
def workspace() -> Workspace:
    """The one workspace of this server, with its worker running."""
    opened = gear_app.open()
    opened.ensure_worker()
    return opened


def owner() -> str:
    """Who asks, for the fair queue: this browser session."""
    return str(st.session_state.setdefault("owner", secrets.token_hex(4)))


def colours() -> palette.Palette:
    """The palette of the theme this visitor sees."""
    return palette.of(st.context.theme.type)


def current_run() -> str | None:
    """The run of the address, else the last one this session looked at."""
    return st.query_params.get("run") or st.session_state.get("run")


def remember(run_id: str) -> None:
    """Keep the run that is shown in the session and in the address, for reloads and links."""
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


def explore(run_id: str, step: int | None = None) -> NoReturn:
    """Go to a run's Explore view, at a step or where it opens by itself."""
    st.session_state["run"] = run_id
    for key in ("shown_run", "asking_of"):
        st.session_state.pop(key, None)
    address = {"run": run_id} if step is None else {"run": run_id, "step": str(step)}
    st.switch_page(EXPLORE, query_params=address)


def compared() -> list[str] | None:
    """The runs of Compare: of the address, else those compared last; None at the first look."""
    named = [id_.strip() for id_ in st.query_params.get("runs", "").split(",")]
    wanted = [id_ for id_ in named if id_] or st.session_state.get("compared")
    return None if wanted is None else list(dict.fromkeys(wanted))[:NAMED_AT_MOST]


def compare(run_ids: Sequence[str]) -> None:
    """Show these runs side by side: they go into the session and the address.

    The address loses what belongs to other runs.
    """
    st.session_state["compared"] = list(run_ids)
    for name in ("run", "step"):  # Explore's, when the browser came back from there
        st.query_params.pop(name, None)
    _keep_controls(run_ids)
    if run_ids and st.query_params.get("runs") != ",".join(run_ids):
        st.query_params["runs"] = ",".join(run_ids)
    elif not run_ids:
        st.query_params.pop("runs", None)


def control(name: str, value: str) -> None:
    """Keep the "baseline" or "k" of Compare in the session and in the address."""
    st.session_state[f"compared-{name}"] = value
    st.query_params[name] = value


def _keep_controls(run_ids: Sequence[str]) -> None:
    """The baseline and the cut-off come back with the runs, unless the address says others."""
    for name in ("baseline", "k"):
        value = st.query_params.get(name) or st.session_state.get(f"compared-{name}", "")
        if value not in (run_ids if name == "baseline" else map(str, CUTS)):
            st.session_state.pop(f"compared-{name}", None)
            st.query_params.pop(name, None)
        elif value and run_ids:
            st.session_state[f"compared-{name}"] = value
            if st.query_params.get(name) != value:
                st.query_params[name] = value


def open_empty(collection: str) -> None:
    """Show no run: this collection, which has none yet, is about to be asked."""
    st.session_state["asking_of"] = collection
    for key in ("run", "shown_run"):
        st.session_state.pop(key, None)
    for name in ("run", "step"):
        st.query_params.pop(name, None)


def empty_collection() -> str | None:
    """The collection that was chosen and has no run yet."""
    return st.session_state.get("asking_of")
