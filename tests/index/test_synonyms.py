"""Which names mean the same: worked by hand, and against every pair at once."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from gear_app.index import synonyms
from gear_app.index.synonyms import NEAREST, Names, Pairs, nearest_names


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
    assert NEAREST == 100, "as decision 0009 says"
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
    monkeypatch.setattr(synonyms, "_ROWS", 7)
    monkeypatch.setattr(synonyms, "_COLUMNS", 13)
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
