from __future__ import annotations

from gear_app.analysis.rankings import without_followers
from gear_app.events import Pooled
from gear_app.views import rankings, thoughts
from tests import rivals
from tests.factories import KEYS

EVENTS = rivals.bdtr_run()
ONE, TWO = (event for event in EVENTS if isinstance(event, Pooled))


def line(event: Pooled, key: str) -> dict:
    data = rankings.lines(without_followers(event), (), way="greatest")
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


def test_the_queries_are_numbered_and_say_who_asked() -> None:
    drawn = thoughts.pool_queries(TWO, EVENTS)
    assert (
        drawn.index("query 2")
        < drawn.index(rivals.FAST)
        < drawn.index("fast thought of iteration 1")
    )
    assert "11 passages in the pool, 5 of them new" in drawn
    assert "not their sum" in drawn


def test_what_follows_below_the_pool_is_not_the_pool() -> None:
    event = rivals.pooled([["clifton", "avon", "rouen"]], ["q"], below=1)
    assert [passage.key for passage in without_followers(event)] == ["clifton", "avon"]
    assert "below it follow 1 more of the first query" in thoughts.pool_queries(event, [event])
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
    assert rankings.explained(last, EVENTS)[1] == "greatest"  # type: ignore[arg-type]


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
