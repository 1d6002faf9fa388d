"""The poster's example: from The North Star to Helen Pitts Douglass."""

from __future__ import annotations

import pytest

from gear_app.core.protocols import Embedder
from gear_app.index.embedded import EmbeddedIndex
from gear_app.models.embedders.cache import CachedEmbedder
from gear_app.trace.events import Matched, Retrieved, Rewrote, Stopped
from tests.methods.griever.asked import DOUGLASS, EMBEDDER, NORTH_STAR, index_of, run
from tests.small import of_kind


def check_the_north_star(index: EmbeddedIndex, embedder: Embedder) -> None:
    ranking, events = run(index, NORTH_STAR, embedder=embedder)
    first, second = of_kind(events, Retrieved)
    assert first.ranking[0].title == "The North Star (anti-slavery newspaper)"
    assert second.query == "Who married Frederick Douglass?"
    assert [
        line.title for line in second.ranking if "ferry" in line.title or line.title == "Publisher"
    ] == []
    assert {line.title for line in second.ranking} == {
        "Helen Pitts Douglass",
        "The North Star (anti-slavery newspaper)",
    }
    titles = [index.rows([id_], ()).passages[id_].title for id_ in ranking.ids[:2]]
    assert set(titles) == {"Helen Pitts Douglass", "The North Star (anti-slavery newspaper)"}
    matched = of_kind(events, Matched)[0]
    (match,) = [match for match in matched.matches if match.taken]
    assert (match.mention, match.known, match.new) == (
        "The North Star",
        "The North Star",
        "Frederick Douglass",
    )
    assert match.relation == "the publisher of abolitionist newspaper"
    (change,) = of_kind(events, Rewrote)[0].substitutions
    assert change.removed == "the publisher of abolitionist newspaper The North Star"
    assert (change.inserted, change.because) == (
        "Frederick Douglass",
        "The North Star published by Frederick Douglass",
    )
    assert [(join.entity, join.passages) for join in matched.joins] == [("Frederick Douglass", 2)]
    answer = of_kind(events, Matched)[1].matches[0]
    assert (answer.known, answer.new, answer.taken) == (
        "Frederick Douglass",
        "Helen Pitts Douglass",
        False,
    )
    assert of_kind(events, Stopped)[0].why == "nothing to rewrite"


def test_the_north_star_leads_to_helen_pitts_douglass() -> None:
    check_the_north_star(index_of(DOUGLASS), EMBEDDER)


@pytest.mark.models
def test_the_north_star_leads_to_helen_pitts_douglass_by_the_real_model(
    minilm: CachedEmbedder,
) -> None:
    check_the_north_star(index_of(DOUGLASS, embedder=minilm), minilm)
