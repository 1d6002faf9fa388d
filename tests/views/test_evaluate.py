"""An evaluation as words, figures and tables: what is said follows from the numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from gear_app.analysis.counts import GoldAnswer
from gear_app.analysis.lost import Cause, WhyNot
from gear_app.errors import BadInput
from gear_app.evaluate.breakdown import overlap, positions
from gear_app.evaluate.comparison import compare
from gear_app.evaluate.evaluation import Row
from gear_app.evaluate.question_set import before_after
from gear_app.evaluate.results import Results
from gear_app.evaluate.selection import Pick, behind
from gear_app.rendering.html import draw
from gear_app.types import Hop
from gear_app.views import glossary
from gear_app.views.evaluate import behind as lists
from gear_app.views.evaluate import causes, figures, sections, tables, words
from gear_app.views.evaluate.tables import Look
from tests.views.evaluated import BETTER, WORSE, Ranks, results, strong


def test_a_link_keeps_its_number_where_the_first_has_no_gold() -> None:
    found = strong()
    questions = tuple(
        replace(one, decomposition=(Hop("Zeroth?", "w", "elsewhere"), *one.decomposition))
        for one in found.evaluation.questions
    )
    moved = replace(found, evaluation=replace(found.evaluation, questions=questions))
    shares = positions(moved.evaluation, moved.evaluation.of("hybrid"), 5)
    assert [share.of for share in shares] == [0, len(questions), len(questions)]
    assert words.positions_heading(moved, "hybrid", 5) == "Hybrid misses link 3 most, 100 %"
    drawn = draw(figures.chain_positions(moved, Look("hybrid", 5)))
    assert 'data-pick="link|3|hybrid"' in drawn
    assert len(behind(moved.evaluation, Pick("link", "3", "hybrid"), "hybrid", 5)) == len(questions)


def test_one_passage_does_not_make_a_link_the_one_that_is_missed_most() -> None:
    """Link 2 loses 1 of 3, link 1 none."""
    found = results({"hybrid": [WORSE, [[1, 2]], [[1, 2]]]})
    assert words.positions_heading(found, "hybrid", 5) == (
        "Hybrid misses no link surely more than the others"
    )
    none = results({"hybrid": [[[1, 2]]] * 3})
    assert words.positions_heading(none, "hybrid", 5) == "Hybrid misses no link"


def test_hops_are_said_to_be_harder_only_where_the_questions_can_tell() -> None:
    def heading(easy: int, hard: int) -> str:
        found = results({"hybrid": [[[1, 2]]] * easy + [WORSE] * hard})
        questions = tuple(
            replace(one, hops=2 if number < easy else 3)
            for number, one in enumerate(found.evaluation.questions)
        )
        asked = replace(found, evaluation=replace(found.evaluation, questions=questions))
        return words.groups_heading(asked, "hybrid", 5)

    assert heading(12, 8) == "Hybrid finds less with every hop more"
    assert heading(3, 1) == "Hybrid does not surely find less with more hops"
    assert heading(3, 0) == "Recall by number of hops"


def test_triples_are_said_to_matter_only_where_the_questions_can_tell() -> None:
    def heading(each: int) -> str:
        found = results({"hybrid": [WORSE] * each + [[[1, 2]]] * each})
        densities = {one.id: float(n) for n, one in enumerate(found.evaluation.questions)}
        measured = replace(found.evaluation, densities=densities)
        return words.density_heading(replace(found, evaluation=measured), "hybrid", 5)

    assert heading(10) == "Hybrid’s recall differs by 50 % with the number of triples"
    assert heading(2) == "Recall by triples of the gold passages"


def test_every_measure_of_a_table_is_explained() -> None:
    found = strong()
    answered = replace(found, evaluation=replace(found.evaluation, answered=True))
    for metric in tables.columns(answered):
        assert tables.measure_head(metric).key in glossary.TERMS, metric


def test_no_heading_prefers_a_method_that_cannot_be_told_from_the_baseline() -> None:
    found = results({"hybrid": [WORSE] * 3, "gear": [BETTER, WORSE, WORSE]})
    assert words.main_heading(found, 5) == "No method is surely above Hybrid in the first 5"
    assert words.dots_heading(found, 5) == "No method is surely above Hybrid at 5"
    assert words.table_heading(found, 5) == "All measures"
    drawn = draw(tables.dots(found, Look("gear", 5)))
    assert (
        'class="hollow"' in drawn and 'class="filled"' not in drawn and drawn.count("diamond") == 3
    )


def test_no_heading_is_a_verdict_until_all_methods_are_on_the_same_questions() -> None:
    whole, method = strong(), "gear width=5"
    kept = [one for one in whole.evaluation.rows if one.method != "hybrid" or one.id == "q0"]
    missing = {"hybrid": tuple(f"q{n}" for n in range(1, 12))}
    evaluation = replace(whole.evaluation, rows=tuple(kept), unmeasured=missing)
    part = replace(whole, evaluation=evaluation, comparison=compare(evaluation))

    answers = [GoldAnswer("q0", "hybrid", WhyNot("b", "B", 5, None, Cause.BELOW_CUT))]

    def headings(found: Results) -> list[str]:
        both = overlap(found.evaluation, method, "hybrid", 5)
        return [
            words.main_heading(found, 5),
            words.dots_heading(found, 5),
            words.table_heading(found, 5),
            words.rounds_heading(found, method, 5),
            words.positions_heading(found, "hybrid", 5),
            words.burial_heading(found, "hybrid", 5),
            words.deep_heading(found, method, 5),
            words.overlap_heading(found, both, method, "hybrid"),
            causes.heading(found, answers, "hybrid"),
            causes.matrix_heading(found, answers, "hybrid"),
        ]

    said, verdicts = headings(part), headings(whole)
    assert said[0] == "No verdict yet: 1 of 12 questions measured with every method"
    assert not re.search("%|above|still|most|loses", " ".join(said))
    assert all("Hybrid" in one or "GEAR" in one for one in verdicts)
    assert "Hybrid (11 missing)" in draw(tables.dots(part, Look(method, 5)))
    assert "Hybrid (11 missing)" in draw(figures.chain_positions(part, Look(method, 5)))


def test_before_and_after_says_of_how_many_questions_each_row_is() -> None:
    found = results({"hybrid": [WORSE] * 3, "gear": [BETTER] * 3})
    every = {f"q{n}": (1, None) for n in range(3)}
    before = {"hybrid": {"q0": (1, None)}, "gear": {"q1": (1, None), "q2": (1, None)}}

    def shown(before: Mapping[str, Mapping[str, Ranks]], rows: Sequence[Row]) -> tuple[str, str]:
        evaluation = replace(found.evaluation, before=before, rows=tuple(rows))
        changed = before_after(evaluation, 5)
        among = replace(found, evaluation=evaluation)
        table = draw(tables.before_after(among, changed, 5))
        note = "".join(map(draw, sections.before_note(among, changed)))
        return table.partition("before||gear")[2][:20], note

    rows = found.evaluation.rows
    number, note = shown(before, rows)
    assert number.startswith('">2<') and "picked with it" in note and "all 3 questions" in note
    number, note = shown(before, rows[:-1])
    assert number.startswith('">1 of 2<') and "not measured yet" in note
    number, note = shown({"hybrid": every, "gear": every}, rows)
    assert number.startswith('">3<') and not note


def test_a_stopped_method_is_carried_forward_and_it_is_told_how_many_still_ask() -> None:
    found = results({"hybrid": [WORSE] * 2, "gear": [BETTER, [[1, 2]]]})
    table = draw(figures.round_table(found, figures.course(found, 5)))
    assert dict(re.findall(r'data-pick="((?:round|asking)\|\d\|gear)">([\d.]+)<', table)) == {
        "round|1|gear": "0.750",
        "round|2|gear": "1.000",
        "asking|1|gear": "2",
        "asking|2|gear": "1",
    }
    svg = draw(figures.recall_chart(found, Look("gear", 5), figures.course(found, 5)))
    assert svg.count('class="carried base"') == 1 and "asking: GEAR" in svg
    below = svg.partition("<ul>")[2]  # where there is no room for the names beside the lines
    assert re.findall("<li[^>]*>([^<]+)<", below)[:2] == ["GEAR 1.000", "Hybrid 0.500"]


def test_the_names_of_lines_that_end_alike_stay_within_the_figure() -> None:
    """Three end with the perfect reader at 1.0, which is at the very top."""
    found = results({"hybrid": [[[1, 2]]], "gear": [BETTER], "bm25": [[[1, 2]]], "dense": [WORSE]})
    svg = draw(figures.recall_chart(found, Look("gear", 5), figures.course(found, 5)))
    heights = [float(y) for y in re.findall(r'<text x="402" y="([\d.-]+)" class="name', svg)]
    assert sorted(heights)[:4] == [12 + 4 + 15 * n for n in range(4)]
    axis = svg.partition(">0.5</text>")[0].rpartition('y="')[2].partition('"')[0]
    assert max(heights) == float(axis), "a name that has room stays beside its line"


def test_any_number_leads_to_the_questions_behind_it() -> None:
    found = results({"hybrid": [WORSE, [[7, 2]]], "gear": [BETTER, [[1, None]]]})
    evaluation = found.evaluation

    def ids(kind: str, what: str, method: str) -> list[str]:
        pick = Pick(kind, what, method)
        return [one.question.id for one in behind(evaluation, pick, "hybrid", 5)]

    assert ids("measure", "recall@5", "gear") == ["q1", "q0"], "the worst first"
    assert ids("link", "1", "hybrid") == ["q1"] and ids("link", "2", "hybrid") == ["q0"]
    assert ids("ranks", "6–10", "hybrid") == ["q1"]
    assert ids("ranks", "not ranked", "gear") == ["q1"]
    assert sorted(ids("only", "hybrid", "gear")) == ["q0", "q1"]
    assert ids("only", "gear", "hybrid") == ["q1"]
    assert ids("kind", "3 hops", "gear") == [] and len(ids("kind", "bridge", "gear")) == 2
    gained = behind(evaluation, Pick("measure", "recall@5", "gear"), "hybrid", 5)[1]
    assert (gained.value, gained.change) == (1.0, 0.5)
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
        ranks = [rank for one in listed for _, rank in one.ranks]
        assert sum(rank in between for rank in ranks) == int(number)
    assert 'title="12 of 12 missed"' in html


def test_the_last_rank_of_the_histogram_is_still_ranked() -> None:
    found = results({"hybrid": [[[1, 200]], [[1, 201]], [[1, None]]]}).evaluation
    listed = behind(found, Pick("ranks", "not ranked", "hybrid"), "hybrid", 5)
    assert {one.question.id for one in listed} == {"q1", "q2"}
    last = behind(found, Pick("ranks", "101–200", "hybrid"), "hybrid", 5)
    assert [one.question.id for one in last] == ["q0"]


def test_a_link_whose_passage_is_last_of_the_first_k_is_not_missed() -> None:
    found = results({"hybrid": [[[1, 5]], [[1, 6]], [[1, None]]]}).evaluation
    listed = behind(found, Pick("link", "2", "hybrid"), "hybrid", 5)
    assert {one.question.id for one in listed} == {"q1", "q2"}


def test_the_overlap_of_two_methods_adds_up() -> None:
    found = results({"hybrid": [[[1, None]], [[9, 2]]], "gear": [[[1, 3]], [[1, None]]]})
    both = overlap(found.evaluation, "gear", "hybrid", 5)
    assert both == (1, 2, 1, 0, 0, 0)
    assert words.overlap_heading(found, both, "gear", "hybrid") == (
        "Together they would have 100 % of all gold passages, the better alone 75 %"
    )


def test_without_a_perfect_reader_nothing_promises_one() -> None:
    found, look = strong(), Look("hybrid", 5)
    known = replace(found, evaluation=replace(found.evaluation, ceiling=()))
    for results_, there in ((found, True), (known, False)):
        assert ("of ceiling" in draw(tables.main(results_, look))) is there
        assert sections.dots_note(results_).endswith(sections.CEILING_NOTE) is there
        assert sections.rounds_note(results_, 5).endswith(sections.CEILING_NOTE) is there


def test_a_report_is_one_page_with_the_command_and_escaped_words() -> None:
    found = strong()
    page = sections.report(replace(found, facts=replace(found.facts, collection="<script>x")))
    assert "<script>" not in page and "&lt;script&gt;x" in page
    assert "gear-app eval --collection" in page and "width=5" in page
    assert not re.search(r"(src|href)=", page), "nothing is loaded"
    pick = Pick("measure", "mrr", "bm25")
    listed = lists.behind(behind(found.evaluation, pick, "hybrid", 5), pick, 5)
    assert "<b>is</b>" not in listed and "&lt;b&gt;is&lt;/b&gt;" in listed
