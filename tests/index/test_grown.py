"""An index to which triples were added is the index that is made of all of them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gear_app.embedders.local import HashingEmbedder
from gear_app.index.bm25 import Bm25Matrix
from gear_app.index.embedded import EmbeddedIndex
from gear_app.index.text_index import Blocks
from gear_app.types import Passage, Triple
from tests.small import QUESTION, SmallWorld, index_over, top

NAMES = ["Ada Quill", "ada quill.", "Port Mira", "the river Sel", "Lorn", "...", "1951"]
facts = st.lists(st.tuples(st.integers(1, 4), *[st.sampled_from(NAMES)] * 3), max_size=12)
PASSAGES = [Passage(n, str(n), "", f"words of passage {n}") for n in range(1, 5)]
EMBEDDER = HashingEmbedder()


def made(triples: list[Triple]) -> EmbeddedIndex:
    return index_over(PASSAGES, triples, EMBEDDER)


def told(index: EmbeddedIndex, ids: list[int]) -> list[object]:
    """Everything an index says of its triples."""
    graph = index.entities()
    return [
        index.rows((), ids).triples,
        index.triples_of([4, 3, 2, 1]),
        [near.ids for near in index.nearest(ids, EMBEDDER.embed([QUESTION])[0], 100)],
        [
            top(index, QUESTION + " Lorn 1951", k, by, over="triples")
            for k in (1, 3, 99)
            for by in ("bm25", "dense")
        ],
        index.vectors(ids[::-1]).tolist(),
        (
            graph.names,
            graph.passage_ids,
            graph.counts.todense().tolist(),
            graph.facts.todense().tolist(),
        ),
    ]


@given(facts, st.integers(0, 12), st.integers(0, 12))
def test_growing_in_steps_is_as_good_as_being_made_at_once(
    said: list[tuple[int, str, str, str]], one: int, other: int
) -> None:
    triples = [Triple(n, *fact) for n, fact in enumerate(said, start=1)]
    first, second = sorted((min(one, len(triples)), min(other, len(triples))))
    index = made(triples[:first])
    before = told(index, list(range(1, first + 1)))
    grown = index
    for more in (triples[first:second], triples[second:]):
        grown = grown.grown(more, EMBEDDER.embed([t.text for t in more]))
    ids = [triple.id for triple in triples]
    assert told(grown, ids) == told(made(triples), ids)
    assert told(index, ids[:first]) == before


@given(
    st.lists(
        st.sampled_from(["the bridge", "", "Vane built the bridge", "bridge bridge", "über Sel"]),
        max_size=9,
    )
)
def test_a_grown_matrix_has_the_very_same_numbers(texts: list[str]) -> None:
    grown = Bm25Matrix(texts[:3]).grown(texts[3:6]).grown(texts[6:])
    for query in ("the bridge", "Sel über Vane built", "unknown"):
        assert grown.scores(query).tolist() == Bm25Matrix(texts).scores(query).tolist()


def test_an_index_over_other_triples_has_the_same_passages(small: SmallWorld) -> None:
    other = small.index.over([], EMBEDDER.embed([]))
    assert top(other, QUESTION, 8, "dense") == top(small.index, QUESTION, 8, "dense")
    assert other.triples_of([1, 2]) == []
    assert [row.triple.id for row in small.index.triples_of([1, 2])] == [1, 2, 3, 4]
    assert other.entities().names == [] and small.index.entities().names != []


def test_the_first_block_is_not_copied() -> None:
    """It may be a file of gigabytes."""
    first = np.eye(4, dtype=np.float32)
    blocks = Blocks(first).grown(first[:2]).grown(first[2:3])
    assert blocks._first is first
    assert blocks.rows(np.array([6, 0, 4])).tolist() == first[[2, 0, 0]].tolist()
    assert blocks.cosines(first[0]).tolist() == [1, 0, 0, 0, 1, 0, 0]
