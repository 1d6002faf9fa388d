"""GRIEVER with a part left out, and how it ends."""

from __future__ import annotations

import pytest

from gear_app.methods.steps.fuse import rrf
from gear_app.trace.events import Matched, Retrieved
from tests.methods.griever.asked import ALIASES, DOUGLASS, NORTH_STAR, WIVES, index_of, run
from tests.small import QUESTION, SmallWorld, of_kind, top


def test_without_the_composed_retriever_hops_are_hybrid(small: SmallWorld) -> None:
    _, events = run(small.index, QUESTION, embedder=small.embedder, composed=False)
    first = of_kind(events, Retrieved)[0]
    assert first.base == "hybrid"
    dense = top(small.index, QUESTION, 100, "dense")
    bm25 = top(small.index, QUESTION, 100, "bm25")
    assert [line.id for line in first.ranking] == list(rrf({"dense": dense, "bm25": bm25})[0].ids)


def test_without_synonyms_only_the_name_itself_joins() -> None:
    index = index_of(WIVES, ALIASES)
    _, events = run(index, NORTH_STAR, same_as=False)
    assert of_kind(events, Matched)[0].joins[0].synonyms == ()
    assert {line.id for line in of_kind(events, Retrieved)[1].ranking} == {1, 4}


def test_without_shortlisting_every_partial_triple_is_matched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("gear_app.methods.matcher.SHORTLIST", 3)
    index = index_of(DOUGLASS)
    assert [event.shortlisted for event in of_kind(run(index, NORTH_STAR)[1], Matched)] == [3, 3]
    _, events = run(index, NORTH_STAR, k=7, shortlist=False)
    first = of_kind(events, Matched)[0]
    assert (first.triples, first.shortlisted) == (7, 14)


def test_full_triples_are_compared_with_both_sides(small: SmallWorld) -> None:
    partial = of_kind(run(small.index, QUESTION, embedder=small.embedder)[1], Matched)[0].matches[0]
    whole = of_kind(
        run(small.index, QUESTION, embedder=small.embedder, triples="full")[1], Matched
    )[0].matches[0]
    phrase, part, full = small.embedder.embed(
        [
            "the director of Harbour Lights",
            "Harbour Lights was directed by",
            "Harbour Lights was directed by Ada Quill",
        ]
    )
    assert (partial.triple.id, whole.triple.id) == (2, 2)
    assert partial.relation_cosine == pytest.approx(float(part @ phrase), abs=1e-5)
    assert whole.relation_cosine == pytest.approx(float(full @ phrase), abs=1e-5)
