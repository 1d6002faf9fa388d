"""What every visit begins with: the page's title and colours, the navigation, the chosen page."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from gear_app.errors import GearError
from gear_app.ui.shared import elements, keys, language_models, session
from gear_app.views import palette

HERE = Path(__file__).parent


def main() -> None:
    """Set the page up, draw the navigation, and run the page that was chosen."""
    st.set_page_config(
        page_title="GEAR Explorer", page_icon=str(HERE / "static" / "icon.png"), layout="wide"
    )
    st.html(f"<style>{palette.css_variables(session.colours())}</style>")
    pages = [
        st.Page(session.START, title="Start", default=True),
        st.Page(session.EXPLORE, title="Explore", url_path="explore"),
        st.Page(session.COMPARE, title="Compare", url_path="compare"),
        st.Page(session.LEARN, title="Learn", url_path="learn"),
        st.Page(session.CLASS, title="Class", url_path="class"),
        st.Page(session.EVALUATE, title="Evaluate", url_path="evaluate"),
        st.Page(session.ANNOTATE, title="Annotate", url_path="annotate"),
        st.Page(session.COLLECTIONS, title="Collections", url_path="collections"),
        st.Page(session.SETTINGS, title="Settings", url_path="settings"),
    ]
    chosen = st.navigation(pages, position="top")
    keys.keys_sheet()
    language_models.recall()
    try:
        chosen.run()
    except GearError as error:
        # A locked or damaged workspace, a full disk: one sentence, not a traceback.
        elements.message(str(error), "bad")


if __name__ == "__main__":
    main()
