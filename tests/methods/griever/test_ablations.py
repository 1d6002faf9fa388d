"""GRIEVER with a part left out, and how it ends."""

from __future__ import annotations

import pytest

from gear_app.trace.events import Matched, Retrieved
from tests.methods.griever.asked import ALIASES, NORTH_STAR, WIVES, index_of, run
from tests.small import QUESTION, SmallWorld, of_kind


def test_without_synonyms_only_the_name_itself_joins() -> None:
    index = index_of(WIVES, ALIASES)
    _, events = run(index, NORTH_STAR, same_as=False)
    assert of_kind(events, Matched)[0].joins[0].synonyms == ()
    assert {line.id for line in of_kind(events, Retrieved)[1].ranking} == {1, 4}


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
