"""What every visit begins with: the page's title and colours, the navigation, the chosen page."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from gear_app import demonstration
from gear_app.errors import GearError
from gear_app.ui.shared import elements, keys, language_models, session
from gear_app.views import palette

HERE = Path(__file__).parent
TITLES = {
    session.START: "Start",
    session.EXPLORE: "Explore",
    session.COMPARE: "Compare",
    session.LEARN: "Learn",
    session.CLASS: "Class",
    session.EVALUATE: "Evaluate",
    session.ANNOTATE: "Annotate",
    session.COLLECTIONS: "Collections",
    session.SETTINGS: "Settings",
}
CLOSED = (session.CLASS, session.ANNOTATE, session.SETTINGS)  # in a demonstration


def main() -> None:
    """Set the page up, draw the navigation, and run the page that was chosen."""
    st.set_page_config(
        page_title="GEAR Explorer", page_icon=str(HERE / "static" / "icon.png"), layout="wide"
    )
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
    keys.keys_sheet()
    language_models.recall()
    if demo and chosen in [pages[path] for path in CLOSED]:
        elements.message(demonstration.WAY_OUT)
        return
    try:
        chosen.run()
    except GearError as error:
        # A locked or damaged workspace, a full disk: one sentence, not a traceback.
        elements.message(str(error), "bad")


if __name__ == "__main__":
    main()
