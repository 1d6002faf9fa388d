"""Tables and the page made of them: the words and figures a reader sees."""

from __future__ import annotations

import re
from dataclasses import replace

from gear_app.evaluate.run_facts import VERSION
from gear_app.retrievers import versions
from gear_app.types import Hop
from tests.bench.results.benchmark import Family
from tests.bench.results.measured_sets import Case
from tests.bench.results.report import ablation, case, losses, overview, report, section
from tests.evaluate.rows import failed, measured, row

BETTER = measured("set", {"hybrid": [1] * 20, "gear": [2] * 20})


def test_the_table_stars_what_is_significant_and_says_what_was_measured() -> None:
    text = section(BETTER, ["hybrid", "gear"])
    assert text.startswith("### set, triples: local\n")
    assert (
        "20 questions with 40 gold passages, 1,234 passages, 5,678 triples (`local`), at most 2"
        " iterations." in text
    )
    assert "| `hybrid` | 50.0 | 50.0 | 50.0 | 0.0 | 0.0 | 0.0 | 0.500 |  |  |  | 10 | 0 |" in text
    whole = "| `gear` | 100.0* | 100.0* | 100.0* | 100.0 | 100.0 | 100.0 | 1.000"
    assert f"{whole} | 100 % (100 to 100) |" in text


def test_failed_runs_are_counted_and_in_no_other_number() -> None:
    times = {"a": 40.0, "b": 20.0, "c": 70.0}
    rows = [replace(row("hybrid", id_, 1), ms=ms) for id_, ms in times.items()]
    rows += [row("gear", id_, 2) for id_ in "bc"]
    one = measured("set", {"hybrid": [1] * 3, "gear": [1] * 3})
    evaluation = replace(one.evaluation, rows=tuple(rows), failed=(failed("gear", "a"),))
    one = replace(one, evaluation=evaluation, timed=frozenset({"a", "b"}))
    shown = section(one, ["hybrid", "gear"])
    assert "| `gear` | 100.0 | 100.0 |" in shown and "| 100 % (100 to 100) | 10 | 1 |" in shown
    assert re.findall(r"\| (\d+) \| \d \|$", shown, re.MULTILINE) == ["30", "10"]
    evaluation = replace(evaluation, rows=tuple(rows[:3]), failed=(failed("gear", "a"),) * 3)
    evaluation = replace(evaluation, ks=(5, 10, 15))
    shown = section(replace(one, evaluation=evaluation), ["hybrid", "gear"])
    assert f"| `gear` |{'  |' * 11} 3 |" in shown, "no number of a method without any"


def test_losses_are_listed_by_question() -> None:
    assert (
        losses(measured("set", {"hybrid": [1, 1], "gear": [0, 2]}), "gear")
        == "* `a`: 0 of 2, hybrid 1"
    )


def test_the_overview_leaves_empty_what_was_not_measured() -> None:
    text = overview([BETTER, measured("other", {"hybrid": [2, 1]})], ["hybrid", "gear"])
    assert text.splitlines() == [
        "| method | set<br>local | other<br>local |",
        "| --- | ---: | ---: |",
        "| `hybrid` | 50.0 / 50.0 / 50.0 | 75.0 / 75.0 / 75.0 |",
        "| `gear` | 100.0 / 100.0 / 100.0 |  |",
    ]


def test_the_overviews_end_with_a_perfect_reader_where_one_is_known() -> None:
    hops = (Hop("First?", "1", "x"), Hop("Then?", "2", "y"))
    known = measured("s", {"hybrid": [1, 2]}, (), hops)
    text = overview([BETTER, known], ["hybrid"], "all_recall")
    assert text.splitlines()[2:] == [
        "| `hybrid` | 0.0 / 0.0 / 0.0 | 50.0 / 50.0 / 50.0 |",
        "| perfect reader |  | 100.0 / 100.0 / 100.0 |",
    ]


