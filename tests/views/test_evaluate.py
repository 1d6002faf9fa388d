"""An evaluation as words, figures and tables: what is said follows from the numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

import pytest

from gear_app.errors import BadInput
from gear_app.evaluate.breakdown import overlap, positions
from gear_app.evaluate.evaluation import Evaluation
from gear_app.evaluate.question_set import before_after
from gear_app.evaluate.selection import Pick, behind
from gear_app.rendering.html import draw
from gear_app.store.evaluations import ORACLE
from gear_app.types import Hop
from gear_app.views import glossary
from gear_app.views.evaluate import behind as lists
from gear_app.views.evaluate import figures, sections, tables, words
from gear_app.views.evaluate.tables import Look
from tests.views.evaluated import (
    BETTER,
    HOPS,
    WORSE,
    compared,
    evaluation,
    line,
    lines_of,
    question,
    results,
    strong,
)


def ids(found: Evaluation, kind: str, what: str, method: str) -> list[str]:
    """The questions behind a number, the worst first."""
    return list(behind(found, Pick(kind, what, method), "hybrid", 5)["question"])


def test_a_link_keeps_its_number_where_the_first_has_no_gold() -> None:
    hops = (Hop("Zeroth?", "w", "elsewhere"), *HOPS)
    asked = tuple(question(f"q{n}", decomposition=hops) for n in range(12))
    moved = results({"hybrid": [WORSE] * 12}, questions=asked)
    assert list(positions(moved.evaluation, "hybrid", 5)["of"]) == [0, 12, 12]
    drawn = draw(figures.chain_positions(moved, Look("hybrid", 5)))
    assert 'data-pick="link|3|hybrid"' in drawn
    assert len(ids(moved.evaluation, "link", "3", "hybrid")) == 12


def test_every_measure_of_a_table_is_explained() -> None:
    answered = results({"hybrid": [WORSE]}, answered=True)
    for metric in tables.columns(answered):
        assert tables.measure_head(metric).key in glossary.TERMS, metric


def test_no_verdict_prefers_a_method_that_cannot_be_told_from_the_baseline() -> None:
    found = results({"hybrid": [WORSE] * 3, "gear": [BETTER, WORSE, WORSE]})
    assert (
        words.verdict(found, 5) == "R@5: GEAR is not significantly better than Hybrid (p = 1.000)"
    )
    drawn = draw(tables.dots(found, Look("gear", 5)))
    assert (
        'class="hollow"' in drawn and 'class="filled"' not in drawn and drawn.count("diamond") == 3
    )
    sure = words.verdict(strong(), 5)
    assert sure == "R@5: GEAR, width 5 is significantly better than Hybrid (p < 0.001)"
    alone = results({"hybrid": [BETTER], "gear": [WORSE]})
    assert words.verdict(alone, 5) == "R@5: no method is better than Hybrid"


def test_there_is_no_verdict_until_all_methods_are_on_the_same_questions() -> None:
    lines = lines_of({"hybrid": [WORSE], "gear": [BETTER] * 12})
    part = compared(evaluation(lines))
    assert words.verdict(part, 5) == (
        "No verdict yet: 1 of 12 questions measured with every method"
    )
    assert "Hybrid (11 missing)" in draw(tables.dots(part, Look("gear", 5)))
    assert "Hybrid (11 missing)" in draw(figures.chain_positions(part, Look("gear", 5)))


def test_before_and_after_says_of_how_many_questions_each_row_is() -> None:
    then = {"a": 1, "b": None}
    every = {f"q{n}": then for n in range(3)}

    def shown(before: Mapping[str, object], gear: int = 3) -> tuple[str, str]:
        lines = lines_of({"hybrid": [WORSE] * 3, "gear": [BETTER] * gear})
        among = compared(evaluation(lines, before=before))
        changed = before_after(among.evaluation, 5)
        table = draw(tables.before_after(among, changed, 5))
        note = "".join(map(draw, sections.before_note(among, changed)))
        return table.partition("before||gear")[2][:20], note

    before = {"hybrid": {"q0": then}, "gear": {"q1": then, "q2": then}}
    number, note = shown(before)
    assert number.startswith('">2<') and "picked with it" in note and "all 3 questions" in note
    number, note = shown(before, gear=2)
    assert number.startswith('">1 of 2<') and "not measured yet" in note
    number, note = shown({"hybrid": every, "gear": every})
    assert number.startswith('">3<') and not note


def test_a_stopped_method_is_carried_forward_and_it_is_told_how_many_still_ask() -> None:
    found = results({"hybrid": [WORSE] * 2, "gear": [BETTER, [[1, 2]]]})
    course = figures.course(found, 5)
    table = draw(figures.round_table(found, course, 5))
    assert dict(re.findall(r'data-pick="((?:round|asking)\|\d\|gear)">([\d.]+)<', table)) == {
        "round|1|gear": "0.750",
        "round|2|gear": "1.000",
        "asking|1|gear": "2",
        "asking|2|gear": "1",
    }
    svg = draw(figures.recall_chart(found, Look("gear", 5), course))
    assert svg.count('class="carried base"') == 1 and "asking: GEAR" in svg
    below = svg.partition("<ul>")[2]  # where there is no room for the names beside the lines
    assert re.findall("<li[^>]*>([^<]+)<", below)[:2] == ["GEAR 1.000", "Hybrid 0.500"]


def test_the_names_of_lines_that_end_alike_stay_within_the_figure() -> None:
    """Three end with the oracle at 1.0, which is at the very top."""
    found = results({"hybrid": [[[1, 2]]], "gear": [BETTER], "bm25": [[[1, 2]]], "dense": [WORSE]})
    svg = draw(figures.recall_chart(found, Look("gear", 5), figures.course(found, 5)))
    heights = [float(y) for y in re.findall(r'<text x="402" y="([\d.-]+)" class="name', svg)]
    assert sorted(heights)[:4] == [12 + 4 + 15 * n for n in range(4)]
    axis = svg.partition(">0.5</text>")[0].rpartition('y="')[2].partition('"')[0]
    assert max(heights) == float(axis), "a name that has room stays beside its line"


def test_any_number_leads_to_the_questions_behind_it() -> None:
    found = results({"hybrid": [WORSE, [[7, 2]]], "gear": [BETTER, [[1, None]]]}).evaluation
    for pick, expected in {
        ("measure", "recall@5", "gear"): ["q1", "q0"],  # the worst first
        ("link", "1", "hybrid"): ["q1"],
        ("link", "2", "hybrid"): ["q0"],
        ("ranks", "6–10", "hybrid"): ["q1"],
        ("ranks", "not ranked", "gear"): ["q1"],
        ("only", "hybrid", "gear"): ["q1", "q0"],
        ("only", "gear", "hybrid"): ["q1"],
        ("kind", "3 hops", "gear"): [],
        ("kind", "bridge", "gear"): ["q1", "q0"],
    }.items():
        assert ids(found, *pick) == expected, pick
    gained = behind(found, Pick("measure", "recall@5", "gear"), "hybrid", 5).loc["q0"]
    assert (gained["value"], gained["change"]) == (1.0, 0.5)
    for wrong in ("measure|recall@5", "what|a|gear"):
        with pytest.raises(BadInput, match="names no number"):
            Pick.parse(wrong)
    assert Pick.parse(str(Pick("link", "2", "gear"))) == Pick("link", "2", "gear")


def test_the_counts_of_the_figures_are_those_of_their_lists() -> None:
    found = strong()
    html = draw(figures.buried(found, Look("bm25", 5))) + draw(
        figures.chain_positions(found, Look("bm25", 5))
    )
    for pick, number in re.findall(r'data-pick="(ranks[^"]*)"[^>]*>([\d,]+)<', html):
        listed = behind(found.evaluation, Pick.parse(pick), "hybrid", 5)
        low, _, high = Pick.parse(pick).what.partition("–")
        between = range(int(low), int(high) + 1) if high else [None]
        ranks = [rank for of in listed["ranks"] for rank in of.values()]
        assert sum(rank in between for rank in ranks) == int(number)
    assert 'title="12 of 12 missed"' in html


def test_the_last_rank_of_a_bin_and_of_the_first_k_belongs_to_it() -> None:
    found = results({"hybrid": [[[1, 200]], [[5, 201]], [[6, None]]]}).evaluation
    assert set(ids(found, "ranks", "not ranked", "hybrid")) == {"q1", "q2"}
    assert ids(found, "ranks", "101–200", "hybrid") == ["q0"]
    assert ids(found, "link", "1", "hybrid") == ["q2"]


def test_the_overlap_of_two_methods_adds_up() -> None:
    found = results({"hybrid": [[[1, None]], [[9, 2]]], "gear": [[[1, 3]], [[1, None]]]})
    sizes = overlap(found.evaluation, "gear", "hybrid", 5)
    assert list(sizes.values()) == [1, 2, 1, 0, 0, 0]


def test_without_an_oracle_nothing_promises_one() -> None:
    look, lines = Look("hybrid", 5), lines_of({"hybrid": [WORSE] * 12, "gear": [BETTER] * 12})
    for found, known in ((strong(), True), (compared(evaluation(lines)), False)):
        assert ("of ceiling" in draw(tables.main(found, look))) is known
        assert sections.dots_note(found).endswith(sections.ORACLE_NOTE) is known
        assert sections.rounds_note(found, 5).endswith(sections.ORACLE_NOTE) is known


def test_a_report_is_one_page_with_the_command_and_escaped_words() -> None:
    found = strong()
    page = sections.report(replace(found, facts=replace(found.facts, collection="<script>x")))
    assert "<script>" not in page and "&lt;script&gt;x" in page
    assert "gear-app eval --collection" in page and "width=5" in page
    assert not re.search(r"(src|href)=", page), "nothing is loaded"
    pick = Pick("measure", "mrr", "bm25")
    rows = behind(found.evaluation, pick, "hybrid", 5)
    listed = lists.behind(found.evaluation, rows, pick, 5)
    assert "<b>is</b>" not in listed and "&lt;b&gt;is&lt;/b&gt;" in listed


def test_a_report_is_drawn_before_anything_is_measured_and_without_answers() -> None:
    lines = lines_of({"hybrid": [WORSE]})
    early = evaluation(lines, methods=("gear", "hybrid"), answered=True)
    assert "No verdict yet" in sections.report(compared(early))
    oracle = [line("q0", ORACLE, [1, 2])]
    none = evaluation(oracle, methods=("gear",))
    assert "Nothing is measured yet" in sections.report(compared(none))
