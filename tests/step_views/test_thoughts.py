"""Thoughts, what they rest on, and the pool that their queries fill."""

from __future__ import annotations

from dataclasses import replace

from gear_app.events import Pooled, Thought
from gear_app.step_views import thoughts
from gear_app.views import rankings
from tests import factories, rivals
from tests.factories import KEYS
from tests.views.drawn import plain

BDTR = rivals.bdtr_run()
BOTH = [event for event in BDTR if isinstance(event, Thought)]


def test_a_thought_shows_its_words_its_facts_and_what_is_searched() -> None:
    (thought,) = [
        event for event in rivals.ircot_run() if isinstance(event, Thought) and not event.final
    ]
    drawn = thoughts.cards([thought])
    assert "Who was his father?" in drawn
    assert "It rests on" in drawn
    assert "Clifton Suspension Bridge was designed by" in plain(drawn)
    assert "the thought, word for word" in drawn  # the query is the thought itself


def test_fast_and_slow_stand_beside_each_other_and_share_their_facts() -> None:
    drawn = thoughts.cards(BOTH)
    assert drawn.index("Fast thought") < drawn.index("Slow thought")
    assert drawn.count("gear-thought") == 3  # two cards in one frame
    assert drawn.count("was designed by") == 1
    assert "Both rest on" in drawn


def test_a_final_thought_gives_its_answer_and_says_why_nothing_is_searched() -> None:
    final = next(
        event for event in rivals.ircot_run() if isinstance(event, Thought) and event.final
    )
    drawn = thoughts.cards([final])
    assert "François Carpentier" in drawn
    assert "Not searched" in drawn
    assert "It is final." in drawn


def test_a_query_that_is_more_than_the_thought_is_written_out() -> None:
    drawn = thoughts.cards([Thought("irgs", "He was his son.", "Who? He was his son.")])
    assert "Who? He was his son." in drawn
    assert "the thought, word for word" not in drawn


def test_words_of_models_are_escaped() -> None:
    evil = replace(
        BOTH[0], text=rivals.EVIL, query=rivals.EVIL, answer=rivals.EVIL, unasked=rivals.EVIL
    )
    assert "<script" not in thoughts.cards([evil])
    assert "<script" not in thoughts.iterations([evil, replace(BOTH[1], iteration=2)])


def test_all_iterations_are_told_beside_each_other() -> None:
    told = thoughts.iterations(BDTR, current=2)
    assert told.count("gear-chapter") == 2
    assert plain(told).index(rivals.FAST) < plain(told).index("Iteration 2")
    assert "5 new passages in the pool" in plain(told)
    assert told.count("gear-here") == 1


def test_griever_tells_what_was_put_in() -> None:
    assert "“Isambard Kingdom Brunel” for “the engineer who designed" in thoughts.iterations(
        rivals.griever_run()
    )


def test_a_run_of_one_round_tells_nothing() -> None:
    assert thoughts.iterations(rivals.hippo_run()) == ""
    assert thoughts.iterations(factories.hybrid_run()) == ""


def test_the_table_says_the_same() -> None:
    rows = thoughts.rows(BDTR)
    assert [(row["iteration"], row["what"]) for row in rows] == [
        (1, "query"),
        (1, "Fast thought · asks directly"),
        (1, "Slow thought · asks for the bridge"),
        (2, "fast query"),
        (2, "slow query"),
    ]
    assert rows[4]["words"] == rivals.SLOW


EVENTS = rivals.bdtr_run()
ONE, TWO = (event for event in EVENTS if isinstance(event, Pooled))


def line(event: Pooled, key: str) -> dict:
    data = rankings.lines(event.reached, (), way="greatest")
    return next(one for one in data["lines"] if one["key"] == key)


def test_a_score_is_the_greatest_of_its_parts_and_says_so() -> None:
    isambard = line(TWO, "isambard")  # sixth for the question, first for the fast thought
    assert [part["words"] for part in isambard["parts"]] == [
        "query 1: rank 6, score 0.030000, normalised 0.166667",
        "query 2: rank 1, score 0.030000, normalised 1.000000",
    ]
    assert isambard["total"] == "= 1.000000, the greatest of them, not the sum"
    assert [part["kind"] for part in isambard["bar"]] == [
        "kept"
    ]  # the thought's, not the question's
    assert isambard["share"] == 1.0


def test_the_questions_own_list_has_the_baselines_colour() -> None:
    assert [part["kind"] for part in line(TWO, "engineers")["bar"]] == ["passage"]


def test_new_and_better_passages_are_marked_from_the_second_pool_on() -> None:
    assert thoughts.pool_badges(ONE, EVENTS) == {}
    badges = {KEYS[id_ - 1]: words for id_, words in thoughts.pool_badges(TWO, EVENTS).items()}
    assert badges == {
        "isambard": "better, was 0.17",
        "avon": "better, was 0.25",
        "tunnel": "new",
        "gwr": "new",
        "telford": "new",
        "rouen": "new",
        "marc": "new",
    }


def test_the_pool_says_that_later_scores_are_squared() -> None:
    squared = replace(TWO, normalised="min-max", power=2.0)
    words = "Those of the queries after the first are then squared"
    assert words in thoughts.pool_queries(squared, EVENTS)
    assert "raised to the power 1.5" in thoughts.pool_queries(replace(TWO, power=1.5), EVENTS)
    assert words not in thoughts.pool_queries(TWO, EVENTS)


def test_the_queries_are_numbered_and_say_who_asked() -> None:
    drawn = thoughts.pool_queries(TWO, EVENTS)
    assert (
        drawn.index("query 2")
        < drawn.index(rivals.FAST)
        < drawn.index("fast thought of iteration 1")
    )
    assert "11 passages in the pool, 5 of them new" in drawn
    assert "not their sum" in drawn


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


def test_the_final_ranking_takes_the_pools_way_of_scoring() -> None:
    last = EVENTS[-1]
    assert rankings.ranking_with_parts(last, EVENTS)[1] == "greatest"  # type: ignore[arg-type]


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
