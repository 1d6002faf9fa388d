"""One selector chooses the collection of all pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from gear_app.workspace.workspace import Workspace
from tests.app.conftest import sentences

PAGES = ("compare", "evaluate", "annotate", "explore", "collections", "start")


@pytest.fixture
def two(world: Workspace, tmp_path: Path) -> Workspace:
    """A workspace with the collections demo and minutes."""
    world.import_path(tmp_path / "pack", "minutes")
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


@pytest.mark.parametrize("page", PAGES)
def test_nothing_is_drawn_for_a_collection_that_is_gone(
    two: Workspace, app: AppTest, page: str
) -> None:
    app.switch_page(f"{page}/page.py").run()
    app.selectbox(key="collection").set_value("minutes").run()
    two.collections.rename("minutes", "protocols")
    app.run()
    assert app.selectbox(key="collection").value is None
    assert "“minutes” was renamed or deleted elsewhere" in sentences(app)
    assert not [field for field in app.text_input if field.key == "question"]
    app.selectbox(key="collection").set_value("protocols").run()
    assert "renamed or deleted" not in sentences(app)


def test_an_address_with_an_unknown_collection_says_so(two: Workspace, start: AppTest) -> None:
    start.query_params["collection"] = "minuets"
    start.run()
    assert "“minuets” was renamed" in sentences(start)
    assert start.selectbox(key="collection").value is None
