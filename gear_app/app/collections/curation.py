"""Correcting triples and entities by hand: the forms, what was changed last with a way back, and
the history of a set.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from gear_app.app.shared import elements
from gear_app.core.errors import GearError
from gear_app.core.text import count, cut
from gear_app.core.types import Passage, Triple
from gear_app.display import curation as views
from gear_app.display.labels import literal
from gear_app.display.markup import join
from gear_app.language.blocks import sentences
from gear_app.workspace.collections.edit_steps import Edit, TripleDraft
from gear_app.workspace.workspace import Workspace

DONE, FAILED, FORMS, NAME = "curated", "curation-error", "curation-forms", "curator"
LISTED = 20  # steps of the history
SENTENCES = 300  # of a passage to choose from
BY_ITSELF = -1  # the sentence is found, or stays
READ_ONLY = "This workspace is read-only: its triples can be read, not changed."


def told(workspace: Workspace, collection: str, set_: str | None) -> None:
    """What was changed last in this session, and the way back; or why it could not be."""
    state = st.session_state
    elements.message(state.pop(FAILED, ""), "bad")
    if state.get(DONE, ("", "", 0, ""))[:2] != (collection, set_):
        return
    _, _, number, sentence = state[DONE]
    with st.container(horizontal=True, vertical_alignment="center"):
        elements.message(f"{sentence} Runs that used what changed say so.", "good")
        if number:
            st.button(
                "Undo",
                key="curation-undo",
                on_click=undo,
                args=(workspace, collection, set_, number),
            )


def change(step: Callable[..., Edit], collection: str, set_: str | None, *values: object) -> None:
    """Make a step of a collection's set: `what` is what the step is of. What came of it is told
    when the page is drawn next.
    """
    _do(lambda: step(collection, *values, set_, author=author()), collection, set_)


def undo(workspace: Workspace, collection: str, set_: str | None, step: int) -> None:
    """Undo the last step of a collection's set, if it is still the one of this number."""
    _do(lambda: workspace.curation.undo(collection, set_, step=step), collection, set_)


def _do(act: Callable[[], Edit], collection: str, set_: str | None) -> None:
    state = st.session_state
    try:
        edit = act()
    except GearError as error:
        state[FAILED] = str(error)
        state.pop(DONE, None)
        return
    undoable = 0 if edit.row.undone else edit.row.number
    state[DONE] = (collection, set_, undoable, views.outcome_sentence(edit))
    state[FORMS] = state.get(FORMS, 0) + 1  # another key closes and empties a form


def author() -> str:
    """Who is written beside a change: the name given here or on Annotate; "" for none."""
    return str(st.session_state.get(NAME) or st.session_state.get("annotator") or "")


def _forms() -> int:
    """A number for the keys of forms, which changes with every step."""
    return int(st.session_state.get(FORMS, 0))


def of_triple(workspace: Workspace, collection: str, set_: str, triple: Triple) -> None:
    """What can be done with a triple: other words, delete, and one more for its passage."""
    if workspace.read_only:
        st.caption(READ_ONLY)
        return
    passage = workspace.collections.passage(triple.passage_id)
    key = f"{triple.id}-{_forms()}"
    with st.container(horizontal=True, gap="small"):
        with st.popover("Edit", key=f"edit-triple-{key}", icon=":material/edit:"):
            words = triple.words
            _fields(passage, f"edit-{key}", words, "As it is")
            st.button(
                "Save",
                type="primary",
                key="triple-save",
                on_click=lambda: change(
                    workspace.curation.edit,
                    collection,
                    set_,
                    triple.id,
                    _draft(passage, f"edit-{key}"),
                ),
            )
        st.button(
            "Delete",
            key="triple-delete",
            icon=":material/delete:",
            help="It can be undone",
            on_click=change,
            args=(workspace.curation.delete, collection, set_, [triple.id]),
        )
        add_to(workspace, collection, set_, passage)


def add_to(workspace: Workspace, collection: str, set_: str, passage: Passage) -> None:
    """A form for one more triple of a passage."""
    key = f"add-{passage.id}-{_forms()}"
    with st.popover("Add a triple", key=f"popover-{key}", icon=":material/add:"):
        st.caption(literal(f"To the passage “{workspace.collections.label(passage)}”"))
        _fields(passage, key, (passage.title, "", ""), "The closest")
        st.button(
            "Add",
            type="primary",
            key="triple-add",
            on_click=lambda: change(
                workspace.curation.add, collection, set_, passage.key, [_draft(passage, key)]
            ),
        )


