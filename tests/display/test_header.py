from __future__ import annotations

from gear_app.display import header
from gear_app.trace.events import Started
from tests.display import chained
from tests.display.compared import run
from tests.small import QUESTION


def test_a_method_in_iterations_counts_these_and_not_the_rounds_of_links_of_its_base() -> None:
    followed = chained.run("sync_ge:chain")
    assert "· 2 rounds of links ·" in header.facts(run("abc", "sync_ge:chain"), followed)
    limit = Started(QUESTION, "gear:chain", (("max_iterations", "4"),))
    looped = [limit, *followed]
    line = header.facts(run("abc", "gear:chain", collection="demo"), looped)
    assert line.startswith("GEAR over chain · 1 iteration · demo")
    assert "rounds" not in line
    line = header.facts(run("abc", "gear:chain", collection="demo"), looped[:2], ahead=5)
    assert line.startswith("GEAR over chain · iteration 1 · demo")


def test_question_and_answer_are_escaped() -> None:
    drawn = header.head("<script>", "a & b", [header.Figure("<i>", "x", "yes")])
    assert "<script>" not in drawn
    assert "<i>" not in drawn
