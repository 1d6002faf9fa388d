"""The application's entry: page configuration and navigation. `gear-app serve` runs this file from any folder."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from gear_app.ui import session
from gear_app.views import palette

HERE = Path(__file__).parent


def main() -> None:
    """Set the page up, draw the navigation, and run the page that was chosen."""
    st.set_page_config(page_title="GEAR Explorer", page_icon=str(HERE / "static" / "icon.png"), layout="wide")
    st.html(f"<style>{palette.css_variables(session.colours())}</style>")
    st.html(HERE / "style.css")
    pages = [
        st.Page(HERE / "pages" / "explore.py", title="Explore", default=True),
        st.Page(HERE / "pages" / "collections.py", title="Collections", url_path="collections"),
    ]
    st.navigation(pages, position="top").run()


if __name__ == "__main__":
    main()