def _fields(passage: Passage, key: str, words: Sequence[str], by_itself: str) -> None:
    for name, value in zip(("Subject", "Predicate", "Object"), words, strict=True):
        st.text_input(name, value, key=f"{key}-{name.lower()}")
    sentences = _sentences(passage)
    st.selectbox(
        "Its sentence",
        [BY_ITSELF, *range(len(sentences))],
        key=f"{key}-sentence",
        format_func=lambda place: by_itself if place == BY_ITSELF else cut(sentences[place], 90),
        help="Where the passage says so. It is marked wherever the triple is shown",
    )


def _draft(passage: Passage, key: str) -> TripleDraft:
    """What the fields hold now."""
    state = st.session_state
    place = int(state[f"{key}-sentence"])
    source = "" if place == BY_ITSELF else _sentences(passage)[place]
    subject, predicate, object_ = (
        str(state[f"{key}-{name}"]) for name in ("subject", "predicate", "object")
    )
    return TripleDraft(subject, predicate, object_, source)


def _sentences(passage: Passage) -> list[str]:
    spans = sentences(passage.text)[:SENTENCES]
    return [passage.text[span.start : span.end] for span in spans]


def of_entity(
    workspace: Workspace, collection: str, set_: str, entity: str, similar: Sequence[str]
) -> None:
    """What can be done with an entity: another name, one name with others, delete."""
    if workspace.read_only:
        st.caption(READ_ONLY)
        return
    naming = count(len(workspace.curation.naming(collection, entity, set_)), "triple")
    key = f"{entity}-{_forms()}"
    with st.container(horizontal=True, gap="small"):
        with st.popover("Rename or merge", key=f"merge-{key}", icon=":material/merge:"):
            names = st.multiselect(
                "Names that mean the same",
                list(dict.fromkeys([entity, *similar])),
                [entity],
                key=f"merge-names-{key}",
                accept_new_options=True,
                help="Choose others from the list, or type one. One name alone is renamed",
            )
            st.text_input("One name for all of them", entity, key=f"merge-into-{key}")
            st.button(
                "Rename" if len(names) < 2 else f"Merge {len(names)} names",
                type="primary",
                key="entity-merge",
                disabled=not names,
                on_click=_merge,
                args=(workspace, collection, set_, key),
            )
        with st.popover("Delete", key=f"delete-entity-{key}", icon=":material/delete:"):
            elements.message(f"{naming} have “{entity}” on a side. All of them are deleted.", "bad")
            st.button(
                f"Delete {naming}",
                type="primary",
                key="entity-delete",
                help="It can be undone",
                on_click=_delete_entity,
                args=(workspace, collection, set_, entity),
            )


def _merge(workspace: Workspace, collection: str, set_: str, key: str) -> None:
    names, name = (st.session_state[f"merge-{field}-{key}"] for field in ("names", "into"))
    change(workspace.curation.merge, collection, set_, names, name)
    st.session_state["entity"] = name


def _delete_entity(workspace: Workspace, collection: str, set_: str, entity: str) -> None:
    change(workspace.curation.delete_entity, collection, set_, entity)
    st.session_state["entity"] = None


def history(workspace: Workspace, collection: str, set_: str) -> None:
    """What was changed by hand, the newest first, and the way back from the last step."""
    fold = st.expander("Changes by hand", key="fold-curation", on_change="rerun")
    if not fold.open:
        return
    with fold:
        st.text_input(
            "Your name, to be written beside your changes",
            author(),
            key=NAME,
            max_chars=60,
            width=320,
            placeholder="Nobody",
        )
        steps = workspace.curation.history(collection, set_, LISTED + 1)
        if not steps:
            elements.message("Nothing was changed by hand in this set.")
        last = workspace.curation.last_step(collection, set_)
        if last and not workspace.read_only:
            st.button(
                f"Undo step {last}",
                key="undo-last",
                icon=":material/undo:",
                on_click=undo,
                args=(workspace, collection, set_, last),
            )
        st.html(join(views.step_line(step) for step in steps[:LISTED]))
        if len(steps) > LISTED:
            st.caption(f"The newest {LISTED}.")
