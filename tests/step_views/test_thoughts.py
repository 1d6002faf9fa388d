"""Thoughts, what they rest on, and the pool that their queries fill."""

from __future__ import annotations

from dataclasses import replace

from gear_app.events import Pooled, Thought
from gear_app.step_views import thoughts
from gear_app.views import rankings
from tests import factories, rivals

BDTR = rivals.bdtr_run()
BOTH = [event for event in BDTR if isinstance(event, Thought)]


def test_words_of_models_are_escaped() -> None:
    evil = replace(
        BOTH[0], text=rivals.EVIL, query=rivals.EVIL, answer=rivals.EVIL, unasked=rivals.EVIL
    )
    assert "<script" not in thoughts.cards([evil])
    assert "<script" not in thoughts.iterations([evil, replace(BOTH[1], iteration=2)])


def test_a_run_of_one_round_tells_nothing() -> None:
    assert thoughts.iterations(rivals.hippo_run()) == ""
    assert thoughts.iterations(factories.hybrid_run()) == ""


EVENTS = rivals.bdtr_run()
ONE, TWO = (event for event in EVENTS if isinstance(event, Pooled))


def line(event: Pooled, key: str) -> dict:
    data = rankings.lines(event.reached, (), way="greatest")
    return next(one for one in data["lines"] if one["key"] == key)


def test_the_questions_own_list_has_the_baselines_colour() -> None:
    assert [part["kind"] for part in line(TWO, "engineers")["bar"]] == ["passage"]


def test_the_pool_says_that_later_scores_are_squared() -> None:
    squared = replace(TWO, normalised="min-max", power=2.0)
    words = "Those of the queries after the first are then squared"
    assert words in thoughts.pool_queries(squared, EVENTS)
    assert "raised to the power 1.5" in thoughts.pool_queries(replace(TWO, power=1.5), EVENTS)
    assert words not in thoughts.pool_queries(TWO, EVENTS)


def test_a_query_that_counts_half_says_so() -> None:
    event = rivals.pooled([["clifton"], ["avon"]], ["q", "thought"])
    assert "no sure fact" not in thoughts.pool_queries(event, [event])
    half = replace(event, weights=(1.0, 0.5))
    assert thoughts.pool_queries(half, [half]).count("rests on no sure fact: counts 0.5") == 1


def test_what_follows_below_the_pool_is_not_the_pool() -> None:
    event = rivals.pooled([["clifton", "avon", "rouen"]], ["q"], below=1)
    assert [passage.key for passage in event.reached] == ["clifton", "avon"]
    assert "below it 1 more of the first query" in thoughts.pool_queries(event, [event])
    assert (
        rankings.total(event.ranking[2], "greatest")
        == "= 0: the last of its query, or below the pool in the order of the first query"
    )


def test_a_promoted_passage_fills_the_bar_and_is_told() -> None:
    ranking = EVENTS[-1].ranking  # type: ignore[attr-defined]
    data = rankings.lines(ranking, (), way="greatest")
    assert [one["share"] for one in data["lines"][:4]] == [1.0, 1.0, 1.0, 1.0]
    assert (
        data["lines"][2]["total"]
        == "1.333333: promoted above every score of the pool, where it has 0.166667"
    )


def test_queries_are_escaped() -> None:
    event = rivals.pooled([["clifton"]], [rivals.EVIL])
    assert "<script" not in thoughts.pool_queries(event, [event])


def test_an_ensembles_score_is_a_mean() -> None:
    event = rivals.walked(ensembled=True)
    data = rankings.lines(event.ranking, (), way=rankings.way_of(event))
    first = data["lines"][0]
    assert (
        first["parts"][1]["words"]
        == "0.400000 · half of 0.800000, to which rank 2 in dense, score 0.610000 is normalised"
    )
    assert (first["total"], len(first["bar"])) == ("= 0.900000", 2)
