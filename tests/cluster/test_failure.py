"""Three nodes, one of which is killed as a crash does it: rankings are whole or there is an error;
and a load that is killed at random ends complete.

`make failures` kills more often than `make test`, by GEAR_FAILURES=all.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import pytest

from gear_app.cli import main
from gear_app.errors import ClusterFailed, NotReady
from gear_app.events import Event
from gear_app.opensearch import catalogue, load, queries
from gear_app.opensearch import cluster as cluster_module
from gear_app.opensearch.address import URL, address_of
from gear_app.opensearch.cluster import Cluster, connect, unread
from gear_app.opensearch.index import OpenSearchIndex, everything
from gear_app.opensearch.load import StorageOptions
from gear_app.reader.readers import LocalReader
from gear_app.rows import Search
from gear_app.types import Ranking
from gear_app.workspace import Workspace
from tests.cluster import nodes
from tests.cluster.test_contract import QUESTIONS, trace, trace_here
from tests.cluster.worlds import EMBEDDER, contents, demo, demo_questions, pushed, silent

RUNS, KILLS = (50, 20) if os.environ.get("GEAR_FAILURES") == "all" else (8, 2)
AT_A_TIME = 4
Answer = tuple[Ranking, list[Event]] | ClusterFailed


class ThreeNodes(NamedTuple):
    """Three nodes, and the demo in them in three shards: with two copies of each, and with one."""

    nodes: Sequence[nodes.Node]
    cluster: Cluster
    copied: OpenSearchIndex
    single: OpenSearchIndex


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ThreeNodes]:
    """All of them whole."""
    pytest.importorskip("opensearchpy", reason="the extra opensearch is not installed")
    if os.environ.get(URL):
        pytest.skip("nodes of a cluster that is not ours are not killed")
    try:
        made = nodes.together(tmp_path_factory.mktemp("three"), 3)
    except nodes.Unavailable as error:
        pytest.skip(str(error))
    try:
        there = connect(address_of(",".join(node.url for node in made), {}))
        asked = demo_questions()
        yield ThreeNodes(
            made,
            there,
            pushed(there, demo(), "copied", asked, StorageOptions(shards=3, replicas=1)),
            pushed(there, demo(), "single", asked, StorageOptions(shards=3)),
        )
    finally:
        for node in made:
            node.kill()


def test_a_copy_on_its_way_to_another_node_is_counted_where_it_is(
    three: ThreeNodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, name = three.cluster.client, three.single.name
    (row,) = [one for one in shards(three) if one["shard"] == "0"]
    elsewhere = next(one["id"] for one in shards(three) if one["id"] != row["id"])
    move = {"index": name, "shard": 0, "from_node": row["id"], "to_node": elsewhere}
    slow = "indices.recovery.max_bytes_per_sec"
    client.cluster.put_settings(body={"transient": {slow: "60kb"}})
    try:
        client.cluster.reroute(body={"commands": [{"move": move}]})
        monkeypatch.setattr(load, "MOVED_S", 1)
        checks = load.verify(three.cluster, name, three.single.facts)
        assert "RELOCATING" in [one["state"] for one in shards(three)]
        assert [check.missing for check in checks] == [""] * 3
    finally:
        client.cluster.put_settings(body={"transient": {slow: None}})
    monkeypatch.undo()
    checks = load.verify(three.cluster, name, three.single.facts)
    assert [check.missing for check in checks] == [""] * 3
    assert [one["state"] for one in shards(three)] == ["STARTED"] * 3, "it was waited for"


def shards(three: ThreeNodes) -> list[dict[str, str]]:
    """The copies of shards of the index with one of each."""
    options = {"format": "json", "h": "shard,id,state"}
    return list(three.cluster.client.cat.shards(index=three.single.name, params=options))


def test_a_node_that_hangs_is_asked_once_and_then_left_alone(
    three: ThreeNodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever node is asked first: a connection begins with any of them."""
    monkeypatch.setattr(cluster_module, "CONNECT_S", 2)
    monkeypatch.setattr(cluster_module, "ANSWER_S", 2)
    address, failed = three.cluster.address, 0
    patient = connect(address)
    three.nodes[2].pause()
    try:
        for _ in range(3):
            assert connect(address).version == three.cluster.version
        for _ in range(6):
            try:
                patient.call(lambda client: client.info(), unread)
            except ClusterFailed as error:
                assert "did not answer in time" in str(error)
                failed += 1
        assert failed == 1
    finally:
        three.nodes[2].resume()
    three.nodes[2].wait("wait_for_nodes=3&wait_for_status=green")


