"""Every number of every table of an evaluation leads to its questions, and those to the steps that
decided; and every table has the perfect reader beside the methods.
"""

from __future__ import annotations

import html
import re
from dataclasses import replace
from statistics import fmean
from urllib.parse import parse_qs, urlsplit

import pytest

from gear_app.errors import BadInput
from gear_app.evaluate.breakdown import (
    Spread,
    Spreads,
    by_density,
    by_hops,
    by_type,
    em_by_type,
    overlap,
    spread_by_hops,
)
from gear_app.evaluate.configurations import diversity, effects, grids
from gear_app.evaluate.evaluation import PERFECT
from gear_app.evaluate.question_set import before_after
from gear_app.evaluate.results import Results
from gear_app.evaluate.run_facts import AnswerScore
from gear_app.evaluate.selection import Pick, behind
from gear_app.rendering.html import draw
from gear_app.store.rows import Spent
from gear_app.views.evaluate import behind as lists
from gear_app.views.evaluate import figures, sections, tables, words
from gear_app.views.evaluate.tables import Look
from tests.views.evaluated import BETTER, TOKENS, WORSE, results, row, strong

LOOK = Look("gear", 5)
SWEPT = ["gear", "gear gamma=none"]
NUMBER = r'data-pick="([^"]*)"[^>]*>(?:<[^>]*>)?([^<]*)<'


def whole() -> Results:
    """Three questions; of one the perfect reader is not known, of one it misses the second link."""
    made = results(
        {
            "hybrid": [WORSE, [[7, 2]], [[30, None]]],
            "gear": [BETTER, [[1, None]], [[1, 2]]],
            "gear gamma=none": [WORSE, [[1, 3]], [[1, 9]]],
        }
    )
    rows = tuple(
        replace(one, spent=Spent(4, input_tokens=900, output_tokens=300), tokens=TOKENS)
        if one.method == "gear"
        else one
        for one in made.evaluation.rows
    )
    searches = {id_: (f"{id_}-first", f"{id_}-second") for id_ in ("q0", "q1")}
    ceiling = tuple(
        replace(row(id_, PERFECT, ranks), searches=searches[id_])
        for id_, ranks in (("q0", [1, 2]), ("q1", [3, None]))
    )
    densities = {"q0": 1.0, "q1": 5.0, "q2": 9.0}
    before = {"hybrid": {f"q{n}": (9, 9) for n in range(3)}}
    changed = replace(
        made.evaluation, rows=rows, ceiling=ceiling, densities=densities, before=before
    )
    return replace(made, evaluation=changed)


def tables_of(found: Results) -> dict[str, str]:
    """Every table and figure that has methods in it, by name."""
    one, k = found.evaluation, LOOK.k
    return {
        "main": draw(tables.main(found, LOOK)),
        "dots": draw(tables.dots(found, LOOK)),
        "rounds": draw(figures.round_table(found, figures.course(found, k))),
        "lines": draw(figures.recall_chart(found, LOOK, figures.course(found, LOOK.k))),
        "links": draw(figures.chain_positions(found, LOOK)),
        "hops": draw(figures.groups(found, by_hops(one, k), LOOK)),
        "types": draw(figures.groups(found, by_type(one, k), LOOK)),
        "density": draw(figures.groups(found, by_density(one, k), LOOK)),
        "ranks": draw(figures.buried(found, LOOK)),
        "deep": draw(figures.deep(found, LOOK)),
        "overlap": draw(figures.overlapping(overlap(one, "gear", "hybrid", k), "gear", "hybrid")),
        "configurations": draw(figures.configurations(found, LOOK)),
        "diversity": draw(figures.diversity(found, diversity(one))),
        "before": draw(tables.before_after(found, before_after(one, k), k)),
    }


def by_hops_of(found: Results, what: str) -> Spreads:
    """Recall at 5, or iterations, by hops."""
    return spread_by_hops(
        found.evaluation, lambda row: row.recall[5] if what == "recall" else row.iterations
    )


TABLES = tables_of(whole())
WITHOUT_CEILING = {
    "tokens": draw(figures.token_table(figures.course(whole(), 5))),
    "spread": draw(figures.spread(whole(), by_hops_of(whole(), "recall"), LOOK)),
    "iterations": draw(figures.iterations(whole(), by_hops_of(whole(), "iterations"), LOOK)),
}


