"""The graph of entities and its synonyms."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from gear_app.core.types import Triple
from gear_app.index import entities
from gear_app.index.entities import NEAREST, EntityGraph, Names, Pairs, nearest_names
from gear_app.models.embedders.local import HashingEmbedder
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


def turned(*degrees: float) -> NDArray[np.float32]:
    """Unit vectors in a plane; two of them have the cosine of the angle between."""
    angles = np.radians(degrees)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def listed(pairs: Pairs) -> list[tuple[int, int]]:
    return list(zip(pairs.later.tolist(), pairs.earlier.tolist(), strict=True))


def test_a_name_is_paired_with_those_before_it_nearest_first() -> None:
    """cos 10° = 0.985, cos 20° = 0.940, cos 30° = 0.866; cos 40° = 0.766 is too little."""
    pairs = nearest_names(["north", "east", "south", "west"], turned(0, 30, 20, 60))
    assert listed(pairs) == [(1, 0), (2, 1), (2, 0), (3, 1)]
    assert pairs.cosine == pytest.approx([0.866025, 0.984808, 0.939693, 0.866025], abs=1e-6)


def test_equal_names_are_as_near_as_can_be_and_ties_go_to_the_smaller_position() -> None:
    vectors = np.full((3, 3), 1 / np.sqrt(3), np.float32)
    pairs = nearest_names(["one name", "other name", "third name"], vectors)
    assert listed(pairs) == [(1, 0), (2, 0), (2, 1)] and pairs.cosine.tolist() == [1.0, 1.0, 1.0]


def test_exactly_the_threshold_is_near_enough() -> None:
    vectors = np.array([[1, 0], [0.8, 0.6], [0.79999, 0.60001]], np.float32)
    assert (1, 0) in listed(nearest_names(["name", "other", "third"], vectors))
    assert (2, 0) not in listed(nearest_names(["name", "other", "third"], vectors))


def test_names_of_two_letters_have_none() -> None:
    assert listed(nearest_names(["US", "U.S.", "USA", "the"], turned(0, 0, 0, 0))) == [(3, 2)]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("12 March 1950", "13 March 1950", False),
        ("March 1950", "March 1951", False),
        ("6 August 1945", "August 6, 1945", True),
        ("1950", "12 March 1950", True),
        ("Olympic Winter Games", "2006 Winter Olympics", True),
        ("Apollo 11", "Apollo 13", False),
        ("13,900 tons", "13,800 tons", False),
    ],
)
def test_names_whose_numbers_contradict_each_other_do_not_mean_the_same(
    one: str, other: str, same: bool
) -> None:
    assert bool(listed(nearest_names([one, other], turned(0, 0)))) is same
    assert bool(listed(nearest_names([other, one], turned(0, 0)))) is same


def test_a_name_has_at_most_the_nearest_hundred_before_it() -> None:
    assert NEAREST == 100
    degrees = [n / 10 for n in range(NEAREST + 20)]
    names = [f"name{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(len(degrees) + 1)]
    pairs = nearest_names(names, turned(*degrees, 0))
    last = pairs.earlier[pairs.later == len(degrees)].tolist()
    assert last == list(range(NEAREST)), "the nearest are those of the smallest angle"


def clustered(count: int) -> tuple[list[str], NDArray[np.float32]]:
    chance = np.random.default_rng(5)
    centres = chance.standard_normal((count // 10, 16))
    vectors = centres[chance.integers(0, len(centres), count)] + 0.2 * chance.standard_normal(
        (count, 16)
    )
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    words = ["river", "town", "lake", "song"]
    names = [f"{words[n % 4]} {'of' * (n % 3)} {n % 7 if n % 5 == 0 else ''}" for n in range(count)]
    return names, vectors.astype(np.float32)


def test_pairs_are_those_of_the_whole_table_whatever_the_tiles(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names, vectors = clustered(300)
    cosines = np.round((vectors @ vectors.T).astype(np.float64), 6)
    numbers = [set("".join(c if c.isdigit() else " " for c in name).split()) for name in names]
    expected = {
        (later, earlier)
        for later in range(300)
        for earlier in range(later)
        if cosines[later, earlier] >= 0.8
        and (numbers[later] <= numbers[earlier] or numbers[earlier] <= numbers[later])
    }
    assert len(expected) > 500
    assert set(listed(nearest_names(names, vectors))) == expected
    monkeypatch.setattr(entities, "_ROWS", 7)
    monkeypatch.setattr(entities, "_COLUMNS", 13)
    assert set(listed(nearest_names(names, vectors))) == expected


def test_an_index_that_grows_has_the_pairs_of_one_made_at_once() -> None:
    names, vectors = clustered(200)
    at_once = nearest_names(names, vectors)
    found: list[tuple[int, int]] = []
    for start, stop in ((0, 1), (1, 90), (90, 90), (90, 150), (150, 200)):
        part = Names(names[:stop], vectors[:stop]).pairs(start, stop)
        assert all(start <= later < stop for later in part.later)
        found += listed(part)
    assert found == listed(at_once)


def test_nothing_to_compare_gives_nothing() -> None:
    assert listed(nearest_names([], np.zeros((0, 0), np.float32))) == []
    assert listed(nearest_names(["only one"], turned(0))) == []
