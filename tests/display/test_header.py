from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from gear_app.display import header, labels
from gear_app.trace.events import Event, Started
from gear_app.trace.rankings import final
from tests import rivals
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


@pytest.mark.parametrize(
    ("ms", "words"),
    [
        (None, ""),
        (0.4, "0 ms"),
        (999, "999 ms"),
        (999.7, "1.0 s"),
        (1500, "1.5 s"),
        (59_940, "59.9 s"),
        (59_960, "1 min 0 s"),
        (200_000, "3 min 20 s"),
    ],
)
def test_durations(ms: float | None, words: str) -> None:
    assert labels.duration(ms) == words


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (None, ""),
        (840_000, "840 kB"),
        (999_400, "999 kB"),
        (999_700, "1.0 MB"),
        (15_300_000, "15.3 MB"),
        (999_960_000, "1.0 GB"),
        (2_100_000_000, "2.1 GB"),
    ],
)
def test_sizes(size: int | None, words: str) -> None:
    assert labels.byte_words(size) == words


def test_times_are_for_people_and_other_words_stay() -> None:
    assert labels.readable_time("2026-11-02T01:14:30Z") == "2 Nov 2026, 01:14 UTC"
    assert labels.readable_time("yesterday") == "yesterday"


def test_a_run_that_did_not_begin_with_hybrid_is_compared_with_it_all_the_same() -> None:
    events = rivals.hippo_run()
    started = next(event for event in events if isinstance(event, Started))
    gold = (rivals_final(events)[0], "nowhere")
    known = [replace(started, hybrid=("nowhere", "x")) if e is started else e for e in events]
    assert header.figures(known, gold)[0].label == "recall@5 (hybrid alone 0.50)"
    assert header.figures(events, gold)[0].label == "recall@5"


def rivals_final(events: Sequence[Event]) -> list[str]:
    """Keys of a run's final ranking."""
    return [passage.key for passage in final(events)]
