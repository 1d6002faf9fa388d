"""One selector chooses the collection of all pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from gear_app.workspace.workspace import Workspace

PAGES = ("compare", "evaluate", "annotate", "explore", "collections", "start")


@pytest.fixture
def two(world: Workspace, tmp_path: Path) -> Workspace:
    """A workspace with the collections demo and minutes."""
    world.imports.do(tmp_path / "pack", "minutes")
    return world


@pytest.mark.parametrize("page", PAGES)
def test_a_page_shows_the_collection_that_was_chosen_on_another(
    two: Workspace, app: AppTest, page: str
) -> None:
    app.switch_page(f"{page}/page.py").run()
    assert app.selectbox(key="collection").value == "demo"
    app.selectbox(key="collection").set_value("minutes").run()
    app.query_params.clear()
    other = next(one for one in PAGES if one != page)
    app.switch_page(f"{other}/page.py").run()
    assert app.selectbox(key="collection").value == "minutes"
