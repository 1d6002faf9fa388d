"""What the page Annotate counts, in words."""

from __future__ import annotations

import pytest

from gear_app.annotate.codebook import code_book
from gear_app.annotate.counts import LabelCounts, Remade, counts
from gear_app.annotate.queue import Filters, QueueItem, QueuePlace
from gear_app.ui.annotate import charts, desk_data, runs_to_make
from tests.annotate.make import labels, record

FOUND = counts(
    labels(record("q1", "ann"), record("q2", "ann"), record("q3", "ann", verdict="pass"))
)
NONE = LabelCounts({}, {}, 0, 0, 0)
HERE = Remade(present=2, again=0, all_gold=0)


def place(question: str, method: str, state: str = "open") -> QueuePlace:
    item = QueueItem(f"{question} {method}", f"run {question} {method}", question, method)
    return QueuePlace(item, state)  # type: ignore[arg-type]


PLACES = (place("q1", "gear"), place("q1", "bm25", "done"), place("q2", "gear"))


def test_a_queue_says_of_how_many_questions_its_runs_are_and_how_many_are_others() -> None:
    assert desk_data.heading(PLACES) == "1 of 3 runs judged, 2 to go"
    assert desk_data.heading(PLACES[1:2]) == "1 of 1 run judged, none to go"
    assert desk_data.questions(PLACES) == 2
    line = desk_data.queue_line(PLACES, Filters(), "ann", 4)
    assert line.startswith("2 questions · ") and "4 runs judged by two others" in line
    assert "two others" not in desk_data.queue_line(PLACES, Filters(), "ann", 0)


def test_a_chart_counts_all_runs_and_names_none_whose_label_is_hidden() -> None:
    assert charts.counts_heading(FOUND) == "2 of 3 runs failed when judged"
    assert charts.counts_heading(NONE) == "Nothing is judged yet"
    assert charts.hidden_words(5) in charts.counts_note(FOUND, HERE, 5)
    assert "blind" not in charts.counts_note(FOUND, HERE, 0)
    first, second = (record.case for record in FOUND.failed["gear"]["reader"])
    drawn = charts.squares(FOUND, code_book(), {second.id: "./explore"}, {}, {first.id})
    assert first.question not in drawn and second.question in drawn
    assert drawn.count('class="gear-square"') == 2


@pytest.mark.parametrize(
    ("here", "said"),
    [(2, "run, and opens it."), (1, "1 of the 2 are made here"), (0, "once the run is made here")],
)
def test_a_square_says_that_it_opens_a_run_only_where_that_is_here(here: int, said: str) -> None:
    assert said in charts.counts_note(FOUND, Remade(here, 0, 0), 0)


def test_what_is_found_now_is_said_of_the_runs_that_were_made_again() -> None:
    note = charts.counts_note(FOUND, Remade(18, 18, 7), 0)
    assert "18 failed runs were made again since then: 7 with all gold" in note
    assert "now, 11 without" in note
    assert "again" not in charts.counts_note(FOUND, HERE, 0)


def test_nothing_is_said_of_no_runs() -> None:
    assert charts.hidden_words(0) == runs_to_make.failed_words([]) == ""
