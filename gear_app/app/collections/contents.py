"""Passages and triples of a collection; the chosen row opens next to the table."""

from __future__ import annotations

import streamlit as st

from gear_app.app.collections import curation, triple_sets
from gear_app.app.shared import elements
from gear_app.core.types import Passage
from gear_app.display import curation as curation_views
from gear_app.display import markup
from gear_app.display.labels import id_words
from gear_app.store.rows import CollectionInfo
from gear_app.workspace.workspace import Workspace

PAGE = 200
COUNTED = 10_000  # triples with the searched words that are counted
WORDS = "words"  # key of both search fields, and in the address


def passages(workspace: Workspace, info: CollectionInfo) -> None:
    """Search the passages; the chosen one is shown in its document, with its triples."""
    set_ = info.active.name if info.active else None
    curation.told(workspace, info.name, set_)
    search = _search("Search the passages", "Words of the title or the text")
    matches = workspace.collections.passages(info.name, search=search, limit=PAGE)
    if not matches:
        elements.message("No passage has these words." if search else "No passages yet.")
        return
    left, right = st.columns([3, 2], gap="medium")
    with left:
        titles = workspace.collections.labels([p.id for p in matches])
        rows = [{"title": titles.get(p.id, p.title), "text": p.text, "id": p.key} for p in matches]
        chosen = matches[elements.table_with_choice(rows, "passages-table")]
        if len(matches) == PAGE:
            st.caption(f"The first {PAGE} are shown. Search to narrow them down.")
    with right, st.container(border=True):
        _in_document(workspace, chosen)
        if set_ is None:
            return
        triples_ = workspace.collections.triples_of(info.name, set_, [chosen.id])
        st.html(markup.title("Its triples", f"in “{set_}”"))
        st.html(curation_views.triple_list(triples_) or "None")
        if not workspace.read_only:
            curation.add_to(workspace, info.name, set_, chosen)


def triples(workspace: Workspace, info: CollectionInfo) -> None:
    """Search the triples; the chosen one is shown with its sentence. Triple sets are in a fold."""
    set_ = info.active
    with st.expander("Triple sets and extraction", expanded=not (set_ and set_.triples)):
        triple_sets.show(workspace, info)
    if set_ is None:
        return
    curation.told(workspace, info.name, set_.name)
    search = _search("Search the triples", "Words of a subject, predicate or object")
    total = set_.triples
    if search:
        total = workspace.collections.number_of_triples(info.name, set_.name, search, COUNTED)
    pages = max(1, -(-total // PAGE))
    page = min(st.session_state.get("triples-page", 1), pages)
    matches = workspace.collections.triples(
        info.name, set_.name, search=search, limit=PAGE, offset=(page - 1) * PAGE
    )
    if matches:
        left, right = st.columns([3, 2], gap="medium")
        with left:
            ids = {triple.passage_id for triple in matches}
            titles = {id_: workspace.collections.passage(id_).name for id_ in ids}
            names = ("subject", "predicate", "object")
            rows = [
                {**dict(zip(names, t.words, strict=True)), "passage": titles[t.passage_id]}
                for t in matches
            ]
            chosen = matches[elements.table_with_choice(rows, f"triples-table-{page}")]
            if pages > 1:
                st.pagination(pages, key="triples-page")
        with right, st.container(border=True):
            with elements.refusals():
                elements.stating_passage(workspace, chosen)
            curation.of_triple(workspace, info.name, set_.name, chosen)
    else:
        elements.message("No triple has these words." if search else "No triples yet.")
    curation.history(workspace, info.name, set_.name)


def _search(label: str, placeholder: str) -> str:
    return st.text_input(
        label,
        key=WORDS,
        bind="query-params",
        placeholder=placeholder,
        on_change=lambda: st.session_state.pop("triples-page", None),
    )


def _in_document(workspace: Workspace, chosen: Passage) -> None:
    st.html(markup.title(workspace.collections.label(chosen), id_words(chosen.key)))
    if chosen.document_id is None:
        st.html(markup.passage(chosen.text, None))
        return
    document = workspace.collections.document(chosen.document_id)
    pages = document.pages_of(chosen.start, chosen.end)
    page = ("Page" if pages.isdigit() else "Pages", pages)
    st.html(markup.facts([("Document", document.title), ("Source", document.source), page]))
    st.html(markup.in_document(document.text, chosen.start, chosen.end))