@pytest.mark.parametrize("name", TABLES)
def test_every_table_has_the_perfect_reader(name: str) -> None:
    assert PERFECT in TABLES[name].casefold()


@pytest.mark.parametrize("name", [*TABLES, *WITHOUT_CEILING])
def test_no_number_of_a_table_leads_nowhere(name: str) -> None:
    found = whole()
    drawn = (TABLES | WITHOUT_CEILING)[name]
    picks = {html.unescape(pick) for pick in re.findall(r'data-pick="([^"]*)"', drawn)}
    assert picks
    for pick in picks:
        listed = behind(found.evaluation, Pick.parse(pick), "hybrid", 5)
        assert lists.picked_words(Pick.parse(pick), 5)
        runs = {one.run_of(key) for one in listed for key, _ in one.ranks}
        assert all(runs)
    bare = re.sub(r"<(button|thead|th|svg)\b.*?</\1>", "", drawn, flags=re.DOTALL)
    numbers = re.findall(r">[^<>]*?\d[\d.,]*[^<>]*?<", bare)
    allowed = r"R@5|R@10|all@5|all@10|\d+\.\d\d|0\.\d<|1\.0<|A perfect reader| \(\d+ %\)|2 of 3 questions|median"  # names, axes, labels
    assert [one for one in numbers if not re.search(allowed, one)] == []


@pytest.mark.parametrize("name", ["main", "rounds", "deep", "hops", "diversity", "before"])
def test_a_number_is_the_mean_of_what_stands_beside_its_questions(name: str) -> None:
    checked = 0
    for written, shown in re.findall(NUMBER, TABLES[name]):
        pick = Pick.parse(html.unescape(written))
        listed = behind(whole().evaluation, pick, "hybrid", 5)
        if pick.kind in ("measure", "before") and shown.isdecimal():  # how many a row is of
            assert int(shown) == len(listed)
            continue
        if pick.kind in ("measure", "round", "kind", "before"):
            mean = fmean(one.value for one in listed)
        elif pick.kind == "over" and "to" in shown:  # a difference with its interval
            mean, shown = fmean(one.change for one in listed), shown.split()[0].replace("−", "-")
        else:
            continue
        assert float(shown) == pytest.approx(mean, abs=0.0051 if len(shown) == 4 else 0.00051)
        checked += 1
    assert checked >= 2


def test_a_spread_has_the_mean_and_the_quartiles_of_its_questions() -> None:
    found = results({"hybrid": [WORSE] * 4, "gear": [BETTER, WORSE, WORSE, WORSE]})
    assert by_hops_of(found, "recall")["2 hops"] == {
        "hybrid": Spread(4, 0.5, 0.5, 0.5, 0.5),
        "gear": Spread(4, 0.625, 0.5, 0.5, 0.625),
    }
    assert by_hops_of(found, "iterations")["2 hops"]["gear"] == Spread(4, 1.25, 1, 1, 1.25)
    assert Spread.of([3]) == Spread(1, 3, 3, 3, 3)
    drawn = draw(figures.iterations(found, by_hops_of(found, "iterations"), LOOK))
    assert "1.25<" in drawn and "median 1, middle half 1 to 1.25, of 4 questions" in drawn
    assert "Hybrid" not in drawn  # it makes one


def test_answers_by_type_are_told_where_some_were_written() -> None:
    found = results({"hybrid": [WORSE] * 2})
    assert em_by_type(found.evaluation) == []
    right, wrong = ({"retrieved": AnswerScore(em, em)} for em in (1.0, 0.0))
    first, second = found.evaluation.rows
    rows = replace(first, scores=right), replace(second, scores=wrong)
    (group,) = em_by_type(replace(found.evaluation, rows=rows))
    assert (group.name, group.recall, group.ceiling_n, group.all_recall) == (
        *("bridge", {"hybrid": 0.5}, 0, {}),
    )