class CrashRuns(NamedTuple):
    """What GEAR runs gave that were under way while a node died, by question."""

    copied: list[tuple[str, Answer]]
    single: list[tuple[str, Answer]]


def gear(index: OpenSearchIndex, question: str) -> Answer:
    """A run's ranking and trace, or its error."""
    try:
        return trace("gear", index.counted(), question, LocalReader(EMBEDDER))
    except ClusterFailed as error:
        return error


@pytest.fixture(scope="module")
def killed(three: ThreeNodes) -> CrashRuns:
    """The third node hangs and is then killed while runs are under way in both indexes."""
    asked = [QUESTIONS[number % len(QUESTIONS)] for number in range(RUNS)]
    for question in asked:
        trace_here("gear", question, LocalReader)  # now, so that the node dies early in the runs
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        both = [
            (
                question,
                pool.submit(gear, three.copied, question),
                pool.submit(gear, three.single, question),
            )
            for question in asked
        ]
        for _, *first in both[:2]:
            for run in first:
                assert not isinstance(run.result(), ClusterFailed)
        three.nodes[2].pause()  # so that requests are waiting for it
        time.sleep(0.3)
        three.nodes[2].kill()
        return CrashRuns(
            [(question, copied.result()) for question, copied, _ in both],
            [(question, single.result()) for question, _, single in both],
        )


def test_with_two_copies_a_node_dies_in_the_middle_of_runs_and_all_end_right(
    three: ThreeNodes, killed: CrashRuns
) -> None:
    failed = 0
    for question, answer in killed.copied:
        if isinstance(answer, ClusterFailed):
            failed += 1
            assert "run this again" in str(answer)
            answer = gear(three.copied, question)
        assert answer == trace_here("gear", question, LocalReader)
    assert failed < RUNS / 2


def test_with_one_copy_runs_fail_and_no_ranking_is_shortened(
    three: ThreeNodes, killed: CrashRuns
) -> None:
    failed = [one for _, one in killed.single if isinstance(one, ClusterFailed)]
    assert len(failed) >= RUNS / 3
    for question, answer in killed.single:
        if not isinstance(answer, ClusterFailed):
            assert answer == trace_here("gear", question, LocalReader)
    assert {type(gear(three.single, question)) for question in QUESTIONS[:3]} == {ClusterFailed}
    said = "could not answer in full from gear-single"
    with pytest.raises(ClusterFailed, match=said):
        three.single.rows([passage.id for passage in demo().every_passage], ())
    with pytest.raises(ClusterFailed, match=said):
        everything(three.cluster, three.single.name, queries.every("triples"), at_once=50)


