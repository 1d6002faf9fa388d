"""What protocols.Index promises, of the index in this process and of one in a cluster alike; and that
methods work over a cluster by the same kinds of steps.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from gear_app.core.protocols import Index
from gear_app.core.rows import HubLimit, MentionQuery, Rows, Search, SharedMentions
from gear_app.core.types import Passage, Ranking, Triple
from gear_app.index.opensearch.catalogue import StorageOptions
from gear_app.index.opensearch.cluster import Cluster
from gear_app.index.opensearch.index import OpenSearchIndex
from gear_app.methods import METHODS, answer, build, config_for
from gear_app.models.reader.readers import LocalReader
from gear_app.trace.events import Event
from gear_app.trace.events.iterative import Verified
from tests.cluster.worlds import EMBEDDER, demo, demo_questions, embedded, pushed
from tests.methods.test_model_calls import Writing
from tests.small import top

QUESTIONS = [question.question for question in demo_questions()]
REMOTE = [
    name for name, method in METHODS.items() if not method.graph_first and not method.needs_model
]
MOST_TRIPS = {"gear": 8, "chain": 4}  # of an iteration; of a question


@pytest.fixture(scope="module")
def sharded(cluster: Cluster) -> OpenSearchIndex:
    """The demo collection in the cluster, in three shards with HNSW."""
    return pushed(cluster, demo(), "demo in 3", StorageOptions(3, hnsw=True))


@pytest.fixture(scope="module", params=["demo_index", "sharded"])
def remote(request: Any) -> OpenSearchIndex:
    """In one shard, and in three with HNSW."""
    index: OpenSearchIndex = request.getfixturevalue(request.param)
    return index


ODD = embedded(
    [
        Passage(10, "ten", "", "same words"),
        Passage(11, "eleven", "", "same words"),
        Passage(12, "twelve", "", "same words"),
        Passage(13, "", "…", "—"),
        Passage(
            14, "lorn", "Lorn", "A town. It lies on the Sel. \u4f60\u597d <b>x</b> " + "y" * 300
        ),
    ],
    [
        *(Triple(n, 14, "Lorn", "has", f"thing{n}") for n in (9, 7, 5, 3, 1)),
        Triple(2, 14, "...", "has", "..."),
        Triple(4, 11, "same", "words", "twice"),
        Triple(6, 12, "same", "words", "twice"),
    ],
)


@pytest.fixture(scope="module", params=["embedded", "cluster"])
def odd(request: Any) -> Index:
    """Equal texts, a text and names without a word, a long word; ids with gaps."""
    if request.param == "embedded":
        return ODD
    return pushed(request.getfixturevalue("cluster"), ODD, "odd", StorageOptions(2))


# The contract


def test_equal_scores_smaller_id_first(odd: Index) -> None:
    assert top(odd, "same", 2, "dense").ids == (10, 11)
    assert top(odd, "same", 2, "bm25").ids == (10, 11)
    assert top(odd, "same twice", 1, "bm25", over="triples").ids == (4,)


def test_bm25_gives_only_what_has_a_word_and_dense_leaves_nothing_out(odd: Index) -> None:
    assert set(top(odd, "same", 100, "bm25").ids) == {10, 11, 12}
    assert top(odd, "zebra", 100, "bm25") == Ranking()
    assert top(odd, "y" * 300, 100, "bm25").ids == (14,)
    assert top(odd, "y" * 255, 100, "bm25").ids == ()
    assert set(top(odd, "Lorn", 100, "dense").ids) == {10, 11, 12, 13, 14}
    assert len(top(odd, "Lorn", 100, "dense", over="triples")) == 8


def test_among_few_the_statistics_are_those_of_all(odd: Index) -> None:
    all_ = {hit.id: hit.score for hit in top(odd, "same words", 9, "bm25").hits}
    some = top(odd, "same words", 9, "bm25", among=[12, 11])
    assert some.ids == (11, 12)
    assert {hit.id: hit.score for hit in some.hits} == {id_: all_[id_] for id_ in (11, 12)}
    assert top(odd, "same words", 9, "dense", among=[12, 11]).ids == (11, 12)
    assert top(odd, "same words", 9, "dense", among=[]) == Ranking()


def test_of_too_many_neighbours_the_nearest_by_id(odd: Index) -> None:
    query = EMBEDDER.embed(["Lorn has thing3 thing3 thing7"])[0]
    all_, none, two = odd.nearest([9, 2, 1], query, 4)[:2] + odd.nearest([1], query, 2)
    assert all_.ids == [1, 3, 5, 7] and none.ids == [] and two.ids == [3, 7]
    assert none.vectors.shape == (0, 64) and odd.nearest([], query, 4) == []
    assert two.vectors.tolist() == odd.vectors([3, 7]).tolist()
    assert [row.triple.object for row in two.rows] == ["thing3", "thing7"]
    assert odd.nearest([1, 1], query, 9)[1].ids == [3, 5, 7, 9]
    assert odd.nearest([1], np.zeros(64, np.float32), 2)[0].ids == [3, 5]


def test_ids_that_are_not_there_are_an_error(odd: Index) -> None:
    asks: dict[int, Any] = {
        99: lambda: odd.rows([99], ()),
        98: lambda: odd.rows((), [98]),
        96: lambda: odd.vectors([96]),
        94: lambda: odd.shared_mentions([MentionQuery([94], [])], HubLimit()),
    }
    for id_, ask in asks.items():
        with pytest.raises(KeyError, match=str(id_)):
            ask()


# The same in both


def test_dense_searches_are_the_same(remote: OpenSearchIndex) -> None:
    for question in QUESTIONS[::9]:
        searches = [
            Search(question, k, "dense", over)
            for k in (1, 10, 100, 1000)
            for over in ("passages", "triples")
        ]
        assert list(remote.search(searches).rankings) == demo().search(searches).rankings


def test_bm25_is_opensearchs_own_and_close_to_that_of_this_process(
    demo_index: OpenSearchIndex, sharded: OpenSearchIndex
) -> None:
    """The idf differs, and Lucene rounds lengths; shards change nothing."""
    searches = [
        Search(question, 10, "bm25", over)
        for question in QUESTIONS
        for over in ("passages", "triples")
    ]
    here, there = demo().search(searches).rankings, demo_index.search(searches).rankings
    assert list(sharded.search(searches).rankings) == list(there)
    common = sum(len({*one.ids} & {*other.ids}) for one, other in zip(here, there, strict=True))
    assert common / sum(map(len, here)) > 0.85
    for ranking in there:
        scores = [hit.score for hit in ranking.hits]
        assert scores == sorted(scores, reverse=True) and min(scores) > 0


def test_neighbours_and_joins_are_the_same(remote: OpenSearchIndex) -> None:
    triples = [row.triple for row in demo().triples][::9]
    ids = [triple.id for triple in triples]
    query = EMBEDDER.embed([QUESTIONS[0]])[0]
    for k in (2, 100):
        for here, there in zip(
            demo().nearest(ids, query, k), remote.nearest(ids, query, k), strict=True
        ):
            assert there.ids == here.ids
            assert np.array_equal(there.vectors, here.vectors)
    names = [triple.object for triple in triples]
    for threshold in (None, 0.8, 0.95):
        assert remote.joins(names, threshold) == demo().joins(names, threshold)


def test_shared_mentions_are_the_same(remote: OpenSearchIndex) -> None:
    queries = [
        MentionQuery([1, 5, 9, 20], ["lurgan", "bridge", "nowhere"]),
        MentionQuery([], ["lurgan"]),
        MentionQuery([3], []),
    ]
    for limit in (HubLimit(), HubLimit(most=3)):
        here, there = (index.shared_mentions(queries, limit) for index in (demo(), remote))
        for one, other in zip(here, there, strict=True):
            _assert_same(one, other)


def _assert_same(one: SharedMentions, other: SharedMentions) -> None:
    for name in SharedMentions.__slots__:
        left, right = getattr(one, name), getattr(other, name)
        if isinstance(left, np.ndarray):
            assert left.shape == right.shape and np.array_equal(left, right), name
        else:
            assert (left == right) if isinstance(left, int) else (list(left) == list(right)), name


def trips_of(index: OpenSearchIndex) -> int:
    """Round trips so far."""
    return int(index.record["round trips"].split()[0])


def test_what_an_answer_brought_is_not_asked_for_again(remote: OpenSearchIndex) -> None:
    index, question = remote.for_run(), QUESTIONS[0]
    searches = [Search(question, 5, "bm25"), Search(question, 5, "dense", "triples")]
    passages, triples = (ranking.ids for ranking in index.search(searches).rankings)
    (around,) = index.nearest(triples[:1], EMBEDDER.embed([question])[0], 9)
    of_passages, vectors, trips = (
        index.triples_of(passages),
        index.vectors(triples),
        trips_of(index),
    )
    assert index.rows(passages, [*triples, *around.ids]) == Rows(
        {id_: demo().rows([id_], ()).passages[id_] for id_ in passages},
        {id_: demo().rows((), [id_]).triples[id_] for id_ in (*triples, *around.ids)},
    )
    names = index.names([row.triple.passage_id for row in around.rows])
    assert all(names[row.triple.passage_id] == row.passage for row in around.rows)
    assert index.triples_of(passages[::-1]) == demo().triples_of(passages[::-1])
    assert {*map(id, index.triples_of(passages))} == {*map(id, of_passages)}
    assert np.array_equal(index.vectors(triples), vectors)
    assert np.array_equal(index.vectors(around.ids), around.vectors)
    assert trips_of(index) == trips
    index.rows([*passages, 80], ())
    assert trips_of(index) == trips + 1


def trace(
    method: str, index: Index, question: str, reader: LocalReader
) -> tuple[Ranking, list[Event]]:
    """A method's ranking and its events."""
    events: list[Event] = []
    built = build(method, index, reader, EMBEDDER, config_for(method))
    return answer(built, index, question, 15, events.append), events


