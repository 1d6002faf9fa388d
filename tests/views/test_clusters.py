"""What Settings says of a cluster."""

from __future__ import annotations

from dataclasses import replace

from gear_app.opensearch.address import address_of
from gear_app.opensearch.catalogue import ClusterState, NodeState, StoredIndex
from gear_app.opensearch.load import CopyCheck
from gear_app.opensearch.schema import IndexFacts, TextStatistics
from gear_app.views import clusters

STATE = ClusterState("http://search:9200", "2.19.1", "gear", "yellow", 2, 3)


def facts(collection: str, content: str = "one") -> IndexFacts:
    return IndexFacts(
        collection=collection,
        revision=1,
        triples="local",
        content=content,
        model="hashing-64",
        dimension=64,
        mentions=1,
        holders=25,
        hnsw=False,
        counts={},
        passages=TextStatistics(1_200, 1_200, 9_000, 0.1),
        facts=TextStatistics(34, 34, 100, 0.1),
    )


def stored(
    collection: str, content: str = "one", *, whole: bool = True, open_: bool = True
) -> StoredIndex:
    told = facts(collection, content)
    return StoredIndex(told.index, told, whole, open_, "green", 3, 2, 1_500, 2_500_000)


def test_a_collection_can_be_open_here_pushed_anew_elsewhere_earlier_or_half_loaded() -> None:
    here, other = stored("here"), stored("other")
    old, new = stored("again", "old", open_=False), stored("again", "new")
    replaced = stored("gone", "old", open_=False)
    half = stored("half", whole=False, open_=False)
    found = [half, replaced, old, new, other, here]
    listed = clusters.rows(found, {here.name: "here (cluster)", old.name: "again"})
    assert [(row.stored.facts.collection, row.place, row.name) for row in listed] == [
        ("again", "newer", ""),
        ("here", "here", "here (cluster)"),
        ("other", "not here", ""),
        ("again", "here", "again"),
        ("gone", "earlier", ""),
        ("half", "half", ""),
    ]


def test_a_row_says_what_a_collection_takes() -> None:
    (row,) = clusters.rows([stored("films")], {})
    html = clusters.row(row)
    assert "1,200 passages · 34 triples “local” · 3 shards × 2 copies · 1,500 documents" in html
    assert "2.5 MB" in html and "not open here" in html
    hostile = row._replace(stored=stored("<script>"))
    assert "<script>" not in clusters.row(hostile)


def test_a_cluster_is_told_in_figures_with_its_health_by_sign_and_word() -> None:
    html = clusters.summary(STATE, [stored("one"), replace(stored("two"), shards=1, copies=1)])
    for figure in (
        "! yellow",
        "a copy is missing, no data are",
        "<span>nodes</span>",
        "<span>copies of them</span>",
        "3,000",
        "5.0 MB",
    ):
        assert figure in html, figure
    assert "<b>4</b><span>shards</span>" in html and "<b>7</b>" in html


def test_what_a_node_does_not_tell_is_left_empty() -> None:
    known = NodeState("a", "10.0.0.1", "dm", 42.0, 1_073_741_824, 78.3, 58_000_000_000)
    silent = NodeState("b", "10.0.0.2", "m", None, None, None, None)
    first, second = clusters.node_rows(replace(STATE, nodes=(known, silent)))
    assert (first["heap used"], first["heap"], first["disk free"]) == ("42 %", "1.1 GB", "58.0 GB")
    assert (second["heap used"], second["disk free"]) == ("", "")


def test_who_logs_in_is_told_and_no_secret() -> None:
    environment = {
        "GEAR_OPENSEARCH_URL": "https://search:9200",
        "GEAR_OPENSEARCH_USER": "reader",
        "GEAR_OPENSEARCH_PASSWORD": "hush",
    }
    named = address_of("https://search:9200", environment)
    other = address_of("https://other:9200", environment)
    told = clusters.login_sentence(named, str(named))
    assert "logged in to as “reader”" in told and "hush" not in told
    assert "is for https://search:9200 alone" in clusters.login_sentence(other, str(named))
    assert clusters.login_sentence(address_of("http://search:9200", {}), "").startswith("No login")


def test_a_copy_that_is_not_whole_is_named_with_what_to_do() -> None:
    lost = CopyCheck(1, "replica", "b", 0, "unassigned")
    assert clusters.verified("films", 2, []) == (
        "“films”: 2 copies of shards counted, nothing is missing.",
        "good",
    )
    sentence, tone = clusters.verified("films", 2, [lost])
    assert tone == "bad" and "shard 1 on b: unassigned. Start" in sentence
