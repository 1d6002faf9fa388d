"""Collections: choose, make, rename or delete one; add documents, extract triples, and look at what
is there.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from gear_app.store.rows import CollectionInfo
from gear_app.text import count
from gear_app.ui.collections import contents, documents, entities, jobs, triple_sets
from gear_app.ui.collections import questions as questions_tab
from gear_app.ui.shared import address, collection, elements, session
from gear_app.views.collections import collection_facts
from gear_app.views.labels import literal
from gear_app.workspace import Workspace

SAID = "managed_said"  # in the state: what was done to a collection


def bar(workspace: Workspace, info: CollectionInfo) -> None:
    """What can be done with the collection as a whole, and its counts."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if info.passages and st.button("Ask it", type="primary", key="ask-collection"):
            st.switch_page(session.EXPLORE)
        if not workspace.read_only:
            _changes(workspace, info)
        st.caption(literal(collection_facts(info)))
    elements.message(st.session_state.get(SAID, ""), "good")


def _changes(workspace: Workspace, info: CollectionInfo) -> None:
    done = st.session_state.get("managed", 0)  # another key closes a popover
    with st.popover("New", key=f"new-popover-{done}"):
        new_collection(workspace)
    with st.popover("Rename", key=f"rename-popover-{done}"):
        _rename(workspace, info.name)
    with st.popover("Close" if info.cluster else "Delete", key=f"delete-popover-{done}"):
        _delete(workspace, info)


def new_collection(workspace: Workspace, *, first: bool = False) -> None:
    """A form for a new collection; on an otherwise empty page it stands alone."""
    with st.form("new-collection", border=first):
        name = st.text_input(
            "Name of the new collection",
            key=elements.field_key("new", "new-name"),
            placeholder="For example: my documents",
        )
        if st.form_submit_button("Create", type="primary", key=elements.field_key("new", "create")):
            with elements.taken("new"):
                workspace.collections.create(name)
                _done(" ".join(name.split()), "“{}” was created.")


def _rename(workspace: Workspace, old: str) -> None:
    """A form for another name."""
    with st.form("rename-collection", border=False):
        name = st.text_input("New name", key="other-name")
        if st.form_submit_button("Rename", key="rename"):
            with elements.refusals():
                workspace.collections.rename(old, name)
                _done(" ".join(name.split()), f"“{old}” is now called “{{}}”.")


def _done(chosen: str | None, sentence: str) -> None:
    """Close the popovers, say what was done, and go on with a collection (None: the first)."""
    state = st.session_state
    state["managed"] = state.get("managed", 0) + 1
    state[SAID] = sentence.replace("{}", chosen or "")
    collection.choose(chosen)
    st.rerun()


def _delete(workspace: Workspace, info: CollectionInfo) -> None:
    """Ask back, naming what would be lost; then delete. One in a cluster leaves this workspace."""
    if info.cluster:
        verb = "Close"
        elements.message(
            f"“{info.name}” stays in the cluster, and Settings opens it again. Questions written"
            " here are lost; runs made on it stay readable."
        )
    else:
        verb = "Delete"
        runs = "its imported runs go with it" if info.recorded else "runs made on it stay readable"
        elements.message(
            f"“{info.name}” has {count(info.passages, 'passage')} and"
            f" {count(info.questions, 'question')}. Deleting it cannot be undone; {runs}.",
            "bad",
        )
    sure = st.checkbox(f"Yes, {verb.lower()} it", key=f"sure-{info.name}")
    if st.button(verb, type="primary", disabled=not sure, key="delete"):
        with elements.refusals():
            workspace.collections.delete(info.name)
            _done(None, f"“{info.name}” was {verb.lower()}d.")


# What the address calls each tab, and the field of a tab whose words it holds.
TABS = {
    "documents": "Documents",
    "sets": "Triple sets",
    "passages": "Passages",
    "triples": "Triples",
    "entities": "Entities and graph",
    "questions": "Questions",
}
FIRST_TAB = "documents"
STARTS_JOBS = (FIRST_TAB, "sets")  # where it is told that they are finished
SEARCHES = {
    "passages": "passage-search",
    "triples": "triple-search",
    "entities": entities.SEARCH,
}


def page() -> None:
    """Choose a collection, and see a tab of it."""
    _draw(session.workspace())
    # Only now: the second press of a double click stops the run that was to show it.
    st.session_state.pop(SAID, None)


def _draw(workspace: Workspace) -> None:
    by_name = {info.name: info for info in workspace.collections.all()}
    if not by_name:
        elements.message(st.session_state.get(SAID, ""), "good")
        elements.message(
            "This workspace has no collection yet. Name one, then add documents to it."
        )
        if not workspace.read_only:
            new_collection(workspace, first=True)
        return
    info = by_name[collection.chosen() or next(iter(by_name))]
    bar(workspace, info)
    if info.cluster:
        elements.message(
            f"This collection is in the cluster {info.cluster}. Explore, Compare and Evaluate"
            " search it there; its passages and triples are fetched when they are shown. It is"
            " changed in the workspace that it was pushed from. Its questions here are yours to"
            " change."
        )
        st.page_link(
            session.SETTINGS,
            label="See the cluster",
            icon=":material/dns:",
            query_params={"section": "cluster"},
        )
        questions_tab.show(workspace, info)
        return
    if info.recorded:
        elements.message(
            "This collection has only the passages of an imported run, which Explore shows."
            " Nothing is run or changed in it."
        )
        contents.passages(workspace, info.name, None)
        return
    elements.message(st.session_state.pop("extract_error", ""), "bad")
    active = info.active.name if info.active else None
    _follow_tab()
    tab = address.named("tab", TABS) or FIRST_TAB
    if not workspace.read_only:
        jobs.show(workspace, info, finished=tab in STARTS_JOBS)
    drawn: dict[str, Callable[[], None]] = {
        "documents": lambda: documents.show(workspace, info.name),
        "sets": lambda: triple_sets.show(workspace, info),
        "passages": lambda: contents.passages(workspace, info.name, active),
        "triples": lambda: contents.triples(workspace, info.name, active),
        "entities": lambda: entities.show(workspace, info),
        "questions": lambda: questions_tab.show(workspace, info),
    }
    tabs = st.tabs(list(TABS.values()), key="tab", on_change=_tab_chosen)
    for draw, place in zip(drawn.values(), tabs, strict=True):
        if place.open:
            with place:
                draw()
    if field := SEARCHES.get(address.named("tab", TABS)):
        address.hold_field(field, "words")
        _hold_tab()


def _follow_tab() -> None:
    """Open the tab of an address that is new to this session, and fill its words in."""
    state = st.session_state
    tab = address.named("tab", TABS) or FIRST_TAB
    words = address.named("words")
    if (tab, words) != state.get("followed", (FIRST_TAB, "")):
        state["tab"] = TABS[tab]
        if (field := SEARCHES.get(tab)) and state.get(field, "") != words:
            state[field] = words
    _hold_tab()


def _tab_chosen() -> None:
    """Another tab: what the address said of the last one goes."""
    for name in ("words", "entity", "depth", "most", "with", "colour"):
        st.query_params.pop(name, None)
    _hold_tab()


def _hold_tab() -> None:
    address.hold_tab("tab", TABS)
    st.session_state["followed"] = (address.named("tab") or FIRST_TAB, address.named("words"))


page()