def test_the_share_of_questions_with_all_their_gold_stands_beside_recall() -> None:
    found = results({"hybrid": [BETTER, WORSE, WORSE, WORSE], "gear": [BETTER] * 4})
    (group,) = by_hops(found.evaluation, 5)
    assert group.recall == {"hybrid": 0.625, "gear": 1.0}
    assert group.all_recall == {"hybrid": 0.25, "gear": 1.0} and group.ceiling_all == 1.0
    drawn = draw(figures.groups(found, [group], LOOK))
    assert " all 0.250<" in drawn and drawn.count(" all 1.000<") == 2
    assert 'data-pick="measure|all@200|hybrid">0.250<' in draw(figures.deep(found, LOOK))
    one = replace(found.evaluation, before={"gear": {f"q{n}": (1, None) for n in range(4)}})
    (changed,) = before_after(one, 5)
    assert (changed.all_before, changed.all_after) == (0.0, 1.0)
    table = draw(tables.before_after(found, [changed], 5))
    assert 'data-pick="before|all|gear">0.000<' in table
    assert 'data-pick="after|all|gear">1.000<' in table
    assert "all@5" in TABLES["diversity"]


def test_the_perfect_reader_is_measured_where_it_is_known_and_as_deep_as_it_goes() -> None:
    found = whole()
    (group,) = by_hops(found.evaluation, 5)
    assert (group.n, group.ceiling, group.ceiling_n) == (3, 0.75, 2)
    assert "of 2 of 3 questions" in TABLES["hops"] and "(2 of 3 questions)" in TABLES["hops"]
    deepest = re.findall(r"measure\|recall@(\d+)\|perfect reader", TABLES["deep"])
    assert deepest == ["5", "10", "15", "20"]
    assert "1 below 20" in TABLES["ranks"]
    both = overlap(found.evaluation, "gear", "hybrid", 5)
    assert (both.neither, both.ceiling) == (0, 0)
    with pytest.raises(BadInput, match="below rank 20"):
        behind(found.evaluation, Pick("measure", "recall@50", PERFECT), "hybrid", 5)


def test_what_a_perfect_reader_finds_of_that_which_neither_method_finds_is_counted() -> None:
    found = results({"hybrid": [WORSE], "gear": [WORSE]}).evaluation
    assert overlap(found, "gear", "hybrid", 5) == (1, 0, 0, 1, 1, 1)
    none = replace(found, ceiling=())
    assert overlap(none, "gear", "hybrid", 5) == (1, 0, 0, 1, None, 0)


def test_what_the_perfect_reader_finds_is_never_drawn_beside_means_of_other_questions() -> None:
    """Of three questions it is known of two: every place says so, and no line compares."""
    for name in set(TABLES) - {"overlap", "before"}:
        assert "2 of 3 questions" in html.unescape(TABLES[name]), name
    assert 'class="top"' not in TABLES["dots"] + TABLES["lines"]
    assert "not to be compared" in sections.table_note(whole())
    assert "thin line" not in sections.dots_note(whole()) + sections.rounds_note(whole(), 5)
    alike = strong()
    assert 'class="top"' in draw(tables.dots(alike, LOOK)) and 'class="top"' in draw(
        figures.recall_chart(alike, LOOK, figures.course(alike, LOOK.k))
    )
    neither = results({"hybrid": [WORSE] * 2, "gear": [WORSE] * 2}).evaluation
    known = overlap(replace(neither, ceiling=neither.ceiling[:1]), "gear", "hybrid", 5)
    assert (known.neither, known.ceiling, known.ceiling_of) == (2, 1, 1)
    drawn = draw(figures.overlapping(known, "gear", "hybrid"))
    assert "finds 1 of the 1 of these whose question has known steps" in drawn


def test_more_than_the_perfect_reader_finds_is_no_share_of_it() -> None:
    """It misses the second link of every question but two; the method has all."""
    found = strong()
    rows = [row(f"q{n}", PERFECT, [1, 2] if n < 2 else [1, None]) for n in range(12)]
    above = replace(found, evaluation=replace(found.evaluation, ceiling=tuple(rows)))
    look = Look("gear width=5", 5)
    told = [words.table_heading(above, 5), draw(tables.main(above, look)), sections.report(above)]
    assert not any("600 %" in one for one in told)
    assert "finds more than the perfect reader" in told[0] and "above it" in told[1]
    some = replace(above, evaluation=replace(above.evaluation, ceiling=tuple(rows[:5])))
    assert words.table_heading(some, 5).endswith("(5 of 12 questions)")
    assert "of ceiling</span> (5 of 12 questions)" in draw(tables.main(some, look))


