"""A collection that is built from files is the one that is imported, extracted and pushed; and what
was begun is finished, however often it was interrupted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gear_app.opensearch import catalogue
from gear_app.opensearch.cluster import Cluster
from gear_app.opensearch.extractions import drop_kept
from gear_app.opensearch.schema import IndexFacts
from gear_app.pipeline.engine import LocalEngine
from gear_app.rows import Search
from tests.cluster.builds import COLLECTION, built, documents, files, opened, pushed

QUERIES = ("who built Boat3?", "Pier4 of Lorn", "Anna Yard2", "the tide at Buoy7")


@pytest.fixture
def engine() -> Iterator[LocalEngine]:
    with LocalEngine() as local:
        yield local


@pytest.fixture(autouse=True)
def clean(cluster: Cluster) -> Iterator[None]:
    """Nothing of a build stays for the next test."""
    yield
    drop(cluster)


def drop(cluster: Cluster) -> None:
    """Delete the collection, and what was kept while it was built."""
    mine = [one for one in catalogue.stored(cluster) if one.facts.collection == COLLECTION]
    catalogue.drop(cluster, mine)
    drop_kept(cluster, COLLECTION)


def facts_of(cluster: Cluster, index: str) -> IndexFacts:
    return next(one.facts for one in catalogue.stored(cluster) if one.name == index)


def rankings(cluster: Cluster, index: str) -> list[Any]:
    """What a few searches find, with their scores."""
    searches = [
        Search(query, 10, by, over)
        for query in QUERIES
        for by in ("bm25", "dense")
        for over in ("passages", "triples")
    ]
    return list(opened(cluster, index).search(searches).rankings)


def test_a_build_gives_the_index_that_import_extraction_and_push_give(
    url: str, cluster: Cluster, engine: LocalEngine, tmp_path: Path
) -> None:
    """Name, facts, all documents to the last byte of their vectors, and rankings."""
    paths = files(tmp_path / "files")
    wanted = pushed(url, paths, tmp_path)
    whole, facts = documents(cluster, wanted), facts_of(cluster, wanted)
    found = rankings(cluster, wanted)
    drop(cluster)
    made = built(url, paths, engine)
    assert made.index == wanted
    assert facts_of(cluster, made.index) == replace(facts, revision=1)
    there = documents(cluster, made.index)
    kinds = Counter(one["kind"] for one in there.values())
    assert kinds == Counter(one["kind"] for one in whole.values())
    assert kinds["passage"] == made.passages == 69 and kinds["triple"] == made.triples == 270
    assert there == whole
    assert rankings(cluster, made.index) == found
    assert (made.failed, made.left_out.same, made.left_out.clashes) == (0, 11, 1)
