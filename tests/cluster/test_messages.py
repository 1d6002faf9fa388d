"""What can be wrong with a cluster, and the one message that says so: where it is connected to, on
the command line, and as the error of a run, which Explore shows (tests/app/test_cluster.py).
"""

from __future__ import annotations

import json
import shutil
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gear_app.cli import main
from gear_app.embedders.local import HashingEmbedder
from gear_app.errors import ClusterFailed, NotReady
from gear_app.opensearch import catalogue, faults, load
from gear_app.opensearch import cluster as cluster_module
from gear_app.opensearch.address import CA, PASSWORD, URL, USER, address_of
from gear_app.opensearch.cluster import Cluster, connect, version_of
from gear_app.opensearch.index import OpenSearchIndex
from gear_app.opensearch.load import StorageOptions
from gear_app.rows import Search
from gear_app.runs.request import RunRequest
from gear_app.store.collections import Placed
from gear_app.workspace import Workspace
from tests.cluster import nodes, tls
from tests.cluster.worlds import EMBEDDER, demo, pushed, silent
from tests.small import QUESTION
from tests.waiting import finish

Wrong = AbstractContextManager[tuple[str, dict[str, str]]]  # an address, and the environment


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    return tls.certificate(tmp_path_factory.mktemp("tls"))


@contextmanager
def secured(
    url: str, pair: tuple[Path, Path], **other: str
) -> Iterator[tuple[str, dict[str, str]]]:
    """Behind TLS and a password, all of it right but for the other values."""
    with tls.protected(url, *pair) as secure:
        right = {URL: secure, USER: tls.USER, PASSWORD: tls.PASSWORD, CA: str(pair[0])}
        yield secure, {**right, **other}


@contextmanager
def certified(
    url: str, folder: Path, names: str, *, expired: bool = False
) -> Iterator[tuple[str, dict[str, str]]]:
    """Behind TLS, its certificate trusted and for nothing else right."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    with secured(url, tls.certificate(folder, names, expired=expired)) as there:
        yield there


@contextmanager
def answering(url: str, change: tls.Change) -> Iterator[tuple[str, dict[str, str]]]:
    """With answers that are changed on the way."""
    with tls.changed(url, change) as address:
        yield address, {}


def older(path: str, body: bytes) -> bytes:
    """As it would answer if it were a version before."""
    return body.replace(b'"2.19.', b'"2.18.')


def odd(path: str, body: bytes) -> bytes:
    """A list of indices whose rows are something else."""
    return b'["gear", {"index": 1}]' if path.startswith("/_cat") else body


def page(path: str, body: bytes) -> bytes:
    """A server of web pages, as far as what it answers goes."""
    return b"<p>hello</p>"


@contextmanager
def plain(url: str) -> Iterator[tuple[str, dict[str, str]]]:
    """A node without TLS, by an https address."""
    yield url.replace("http:", "https:"), {}


@contextmanager
def encrypted(url: str, pair: tuple[Path, Path]) -> Iterator[tuple[str, dict[str, str]]]:
    """A node with TLS, by an http address."""
    with tls.protected(url, *pair) as secure:
        yield secure.replace("https", "http"), {}


@contextmanager
def bare(url: str) -> Iterator[tuple[str, dict[str, str]]]:
    """A node without k-NN: it answers as to any other plugin that it has not."""
    with tls.changed(
        url,
        lambda path, body: body.replace(b"_other", b"_knn"),
        lambda path: path.replace("_knn", "_other"),
    ) as address:
        yield address, {}


@contextmanager
def nobody() -> Iterator[tuple[str, dict[str, str]]]:
    """A port at which nothing listens."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{closed.getsockname()[1]}", {}


