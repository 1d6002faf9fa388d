"""RAPTOR's tree and its search, compared with plain computations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gear_app.core.types import Passage, Ranking, Summary
from gear_app.methods.raptor import (
    Raptor,
    RaptorConfig,
    TreeNode,
    beneath,
    grow,
)
from gear_app.trace.events import Event, TreeSearched
from tests.acting import Acting
from tests.small import EMBEDDER, Failing, index_over, of_kind, parts_over, retrieved

TOPICS = {
    "bridge": "the bridge of steel spans the wide river",
    "germ": "the germ of the fever was grown by a doctor",
    "song": "the song was recorded by a band in a studio",
}
QUESTION = "which fever did the doctor see?"


def passages(each: int = 8) -> list[Passage]:
    """Texts of three topics, in turn."""
    texts = [
        f"{words} number {n}. One more word{n}." for n in range(each) for words in TOPICS.values()
    ]
    return [Passage(n, f"k{n}", "", text) for n, text in enumerate(texts, start=10)]


def run(method: Raptor) -> tuple[Ranking, list[Event]]:
    return retrieved(method, QUESTION)


def raptor(config: RaptorConfig | None = None, reader: Any = None) -> Raptor:
    index = index_over(passages(), [], EMBEDDER)
    return Raptor(parts_over(index, reader=reader or Acting(EMBEDDER)), config)


def test_layers_are_clustered_until_one_is_small_and_all_is_below_its_top() -> None:
    vectors = EMBEDDER.embed([passage.indexed for passage in passages()])
    given: list[Sequence[int]] = []

    def summarise(places: Sequence[int]) -> tuple[TreeNode, Any]:
        given.append(places)
        return TreeNode((), f"summary {len(given)}"), vectors[places[0] % 24]

    nodes = grow(vectors, summarise, RaptorConfig())
    assert [node.text for node in nodes] == [f"summary {n + 1}" for n in range(len(nodes))]
    assert [tuple(sorted(one)) for one in given] == [node.children for node in nodes]
    below = beneath(nodes, 24)
    assert set().union(*below) == set(range(24))
    assert all(
        set(below[n])
        == {p for child in node.children for p in (below[child - 24] if child > 23 else (child,))}
        for n, node in enumerate(nodes)
    )
    nearest = np.round(vectors[list(given[0])] @ vectors[list(given[0])].mean(axis=0), 6)
    assert list(nearest) == sorted(nearest, reverse=True)
    given.clear()
    lowest = grow(vectors, summarise, RaptorConfig(layers=1))
    assert lowest == nodes[: len(lowest)] and 1 < len(lowest) < len(nodes)
    assert max(place for node in lowest for place in node.children) < 24
    assert grow(vectors, summarise, RaptorConfig(smallest=25)) == []


class Scribe:
    """Writes a summary for each request."""

    name = "scribe"

    def __init__(self) -> None:
        self.requests: list[Any] = []

    def ask(self, request: Any, emit: Any) -> Any:
        self.requests.append(request)
        return Summary(f"a fever and a doctor {len(self.requests)}")


def test_a_reader_writes_the_summaries_once_and_another_reader_its_own() -> None:
    scribe, config = Scribe(), RaptorConfig(summaries="reader")
    method = raptor(config, scribe)
    _, events = run(method)
    asked = len(scribe.requests)
    written = [node for node in of_kind(events, TreeSearched)[0].nodes if node.layer]
    assert asked and written and all(node.by == "scribe" for node in written)
    assert all("fever and a doctor" in node.text for node in written)
    run(method)
    assert len(scribe.requests) == asked
    other = Scribe()
    other.name = "another"
    run(Raptor(parts_over(method.index, reader=other), config))
    assert len(other.requests) == asked
    run(Raptor(parts_over(method.index, reader=Failing(AssertionError())), RaptorConfig()))
