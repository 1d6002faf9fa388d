"""The collection that one page shows is the one that the next page opens."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from gear_app.workspace import Workspace

FIELDS = {
    "compare": "compare-collection",
    "evaluate": "evaluate-collection",
    "annotate": "annotate-collection",
    "explore": "collection",
}


@pytest.mark.parametrize("page", FIELDS)
def test_a_page_opens_the_collection_that_was_looked_at_last(
    world: Workspace, app: AppTest, tmp_path: Path, page: str
) -> None:
    world.import_path(tmp_path / "pack", "minutes")
    app.switch_page(f"{page}/page.py").run()
    field = FIELDS[page]
    assert app.selectbox(key=field).value == "demo"
    app.query_params.clear()
    app.query_params["collection"] = "minutes"
    app.switch_page("collections/page.py").run()
    app.query_params.clear()
    app.switch_page(f"{page}/page.py").run()
    assert app.selectbox(key=field).value == "minutes"
    assert app.session_state["using"] == "minutes"
