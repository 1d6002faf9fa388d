"""Every number of every table of an evaluation leads to its questions, and those to the steps that
decided; and every table has the oracle decomposition beside the methods.
"""

from __future__ import annotations

import html
import re
from urllib.parse import parse_qs, urlsplit

import pytest

from gear_app.errors import BadInput
from gear_app.evaluate.breakdown import groups, overlap
from gear_app.evaluate.configurations import diversity, effects, grids
from gear_app.evaluate.question_set import before_after
from gear_app.evaluate.results import Results
from gear_app.evaluate.selection import Pick, behind
from gear_app.rendering.html import draw
from gear_app.store.evaluations import ORACLE
from gear_app.views.evaluate import behind as lists
from gear_app.views.evaluate import figures, sections, tables
from gear_app.views.evaluate.tables import Look
from tests.views.evaluated import (
    BETTER,
    TOKENS,
    WORSE,
    compared,
    evaluation,
    line,
    lines_of,
    results,
    strong,
)

LOOK = Look("gear", 5)
SWEPT = ["gear", "gear gamma=none"]
NUMBER = r'data-pick="([^"]*)"[^>]*>(?:<[^>]*>)?([^<]*)<'


def whole() -> Results:
    """Three questions; of one the oracle is not known, of one it misses the second link."""
    lines = lines_of(
        {
            "hybrid": [WORSE, [[7, 2]], [[30, None]]],
            "gear": [BETTER, [[1, None]], [[1, 2]]],
            "gear gamma=none": [WORSE, [[1, 3]], [[1, 9]]],
        }
    )
    for one in lines:
        if one["method"] == "gear":
            one |= {"calls": 4, "input_tokens": 900, "output_tokens": 300, "tokens": TOKENS}
    for id_, ranks in (("q0", [1, 2]), ("q1", [3, None])):
        lines.append(line(id_, ORACLE, ranks, searches={"a": f"{id_}-first", "b": f"{id_}-second"}))
    densities = {"q0": 1.0, "q1": 5.0, "q2": 9.0}
    before = {"hybrid": {f"q{n}": {"a": 9, "b": 9} for n in range(3)}}
    return compared(evaluation(lines, densities=densities, before=before))


def tables_of(found: Results) -> dict[str, str]:
    """Every table and figure that has methods in it, by name."""
    one, k = found.evaluation, LOOK.k
    course = figures.course(found, k)
    return {
        "main": draw(tables.main(found, LOOK)),
        "dots": draw(tables.dots(found, LOOK)),
        "rounds": draw(figures.round_table(found, course, k)),
        "lines": draw(figures.recall_chart(found, LOOK, course)),
        "links": draw(figures.chain_positions(found, LOOK)),
        **{
            name: draw(figures.by_group(found, name, f"recall@{k}", LOOK))
            for name in ("hops", "type", "density")
        },
        "ranks": draw(figures.buried(found, LOOK)),
        "deep": draw(figures.deep(found, LOOK)),
        "overlap": draw(figures.overlapping(found, "gear", "hybrid", k)),
        "configurations": draw(figures.configurations(found, LOOK)),
        "diversity": draw(figures.diversity(found, diversity(one))),
        "before": draw(tables.before_after(found, before_after(one, k), k)),
    }


TABLES = tables_of(whole())
WITHOUT_ORACLE = {
    "tokens": draw(figures.token_table(figures.course(whole(), 5))),
    "spread": draw(figures.spread(whole(), LOOK)),
    "iterations": draw(figures.iterations(whole(), LOOK)),
}


@pytest.mark.parametrize("name", TABLES)
def test_every_table_has_the_oracle(name: str) -> None:
    assert ORACLE in TABLES[name].casefold()


@pytest.mark.parametrize("name", [*TABLES, *WITHOUT_ORACLE])
def test_no_number_of_a_table_leads_nowhere(name: str) -> None:
    found = whole().evaluation
    drawn = (TABLES | WITHOUT_ORACLE)[name]
    picks = {html.unescape(pick) for pick in re.findall(r'data-pick="([^"]*)"', drawn)}
    assert picks
    for pick in picks:
        listed = behind(found, Pick.parse(pick), "hybrid", 5).to_dict("records")
        assert lists.picked_words(Pick.parse(pick), 5)
        assert all(row["searches"].get(key, row["run"]) for row in listed for key in row["ranks"])
    bare = re.sub(r"<(button|thead|th|svg)\b.*?</\1>", "", drawn, flags=re.DOTALL)
    numbers = re.findall(r">[^<>]*?\d[\d.,]*[^<>]*?<", bare)
    allowed = r"R@5|R@10|all@5|all@10|\d+\.\d\d|0\.\d<|1\.0<|The oracle| \(\d+ %\)|2 of 3 questions|median"  # names, axes, labels
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
            mean = listed["value"].mean()
        elif pick.kind == "over" and "to" in shown:  # a difference with its interval
            mean, shown = listed["change"].mean(), shown.split()[0].replace("−", "-")
        else:
            continue
        assert float(shown) == pytest.approx(mean, abs=0.0051 if len(shown) == 4 else 0.00051)
        checked += 1
    assert checked >= 2


