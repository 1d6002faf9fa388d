"""A lesson's text, task, bars and printed page, on the run made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from gear_app.errors import BadInput, NotReady
from gear_app.events import (
    BeamCandidate,
    BeamStep,
    Expanded,
    ShownTriple,
    Started,
)
from gear_app.language.numbers import number_in
from gear_app.lessons import LessonPage, StepName, Task, TaskOption
from gear_app.lessons.competition import OWN, STOPS, Competition, competition, contest
from gear_app.lessons.evidence import RunEvidence
from gear_app.lessons.facts import KINDS, Fact, fact_of, page_problems
from gear_app.lessons.file import library, paragraphs, parse, reference
from gear_app.lessons.lesson import USAGE, LessonRun, Reference
from gear_app.runs.what_if import RunChange, RunVariant
from gear_app.steps.expand import diversity_weight
from gear_app.ui.learn import lesson_bars, lesson_page, lesson_print
from tests import factories
from tests.views import compared

TOTALS = ((1.5, 1.4, 1.3), (1.2, 1.1))  # of the extensions of two beams, width 3


def shown(number: int) -> ShownTriple:
    return ShownTriple(number, f"S{number}", "leads to", f"O{number}", 1, "clifton", "Clifton")


def search(
    gamma: int | None, of_beams: Sequence[Sequence[float]] = TOTALS, width: int = 3
) -> Expanded:
    """A beam search of two steps, its last one weighted with γ by Algorithm 1."""
    begun = tuple(
        BeamCandidate(None, (n,), shown(n), 0.0, 0.7, 0.7, 0, 1.0, 0.7, kept=True) for n in (1, 2)
    )
    grown = [
        (parent, n, total, diversity_weight(n, total, gamma))
        for parent, totals in enumerate(of_beams)
        for n, total in enumerate(totals)
    ]
    ordered = sorted(grown, key=lambda one: -one[2] * one[3])
    made = [
        BeamCandidate(
            parent,
            (parent + 1, 10 * (parent + 1) + n),
            shown(10 * (parent + 1) + n),
            0.7,
            round(total - 0.7, 6),
            total,
            n,
            round(weight, 6),
            round(total * weight, 6),
            kept=place < width,
        )
        for place, (parent, n, total, weight) in enumerate(ordered)
    ]
    return Expanded(
        "q",
        2,
        (BeamStep(begun, ()), BeamStep(tuple(made[:width]), tuple(made[width:]))),
        passages=(),
    )


@pytest.fixture
def found() -> Competition:
    gammas = dict(zip(STOPS, (None, 1, 3, 6, 12), strict=True))
    return competition({stop: search(gamma).steps for stop, gamma in gammas.items()}, 3)


def test_without_gamma_the_first_beam_has_all_places_and_with_it_both_have_some(
    found: Competition,
) -> None:
    assert found.gammas == {"off": None, "1": 1, "b": 3, "2b": 6, "4b": 12}
    assert [rival.found.path for rival in found.kept("off")] == [(1, 10), (1, 11), (1, 12)]
    assert [rival.found.path for rival in found.kept("2b")] == [(1, 10), (2, 20), (1, 11)]


def test_the_first_of_each_beam_are_shown_and_the_others_counted() -> None:
    of_beams = ((1.5, 1.4, 1.3, 1.2, 1.1), (0.5,))
    searches = {OWN: search(6, of_beams, 2).steps, "off": search(None, of_beams, 2).steps}
    found = competition(searches, 2)
    assert [(one.beam, one.found.position) for one in found.rivals] == [
        (0, 0),
        (0, 1),
        (0, 2),
        (1, 0),
    ]
    assert found.left_out == 2


def test_at_every_stop_but_its_own_the_search_is_that_of_a_variant() -> None:
    begun = Started("q", "gear", (("beam.width", "3"), ("beam.gamma", "auto")))
    asked: list[object] = []

    def variant(change: RunChange) -> RunVariant:
        gamma = change.settings["beam.gamma"]
        asked.append(gamma)
        events = begun, search(None if gamma == "none" else int(gamma))
        return RunVariant("a", change, events, 0.0)

    own = RunEvidence(LessonRun("gear", "demo", "q", "gear"), (begun, search(6)), ())
    page = LessonPage(1, "Who goes on?", (), "gear", "competition", StepName("expand"))
    found = contest(variant, own, page)
    assert asked == ["none", 1, 3, 12]  # 6 is the run's own
    assert [rival.found.path for rival in found.kept("off")] == [(1, 10), (1, 11), (1, 12)]


def test_bars_say_what_is_left_of_every_sum_at_every_stop_and_its_terms(found: Competition) -> None:
    data = lesson_bars.bars_data(found, "q", ["clifton"], stop=OWN, revealed=True)
    second = data["beams"][0]["rivals"][1]
    assert (second["sum"], second["place"]) == ("1.400", "second")
    left = {stop: (at["score"], at["weight"], at["kept"]) for stop, at in second["stops"].items()}
    assert left == {
        "off": ("1.400", "", 2),
        "1": ("0.515", "× 0.368", 3),
        "b": ("1.003", "× 0.717", 3),
        "2b": ("1.185", "× 0.846", 3),
        "4b": ("1.288", "× 0.920", 2),
    }
    assert second["stops"]["b"]["terms"] == [
        ("beam so far", "0.700000"),
        ("+ cosine to the query", "0.700000"),
        ("= sum", "1.400000"),
        ("× e^(−min(1, 3)/3), place 2 in its beam", "0.716531311"),
        ("= score", "1.003144"),
    ]
    assert [stop["label"] for stop in data["stops"]] == ["off", "1", "b = 3", "2b = 6", "4b = 12"]
    assert data["stops"][0]["says"] == (
        "Without γ: “S20 leads to O20” goes out, “S12 leads to O12” comes in. Those who go on are"
        " from 1 of 2 beams."
    )


INFOS = {"gear": compared.run("gear", "gear")}


def evidence() -> RunEvidence:
    run = LessonRun("gear", "demo", factories.QUESTION, "gear")
    return RunEvidence(run, tuple(factories.gear_run()), factories.GOLD)


def test_a_name_lights_up_and_a_number_opens_into_its_terms() -> None:
    page = LessonPage(1, "t", (), "gear", "step", StepName("fuse"), StepName("fuse"))
    told = lesson_page.text(
        paragraphs("[Avon Gorge] at [one](rank: clifton; fuse 1), <b>"), page, {"gear": evidence()}
    )
    assert 'data-entity="avon gorge"' in told and "&lt;b&gt;" in told
    assert "<summary" in told and '<dt class="gear-total">= score</dt>' in told


@pytest.mark.parametrize(
    ("number", "first", "last"),
    [
        ("[three](gold:)", "Clifton Suspension Bridge</dt><dd></dd>", "3"),
        ("[1](found: 1)", "Clifton Suspension Bridge</dt><dd>rank 1</dd>", "1"),
        ("[1](found: 1)", "<dd>rank 3, not among the first 1</dd>", "1"),
        ("[1](found: 1)", "<dd>not ranked</dd>", "1"),
        ("[2](length: proximal triples; read 1)", "Suspension Bridge was designed by", "2"),
        ("[two](length: linked triples; link 1)", "Suspension Bridge was designed by", "2"),
        ("[six](length: kept beams; expand 1)", "Isambard Kingdom Brunel", "6"),
        ("[12](length: candidates; expand 1)", "and 2 more</dt>", "12"),
        ("[3](length: remembered; remember 2)", "Isambard Kingdom Brunel", "3"),
        ("[ten](length: passages; retrieve 1)", "Clifton Suspension Bridge", "10"),
    ],
)
def test_a_number_that_counts_opens_into_what_it_counts(number: str, first: str, last: str) -> None:
    page = LessonPage(1, "t", (), "gear", "step", StepName("fuse"), StepName("fuse"))
    told = lesson_page.text(paragraphs(number), page, {"gear": evidence()})
    assert "<summary" in told and first in told
    assert f'= counted</dt><dd class="gear-total">{last}</dd>' in told


def test_a_number_of_another_run_opens_into_that_runs_arithmetic() -> None:
    def of(gamma: str) -> RunEvidence:
        begun = Started("q", "gear", (("beam.width", "3"), ("beam.gamma", gamma)))
        return RunEvidence(evidence().run, (begun, search(int(gamma))), ())

    page = LessonPage(1, "t", (), "own", "step", StepName("expand"), StepName("expand"))
    told = lesson_page.text(
        paragraphs("[1.185](beam: score; S11 | leads to | O11; expand 1; in other)"),
        page,
        {"own": of("3"), "other": of("6")},
    )
    assert "e^(−min(1, 6)/6)" in told and "1.185074" in told


def test_of_beams_that_have_three_triples_the_last_step_is_no_competition() -> None:
    first, last = search(6).steps
    longer = replace(search(6), steps=(first, first, last))
    begun = Started("q", "gear", (("beam.width", "3"), ("beam.gamma", "6")))
    step = StepName("expand")
    own = RunEvidence(evidence().run, (begun, longer), ())
    page = LessonPage(1, "t", (), "gear", "competition", step, step)
    (problem,) = page_problems(page, {"gear": own})
    assert problem.endswith("in the second step alone. Set length = 2.")
    with pytest.raises(NotReady, match="Set length = 2"):
        contest(lambda change: RunVariant("a", change, own.events, 0.0), own, page)


def test_a_reference_that_the_run_does_not_bear_out_is_left_as_its_words() -> None:
    page = LessonPage(1, "t", (), "gear", "step", StepName("fuse"), StepName("fuse"))
    told = lesson_page.text(
        paragraphs("[Nobody] at [9](rank: clifton)"), page, {"gear": evidence()}
    )
    assert "Nobody at <details" in told


TASK = Task(
    "Which?",
    (TaskOption("One", "1", "not it"), TaskOption("Two", "2")),
    1,
    reference("found: 5; rank 0"),
)


def test_a_task_keeps_solution_and_remarks_back_until_it_is_answered() -> None:
    before, after = lesson_page.task_data(TASK, None), lesson_page.task_data(TASK, 0)
    assert (before["solution"], before["verdict"]) == (None, "")
    assert [option["remark"] for option in before["options"]] == ["", ""]
    assert (after["solution"], after["verdict"]) == (1, "The run says: Two.")
    assert [option["remark"] for option in after["options"]] == ["not it", ""]
    assert lesson_page.task_data(TASK, 1)["verdict"] == "You predicted it."


def test_of_what_a_browser_kept_only_what_fits_the_lessons_comes_back() -> None:
    lessons = library().lessons
    (where, task), *_ = lessons[0].tasks()
    last = len(task.options) - 1
    kept = {
        "answers": {where: last, "gone/1": 0, f"{lessons[1].id}/1": "0"},
        "seen": {lessons[1].id: True, "gone": True},
    }
    assert lesson_page.recalled(kept, lessons) == ({where: last}, {lessons[1].id: True})
    assert lesson_page.recalled({"answers": {where: last + 1}}, lessons) == ({}, {})
    assert lesson_page.recalled({"answers": [where], "seen": "all"}, lessons) == ({}, {})


def test_the_printed_lesson_has_a_table_for_its_picture(found: Competition) -> None:
    text = f"""
