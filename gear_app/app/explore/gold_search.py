"""Gold by title: a search over all passages of a collection, ranked by a run or not.

What is chosen is a list of passage keys; who draws it says what becomes of a change.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from gear_app.app.shared import elements, session
from gear_app.core.text import cut
from gear_app.display import markup
from gear_app.store.rows import RunInfo
from gear_app.workspace.workspace import Workspace

FOUND_AT_MOST = 8
SNIPPET = 150  # characters of a passage's text
Change = Callable[[list[str]], None]  # is given all keys as they are to be


def of_run(workspace: Workspace, run: RunInfo, *, markable: bool) -> None:
    """A popover to add and remove gold of a run's question; nothing where its gold is fixed, or the
    run goes on.
    """
    fixed = workspace.read_only or not markable or run.going
    if fixed or session.collection_gone(run, workspace.collections.all()):
        return

    def change(keys: list[str]) -> None:
        with elements.refusals("gold-error"):
            session.mark_gold(workspace, run, keys)

    with st.popover("Add a gold passage…", help="Search all passages, ranked or not"):
        gold = session.gold_before(workspace, run)
        draw(workspace, run.collection, gold, f"gold-{run.id}", change)
    elements.message(st.session_state.pop("gold-error", ""), "bad")


def draw(
    workspace: Workspace, collection: str, keys: Sequence[str], key: str, change: Change
) -> None:
    """The gold there is, each with a button to remove it, and a search to add to it."""
    titles = elements.passage_titles(workspace, collection, keys)
    for gold in keys:
        left, right = st.columns([6, 1.7], vertical_alignment="center", gap="small")
        left.html(markup.title(titles.get(gold) or gold, "" if gold in titles else "not here"))
        right.button(
            "Remove",
            key=f"{key}-remove-{gold}",
            on_click=change,
            args=([key_ for key_ in keys if key_ != gold],),
        )
    words = st.text_input(
        "Search all passages",
        key=f"{key}-search",
        placeholder="Words of the title or the text",
    )
    passages = (
        workspace.collections[collection].passages(words, FOUND_AT_MOST) if words.strip() else []
    )
    if words.strip() and not passages:
        elements.message("No passage has all of these words.")
    labels = workspace.store.passages.labels([passage.id for passage in passages])
    for passage in passages:
        left, right = st.columns([6, 1.7], vertical_alignment="center", gap="small")
        name = labels.get(passage.id) or passage.name
        left.html(markup.title(name, cut(passage.text, SNIPPET)))
        right.button(
            "Gold" if passage.key in keys else "Add",
            key=f"{key}-add-{passage.key}",
            on_click=change,
            args=([*keys, passage.key],),
            disabled=passage.key in keys,
        )