@contextmanager
def mute() -> Iterator[tuple[str, dict[str, str]]]:
    """A server that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}", {}


BEHIND_TLS = ("url", "certificate")
SITUATIONS: dict[str, tuple[Callable[..., Wrong], tuple[str, ...], str]] = {
    "wrong password": (
        partial(secured, **{PASSWORD: "wrong"}),
        BEHIND_TLS,
        "does not accept the password",
    ),
    "no password": (
        partial(secured, **{USER: "", PASSWORD: ""}),
        BEHIND_TLS,
        "does not accept the password",
    ),
    "no CA": (partial(secured, **{CA: ""}), BEHIND_TLS, f"is not trusted. Set {CA}"),
    "certificate of another name": (
        partial(certified, names="DNS:other.example"),
        ("url", "tmp_path"),
        "is of another name. Use the name that it was made for",
    ),
    "certificate that has expired": (
        partial(certified, names="DNS:localhost", expired=True),
        ("url", "tmp_path"),
        "has expired or is not valid yet. Renew it on the nodes",
    ),
    "plain server": (plain, ("url",), "does not speak TLS"),
    "server with TLS": (encrypted, BEHIND_TLS, "use an https:// address"),
    "old version": (
        partial(answering, change=older),
        ("url",),
        "is OpenSearch 2.18.1. At least 2.19 is needed",
    ),
    "no plugin": (bare, ("url",), "has no k-NN plugin"),
    "nothing": (nobody, (), "cannot be reached"),
    "hangs": (mute, (), "did not answer in time"),
    "a web page": (partial(answering, change=page), ("url",), "that is not OpenSearch"),
    "odd answers": (partial(answering, change=odd), ("url",), "that is not OpenSearch"),
}
RUN_AS_WELL = ("no plugin", "nothing")  # one of each kind of error, which a run fails with, too


@pytest.mark.parametrize("name", SITUATIONS)
def test_every_mistake_has_one_message(
    name: str,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    make, needs, message = SITUATIONS[name]
    if name == "hangs":  # the others answer, however late
        monkeypatch.setattr(cluster_module, "CONNECT_S", 1)
    with make(*map(request.getfixturevalue, needs)) as (address, environment):
        for variable in (URL, USER, PASSWORD, CA):
            monkeypatch.setenv(variable, environment.get(variable, ""))
        file = tmp_path / "w.db"
        assert main(["collections", "--index", address, "--workspace", str(file)]) in (1, 2)
        said = capsys.readouterr()
        assert message in said.err and address.split("//")[1] in said.err and not said.out
        assert len(said.err.strip().splitlines()) == 1 and tls.PASSWORD not in said.err
        if name in RUN_AS_WELL:
            assert failed_run(file, address) == said.err.removeprefix("gear-app: ").strip()


def test_serve_opens_without_a_cluster_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As far as to the port, which another program has."""
    with nobody() as (address, _), socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        command = ["serve", "--index", address, "--port", port, "--no-browser"]
        assert main([*command, "--workspace", str(tmp_path / "w.db")]) == 2
        said = capsys.readouterr().err
        assert f"{address} cannot be reached" in said and "Opening without its collections" in said
        assert f"uses port {port}" in said


def failed_run(file: Path, address: str) -> str:
    """Why a run fails that asks a collection there."""
    workspace = Workspace(file, embedder=HashingEmbedder())
    workspace.store.collections.place(
        "films", Placed(address, "gear-films.none-1.2", 1, 8, "curated", 14, "", None)
    )
    run = workspace.runs.enqueue(RunRequest(QUESTION, "films", "bm25"))
    turns = workspace.scheduler()
    finish(turns)
    info = workspace.runs.get(run)
    assert info.state == "failed"
    return info.message


def test_with_everything_right_it_answers_and_shows_no_secret(
    url: str, certificate: tuple[Path, Path]
) -> None:
    with secured(url, certificate) as (address, environment):
        there = connect(address_of(address, environment))
        assert catalogue.stored(there) is not None
        shown = repr(there.address) + str(there.address)
        assert tls.PASSWORD not in shown and tls.USER not in shown


