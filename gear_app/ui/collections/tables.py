"""Tables of a collection: passages, triples with their sentences, questions; a row opens below."""

from __future__ import annotations

from typing import Any

import streamlit as st

from gear_app.errors import GearError
from gear_app.types import Passage, Triple
from gear_app.ui.shared import session
from gear_app.views import detail
from gear_app.workspace import Workspace

PAGE = 200


def passages(workspace: Workspace, collection: str) -> None:
    """Search the passages; the chosen one is shown in its document."""
    search = st.text_input(
        "Search the passages", key="passage-search", placeholder="Words of the title or the text"
    )
    found = workspace.passages(collection, search=search, limit=PAGE)
    if not found:
        session.say(
            "No passage has these words."
            if search
            else "No passages yet. Add some on the tab Documents."
        )
        return
    left, right = st.columns([3, 2], gap="medium")
    with left:
        rows = [{"title": p.title, "text": p.text, "id": p.key} for p in found]
        chosen = _table(rows, "passages-table")
        if len(found) == PAGE:
            st.caption(f"The first {PAGE} are shown. Search to narrow them down.")
    with right, st.container(border=True):
        _in_document(workspace, found[chosen])


def triples(workspace: Workspace, collection: str, set_: str | None) -> None:
    """Search the triples; the chosen one is shown with the sentence it came from, in its
    passage.
    """
    if set_ is None:
        session.say("No triples yet. Press Extract triples on the tab Triple sets, or import some.")
        return
    search = st.text_input(
        "Search the triples",
        key="triple-search",
        placeholder="Words of a subject, predicate or object",
    )
    found = workspace.triples(collection, set_, search=search, limit=PAGE)
    if not found:
        session.say(
            "No triple has these words."
            if search
            else "This set holds no triples yet. They appear here as they are extracted."
        )
        return
    left, right = st.columns([3, 2], gap="medium")
    with left:
        chosen = _table(
            [{"subject": t.subject, "predicate": t.predicate, "object": t.object} for t in found],
            "triples-table",
        )
        if len(found) == PAGE:
            st.caption(f"The first {PAGE} are shown. Search to narrow them down.")
    with right, st.container(border=True):
        _with_sentence(workspace, found[chosen])


def questions(workspace: Workspace, collection: str) -> None:
    """The questions with their answers and gold passages."""
    found = workspace.questions(collection)
    if not found:
        session.say(
            "This collection came without questions. Ask your own on the page Explore; gold can be"
            " marked there."
        )
        return
    rows = [
        {
            "question": question.question,
            "answer": " / ".join(question.answers),
            "type": question.type or "",
            "hops": question.hops,
            "gold passages": ", ".join(question.supporting_keys),
        }
        for question in found
    ]
    st.dataframe(rows, hide_index=True, height=520)


def _table(rows: list[dict[str, Any]], key: str) -> int:
    """A table with one row chosen; the first where none is."""
    event: Any = st.dataframe(
        rows,
        hide_index=True,
        height=520,
        on_select="rerun",
        selection_mode="single-row-required",
        key=key,
    )
    chosen = event.selection.rows
    return int(chosen[0]) if chosen and chosen[0] < len(rows) else 0


def _in_document(workspace: Workspace, found: Passage) -> None:
    st.html(detail.title(found.title or found.key, f"id {found.key}"))
    if found.document_id is None:
        st.html(detail.passage(found.text, None))
        return
    document = workspace.document(found.document_id)
    st.html(detail.facts([("Document", document.title), ("Source", document.source)]))
    st.html(detail.in_document(document.text, found.start, found.end))


def _with_sentence(workspace: Workspace, found: Triple) -> None:
    try:
        of = workspace.passage(found.passage_id)
    except GearError as error:
        session.say(str(error), "bad")
        return
    facts = [
        ("Subject", found.subject),
        ("Predicate", found.predicate),
        ("Object", found.object),
        ("Passage", of.title or of.key),
    ]
    st.html(detail.facts(facts))
    note = (
        "closest match, it came without its sentence"
        if found.closest
        else ""
        if found.span
        else "imported without its sentence"
    )
    if note:
        st.html(detail.title("", note))
    st.html(detail.passage(of.text, found.span))
