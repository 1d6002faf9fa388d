"""What is in a collection, a tab each: passages, and triples with their sentences. A chosen row
opens next to the table, a passage with its triples and a form for one more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from gear_app.types import Passage, Triple
from gear_app.ui.collections import curation
from gear_app.ui.shared import elements
from gear_app.views import collections as views
from gear_app.views import curation as curation_views
from gear_app.views import markup
from gear_app.views.labels import id_words
from gear_app.workspace import Workspace

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

PAGE = 200
COUNTED = 10_000  # triples that a search counts; of more it says that there are more
TALLEST = 520  # height of a table


def passages(workspace: Workspace, collection: str, set_: str | None) -> None:
    """Search the passages; the chosen one is shown in its document, with its triples."""
    curation.told(workspace, collection, set_)
    search = st.text_input(
        "Search the passages", key="passage-search", placeholder="Words of the title or the text"
    )
    matches = workspace.collections.passages(collection, search=search, limit=PAGE)
    if not matches:
        elements.message(
            "No passage has these words."
            if search
            else "No passages yet. Add some on the tab Documents."
        )
        return
    left, right = st.columns([3, 2], gap="medium")
    with left:
        labels = workspace.collections.labels([p.id for p in matches])
        rows = [{"title": labels.get(p.id, p.title), "text": p.text, "id": p.key} for p in matches]
        chosen = _table(rows, "passages-table")
        if len(matches) == PAGE:
            st.caption(f"The first {PAGE} are shown. Search to narrow them down.")
    with right, st.container(border=True):
        _in_document(workspace, matches[chosen])
        triples_of_passage(workspace, collection, set_, matches[chosen])


def triples(workspace: Workspace, collection: str, set_: str | None) -> None:
    """Search the triples, page by page; the chosen one is shown with its sentence, in its
    passage.
    """
    if set_ is None:
        elements.message(
            "No triples yet. Press Extract triples on the tab Triple sets, or import some."
        )
        return
    curation.told(workspace, collection, set_)
    search = st.text_input(
        "Search the triples",
        key="triple-search",
        placeholder="Words of a subject, predicate or object",
    )
    page = _page_number(f"{collection}-{set_}-{search}")
    found = workspace.collections.triples(
        collection, set_, search=search, limit=PAGE + 1, offset=page * PAGE
    )
    if not found:
        elements.message(
            "No triple has these words."
            if search
            else "This set holds no triples yet. They appear here as they are extracted."
        )
        curation.history(workspace, collection, set_)
        return
    matches = found[:PAGE]
    with _beside(workspace, collection, set_, matches, f"triples-table-{page}"):
        first, last, later = page * PAGE + 1, page * PAGE + len(matches), len(found) > PAGE
        total, more = _total(workspace, collection, set_, search) if later else (last, False)
        _turn_pages(page, views.page_of_triples(first, last, total, more=more), later=later)
    curation.history(workspace, collection, set_)


def _beside(
    workspace: Workspace, collection: str, set_: str, matches: Sequence[Triple], key: str
) -> DeltaGenerator:
    """Triples as a table, the chosen one beside it in its passage; what can hold more below the
    table.
    """
    left, right = st.columns([3, 2], gap="medium")
    titles = _titles(workspace, {triple.passage_id for triple in matches})
    with left:
        names = ("subject", "predicate", "object")
        rows = [
            {**dict(zip(names, t.words, strict=True)), "passage": titles[t.passage_id]}
            for t in matches
        ]
        chosen = _table(rows, key)
    with right, st.container(border=True):
        with elements.refusals():
            elements.stating_passage(workspace, matches[chosen])
        curation.of_triple(workspace, collection, set_, matches[chosen])
    return left


def _page_number(shown: str) -> int:
    """The page that is shown; another set or other words begin at the first."""
    state = st.session_state
    if state.get("triples-of") != shown:
        state["triples-of"], state["triples-page"] = shown, 0
    return int(state["triples-page"])


def _total(workspace: Workspace, collection: str, set_: str, search: str) -> tuple[int, bool]:
    """How many triples have these words, and whether there are more than were counted. Without
    words that is what the set is known to hold.
    """
    if not search:
        sets = workspace.collections.get(collection).triple_sets
        return next(one.triples for one in sets if one.name == set_), False
    total = workspace.collections.number_of_triples(collection, set_, search, COUNTED + 1)
    return min(total, COUNTED), total > COUNTED


def _turn_pages(page: int, words: str, *, later: bool) -> None:
    """Which triples are shown, in words, and buttons to those before and after, if there are
    any.
    """
    with st.container(horizontal=True, vertical_alignment="center"):
        turns = (("Earlier", -1, page > 0), ("Later", 1, later))
        for name, step, possible in turns if page or later else ():
            st.button(
                name,
                key=f"triples-{name.lower()}",
                disabled=not possible,
                on_click=st.session_state.update,
                kwargs={"triples-page": page + step},
            )
        st.caption(words)


def _titles(workspace: Workspace, passage_ids: set[int]) -> dict[int, str]:
    passages = (workspace.collections.passage(id_) for id_ in passage_ids)
    return {passage.id: passage.name for passage in passages}


def _table(rows: list[dict[str, Any]], key: str) -> int:
    """A table with one row chosen; the first where none is."""
    event: Any = st.dataframe(
        rows,
        hide_index=True,
        height=elements.table_height(len(rows), TALLEST),
        on_select="rerun",
        selection_mode="single-row-required",
        key=key,
    )
    chosen = event.selection.rows
    return int(chosen[0]) if chosen and chosen[0] < len(rows) else 0


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


def triples_of_passage(
    workspace: Workspace, collection: str, set_: str | None, passage: Passage
) -> None:
    """The passage's triples in the set that runs use."""
    if set_ is None:
        elements.message("No triples yet. Press Extract triples on the tab Triple sets.")
        return
    found = workspace.collections.triples_of(collection, set_, [passage.id])
    st.html(markup.title("Its triples", f"in “{set_}”; the tab Triples edits and deletes them"))
    if found:
        st.html(curation_views.triple_list(found))
    else:
        elements.message("It has none.")
    if not workspace.read_only:
        curation.add_to(workspace, collection, set_, passage)
