"""What every visit begins with: the page's title and colours, the navigation, the chosen page."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from gear_app.app.shared import collection, elements, session
from gear_app.core import demonstration
from gear_app.core.errors import GearError
from gear_app.display import palette

FOLDER = Path(__file__).parent
TITLES = {
    session.START: "Start",
    session.EXPLORE: "Explore",
    session.COMPARE: "Compare",
    session.LEARN: "Learn",
    session.EVALUATE: "Evaluate",
    session.ANNOTATE: "Annotate",
    session.COLLECTIONS: "Collections",
    session.SETTINGS: "Settings",
}
CLOSED = (session.ANNOTATE, session.SETTINGS)  # in a demonstration
KEYS = (
    ("Every page", "K", "these keys"),
    ("Explore", "← →", "the step before, the next one"),
    ("Explore", "P", "present: one step fills the screen"),
    ("Explore", "Tab, Enter", "go to a name, a term or a card; keep it lit, or select it"),
    ("Explore", "← → ↑ ↓, Home, End", "on a card: the cards beside it, and its column’s ends"),
    ("Explore", "Esc", "let go of what is lit; leave the question"),
    ("While presenting", "← →, Page Up, Page Down", "the step before, the next one"),
    ("While presenting", "R or space", "uncover the next card"),
    ("While presenting", "A", "uncover all cards of the step"),
    ("While presenting", "1 to 8", "a stage of this iteration"),
    ("While presenting", "P or Esc", "leave"),
    ("Compare", "← →", "the same passage under the next method"),
    ("Compare", "↑ ↓, Home, End", "up and down a method’s ranking"),
    ("Compare", "Enter", "select the passage"),
    ("Learn", "← →", "the page before, the next one"),
    ("Evaluate", "↑ ↓", "within a column of a table"),
    ("Annotate", "N, Esc", "write the note; leave it"),
    ("Annotate", "1 to 9", "the category with that number"),
    ("Annotate", "P, F, D", "pass, fail, defer"),
    ("Annotate", "Ctrl Enter", "complete the run and go to the next; decide"),
    ("Annotate", "← →, Z, O", "the run before, the next one; undo; open in Explore"),
)


def main() -> None:
    """Set the page up, draw the navigation, and run the page that was chosen."""
    st.set_page_config(
        page_title="GEAR Explorer", page_icon=str(FOLDER / "static" / "icon.png"), layout="wide"
    )
    st.html(FOLDER / "style.css")
    st.html(f"<style>{palette.css_variables(session.colours())}</style>")
    demo = demonstration.is_on()
    pages = {
        path: st.Page(
            path,
            title=title,
            url_path=None if path == session.START else title.lower(),
            default=path == session.START,
            visibility="hidden" if demo and path in CLOSED else "visible",
        )
        for path, title in TITLES.items()
    }
    chosen = st.navigation(list(pages.values()), position="top")
    if st.button("Keys", key="keys", type="tertiary", shortcut="K"):
        _list_keys()
    if demo and chosen in [pages[path] for path in CLOSED]:
        elements.message(demonstration.WAY_OUT)
        return
    try:
        workspace = session.workspace()
        path = next(path for path, page in pages.items() if page == chosen)
        if collection.selector(workspace) or path == session.LEARN:
            chosen.run()
        else:
            elements.message(
                f"The collection “{st.session_state[collection.MISSING]}” was renamed or deleted"
                " elsewhere, or is not here. Choose another one.",
                "bad",
            )
        st.session_state.pop(collection.NEXT, None)  # only now: a double click ends a run early
    except GearError as error:
        # A locked or damaged workspace, a full disk: one sentence, not a traceback.
        elements.message(str(error), "bad")


@st.dialog("Keys", width="medium")
def _list_keys() -> None:
    """The keys of every page, in a dialog."""
    table = [{"Page": page, "Key": key, "What it does": effect} for page, key, effect in KEYS]
    st.table(table, border="horizontal", hide_index=True)
    st.caption("Keys rest while you type.")


if __name__ == "__main__":
    main()
