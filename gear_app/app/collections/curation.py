"""Correcting triples and entities by hand: forms, the last change with *Undo*, and the history of
a set.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from gear_app.app.shared import elements
from gear_app.core.text import count, cut
from gear_app.core.types import Passage, Triple
from gear_app.display import extraction as views
from gear_app.display.markup import join
from gear_app.documents.items import NewTriple
from gear_app.language.blocks import sentences
from gear_app.workspace.workspace import Workspace

FAILED, NAME = "curation-error", "annotator"
LISTED = 20  # steps of the history
SENTENCES = 300  # of a passage to choose from
FIELDS = ("subject", "predicate", "object")
READ_ONLY = "This workspace is read-only: its triples can be read, not changed."


def cells(triple: Triple) -> dict[str, str]:
    """The words of a triple as cells of a table."""
    return dict(zip(FIELDS, triple.words, strict=True))


def last_change(workspace: Workspace, collection: str, set_: str) -> None:
    """Draw why a change was refused, and the last step of a set with a button that undoes it."""
    elements.message(st.session_state.pop(FAILED, ""), "bad")
    curation = workspace.collections[collection].curation(set_)
    step = curation.last()
    if step is None or workspace.read_only:
        return
    elements.message_with_button(
        f"Last change by hand: {views.edit_sentence(step)}",
        "info",
        "Undo",
        "curation-undo",
        elements.attempt,
        FAILED,
        partial(curation.undo, step=step.number),
    )


def author() -> str:
    """The name that was given on Annotate or below the triples; "" for none."""
    return str(st.session_state.get(NAME) or "")


def triple_form(
    workspace: Workspace,
    collection: str,
    set_: str,
    key: str,
    passage: Passage,
    triple: Triple | None = None,
) -> None:
    """Draw a form for a triple of a passage: for a new one, or for other words of `triple`. A form
    with another `key` begins anew.
    """
    if workspace.read_only:
        st.caption(READ_ONLY)
        return
    words = triple.words if triple else (passage.title, "", "")
    with st.form(f"triple-{key}"):
        for name, value in zip(FIELDS, words, strict=True):
            st.text_input(name.capitalize(), value, key=f"{name}-{key}", max_chars=1_000)
        st.selectbox(
            "Its sentence",
            ["", *(passage.text[s.start : s.end] for s in sentences(passage.text)[:SENTENCES])],
            key=f"source-{key}",
            format_func=lambda words: cut(words, 90) or ("as it is" if triple else "the closest"),
            help="Where the passage says so. It is marked wherever the triple is shown",
        )

        def button(label: str, act: Callable[[], object]) -> None:
            st.form_submit_button(
                label, key=f"triple-{label.lower()}", on_click=elements.attempt, args=(FAILED, act)
            )

        def change(id_: int | None, draft: NewTriple | None) -> None:
            workspace.collections[collection].curation(set_).change([(id_, draft)], author=author())

        with st.container(horizontal=True, gap="small"):
            if triple:
                id_ = triple.id
                button("Save", lambda: change(id_, _draft(passage.key, key)))
                button("Delete", lambda: change(id_, None))
            button("Add", lambda: change(None, _draft(passage.key, key)))


def _draft(passage: str, key: str) -> NewTriple:
    """The triple of a passage, by its key, that the fields of a form hold."""
    words = (str(st.session_state[f"{name}-{key}"]) for name in (*FIELDS, "source"))
    return NewTriple(passage, *words)


def entity_form(workspace: Workspace, collection: str, set_: str, entity: str) -> None:
    """Draw a popover to rename an entity, which merges it with one of that name, or delete it."""
    curation, state = workspace.collections[collection].curation(set_), st.session_state
    if workspace.read_only:
        st.caption(READ_ONLY)
        return

    def rename() -> None:
        name = state[f"rename-{entity}"]
        curation.merge([entity], name, author=author())
        state["entity"] = name

    def delete() -> None:
        curation.merge([entity], None, author=author())
        state["entity"] = None

    naming = count(len(curation.naming(entity)), "triple")
    with st.popover("Rename or delete", key=f"change-{entity}", icon=":material/edit:"):
        st.text_input(
            "Name",
            entity,
            key=f"rename-{entity}",
            help="With the name of another entity the two become one",
        )
        st.button("Rename", key="entity-rename", on_click=elements.attempt, args=(FAILED, rename))
        st.button(
            f"Delete {naming}",
            key="entity-delete",
            help="All that have this name on a side. It can be undone",
            on_click=elements.attempt,
            args=(FAILED, delete),
        )


def history(workspace: Workspace, collection: str, set_: str) -> None:
    """Draw the changes of a set by hand, the newest first, in a fold."""
    fold = st.expander("Changes by hand", key="fold-curation", on_change="rerun")
    if not fold.open:
        return
    with fold:
        st.text_input(
            "Your name, stored with your changes",
            key=NAME,
            max_chars=60,
            width=320,
            bind="query-params",
            persist_state="session",
        )
        steps = workspace.collections[collection].curation(set_).history(LISTED)
        st.html(join(views.step_line(step) for step in steps) or "None")
        st.caption(f"The newest {LISTED}." if len(steps) == LISTED else "")
