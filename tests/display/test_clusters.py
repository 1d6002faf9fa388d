"""What Settings says of a cluster."""

from __future__ import annotations

from gear_app.display import collections
from gear_app.index.opensearch.catalogue import StoredIndex
from gear_app.index.opensearch.cluster import address_of
from gear_app.index.opensearch.schema import IndexFacts


def stored(
    collection: str, content: str = "one", *, complete: bool = True, open_: bool = True
) -> StoredIndex:
    facts = IndexFacts(
        collection=collection,
        revision=1,
        triple_set="local",
        content=content,
        questions="",
        model="hashing-64",
        dimension=64,
        passages=1_200,
        triples=34,
        holders=25,
    )
    return StoredIndex(facts.index, facts, complete, open_, "green", 3, 2, 1_500, 2_500_000, 0)


def test_a_collection_can_be_open_here_pushed_anew_elsewhere_earlier_or_half_loaded() -> None:
    here, other = stored("here"), stored("other")
    old, new = stored("again", "old", open_=False), stored("again", "new")
    replaced = stored("gone", "old", open_=False)
    half = stored("half", complete=False, open_=False)
    indices = [half, replaced, old, new, other, here]
    listed = collections.rows(indices, {here.name: "here (cluster)", old.name: "again"})
    assert [(row.stored.facts.collection, row.place, row.name) for row in listed] == [
        ("again", "newer", ""),
        ("here", "here", "here (cluster)"),
        ("other", "not here", ""),
        ("again", "here", "again"),
        ("gone", "earlier", ""),
        ("half", "half", ""),
    ]
    assert listed[1].place_words == "open here as “here (cluster)”"
    assert listed[3].place_words == "open here"


def test_who_logs_in_is_said_and_no_secret() -> None:
    environment = {
        "GEAR_OPENSEARCH_URL": "https://search:9200",
        "GEAR_OPENSEARCH_USER": "reader",
        "GEAR_OPENSEARCH_PASSWORD": "hush",
    }
    named = address_of("https://search:9200", environment)
    other = address_of("https://other:9200", environment)
    sentence = collections.login_sentence(named, str(named))
    assert "logged in to as “reader”" in sentence and "hush" not in sentence
    assert "is for https://search:9200 alone" in collections.login_sentence(other, str(named))
    assert collections.login_sentence(address_of("http://search:9200", {}), "").startswith(
        "No login"
    )
