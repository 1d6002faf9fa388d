"""Passages and triples of a collection; the chosen row opens next to the table."""

from __future__ import annotations

import streamlit as st

from gear_app.app.collections import curation, triple_sets
from gear_app.app.shared import elements
from gear_app.core.types import Passage
from gear_app.display import extraction as views
from gear_app.display import markup
from gear_app.store.rows import CollectionInfo
from gear_app.workspace.workspace import Workspace

LISTED = 500
FIRST = f"The first {LISTED} are shown. Search to narrow them down."
WORDS = "words"  # key of both search fields, and in the address


def passages(workspace: Workspace, info: CollectionInfo) -> None:
    """Search the passages; the chosen one is shown in its document, with its triples."""
    set_ = info.active
    if set_:
        curation.last_change(workspace, info.name, set_.name)
    search = _search("Search the passages", "Words of the title or the text")
    listed = workspace.collections.passages(info.name, search, LISTED)
    if not listed:
        elements.message("No passage has these words." if search else "No passages yet.")
        return
    left, right = st.columns([3, 2], gap="medium")
    with left:
        titles = workspace.store.passages.labels([passage.id for passage in listed])
        rows = [{"title": titles.get(p.id, p.title), "text": p.text, "id": p.key} for p in listed]
        chosen = listed[elements.table_with_choice(rows, "passages-table")]
        st.caption(FIRST if len(listed) == LISTED else "")
    with right, st.container(border=True):
        _in_document(workspace, chosen)
        if set_:
            triples_ = workspace.store.triples.of_passages(set_.id, [chosen.id])
            st.html(markup.title("Its triples", f"in “{set_.name}”"))
            st.html(views.triple_list(triples_) or "None")
            key = f"{chosen.id}-{len(triples_)}"
            curation.triple_form(workspace, info.name, set_.name, key, chosen)


def triples(workspace: Workspace, info: CollectionInfo) -> None:
    """Search the triples; the chosen one is shown with its sentence. Triple sets are in a fold."""
    set_ = info.active
    with st.expander("Triple sets and extraction", expanded=not (set_ and set_.triples)):
        triple_sets.show(workspace, info)
    if set_ is None:
        return
    curation.last_change(workspace, info.name, set_.name)
    search = _search("Search the triples", "Words of a subject, predicate or object")
    listed = workspace.collections.triples(info.name, set_.name, search, LISTED)
    if listed:
        left, right = st.columns([3, 2], gap="medium")
        with left:
            names = workspace.store.passages.with_ids([t.passage_id for t in listed])
            rows = [{**curation.cells(t), "passage": names[t.passage_id].name} for t in listed]
            chosen = listed[elements.table_with_choice(rows, "triples-table")]
            st.caption(FIRST if len(listed) == LISTED else "")
        with right, st.container(border=True), elements.refusals():
            elements.stating_passage(workspace, chosen)
            passage = workspace.collections.passage(chosen.passage_id)
            curation.triple_form(workspace, info.name, set_.name, str(chosen.id), passage, chosen)
    else:
        elements.message("No triple has these words." if search else "No triples yet.")
    curation.history(workspace, info.name, set_.name)


def _search(label: str, placeholder: str) -> str:
    return st.text_input(label, key=WORDS, bind="query-params", placeholder=placeholder)


def _in_document(workspace: Workspace, chosen: Passage) -> None:
    st.html(markup.title(workspace.collections.label(chosen), f"id {chosen.key}"))
    document = workspace.store.documents.get(chosen.document_id or 0)
    if document is None:
        st.html(markup.passage(chosen.text, None))
        return
    pages = document.pages_of(chosen.start, chosen.end)
    page = ("Page" if pages.isdigit() else "Pages", pages)
    st.html(markup.facts([("Document", document.title), ("Source", document.source), page]))
    st.html(markup.in_document(document.text, chosen.start, chosen.end))
