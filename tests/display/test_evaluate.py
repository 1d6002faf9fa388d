"""An evaluation as words and sections: what is said follows from the numbers."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from gear_app.display import palette
from gear_app.display.evaluate import figures, sections, words
from gear_app.store.evaluations import ORACLE
from tests.display.evaluated import (
    BETTER,
    WORSE,
    compared,
    evaluation,
    line,
    lines_of,
    results,
    strong,
)


def test_no_verdict_prefers_a_method_that_cannot_be_told_from_the_baseline() -> None:
    found = results({"hybrid": [WORSE] * 3, "gear": [BETTER, WORSE, WORSE]})
    assert (
        words.verdict(found, 5) == "R@5: GEAR is not significantly better than Hybrid (p = 1.000)"
    )
    assert not re.search("[▲▼]", sections.measures(found, 5).words.to_string())
    sure = words.verdict(strong(), 5)
    assert sure == "R@5: GEAR, width 5 is significantly better than Hybrid (p < 0.001)"
    assert sections.measures(strong(), 5).words.loc["GEAR, width 5", "R@5"] == "1.000 ▲"
    alone = results({"hybrid": [BETTER], "gear": [WORSE]})
    assert words.verdict(alone, 5) == "R@5: no method is better than Hybrid"


def test_every_section_leads_from_its_cells_to_questions() -> None:
    lines = lines_of(
        {
            "hybrid": [WORSE] * 3,
            "gear": [BETTER] * 3,
            "gear gamma=none": [WORSE] * 3,
            "ircot": [BETTER] * 3,
            "ircot:bm25": [WORSE] * 3,
        }
    )
    lines += [line("q0", ORACLE, [1, 2])]
    densities = {f"q{n}": float(n) for n in range(3)}
    before = {"gear": {"q0": {"a": 1, "b": None}}}
    found = compared(evaluation(lines, densities=densities, before=before))
    drawn = [
        section
        for part in (sections.result, sections.questions, sections.papers)
        for section in part(found, 5)
    ]
    keys = {section.key for section in drawn}
    assert keys >= {"before", "found", "measures", "rounds", "hops", "type", "density", "asking"}
    assert keys >= {"iterations", "links", "overlap", "ranks", "base-recall@5"}
    for section in drawn:
        assert len(section.rows) == len(section.words) == len(section.words.index.unique())
        for head, column in section.columns.items():
            assert head in section.words
            for row in section.rows:
                if section.table.numbers.notna().loc[row, column]:
                    section.table.behind(found.evaluation, (row, column), 5)
        if section.figure:
            figures.draw(found, section, "gear", 5, palette.DARK)


def test_an_oracle_of_fewer_questions_is_never_drawn_beside_the_methods() -> None:
    lines = lines_of({"hybrid": [WORSE] * 12, "gear": [BETTER] * 12})
    known = [line(f"q{n}", ORACLE, [1, 2]) for n in range(5)]
    for oracle, lines_drawn in ((known, 0), ([], 0), (None, 3)):
        found = strong() if oracle is None else compared(evaluation([*lines, *oracle]))
        measures = sections.measures(found, 5)
        shapes = figures.draw(found, measures, "gear", 5, palette.LIGHT).layout.shapes
        assert len([shape for shape in shapes if shape.line.dash is None]) == lines_drawn
        assert ("not to be compared" in measures.note) is (oracle == known)
        assert ("of ceiling" in measures.words) is (oracle != [])
    partial = sections.measures(compared(evaluation([*lines, *known])), 5)
    assert "Oracle decomposition (5 of 12 questions)" in partial.words.index


def test_a_report_is_one_page_with_the_command_and_escaped_words() -> None:
    found = strong()
    page = sections.report(replace(found, facts=replace(found.facts, collection="<script>x")))
    assert "<script>" not in page and "&lt;script&gt;x" in page
    assert "gear-app eval --collection" in page and "width=5" in page
    assert not re.search(r"(src|href)=", page), "nothing is loaded"
    marked = results({"hybrid": [WORSE], "file:<b>x": [BETTER]})
    assert "<b>x" not in sections.report(marked)


@pytest.mark.parametrize("methods", [("gear", "hybrid"), ("gear",)])
def test_a_report_is_drawn_before_anything_is_measured_and_without_answers(
    methods: tuple[str, ...],
) -> None:
    lines = lines_of({"hybrid": [WORSE]}) if len(methods) > 1 else [line("q0", ORACLE, [1, 2])]
    page = sections.report(compared(evaluation(lines, methods=methods, answered=True)))
    assert "No verdict yet" in page or "Nothing is measured yet" in page
