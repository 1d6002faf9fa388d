"""A cluster for the tests: the one of GEAR_OPENSEARCH_URL, or a node that is started here."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from gear_app.index.opensearch import catalogue
from gear_app.index.opensearch.cluster import URL, Cluster, address_of, connect
from gear_app.index.opensearch.index import OpenSearchIndex
from tests.cluster import nodes
from tests.cluster.worlds import demo, demo_questions, pushed


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that names a cluster makes it the environment's: afterwards it is as before."""
    monkeypatch.setenv(URL, os.environ.get(URL, ""))


@pytest.fixture(scope="session")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[nodes.Node | None]:
    """A node of our own; None where GEAR_OPENSEARCH_URL names a cluster."""
    pytest.importorskip("opensearchpy", reason="the extra opensearch is not installed")
    if os.environ.get(URL):
        yield None
        return
    try:
        started = nodes.alone(tmp_path_factory.mktemp("node"))
    except nodes.Unavailable as error:
        pytest.skip(str(error))
    yield started
    started.kill()


@pytest.fixture(scope="session")
def url(node: nodes.Node | None) -> str:
    """The address of a real OpenSearch."""
    return node.url if node else os.environ[URL]


@pytest.fixture(scope="session")
def cluster(url: str) -> Iterator[Cluster]:
    """A connection to it; what was loaded is dropped at the end."""
    connected = connect(address_of(url))
    before = {one.name for one in catalogue.stored(connected)}
    yield connected
    catalogue.drop(
        connected, [one for one in catalogue.stored(connected) if one.name not in before]
    )


@pytest.fixture(scope="session")
def demo_index(cluster: Cluster) -> OpenSearchIndex:
    """The demo collection there, for all tests that only read it."""
    return pushed(cluster, demo(), "demo", questions=demo_questions())