title = "T"
[[run]]
name = "gear"
collection = "demo"
question = "{factories.QUESTION}"
method = "gear"
[[page]]
title = "Bars"
text = "Look."
picture = "competition"
step = "expand 1"
[[page]]
title = "Ranking"
text = "Look."
step = "fuse 1"
"""
    lesson = parse(text, "1-t")
    told = lesson_print.whole(lesson, {"gear": evidence()}, INFOS, {1: found})
    assert "<td>S11 leads to O11</td><td" in told and "γ 2b = 6</th>" in told
    assert told.count("<table>") == 2 and "★ Clifton Suspension Bridge" in told


PRINTED = """
title = "T"
[[run]]
name = "gear"
collection = "demo"
question = "{question}"
method = "gear"
[[page]]
title = "A page"
text = "Look."
picture = "{picture}"
step = "{step}"
reveal = "{reveal}"
[page.task]
question = "Which?"
asks = "gold:"
solution = 1
[[page.task.option]]
text = "This"
[[page.task.option]]
text = "That"
"""


def printed(found: Competition | None, picture: str, step: str, reveal: str) -> tuple[str, str]:
    """A printed page with a task: what stands above its solution, and what stands below."""
    text = PRINTED.format(question=factories.QUESTION, picture=picture, step=step, reveal=reveal)
    competitions = {1: found} if found else {}
    told = lesson_print.whole(parse(text, "1-t"), {"gear": evidence()}, INFOS, competitions)
    above, _, below = told.partition("Solution: ")
    return above, below


def test_the_printed_lesson_reveals_a_picture_below_the_solution() -> None:
    above, below = printed(None, "step", "retrieve 1", "reason 1")
    assert "passage (★ gold)" in above and "Not answerable yet" not in above
    assert "Not answerable yet" in below and "passage (★ gold)" not in below
    assert "<figure>" not in printed(None, "step", "retrieve 1", "retrieve 1")[1]


def test_the_printed_bars_tell_the_sums_alone_above_the_solution(found: Competition) -> None:
    above, below = printed(found, "competition", "expand 1", "expand 1")
    assert "S11 leads to O11" in above and "γ" not in above
    assert "γ 2b = 6</th>" in below


def test_the_printed_gist_memory_is_a_table_of_all_that_is_remembered_until_then() -> None:
    above, below = printed(None, "gist", "remember 2", "reason 2")
    assert above.count("added</td>") == 4 and "Answerable" not in above
    assert "Answerable: François Carpentier" in below and below.count("<table>") == 1


@pytest.mark.parametrize(
    ("words", "number"),
    [("three", 3), ("Third", 3), ("1.333", 1.333), ("69", 69), ("2nd", 2), ("1,024", 1024)],
)
def test_numbers_are_read_in_digits_and_words(words: str, number: float) -> None:
    assert number_in(words) == number


def test_a_task_with_two_true_options_is_no_true_task() -> None:
    options = (TaskOption("First", "1"), TaskOption("At the top", "first"), TaskOption("Last", "9"))
    asks = Reference("rank", ("clifton", "fuse 1"))
    step = StepName("fuse")
    for shown, problems in ((options[1:], 0), (options, 1)):
        task = Task("Where is it?", shown, 0, asks)
        page = LessonPage(1, "t", (), "gear", "step", step, step, task)
        assert len(page_problems(page, {"gear": evidence()})) == problems
    assert "true options: 1, 2." in page_problems(page, {"gear": evidence()})[0]


def test_a_number_that_stands_for_a_name_has_to_be_that_name() -> None:
    step, runs = StepName("fuse"), {"gear": evidence()}
    for words, problems in (("it", 0), ("1864", 1)):
        text = paragraphs(f"[{words}](first: fuse 1)")
        page = LessonPage(1, "t", text, "gear", "step", step, step)
        assert len(page_problems(page, runs)) == problems, words


def test_places_of_survivors_begin_at_one() -> None:
    page = LessonPage(1, "t", (), "gear", "step", StepName("expand"), StepName("expand"))
    assert fact_of(Reference("survivor", ("1",)), page, {"gear": evidence()}).value
    with pytest.raises(BadInput, match="beams are kept"):
        fact_of(Reference("survivor", ("0",)), page, {"gear": evidence()})


def test_a_number_is_stated_as_far_as_it_is_printed() -> None:
    fact = Fact(1.3334)
    assert [fact.agrees(words) for words in ("1.333", "1.33", "1", "one")] == [True] * 4
    assert [fact.agrees(words) for words in ("1.334", "1.3", "1.34", "two", "x")] == [
        False,
        True,
        False,
        False,
        False,
    ]


def test_every_reference_is_explained() -> None:
    assert set(USAGE) == set(KINDS)
