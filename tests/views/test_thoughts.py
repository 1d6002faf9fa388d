from __future__ import annotations

from dataclasses import replace

from gear_app.events import Thought
from gear_app.views import thoughts
from tests import factories, rivals

BDTR = rivals.bdtr_run()
BOTH = [event for event in BDTR if isinstance(event, Thought)]


def test_a_thought_shows_its_words_its_facts_and_what_is_searched() -> None:
    (thought,) = [
        event for event in rivals.ircot_run() if isinstance(event, Thought) and not event.final
    ]
    drawn = thoughts.cards([thought])
    assert "Who was his father?" in drawn
    assert "It rests on" in drawn
    assert "<b>Clifton Suspension Bridge</b> was designed by" in drawn
    assert "these words" in drawn  # the query is the thought itself


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
    assert "these words" not in drawn


def test_words_of_models_are_escaped() -> None:
    evil = replace(
        BOTH[0], text=rivals.EVIL, query=rivals.EVIL, answer=rivals.EVIL, unasked=rivals.EVIL
    )
    assert "<script" not in thoughts.cards([evil])
    assert "<script" not in thoughts.iterations([evil, replace(BOTH[1], iteration=2)])


def test_all_iterations_are_told_beside_each_other() -> None:
    told = thoughts.iterations(BDTR, current=2)
    assert told.count("gear-chapter") == 2
    assert told.index(rivals.FAST) < told.index("Iteration 2")
    assert "5 passages new in the pool" in told
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