def test_what_lost_shards_is_said_to_have_lost_them(
    three: ThreeNodes,
    killed: CrashRuns,
    tmp_path: Any,
    capsys: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    health = {one.name: one.health for one in catalogue.stored(three.cluster)}
    assert health[three.single.name] == "red"
    assert health[three.copied.name] != "red"  # after a minute others have made the lost copies
    assert catalogue.open_index(three.cluster, three.copied.name, EMBEDDER).rows([1], ())
    with pytest.raises(NotReady, match="has lost shards: the cluster's health is red"):
        catalogue.open_index(three.cluster, three.single.name, EMBEDDER)
    checks = load.verify(three.cluster, three.single.name, three.single.facts)
    assert "unassigned" in [check.missing for check in checks]
    monkeypatch.setenv(URL, "")  # which the command sets
    workspace, address = Workspace(tmp_path / "w.db", embedder=EMBEDDER), str(three.cluster.address)
    assert workspace.clusters.adopt(address) == ["copied"], "one that is red is in no other's way"
    command = ["query", QUESTIONS[0], "--collection", "single", "--workspace", f"{tmp_path}/w.db"]
    assert main([*command, "--index", address]) == 1
    assert "has lost shards: the cluster's health is red" in capsys.readouterr().err


@pytest.fixture(scope="module")
def restarted(three: ThreeNodes, killed: CrashRuns) -> None:
    """The node is there again, with the data that it had."""
    three.nodes[2].start()
    three.nodes[2].wait("wait_for_nodes=3&wait_for_status=green")


def test_after_the_restart_all_is_right_again(three: ThreeNodes, restarted: None) -> None:
    for index in (three.copied, three.single):
        checks = load.verify(three.cluster, index.name, index.facts)
        assert [check.missing for check in checks] == [""] * len(checks)
        for question in QUESTIONS[:3]:
            assert gear(index, question) == trace_here("gear", question, LocalReader)
    assert {one.health for one in catalogue.stored(three.cluster)} == {"green"}


def test_a_search_that_waits_for_a_node_that_dies_ends_right(
    three: ThreeNodes, restarted: None
) -> None:
    searches = [Search(question, 10, "bm25") for question in QUESTIONS[:10]]
    first = connect(address_of(three.nodes[0].url, {}))
    in_turn = {"cluster.routing.use_adaptive_replica_selection": False}
    first.client.cluster.put_settings(body={"transient": in_turn})  # else one may ask only others
    index = OpenSearchIndex(first, three.copied.name, three.copied.facts, EMBEDDER)
    assert list(index.search(searches).rankings) == demo().search(searches).rankings
    three.nodes[1].pause()
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(index.search, searches)
        time.sleep(1)
        assert not waiting.done()
        three.nodes[1].kill()
        assert list(waiting.result().rankings) == demo().search(searches).rankings


# A load that is killed


def loading(address: str, told: Connection) -> None:
    """A load in a process of its own, which tells of every step."""
    load.AT_ONCE = 40
    load.push(
        connect(address_of(address)), contents(demo(), "killed"), lambda *step: told.send(step)
    )


def test_a_load_that_is_killed_at_random_ends_complete_with_nothing_double(
    url: str, cluster: Cluster
) -> None:
    whole, chance = contents(demo(), "killed"), random.Random(3)
    facts = whole.facts
    steps = sum(facts.counts.values()) // 40 + 4
    context = multiprocessing.get_context("fork")  # as this process has loaded all that is needed
    for _ in range(KILLS):
        told, tell = context.Pipe(duplex=False)
        process = context.Process(target=loading, args=(url, tell))
        process.start()
        tell.close()
        last = chance.randrange(1, steps)
        try:
            for _ in range(last):
                told.recv()
            time.sleep(chance.random() * 0.03)
        except EOFError:  # it had ended
            pass
        process.kill()
        process.join()
        (found,) = [one for one in catalogue.stored(cluster) if one.name == facts.index]
        assert found.open is found.whole
    done = load.push(cluster, whole, silent)
    assert done.there + done.sent == sum(facts.counts.values())
    assert [check.missing for check in done.copies] == [""]
    assert [check.documents for check in done.copies] == [sum(facts.counts.values())]
    index = catalogue.open_index(cluster, facts.index, EMBEDDER)
    searches = [Search(question, 100, "bm25", "triples") for question in QUESTIONS[:5]]
    assert list(index.search(searches).rankings) == demo().search(searches).rankings
