"""Collections: add documents, extract triples, and look at what is there."""

from __future__ import annotations

import streamlit as st

from gear_app.ui.collections import collection_bar, documents, entities, jobs, tables, triple_sets
from gear_app.ui.shared import elements, session

TABS = ["Documents", "Triple sets", "Passages", "Triples", "Entities and graph", "Questions"]


def page() -> None:
    """Choose a collection, and see a tab of it."""
    workspace = session.workspace()
    by_name = {info.name: info for info in workspace.collections.all()}
    if not by_name:
        elements.message(st.session_state.pop("managed_said", ""), "good")
        elements.message(
            "This workspace has no collection yet. Name one, then add documents to it."
        )
        collection_bar.new(workspace, first=True)
        return
    name = collection_bar.choose(workspace, by_name)
    if name is None:
        return
    info = by_name[name]
    elements.message(st.session_state.pop("extract_error", ""), "bad")
    jobs.show(workspace, info.name)
    active = next((one.name for one in info.triple_sets if one.active), None)
    add, sets, passages, triples, names, questions = st.tabs(TABS, key="tab", on_change="rerun")
    if add.open:
        with add:
            documents.show(workspace, info.name)
    if sets.open:
        with sets:
            triple_sets.show(workspace, info)
    if passages.open:
        with passages:
            tables.passages(workspace, info.name)
    if triples.open:
        with triples:
            tables.triples(workspace, info.name, active)
    if names.open:
        with names:
            entities.show(workspace, info.name, active)
    if questions.open:
        with questions:
            tables.questions(workspace, info.name)


page()
