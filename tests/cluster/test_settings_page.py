"""Settings → Index at a real cluster: a collection opened, asked, closed and dropped."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from gear_app.app.shared import visitors
from gear_app.index.opensearch import catalogue
from gear_app.index.opensearch.address import URL
from gear_app.workspace.workspace import Workspace
from tests.app.conftest import _components, app, empty, on_tab, sentences, start, work
from tests.cluster.worlds import ONCE, silent
from tests.small import QUESTION
from tests.workspaces import filled

__all__ = ["_components", "app", "empty", "start", "work"]  # fixtures


@pytest.fixture
def pushed_films(tmp_path: Path, url: str) -> Iterator[Workspace]:
    """The small collection as `films`, in the cluster while the test runs."""
    folder = tmp_path / "made"
    folder.mkdir()
    made = filled(folder)
    made.clusters.push("films", None, url, ONCE, silent)
    yield made
    cluster = made.corpora.remote.cluster(url)
    there = [one for one in catalogue.stored(cluster) if one.facts.collection == "films"]
    catalogue.drop(cluster, there)


@pytest.fixture
def page(
    pushed_films: Workspace,
    empty: Workspace,
    app: AppTest,
    url: str,
    monkeypatch: pytest.MonkeyPatch,
) -> AppTest:
    """The section, in a workspace that has nothing, with the cluster in the environment."""
    monkeypatch.setenv(URL, url)
    monkeypatch.setattr(visitors, "is_home", lambda: True)
    page = on_tab(app.run().switch_page("settings/page.py"), "Index", "section")
    assert not page.exception
    return page


def press(page: AppTest, label: str) -> str:
    """Press the button with this label; films is the only row, which is chosen."""
    (button,) = [one for one in page.button if one.label == label]
    button.click().run()
    return words(page)


def words(page: AppTest) -> str:
    """All that the page says."""
    return " ".join([sentences(page), *(one.value for one in (*page.markdown, *page.caption))])


def index_of_films(page: AppTest) -> dict[str, str]:
    """The row of the table of indices."""
    (row,) = page.dataframe[0].value.to_dict("records")
    assert row["collection"] == "films"
    return row


def test_a_clusters_collection_is_opened_asked_closed_and_dropped(
    page: AppTest, empty: Workspace, url: str
) -> None:
    shown = words(page)
    assert f"answers at {url}" in shown
    assert index_of_films(page)["passages"] == "8"
    assert "“films” is open here, on every page." in press(page, "Open")
    assert empty.collections.get("films").cluster == url
    run = empty.ask(QUESTION, "films", "gear").run
    assert "“films” was closed here." in press(page, "Close")
    assert empty.collections.all() == [] and empty.runs.get(run).state == "done"
    assert index_of_films(page)["index"].startswith("not open here")
    assert "“films” was deleted from the cluster." in press(page, "Delete it")
    assert "films" not in [one.facts.collection for one in empty.clusters.status(url)]