def test_versions_that_score_otherwise_are_refused() -> None:
    address = address_of("http://localhost", {})

    def info(number: str, distribution: str | None = "opensearch") -> dict[str, Any]:
        return {"version": {"number": number, "distribution": distribution}}

    assert version_of(info("2.19.1"), address) == "2.19.1"
    for number in ("2.18.0", "1.3.20", "3.0.0"):
        with pytest.raises(NotReady, match=f"is OpenSearch {number}. At least 2.19 is needed"):
            version_of(info(number), address)
    with pytest.raises(NotReady, match=r"is Elasticsearch 8\.1\.0"):
        version_of(info("8.1.0", None), address)
    with pytest.raises(ClusterFailed, match="not OpenSearch"):
        version_of({"hello": 1}, address)


ODD: dict[str, bytes] = {
    "/_msearch": b'{"responses": []}',
    "/_mget": b'{"docs": [{"_id": "p1"}]}',
    "/_search": b'{"hits": []}',
    "/_cat/shards": b'[{"shard": "0"}]',
}


@pytest.mark.parametrize("path", ODD)
def test_an_answer_of_another_shape_is_an_error(
    path: str, url: str, demo_index: OpenSearchIndex
) -> None:
    def change(asked: str, body: bytes) -> bytes:
        return ODD[path] if path in asked else body

    with tls.changed(url, change) as address:
        there = connect(address_of(address))
        index = OpenSearchIndex(there, demo_index.name, demo_index.facts, EMBEDDER)
        asks: dict[str, Callable[[], object]] = {
            "/_msearch": lambda: index.search([Search("bridge", 3, "dense")]),
            "/_mget": lambda: index.names([1]),
        }
        with pytest.raises(ClusterFailed, match="that is not OpenSearch"):
            asks.get(path, lambda: load.verify(there, index.name, index.facts))()


# A node that is busy, or hangs


@pytest.fixture
def own(node: nodes.Node | None) -> nodes.Node:
    """A node that may be made to suffer."""
    if node is None:
        pytest.skip("a cluster that is not ours is not disturbed")
    return node


def limit(cluster: Cluster, breaker: str, size: str | None) -> None:
    """How much memory requests may take, by one of the node's breakers."""
    cluster.client.cluster.put_settings(body={"transient": {breaker: size}})


BREAKERS = {  # a request that is too large as a whole; a search of several that is
    "network.breaker.inflight_requests.limit": "600b",
    "indices.breaker.request.limit": "1kb",
}


