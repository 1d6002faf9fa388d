"""Three nodes, one of which is killed as a crash does it."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from gear_app.core.errors import ClusterFailed, NotReady
from gear_app.core.rows import Search
from gear_app.index.opensearch import catalogue
from gear_app.index.opensearch.catalogue import StorageOptions
from gear_app.index.opensearch.cluster import URL, Cluster, address_of, connect
from gear_app.index.opensearch.index import OpenSearchIndex
from tests.cluster import nodes
from tests.cluster.worlds import EMBEDDER, demo, demo_questions, pushed

SEARCHES = [
    Search(question.question, 10, by)
    for question in demo_questions()[:4]
    for by in ("bm25", "dense")
]


@pytest.fixture
def three(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[nodes.Node]]:
    """Three nodes that have found each other."""
    pytest.importorskip("opensearchpy", reason="the extra opensearch is not installed")
    if os.environ.get(URL):
        pytest.skip("nodes of a cluster that is not ours are not killed")
    try:
        started = nodes.together(tmp_path_factory.mktemp("three"), 3)
    except nodes.Unavailable as error:
        pytest.skip(str(error))
    try:
        yield started
    finally:
        for node in started:
            node.kill()


def wait_until_copied(cluster: Cluster) -> None:
    options = {"wait_for_status": "green", "timeout": "60s", "request_timeout": 90}
    cluster.call(lambda client: client.cluster.health(params=options))


def test_a_lost_node_shortens_no_ranking(three: list[nodes.Node]) -> None:
    cluster = connect(address_of(",".join(node.url for node in three), {}))
    copied = pushed(cluster, demo(), "copied", StorageOptions(shards=3, replicas=1))
    single = pushed(cluster, demo(), "single", StorageOptions(shards=3))
    wait_until_copied(cluster)
    before = copied.search(SEARCHES).rankings
    assert single.search(SEARCHES).rankings == before
    three[2].kill()
    again = connect(address_of(",".join(node.url for node in three), {}))
    three[0].wait("wait_for_nodes=2")
    assert (
        OpenSearchIndex(again, copied.name, copied.facts, EMBEDDER).search(SEARCHES).rankings
        == before
    )
    with pytest.raises(ClusterFailed, match="could not answer in full from gear-single"):
        OpenSearchIndex(again, single.name, single.facts, EMBEDDER).search(SEARCHES)
    with pytest.raises(NotReady, match="has lost shards: the cluster's health is red"):
        catalogue.open_index(again, single.name, EMBEDDER)