@pytest.mark.parametrize("method", [*REMOTE, "gear:chain", "bdtr:chain", "ircot:sync_ge:bm25"])
def test_every_method_emits_the_same_kinds_of_events(method: str, sharded: OpenSearchIndex) -> None:
    common = total = 0
    for number, question in enumerate(QUESTIONS[3::21]):
        kind = (LocalReader, Writing)[number % 2]
        ranking, events = trace(method, demo(), question, kind(EMBEDDER))
        other, remote_events = trace(method, sharded, question, kind(EMBEDDER))
        kinds, remote_kinds = ({type(event) for event in of} for of in (events, remote_events))
        assert kinds ^ remote_kinds <= {Verified}, "which depends on what was retrieved"
        common += len({*ranking.ids[:10]} & {*other.ids[:10]})
        total += len(ranking.ids[:10])
    assert common / total > 0.7


@pytest.mark.parametrize("method", ["dense", "gear:dense"])
def test_a_method_without_bm25_gives_the_same_ranking_and_trace(
    method: str, sharded: OpenSearchIndex
) -> None:
    for question in QUESTIONS[3::21]:
        here = trace(method, demo(), question, LocalReader(EMBEDDER))
        assert trace(method, sharded, question, LocalReader(EMBEDDER)) == here


@pytest.mark.parametrize("method", MOST_TRIPS)
def test_round_trips_are_no_more_than_is_said(method: str, sharded: OpenSearchIndex) -> None:
    for question in QUESTIONS[1::12]:
        asked, trips = sharded.for_run(), Counter[int]()

        def sink(event: Event, asked: Any = asked, trips: Any = trips) -> None:
            trips[event.iteration] = trips_of(asked) - sum(trips.values()) + trips[event.iteration]

        built = build(method, asked, LocalReader(EMBEDDER), EMBEDDER, config_for(method))
        answer(built, asked, question, 15, sink)
        assert trips.total() == trips_of(asked) > 0
        assert max(trips.values()) <= MOST_TRIPS[method], trips