@pytest.mark.parametrize("breaker", BREAKERS)
def test_data_that_are_too_large_are_asked_for_again_a_few_times(
    breaker: str,
    own: nodes.Node,
    cluster: Cluster,
    demo_index: OpenSearchIndex,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    index, first = demo_index.counted(), 20 * list(BREAKERS).index(breaker)
    query = EMBEDDER.embed(["bridge"])[0]

    def ask(place: int) -> None:
        """Of other triples every time: the node remembers what it counted."""
        some = demo().every_triple[first + place : first + place + 4]
        ids, names = [triple.id for triple in some], [triple.object for triple in some]
        near, here = (one.nearest(ids, query, 5) for one in (index, demo()))
        assert [one.ids for one in near] == [one.ids for one in here]
        assert index.joins(names, 0.9) == demo().joins(names, 0.9)

    pauses: list[float] = []
    freed = False

    def pause(seconds: float) -> None:
        """Wait no time, in which there may be room again."""
        pauses.append(seconds)
        if freed:
            limit(cluster, breaker, None)

    # Not time.sleep itself: other threads of this process sleep as well.
    clock = SimpleNamespace(**vars(time) | {"sleep": pause})
    monkeypatch.setattr(cluster_module, "time", clock)
    try:
        limit(cluster, breaker, BREAKERS[breaker])
        freed = True
        ask(10)
        assert pauses == [faults.PAUSES_S[0]]
        limit(cluster, breaker, BREAKERS[breaker])
        freed = False
        pauses.clear()
        with pytest.raises(ClusterFailed, match="has too little memory for this, also after 4"):
            ask(20)
        assert tuple(pauses) == faults.PAUSES_S
    finally:
        limit(cluster, breaker, None)


def test_a_node_that_hangs_is_told_apart_and_answers_again(
    own: nodes.Node, demo_index: OpenSearchIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = demo_index
    there = index.names([1])
    monkeypatch.setattr(cluster_module, "ANSWER_S", 1)
    impatient = connect(address_of(own.url, {}))
    own.pause()
    try:
        with pytest.raises(ClusterFailed, match="did not answer in time"):
            OpenSearchIndex(impatient, index.name, index.facts, EMBEDDER).names([1])
    finally:
        own.resume()
    assert index.names([1]) == there


def test_copies_for_which_there_is_no_node_are_refused_before_a_load(
    own: nodes.Node, cluster: Cluster
) -> None:
    with pytest.raises(
        ClusterFailed, match=r"has 1 node for data.* Use --replicas 0, or add nodes"
    ):
        pushed(cluster, demo(), "twice", storage=StorageOptions(replicas=1))
    assert "twice" not in {one.facts.collection for one in catalogue.stored(cluster)}


def test_copies_that_are_not_made_in_time_are_said_to_be_missing(
    own: nodes.Node,
    cluster: Cluster,
    demo_index: OpenSearchIndex,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As where a node is lost, or has no room on its disk, while a collection is loaded."""
    monkeypatch.setattr(load, "COPIED_S", 1)

    def finish(replicas: int) -> None:
        load.finish(cluster, demo_index.facts, silent, loaded=True, replicas=replicas)

    with pytest.raises(ClusterFailed, match="still has 1 copy of shards that no node has made"):
        finish(1)
    finish(0)


LOST = {  # as a cluster of three said it
    "root_cause": [{"type": "node_disconnected_exception", "reason": "[n2] disconnected"}],
    "type": "search_phase_execution_exception",
    "reason": "all shards failed",
}


@pytest.mark.parametrize("times", [1, 2])
def test_the_search_that_a_node_lost_is_sent_once_more_alone(
    times: int, url: str, demo_index: OpenSearchIndex
) -> None:
    asked: list[int] = []

    def change(path: str, body: bytes) -> bytes:
        """The last search was lost, so many times."""
        if not path.endswith("/_msearch"):
            return body
        answer = json.loads(body)
        asked.append(len(answer["responses"]))
        if len(asked) <= times:
            answer["responses"][-1] = {"error": LOST, "status": 500}
        return json.dumps(answer).encode()

    searches = [Search("bridge", 3, "dense"), Search("bridge", 3, "dense", "triples")]
    with tls.changed(url, change) as address:
        there = connect(address_of(address))
        index = OpenSearchIndex(there, demo_index.name, demo_index.facts, EMBEDDER)
        if times == 1:
            assert list(index.search(searches).rankings) == demo().search(searches).rankings
        else:
            with pytest.raises(ClusterFailed, match=r"could not answer in full .* disconnected"):
                index.search(searches)
    assert asked == [2, 1]


def test_a_node_that_was_lost_is_asked_once_more_and_one_without_room_a_few_times() -> None:
    full = {"type": "x", "failed_shards": [{"reason": {"type": "rejected_execution_exception"}}]}
    other = {"type": "parsing_exception", "reason": "unknown query [x]"}
    retries = faults.Retries()
    assert [retries.pause([LOST]) for _ in range(2)] == [0.0, None]
    retries = faults.Retries()
    assert [retries.pause([full, LOST]) for _ in range(5)] == [*faults.PAUSES_S, None]
    assert faults.Retries().pause([LOST, other]) is None
    assert faults.reason(LOST) == "[n2] disconnected"
    assert faults.no_room(faults.of_answer(429, "Too Many Requests"))
    blocked = {"error": {"type": "cluster_block_exception", "reason": "disk usage exceeded"}}
    assert not faults.no_room(faults.of_answer(429, blocked))
