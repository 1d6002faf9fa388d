"""A run of a collection in a cluster that cannot be asked: Explore says why, in one message."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator

import pytest
from streamlit.testing.v1 import AppTest

from gear_app.core.errors import ClusterFailed
from gear_app.index.opensearch import cluster
from gear_app.workspace.runs.request import RunRequest
from gear_app.workspace.workspace import Workspace
from tests import factories
from tests.app.conftest import sentences, visit

pytest.importorskip("opensearchpy", reason="the extra opensearch is not installed")


@pytest.fixture
def mute(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a server that takes connections and says nothing."""
    monkeypatch.setattr(cluster, "CONNECT_S", 1)
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def placed(workspace: Workspace, address: str) -> None:
    """A collection `films` that is there."""
    row, index = workspace.store.collections.create("films"), "gear-films.curated-1.2"
    place = {"index_name": index, "revision": 1, "passages_revision": 1, "passages_there": 8}
    workspace.store.collections.change(row.id, cluster=address, **place)
    columns = {"index_name": index, "triples_there": 14, "revision": 1}
    workspace.store.collections.ensure_set(row.id, "curated", "", **columns)


def test_a_run_of_a_cluster_that_hangs_says_so(
    empty: Workspace, app: AppTest, mute: str, work: Callable[[], None]
) -> None:
    placed(empty, mute)
    run = empty.runs.enqueue(RunRequest(factories.QUESTION, "films", "gear"))
    work()
    visit(app, run=run)
    said = sentences(app)
    assert f"The run failed: {mute} did not answer in time." in said


def test_a_finished_run_is_shown_whole_and_asks_a_lost_cluster_once(
    world: Workspace, app: AppTest, mute: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = world.ask(factories.QUESTION, "demo", "naive_ge").run
    asked = []

    def lost(collection: object, id_: object) -> None:
        asked.append(id_)
        raise ClusterFailed(f"{mute} did not answer in time.")

    # As if the collection had been in a cluster: nothing of it is here.
    monkeypatch.setattr(type(world.collections), "passage", lost)
    visit(app, run=run, step="0")
    assert sentences(app).count(f"{mute} did not answer in time.") == 1
    assert asked == [1], "a server that hangs is waited for once"