def test_a_spread_has_the_mean_and_the_quartiles_of_its_questions() -> None:
    found = results({"hybrid": [WORSE] * 4, "gear": [BETTER, WORSE, WORSE, WORSE]})

    def spread(metric: str, method: str) -> list[float]:
        row = groups(found.evaluation, "hops", metric)["2 hops"][method]
        return [row[name] for name in ("count", "mean", "25%", "50%", "75%")]

    assert spread("recall@5", "hybrid") == [4, 0.5, 0.5, 0.5, 0.5]
    assert spread("recall@5", "gear") == [4, 0.625, 0.5, 0.5, 0.625]
    assert spread("iterations", "gear") == [4, 1.25, 1, 1, 1.25]
    drawn = draw(figures.iterations(found, LOOK))
    assert "1.25<" in drawn and "median 1, middle half 1 to 1.25, of 4 questions" in drawn
    assert "Hybrid" not in drawn  # it makes one


def test_answers_by_type_are_the_mean_of_those_that_are_known() -> None:
    lines = [line(f"q{n}", "hybrid", [1, None]) for n in range(3)]
    for one, em in zip(lines, (1.0, 0.0), strict=False):
        one |= {"retrieved em": em, "retrieved f1": em}
    found = groups(evaluation(lines, answered=True), "type", "em")["bridge"]
    assert (found["hybrid"]["mean"], found["hybrid"]["count"]) == (0.5, 2)


def test_the_share_of_questions_with_all_their_gold_stands_beside_recall() -> None:
    found = results(
        {"hybrid": [BETTER, WORSE, WORSE, WORSE], "gear": [BETTER] * 4},
        before={"gear": {f"q{n}": {"a": 1, "b": None} for n in range(4)}},
    )
    drawn = draw(figures.by_group(found, "hops", "recall@5", LOOK))
    assert ">0.625<" in drawn and " all 0.250<" in drawn and drawn.count(" all 1.000<") == 2
    assert 'data-pick="measure|all@200|hybrid">0.250<' in draw(figures.deep(found, LOOK))
    (changed,) = before_after(found.evaluation, 5)
    assert (changed["all_before"], changed["all_after"]) == (0.0, 1.0)
    table = draw(tables.before_after(found, [changed], 5))
    assert 'data-pick="before|all|gear">0.000<' in table
    assert 'data-pick="after|all|gear">1.000<' in table
    assert "all@5" in TABLES["diversity"]


def test_the_oracle_is_measured_where_it_is_known_and_as_deep_as_it_goes() -> None:
    found = whole().evaluation
    known = groups(found, "hops", "recall@5")["2 hops"][ORACLE]
    assert (known["mean"], known["count"]) == (0.75, 2)
    assert "of 2 of 3 questions" in TABLES["hops"] and "(2 of 3 questions)" in TABLES["hops"]
    deepest = re.findall(r"measure\|recall@(\d+)\|oracle", TABLES["deep"])
    assert deepest == ["5", "10", "15", "20"]
    assert "1 below 20" in TABLES["ranks"]
    sizes = overlap(found, "gear", "hybrid", 5)
    assert (sizes["neither"], sizes["ceiling"]) == (0, 0)
    with pytest.raises(BadInput, match="below rank 20"):
        behind(found, Pick("measure", "recall@50", ORACLE), "hybrid", 5)


def test_what_the_oracle_finds_of_that_which_neither_method_finds_is_counted() -> None:
    lines = lines_of({"hybrid": [WORSE] * 2, "gear": [WORSE] * 2})
    for oracle, expected in ((2, (2, 2, 2)), (1, (2, 1, 1)), (0, (2, None, 0))):
        known = [line(f"q{n}", ORACLE, [1, 2]) for n in range(oracle)]
        found = compared(evaluation([*lines, *known]))
        sizes = overlap(found.evaluation, "gear", "hybrid", 5)
        assert (sizes["neither"], sizes["ceiling"], sizes["ceiling_of"]) == expected
        drawn = draw(figures.overlapping(found, "gear", "hybrid", 5))
        part = "finds 1 of the 1 of these whose question has known steps"
        assert (part in drawn) == (oracle == 1)


def test_what_the_oracle_finds_is_never_drawn_beside_means_of_other_questions() -> None:
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


