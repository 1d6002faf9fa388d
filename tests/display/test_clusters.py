"""What Settings says of a cluster."""

from __future__ import annotations

from gear_app.display import clusters
from gear_app.index.opensearch.catalogue import StoredIndex
from gear_app.index.opensearch.schema import IndexFacts


def stored(
    collection: str, content: str = "one", *, whole: bool = True, open_: bool = True
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
    return StoredIndex(facts.index, facts, whole, open_, "green", 3, 2, 1_500, 2_500_000, 0)


def test_a_collection_can_be_open_here_pushed_anew_elsewhere_earlier_or_half_loaded() -> None:
    here, other = stored("here"), stored("other")
    old, new = stored("again", "old", open_=False), stored("again", "new")
    replaced = stored("gone", "old", open_=False)
    half = stored("half", whole=False, open_=False)
    indices = [half, replaced, old, new, other, here]
    listed = clusters.rows(indices, {here.name: "here (cluster)", old.name: "again"})
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
