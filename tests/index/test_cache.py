"""A run's rows: asked for once, whatever call brought them, and the same as without a cache."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gear_app.core.rows import Search
from gear_app.index.cache import RowCache
from gear_app.index.embedded import EmbeddedIndex
from tests.index.counting import Counting
from tests.methods.worlds import World, index_of, worlds
from tests.small import QUESTION, SmallWorld

SEARCHES = [Search(QUESTION, 3, "bm25"), Search(QUESTION, 2, "dense", "triples")]


@pytest.fixture
def counting(small: SmallWorld) -> Counting:
    return Counting(small.index)


def test_what_a_search_found_is_not_asked_for_again(counting: Counting) -> None:
    rows = RowCache(counting)
    passages, triples = (ranking.ids for ranking in rows.search(SEARCHES).rankings)
    found = rows.rows(passages, triples)
    assert [found.passages[id_].id for id_ in passages] == list(passages)
    assert [found.triples[id_].triple.id for id_ in triples] == list(triples)
    assert counting.calls == ["search"]


@settings(deadline=None)
@given(worlds, st.data())
def test_whatever_was_asked_before_the_answers_are_those_of_the_index(
    world: World, data: st.DataObject
) -> None:
    index = index_of(world)
    rows = RowCache(Counting(index))
    passages = st.lists(st.integers(1, len(world)), unique=True)
    triples = st.lists(st.integers(1, max(1, sum(map(len, world)))))
    if not any(world):
        triples = st.just([])
    for _ in range(3):
        some, facts = data.draw(passages), data.draw(triples)
        for one in data.draw(st.permutations(range(3))):
            assert _answer(rows, one, some, facts) == _answer(index, one, some, facts)


def _answer(
    index: RowCache | EmbeddedIndex, call: int, passages: list[int], triples: list[int]
) -> object:
    if call == 0:
        found = index.rows(passages, triples)
        return [found.passages[n] for n in passages], [found.triples[n] for n in triples]
    if call == 1:
        return index.triples_of(passages)
    return index.vectors(triples).tolist()
