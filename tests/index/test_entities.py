"""The graph of entities and its synonyms."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from gear_app.core.rows import EntityNetwork, Pairs
from gear_app.core.types import Triple
from gear_app.index import entities
from gear_app.index.entities import Names
from gear_app.models.embedders.local import HashingEmbedder
from tests.small import network_of

TRIPLES = [
    Triple(1, 20, "Ada Quill", "was born in", "Port Mira"),
    Triple(2, 20, "ADA QUILL", "left", "Port Mira."),
    Triple(3, 20, "Ada Quill", "is not", "ada quill"),
    Triple(4, 10, "Port Mira", "lies on", "Sel"),
    Triple(5, 10, "...", "is near", "Sel"),
]
ADA, MIRA, SEL = 0, 1, 2


def graph() -> EntityNetwork:
    return network_of(TRIPLES, HashingEmbedder())


def test_nodes_are_names_by_first_appearance_and_nothing_is_no_name() -> None:
    made = graph()
    assert list(made.names) == ["Ada Quill", "Port Mira", "Sel"]
    assert set(made.nodes) == {"ada quill", "port mira", "sel"}
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


def turned(*degrees: float) -> NDArray[np.float32]:
    """Unit vectors in a plane; two of them have the cosine of the angle between."""
    angles = np.radians(degrees)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def nearest_names(names: list[str], vectors: NDArray[np.float32]) -> Pairs:
    return Names(names, vectors).pairs(0, len(names))


def listed(pairs: Pairs) -> list[tuple[int, int]]:
    return list(zip(pairs["later"].tolist(), pairs["earlier"].tolist(), strict=True))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("12 March 1950", "13 March 1950", False),
        ("6 August 1945", "August 6, 1945", True),
        ("1950", "12 March 1950", True),
        ("Apollo 11", "Apollo 13", False),
    ],
)
def test_names_whose_numbers_contradict_each_other_do_not_mean_the_same(
    one: str, other: str, same: bool
) -> None:
    assert bool(listed(nearest_names([one, other], turned(0, 0)))) is same
    assert bool(listed(nearest_names([other, one], turned(0, 0)))) is same


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
