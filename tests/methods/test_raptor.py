"""RAPTOR's tree and its search, compared with plain computations."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from gear_app.core.errors import NotReady
from gear_app.core.types import Passage, Ranking, Summary
from gear_app.index.opensearch.index import NO_GRAPH, OpenSearchIndex
from gear_app.methods import answer
from gear_app.methods.raptor import (
    SUMMED,
    Raptor,
    RaptorConfig,
    TreeNode,
    beneath,
    grow,
    reduced,
    soft_clusters,
)
from gear_app.models.errors import BudgetReached, Unusable
from gear_app.models.reader.roles import SummariseRequest
from gear_app.models.reader.summaries import WORDS, nearest_the_centre
from gear_app.trace.events import Event, Failed, Retrieved, TreeSearched
from gear_app.trace.events.base import ITSELF
from tests.acting import Acting
from tests.scripted import ScriptedReader
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


def test_texts_of_a_topic_are_a_cluster_and_few_are_one() -> None:
    points = np.repeat(np.eye(3, 12, dtype=np.float32), 8, axis=0)
    points += np.random.default_rng(0).normal(0, 0.02, points.shape).astype(np.float32)
    clusters = soft_clusters(points, RaptorConfig())
    assert clusters == [tuple(range(n, n + 8)) for n in (0, 8, 16)]
    assert soft_clusters(points, RaptorConfig(clusters=1)) == [tuple(range(24))]
    assert len(soft_clusters(points, RaptorConfig(clusters=1), least=2)) == 2
    assert soft_clusters(points[:5], RaptorConfig()) == [tuple(range(5))]


def test_a_text_between_two_clusters_is_in_both_where_membership_may_be_shared() -> None:
    points = np.zeros((17, 2), np.float32)
    points[:8, 0], points[8:16, 0] = -1, 1
    points[:16, 1] = np.tile(np.linspace(-0.7, 0.7, 8), 2)
    shared = soft_clusters(points, RaptorConfig(clusters=2, membership=0.01), least=2)
    alone = soft_clusters(points, RaptorConfig(clusters=2, membership=1.0), least=2)
    assert [16 in cluster for cluster in shared] == [True, True]
    assert [16 in cluster for cluster in alone].count(True) == 1
    assert sorted(place for cluster in alone for place in cluster) == list(range(17))


def test_reduced_vectors_keep_the_distances_that_ten_dimensions_can_tell() -> None:
    vectors = np.random.default_rng(1).normal(size=(6, 40)).astype(np.float32)
    small = reduced(vectors)
    assert small.shape == (6, 5) and reduced(np.eye(30, dtype=np.float32)).shape == (30, 10)
    for a in range(6):
        for b in range(6):
            assert math.dist(small[a], small[b]) == pytest.approx(
                math.dist(vectors[a], vectors[b]), abs=1e-4
            )


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


def test_a_summary_is_the_sentences_nearest_to_the_middle_in_their_order() -> None:
    texts = [("", "A cat sat. A dog ran far away over the hills."), ("", "A cat sat down.")]
    lines = ["A cat sat.", "A dog ran far away over the hills.", "A cat sat down."]
    vectors = EMBEDDER.embed(lines)
    centre = [sum(column) / 3 for column in zip(*vectors.tolist(), strict=True)]
    order = sorted(range(3), key=lambda n: -float(np.dot(vectors[n], centre)))
    assert nearest_the_centre(texts, EMBEDDER).text == " ".join(lines)
    long = [("", " ".join(f"{line[:-1]} {'on and ' * 17}on." for line in lines))]
    words = nearest_the_centre(long, EMBEDDER).text
    assert len(words.split()) <= WORDS and words.count(".") == 1
    assert order[0] in (0, 2) and "cat" in words
    assert nearest_the_centre([("", "")], EMBEDDER) == Summary("", quoted=True)


def test_a_passage_scores_its_own_cosine_or_that_of_a_summary_through_it() -> None:
    method = raptor()
    ranking, events = run(method)
    (event,) = of_kind(events, TreeSearched)
    ((_, kept),) = method.index._made.items()  # type: ignore[attr-defined]
    tree = json.loads(kept)
    texts = [passage.indexed for passage in passages()]
    (q, *leaves), tops = EMBEDDER.embed([QUESTION, *texts]), EMBEDDER.embed([t for _, t, _ in tree])

    def leaves_of(children: list[int]) -> set[int]:
        nested = [leaves_of(tree[c - 24][0]) if c > 23 else {c} for c in children]
        return set().union(*nested)

    for place, leaf in enumerate(leaves):
        ways = [float(q @ leaf)]
        for (children, _, _), top in zip(tree, tops, strict=True):
            if place in leaves_of(children) and q @ top > 0 and top @ leaf > 0:
                ways.append(float(q @ top) * float(top @ leaf))
        score = {hit.id: hit.score for hit in ranking.hits}[10 + place]
        assert score == pytest.approx(max(ways), abs=3e-6)
    assert len(ranking) == 24 and list(ranking.ids[:1]) == [event.ranking[0].id]
    assert event.layers[0] == 24 and sum(event.layers[1:]) == len(tree)
    cosines = [node.cosine for node in event.nodes]
    assert len(cosines) == 10 and cosines == sorted(cosines, reverse=True)
    near = [node for node in event.nodes if node.layer]
    assert near and all(
        node.cosine == pytest.approx(float(q @ tops[int(node.name.split()[1]) - 1]), abs=1e-5)
        and len(node.passages) + node.more == len(leaves_of(tree[int(node.name.split()[1]) - 1][0]))
        for node in near
    )
    lifted = [line for line in event.ranking if line.score > line.parts[0].value]
    assert lifted, "no summary lifts a passage here: the test proves nothing"
    assert event.came_by(lifted[0].key).startswith("by summary ")
    own = next(line for line in event.ranking if line.score == line.parts[0].value)
    assert own.parts[0].source == ITSELF and event.came_by(own.key) == ""


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


def test_a_reply_that_cannot_be_used_gives_way_to_sentences_and_is_told() -> None:
    failing = Failing(Unusable("summarise", "holds no words", "hm"))
    ranking, events = run(raptor(RaptorConfig(summaries="reader"), failing))
    assert {event.step for event in of_kind(events, Failed)} == {"open"}
    assert all(not node.by for node in of_kind(events, TreeSearched)[0].nodes)
    plain, _ = run(raptor())
    assert ranking == plain


def test_without_budget_the_ranking_is_the_dense_one_and_no_tree_is_kept() -> None:
    method = raptor(RaptorConfig(summaries="reader"), Failing(BudgetReached("used up")))
    events: list[Event] = []
    ranking = answer(method, method.index, "fever", 15, events.append)
    (dense,) = of_kind(events, Retrieved)
    assert len(ranking) == 15 and ranking.ids == tuple(line.id for line in dense.ranking)
    assert not method.index._made  # type: ignore[attr-defined]


def test_a_summary_is_of_twenty_texts_at_most() -> None:
    scribe, config = Scribe(), RaptorConfig(summaries="reader")
    equal = [Passage(n, f"k{n}", "", "one fever") for n in range(60)]
    run(Raptor(parts_over(index_over(equal, [], EMBEDDER), reader=scribe), config))
    assert [len(request.texts) for request in scribe.requests] == [SUMMED] == [20]


def test_a_reply_is_one_line_without_its_label() -> None:
    assert "<document 1>" in SummariseRequest([("T", "words")]).prompt.text
    script = ScriptedReader([Summary("x")])
    assert script.ask(SummariseRequest([]), lambda event: None) == Summary("x")


def test_a_cluster_of_machines_says_that_it_cannot() -> None:
    index = OpenSearchIndex.__new__(OpenSearchIndex)
    with pytest.raises(NotReady, match=NO_GRAPH[:20]):
        index.whole()