def test_more_than_the_oracle_finds_is_no_share_of_it() -> None:
    """It misses the second link of every question but two; the method has all."""
    lines = lines_of({"hybrid": [WORSE] * 12, "gear width=5": [BETTER] * 12})
    oracle = [line(f"q{n}", ORACLE, [1, 2] if n < 2 else [1, None]) for n in range(12)]
    above = compared(evaluation([*lines, *oracle]))
    told = draw(tables.main(above, Look("gear width=5", 5)))
    assert "600 %" not in told and "above it" in told
    some = compared(evaluation([*lines, *oracle[:5]]))
    assert "of ceiling</span> (5 of 12 questions)" in draw(tables.main(some, LOOK))


def test_a_question_opens_the_step_that_decided_and_a_rank_that_of_its_passage() -> None:
    found, pick = whole().evaluation, Pick("measure", "recall@5", "gear")
    listed = behind(found, pick, "hybrid", 5)
    assert listed.loc["q1", "decided_by"] == "b", "the first that is missed"
    assert listed.loc["q0", "decided_by"] == "b", "that which came in lowest, at rank 3"
    shown = lists.behind(found, listed.loc[["q1"]], pick, 5)
    links = [
        parse_qs(urlsplit(html.unescape(one)).query) for one in re.findall('href="([^"]*)"', shown)
    ]
    assert [one["why"] for one in links] == [["b"], ["a"], ["b"]]
    assert all((one["run"], one["all"], one["k"]) == (["gear-q1"], ["1"], ["5"]) for one in links)


def test_a_link_of_the_oracle_opens_the_search_for_it() -> None:
    found, pick = whole().evaluation, Pick("link", "2", ORACLE)
    listed = behind(found, pick, "hybrid", 5)
    shown = lists.behind(found, listed, pick, 5)
    assert 'data-run="q1-second"' in shown and "not in the first 20" in shown


def test_what_was_taken_lists_the_most_first() -> None:
    lines = [line(f"q{n}", "hybrid", [1, None], ms=10.0 + n, tokens=TOKENS) for n in range(3)]
    found = evaluation(lines)
    listed = behind(found, Pick("took", "ms", "hybrid"), "hybrid", 5)
    assert list(listed["value"]) == [12.0, 11.0, 10.0] and set(listed["change"]) == {0.0}
    tokens = behind(found, Pick("tokens", "1 written", "hybrid"), "hybrid", 5)
    assert list(tokens["value"]) == [TOKENS[0][1]] * 3


def test_after_an_iteration_the_ranks_are_those_of_then() -> None:
    found = whole().evaluation
    first = behind(found, Pick("round", "1", "gear"), "hybrid", 5).loc["q0"]
    assert first["ranks"] == {"a": 1, "b": 20} and first["value"] == 0.5
    asking = behind(found, Pick("asking", "2", "gear"), "hybrid", 5)
    assert list(asking["question"]) == ["q0"]


def test_before_and_after_list_the_ranks_of_before_and_of_now() -> None:
    found = whole().evaluation
    before = behind(found, Pick("before", "", "hybrid"), "hybrid", 5)
    assert list(before["ranks"]) == [{"a": 9, "b": 9}] * 3
    after = behind(found, Pick("after", "", "hybrid"), "hybrid", 5).loc["q1"]
    assert (after["value"], after["change"]) == (0.5, 0.5)


def test_a_setting_lists_the_questions_of_every_method_that_has_it() -> None:
    methods = [f"sync_ge width={w} length={n}" for w in (1, 5) for n in (1, 2)]
    found = results({one: [WORSE] for one in methods})
    (grid,) = grids(found.evaluation)
    assert ORACLE in draw(figures.grid(found, grid, "recall@5")).casefold()
    drawn = draw(figures.setting_effects(found, effects(found.evaluation, "recall@5"), 5))
    assert ORACLE in drawn.casefold()
    pick = Pick("setting", "width=5", "")
    assert f'data-pick="{pick}"' in drawn
    listed = behind(found.evaluation, pick, methods[0], 5)
    assert list(listed["method"]) == methods[2:]
    assert "length 2" in lists.behind(found.evaluation, listed, pick, 5)


def test_a_number_beside_another_method_is_compared_with_that() -> None:
    pick = Pick("over", "5 gear gamma=none", "gear")
    listed = behind(whole().evaluation, pick, "hybrid", 5)
    assert listed["change"].to_dict() == {"q0": 0.5, "q1": -0.5, "q2": 0.5}


@pytest.mark.parametrize(
    "wrong",
    [
        "took|sleep|gear",
        "tokens|1 lost|gear",
        "measure|recall@5|gaer",
        "measure|recall|gear",
        "only|gaer|gear",
        "round|x|gear",
        "ranks|7|gear",
    ],
)
def test_an_address_of_no_number_is_refused(wrong: str) -> None:
    with pytest.raises(BadInput):
        behind(whole().evaluation, Pick.parse(wrong), "hybrid", 5)