def test_a_case_is_shown_with_its_question_and_gold_and_not_averaged() -> None:
    cases = (Case("a", "Which film?", ("One", "Two", "One")), Case("b", "Which town?", ("Three",)))
    one = measured("case_study", {"hybrid": [0, 1], "gear": [2, 0]}, cases)
    text = case(one, cases[0])
    assert text.startswith("### “Which film?”\n\nGold passages: *One* (2 passages), *Two*. `a`\n")
    assert "| `hybrid` | 0.0 | 0.0 | 0.0 | no | 10 |" in text
    assert "| `gear` | 100.0 | 100.0 | 100.0 | yes | 10 |" in text
    page = report([one], ["hybrid", "gear"], "make eval", "hashing")
    assert "Which town?" in page and "All methods" not in page and "misses removed @5" not in page


def test_an_ablation_is_starred_against_the_whole_method_not_against_hybrid() -> None:
    family = Family("Title", {"gear": "GEAR", "gear width=1": "narrow", "hybrid": "none of it"})
    found = measured("set", {"hybrid": [1] * 20, "gear": [2] * 20, "gear width=1": [2] * 20})
    assert ablation([found], family).splitlines()[2:] == [
        "|  | setting | set @5 | set @10 | set @15 |",
        "| --- | ---: | ---: | ---: | ---: |",
        "| GEAR | `gear` | 100.0 / 100.0 | 100.0 / 100.0 | 100.0 / 100.0 |",
        "| narrow | `gear width=1` | 100.0 / 100.0 | 100.0 / 100.0 | 100.0 / 100.0 |",
        "| none of it | `hybrid` | 50.0* / 0.0 | 50.0* / 0.0 | 50.0* / 0.0 |",
    ]


def test_a_star_is_after_holms_correction_for_all_methods_of_the_table() -> None:
    better, same = [2] * 7 + [1], [1] * 8  # p = 1/64 alone, 1/16 as one of four
    few = measured("set", {"hybrid": same, "gear": better})
    many = measured("set", {"hybrid": same, **dict.fromkeys(("gear", "a", "b", "c"), better)})
    assert "| `gear` | 93.8* |" in section(few, ["gear"])
    assert "| `gear` | 93.8 |" in section(many, ["gear"])


def test_the_notes_of_a_person_stand_on_the_page_as_they_are() -> None:
    page = report(
        [BETTER],
        ["hybrid", "gear"],
        "make eval",
        "hashing",
        "## What differs\n\n* `gear`: *nothing*.\n",
    )
    before, after = page.split("## What differs\n\n* `gear`: *nothing*.\n")
    assert "All methods, all sets" in before and "## Set by set" in after
    assert "Ablations" not in page  # none was measured


def test_notes_may_begin_with_the_title_of_the_page() -> None:
    page = report([BETTER], ["hybrid"], "make eval", "hashing", "# Everyday text\n\nOf `data`.\n")
    assert (
        page.startswith("<!-- generated by make eval -->\n# Everyday text\n\nMade by")
        and page.count("# Everyday text") == 1
    )
    assert "\nOf `data`.\n\n## Set by set" in page


def test_a_method_that_nothing_measured_has_no_row() -> None:
    page = report([BETTER], ["hybrid", "gear", "bdtr"], "make eval", "hashing")
    assert "| `gear` |" in page and "bdtr" not in page


def test_the_page_names_the_version_of_everything_that_was_measured() -> None:
    page = report([BETTER], ["hybrid", "gear"], "make eval", "hashing")
    (line,) = (line for line in page.splitlines() if line.startswith("Versions of what"))
    named = versions("gear") | {"measuring": VERSION}
    assert set(re.findall(r"`(\w+)` (\d+)", line)) == {(n, str(v)) for n, v in named.items()}


def test_a_set_with_known_decompositions_has_the_ceiling_and_which_link_is_missed() -> None:
    hops = (Hop("First?", "1", "x"), Hop("Then?", "2", "y"))
    text = section(measured("s", {"hybrid": [1, 2], "gear": [2, 2]}, (), hops), ["hybrid", "gear"])
    assert (
        "| perfect reader | 100.0 | 100.0 | 100.0 | 100.0 | 100.0 | 100.0 | 1.000 |  |  |  |  |  |"
        in text
    )
    assert "| missed at 5 | link 1 (2) | link 2 (2) |" in text
    assert "| `hybrid` | 0.0 | 50.0 |\n| `gear` | 0.0 | 0.0 |\n| perfect reader |" in text
