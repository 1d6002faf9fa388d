"""The embedded index on a collection known by heart."""

from __future__ import annotations

import numpy as np
import pytest

from gear_app.core.rows import EntityPassages, Search
from gear_app.core.types import Passage, Triple
from gear_app.index.embedded import TripleGraph
from gear_app.index.entities import EntityGraph, Pairs, first_written
from gear_app.models.embedders.local import HashingEmbedder
from tests.small import QUESTION, SmallWorld, index_over, top


def test_passages_are_searched_by_title_and_text(small: SmallWorld) -> None:
    assert top(small.index, "Ada Quill", 1, "bm25").ids == (small.passage("quill").id,)


def test_a_passage_without_a_common_word_is_no_bm25_hit(small: SmallWorld) -> None:
    found = top(small.index, "Vane", 100, "bm25").ids
    assert set(found) == {small.passage("mira").id, small.passage("vane").id}
    assert top(small.index, "zebra", 10, "bm25").ids == ()


def test_dense_is_the_cosine(small: SmallWorld) -> None:
    vectors = small.embedder.embed([p.indexed for p in small.passages])
    cosines = vectors @ small.embedder.embed([QUESTION])[0]
    found = top(small.index, QUESTION, 8, "dense")
    assert found.hits[0].score == pytest.approx(float(cosines.max()), abs=1e-6)
    assert len(found) == 8


def test_equal_scores_smaller_id_first() -> None:
    embedder = HashingEmbedder()
    passages = [Passage(i, key, "", "same words") for i, key in enumerate("cba", start=10)]
    index = index_over(passages, [], embedder)
    assert top(index, "same", 2, "dense").ids == (10, 11)
    assert top(index, "same", 2, "bm25", over="triples").ids == ()


def test_neighbours_share_head_or_tail(small: SmallWorld) -> None:
    texts = {t.id: t.text for t in small.triples}
    directed = next(t.id for t in small.triples if t.object == "Ada Quill")
    (near,) = small.index.nearest([directed], small.embedder.embed([QUESTION])[0], 100)
    assert {texts[id_] for id_ in near.ids} == {
        "Harbour Lights is a film of 1951",
        "Ada Quill was born in Port Mira",
        "Ada Quill studied law",
    }


def test_neighbours_of_several_are_answered_each_and_of_too_many_the_nearest_by_id() -> None:
    """Five facts about one town; the query is the words of the fourth, then of the second."""
    embedder = HashingEmbedder()
    facts = [Triple(n, 1, "Lorn", "has", f"thing{n}") for n in (9, 7, 5, 3, 1)]
    facts.append(Triple(2, 1, "...", "has", "..."))
    index = index_over([Passage(1, "lorn", "Lorn", "A town.")], facts, embedder)
    query = embedder.embed(["Lorn has thing3 thing3 thing7"])[0]
    all_, two, none = index.nearest([9, 1, 2], query, 4)[0], *index.nearest([1, 2], query, 2)
    assert all_.ids == [1, 3, 5, 7] and two.ids == [3, 7] and none.ids == []
    assert none.vectors.shape == (0, 64) and index.nearest([], query, 4) == []
    assert two.vectors.tolist() == index.vectors([3, 7]).tolist()
    assert [row.triple.object for row in two.rows] == ["thing3", "thing7"]


def test_a_batch_of_searches_is_answered_as_each_alone(small: SmallWorld) -> None:
    searches = [
        Search(QUESTION, 3, "bm25"),
        Search(QUESTION, 2, "dense", "triples"),
        Search("Vane", 5, "bm25", among=(3, 1)),
        Search(QUESTION, 3, "dense", among=()),
    ]
    found = small.index.search(searches)
    assert found.rankings == [small.index.search([one]).rankings[0] for one in searches]
    assert found.rankings[2].ids == (3,) and len(found.rankings[3]) == 0
    passages, triples = found.rankings[0].ids, found.rankings[1].ids
    assert found.rows.passages.keys() >= {*passages, 3}
    assert found.rows.triples.keys() >= {*triples}


def test_a_triple_comes_with_its_passages_name_and_its_sentence(small: SmallWorld) -> None:
    row = small.index.rows((), [5]).triples[5]
    assert (row.triple.subject, row.passage.key, row.passage.title) == (
        "Port Mira",
        "mira",
        "Port Mira",
    )
    assert row.sentence == "Port Mira lies on the river Sel."


def test_triples_come_by_passage_each_passage_once(small: SmallWorld) -> None:
    assert [row.triple.id for row in small.index.triples_of([2, 1, 2])] == [3, 4, 1, 2]


def test_ids_that_are_not_there_are_an_error(small: SmallWorld) -> None:
    for ask in (
        lambda: small.index.rows([99], ()),
        lambda: small.index.rows((), [99]),
        lambda: small.index.names([99]),
        lambda: small.index.vectors([99]),
        lambda: small.index.nearest([99], small.embedder.embed(["x"])[0], 3),
    ):
        with pytest.raises(KeyError):
            ask()


def test_joins_are_the_passages_that_name_an_entity_or_a_synonym() -> None:
    """Lorn in 1 and 2, Old Lorn (0.96 to Lorn) in 3, Lorn Town (0.9) in 2 and 4."""
    facts = [
        Triple(1, 1, "Lorn", "lies on", "Sel"),
        Triple(2, 2, "Lorn Town", "is near", "LORN"),
        Triple(3, 3, "Old Lorn", "lies on", "Sel"),
        Triple(4, 4, "Lorn Town", "has", "a bridge"),
    ]
    names = first_written(name for t in facts for name in (t.subject, t.object))
    at = {name: node for node, name in enumerate(names)}
    later = np.array([at["lorn town"], at["old lorn"]])
    pairs = Pairs(later, np.array([at["lorn"]] * 2), np.array([0.9, 0.96]))
    embedder = HashingEmbedder()
    graph = EntityGraph(facts, names, embedder.embed(list(names.values())), pairs)
    passages = [Passage(n, str(n), "", "words") for n in range(1, 5)]
    index = index_over(passages, facts, embedder, lambda: graph)
    near, nearer = (index.joins(["lorn.", "Nowhere"], least) for least in (0.9, 0.95))
    assert near["lorn."].passages == {1, 2, 3, 4}
    assert near["lorn."].synonyms == (("Old Lorn", 0.96), ("Lorn Town", 0.9))
    assert nearer["lorn."].passages == {1, 2, 3}
    assert index.joins(["Lorn"], None)["Lorn"] == EntityPassages(frozenset({1, 2}), ())
    assert near["Nowhere"] == EntityPassages(frozenset(), ())


def test_names_are_equal_when_normalised() -> None:
    graph = TripleGraph(
        [Triple(1, 1, "ADA  Quill", "x", "..."), Triple(2, 1, "ada quill.", "x", "!!!")]
    )
    assert graph.neighbours(0).tolist() == [1]
    assert (
        TripleGraph([Triple(1, 1, "a", "x", "..."), Triple(2, 1, "b", "x", "!!!")])
        .neighbours(0)
        .tolist()
        == []
    )


def test_an_index_over_other_triples_has_the_same_passages(small: SmallWorld) -> None:
    other = small.index.over([], small.embedder.embed([]))
    assert top(other, QUESTION, 8, "dense") == top(small.index, QUESTION, 8, "dense")
    assert other.triples_of([1, 2]) == []
    assert [row.triple.id for row in small.index.triples_of([1, 2])] == [1, 2, 3, 4]
    assert other.entities().names == [] and small.index.entities().names != []
