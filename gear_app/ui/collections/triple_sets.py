"""The tab Triple sets: which one runs use, extraction, and the passages that fell short."""

from __future__ import annotations

import streamlit as st

from gear_app.errors import GearError
from gear_app.ui.collections import extraction_form
from gear_app.ui.shared import elements, language_model
from gear_app.views import collections as collection_views
from gear_app.views import extraction as views
from gear_app.workspace import CollectionInfo, TripleSetInfo, Workspace

AT_MOST = 50
LONG, LONG_PX = 10, 460


def show(workspace: Workspace, info: CollectionInfo) -> None:
    """The sets as a table, which one runs use, extraction, and the passages that fell short."""
    if info.triple_sets:
        st.dataframe(collection_views.triple_sets(info.triple_sets), hide_index=True)
        names = [set_.name for set_ in info.triple_sets]
        active = next((place for place, set_ in enumerate(info.triple_sets) if set_.active), 0)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            chosen = st.selectbox(
                "Set that runs use", names, index=active, key="active-set", width=320
            )
            if st.button("Use this set", disabled=chosen == names[active], key="activate"):
                workspace.collections.activate(info.name, chosen)
                st.rerun()
    else:
        elements.message("No triples yet. Extract them, or import a file of ready-made ones.")
    extraction_form.form(workspace, info)
    _shortfalls(workspace, info)


def _shortfalls(workspace: Workspace, info: CollectionInfo) -> None:
    """One card a set, for those that were extracted here."""
    for set_ in info.triple_sets:
        sentence = views.shortfall_words(set_) if set_.maker != views.IMPORTED else ""
        if sentence:
            with st.container(border=True):
                _card(workspace, info.name, set_, sentence)


def _card(workspace: Workspace, collection: str, set_: TripleSetInfo, sentence: str) -> None:
    asks = set_.maker in views.STEPS
    with st.container(horizontal=True, vertical_alignment="center"):
        elements.message(sentence, "bad" if set_.passages_failed else "info")
        if set_.passages_failed or (asks and set_.passages_without):
            st.button(
                "Try these again",
                key=f"again-{set_.name}",
                disabled=asks and language_model.chosen() is None,
                on_click=_again,
                args=(workspace, collection, set_),
                help=(
                    extraction_form.NO_MODEL
                    if asks and language_model.chosen() is None
                    else views.retry_words(set_, _model())
                ),
            )
    listed = workspace.jobs.shortfalls(collection, set_.name, AT_MOST)
    with st.expander("Which passages, and what was replied", expanded=len(listed) <= 3):
        if len(listed) == AT_MOST:
            st.caption(f"The first {AT_MOST} are shown.")
        with st.container(height=LONG_PX if len(listed) > LONG else "content", border=False):
            st.html(views.shortfall_list(listed))


def _model() -> str:
    spec = language_model.chosen()
    return spec.model if spec else ""


def _again(workspace: Workspace, collection: str, set_: TripleSetInfo) -> None:
    """Extract the passages that failed and, with a language model, those without triples.

    The cap is that of an estimate for these passages.
    """
    cap = None
    try:
        spec = extraction_form.model(set_.maker)
        if spec:
            workspace.jobs.retry_empty(collection, set_.name)
            cap = workspace.costs.estimate_extraction(collection, set_.name, spec, set_.maker).cap
    except GearError as error:
        st.session_state[extraction_form.FAILED] = str(error)
        return
    extraction_form.start(workspace, collection, set_.maker, set_.name, cap)
