"""The graph of entities on a few triples worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from gear_app.embedders.local import HashingEmbedder
from gear_app.index.entities import EntityGraph
from gear_app.index.synonyms import Pairs
from gear_app.types import Triple
from tests.small import SmallWorld

TRIPLES = [
    Triple(1, 20, "Ada Quill", "was born in", "Port Mira"),
    Triple(2, 20, "ADA QUILL", "left", "Port Mira."),
    Triple(3, 20, "Ada Quill", "is not", "ada quill"),
    Triple(4, 10, "Port Mira", "lies on", "Sel"),
    Triple(5, 10, "...", "is near", "Sel"),
]
ADA, MIRA, SEL = 0, 1, 2


def graph() -> EntityGraph:
    return EntityGraph.of(TRIPLES, HashingEmbedder().embed)


def test_nodes_are_names_by_first_appearance_and_nothing_is_no_name() -> None:
    made = graph()
    assert made.names == ["Ada Quill", "Port Mira", "Sel"]
    assert set(made.known) == {"ada quill", "port mira", "sel"}
    assert [made.find(name) for name in ("  port MIRA", "Sel!", "Lorn", "...")] == [
        MIRA,
        SEL,
        None,
        None,
    ]
    np.testing.assert_array_equal(made.vectors, HashingEmbedder().embed(made.names))


def test_a_passage_counts_the_triples_that_name_an_entity_on_either_side_once() -> None:
    """Passage 10: Port Mira once, Sel twice. Passage 20: Ada in three triples, one with her on both
    sides.
    """
    made = graph()
    assert made.passage_ids == [10, 20]
    assert made.counts.toarray().tolist() == [[0, 3], [1, 2], [2, 0]]


def test_an_edge_counts_the_triples_between_two_entities_and_none_to_oneself() -> None:
    assert graph().facts.toarray().tolist() == [[0, 2, 0], [2, 0, 1], [0, 1, 0]]


def test_synonyms_are_symmetric_and_are_no_facts() -> None:
    names = {"ada quill": "Ada Quill", "port mira": "Port Mira", "sel": "Sel"}
    pairs = Pairs(np.array([SEL]), np.array([ADA]), np.array([0.85]))
    made = EntityGraph(TRIPLES, names, HashingEmbedder().embed(list(names.values())), pairs)
    assert made.synonymy.toarray().tolist() == [[0, 0, 0.85], [0, 0, 0], [0.85, 0, 0]]
    assert made.facts[SEL, ADA] == 0


def test_nodes_are_in_the_order_they_are_given() -> None:
    names = {"sel": "Sel", "ada quill": "Ada Quill", "port mira": "Port Mira"}
    vectors = HashingEmbedder().embed(list(names.values()))
    none = Pairs(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
    made = EntityGraph(TRIPLES, names, vectors, none)
    assert made.find("Sel") == 0 and made.counts.toarray().tolist() == [[2, 0], [0, 3], [1, 2]]


def test_no_triples_are_an_empty_graph() -> None:
    made = EntityGraph.of([], HashingEmbedder().embed)
    assert (len(made.names), made.passage_ids, made.counts.shape, made.facts.nnz) == (
        0,
        [],
        (0, 0),
        0,
    )


def test_the_index_makes_its_graph_once(small: SmallWorld) -> None:
    assert small.index.entities() is small.index.entities()
    assert small.index.entities().counts.sum() == pytest.approx(2 * len(small.triples))
