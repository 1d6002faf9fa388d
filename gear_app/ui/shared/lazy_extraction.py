"""Whether a run extracts the triples that it lacks on its way, and by which extractor."""

from __future__ import annotations

import streamlit as st

from gear_app.ui.shared import session
from gear_app.views import lazy_extraction
from gear_app.views.names import LLM
from gear_app.workspace import CollectionInfo

LOCAL = "local"
LAZY, BY = "set-lazy", "set-extractor"
BY_HELP = "A language model is asked once for every passage; what it takes counts for the run"


def field(method: str, reader: str, collection: CollectionInfo | None) -> None:
    """The choice, where a run of this method would touch passages that have no triples in the set
    chosen.
    """
    if collection is None or not _offered(method, reader, collection):
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.checkbox(
            "Extract triples of the passages it touches",
            key=LAZY,
            persist_state="session",
            help=lazy_extraction.offer(collection, _set()),
        )
        spec = session.language()
        options = [LOCAL, LLM] if spec else [LOCAL]
        if st.session_state.get(BY) not in options:
            st.session_state[BY] = LOCAL
        if st.session_state.get(LAZY) and spec:
            st.selectbox(
                "Extractor",
                options,
                key=BY,
                label_visibility="collapsed",
                width=220,
                help=BY_HELP,
                format_func=lambda name: lazy_extraction.extractor_name(name, spec.model),
                persist_state="session",
            )


def chosen(method: str, reader: str, collection: CollectionInfo) -> str:
    """The extractor of a run; "" where it extracts nothing on its way."""
    wanted = st.session_state.get(LAZY) and _offered(method, reader, collection)
    return str(st.session_state.get(BY, LOCAL)) if wanted else ""


def _offered(method: str, reader: str, collection: CollectionInfo) -> bool:
    return lazy_extraction.can(method, reader) and lazy_extraction.unread(collection, _set()) > 0


def _set() -> str | None:
    found: str | None = st.session_state.get("set-triples")
    return found
