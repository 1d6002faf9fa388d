"""The keys of every page, and the sheet that lists them."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from gear_app.ui.shared import elements
from gear_app.views.markup import Html, join, tag

KEYS = {
    "Every page": (("?", "this sheet"),),
    "Explore": (
        ("← →", "the step before, the next one"),
        ("P", "present: one step fills the screen"),
        ("Tab, Enter", "go to a name, a term or a card; keep it lit, or select it"),
        ("← → ↑ ↓, Home, End", "on a card: the cards beside it, and its column’s ends"),
        ("Esc", "let go of what is lit; leave the question"),
    ),
    "While presenting": (
        ("← →, Page Up, Page Down", "the step before, the next one"),
        ("R or space", "uncover the next card"),
        ("A", "uncover all cards of the step"),
        ("1 to 8", "a stage of this iteration"),
        ("F", "let others follow on their own screens"),
        ("P or Esc", "leave"),
    ),
    "Compare": (
        ("← →", "the same passage under the next method"),
        ("↑ ↓, Home, End", "up and down a method’s ranking"),
        ("Enter", "select the passage"),
    ),
    "Collections": (
        ("← → ↑ ↓", "in the graph of an entity: the node beside it"),
        ("Enter", "go to it"),
    ),
    "Learn": (("← →", "the page before, the next one"),),
    "Evaluate": (("↑ ↓", "within a column of a table"),),
    "Annotate": (("?", "its own sheet: everything goes by keys there"),),
}


def sheet() -> Html:
    """All keys, page by page, as tables with headings."""
    return join(part for page, rows in KEYS.items() for part in (tag("h3", page), _table(rows)))


def _table(rows: Sequence[tuple[str, str]]) -> Html:
    cells = [tag("tr", tag("th", key, scope="row"), tag("td", words)) for key, words in rows]
    return tag("table", join(cells), class_="gear-keys")


_keys = elements.component(
    "keys",
    html='<button type="button" class="open" aria-label="Keys"><kbd>?</kbd><span>Keys</span>'
    '</button><dialog aria-label="Keys"><header><h2>Keys</h2>'
    '<button type="button" class="close">Close</button></header>'
    f"{sheet()}<p>Keys rest while you type.</p></dialog>",
    js="keys.js",
    css="keys.css",
)


def keys_sheet() -> None:
    """The sheet of keys, behind a quiet button in the page's frame and behind `?`."""
    with st.container(key="keys-frame"):
        _keys(key="keys-sheet")