def test_a_question_opens_the_step_that_decided_and_a_rank_that_of_its_passage() -> None:
    found, pick = whole(), Pick("measure", "recall@5", "gear")
    listed = {one.question.id: one for one in behind(found.evaluation, pick, "hybrid", 5)}
    assert listed["q1"].decided_by == "b", "the first that is missed"
    assert listed["q0"].decided_by == "b", "that which came in lowest, at rank 3"
    shown = lists.behind([listed["q1"]], pick, 5)
    links = [
        parse_qs(urlsplit(html.unescape(one)).query) for one in re.findall('href="([^"]*)"', shown)
    ]
    assert [one["why"] for one in links] == [["b"], ["a"], ["b"]]
    assert all((one["run"], one["all"], one["k"]) == (["gear-q1"], ["1"], ["5"]) for one in links)


def test_a_link_of_the_perfect_reader_opens_the_search_for_it() -> None:
    pick = Pick("link", "2", PERFECT)
    (one,) = behind(whole().evaluation, pick, "hybrid", 5)
    assert (one.run_of("a"), one.run_of("b")) == ("q1-first", "q1-second")
    assert 'data-run="q1-second"' in lists.behind([one], pick, 5)
    assert "not in the first 20" in lists.behind([one], pick, 5)


def test_what_was_taken_lists_the_most_first() -> None:
    found = whole()
    rows = tuple(replace(one, ms=10.0 + n) for n, one in enumerate(found.evaluation.rows))
    evaluation = replace(found.evaluation, rows=rows)
    listed = behind(evaluation, Pick("took", "ms", "hybrid"), "hybrid", 5)
    assert [one.value for one in listed] == [12.0, 11.0, 10.0]
    assert {one.change for one in listed} == {0.0}
    tokens = behind(evaluation, Pick("tokens", "1 written", "gear"), "hybrid", 5)
    assert [one.value for one in tokens] == [TOKENS[0].output] * 3


def test_after_an_iteration_the_ranks_are_those_of_then() -> None:
    listed = behind(whole().evaluation, Pick("round", "1", "gear"), "hybrid", 5)
    first = next(one for one in listed if one.question.id == "q0")
    assert dict(first.ranks) == {"a": 1, "b": 20} and first.value == 0.5
    asking = behind(whole().evaluation, Pick("asking", "2", "gear"), "hybrid", 5)
    assert [one.question.id for one in asking] == ["q0"]


def test_before_and_after_list_the_ranks_of_before_and_of_now() -> None:
    evaluation = whole().evaluation
    before = behind(evaluation, Pick("before", "", "hybrid"), "hybrid", 5)
    assert {tuple(one.ranks) for one in before} == {(("a", 9), ("b", 9))}
    after = {o.question.id: o for o in behind(evaluation, Pick("after", "", "hybrid"), "hybrid", 5)}
    assert (after["q1"].value, after["q1"].change) == (0.5, 0.5)


def test_a_setting_lists_the_questions_of_every_method_that_has_it() -> None:
    methods = [f"sync_ge width={w} length={n}" for w in (1, 5) for n in (1, 2)]
    found = results({one: [WORSE] for one in methods})
    (grid,) = grids(found.evaluation)
    assert PERFECT in draw(figures.grid(found, grid, "recall@5")).casefold()
    drawn = draw(figures.setting_effects(found, effects(found.evaluation, "recall@5"), 5))
    assert PERFECT in drawn.casefold()
    pick = Pick("setting", "width=5", "")
    assert f'data-pick="{pick}"' in drawn
    listed = behind(found.evaluation, pick, methods[0], 5)
    assert [one.row.method for one in listed] == methods[2:]
    assert "length 2" in lists.behind(listed, pick, 5)


def test_a_number_beside_another_method_is_compared_with_that() -> None:
    pick = Pick("over", "5 gear gamma=none", "gear")
    found = {one.question.id: one.change for one in behind(whole().evaluation, pick, "hybrid", 5)}
    assert found == {"q0": 0.5, "q1": -0.5, "q2": 0.5}


@pytest.mark.parametrize(
    "wrong",
    [
        "took|sleep|gear",
        "tokens|1 lost|gear",
        "measure|recall@5|gaer",
        "round|x|gear",
        "ranks|7|gear",
    ],
)
def test_an_address_of_no_number_is_refused(wrong: str) -> None:
    with pytest.raises(BadInput):
        behind(whole().evaluation, Pick.parse(wrong), "hybrid", 5)
