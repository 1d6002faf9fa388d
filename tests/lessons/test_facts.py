"""The functions of lessons on a run made by hand, and their printed form."""

from __future__ import annotations

import pytest

from gear_app.lessons.facts import LessonTrace, page_text
from gear_app.lessons.lesson import Option, Page, Task
from gear_app.trace.trace import RunTrace
from tests import factories

TRACES = {"gear": LessonTrace(RunTrace(factories.gear_run()), factories.GOLD)}


def page(text: str = "Look.", **fields: object) -> Page:
    return Page(title="t", text=text, run="gear", step="fuse 1", reveal="fuse 1", **fields)


def printed(text: str) -> str:
    """The text as a page prints it."""
    shown = page_text(page(text), TRACES)
    assert shown.problem == ""
    return shown.text


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("gold()", "3"),
        ("rank('clifton')|ordinal", "first"),
        ("rank('nobody')", "none"),
        ("count('proximal triples', 'read 1')", "2"),
        ("count('remembered', 'remember 2')", "3"),
        ("query(2)", "Who taught Marc Isambard Brunel?"),
        ("survivor(1, 'expand 1')", "Isambard Kingdom Brunel | was the only son of | "),
        ("answer(2)", "François Carpentier"),
        ("setting('width')", "10"),
    ],
)
def test_a_value_of_the_run_is_printed(call: str, words: str) -> None:
    assert f"<strong>{words}" in printed("{{" + call + "}}")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[Nobody]", "Unknown name of the run 'Nobody'"),
        ("{{ scor('clifton') }}", "'scor' is undefined"),
        ("{{ rank('clifton', 'fuse 9') }}", "Unknown step of the run 'fuse 9'"),
        ("{{ rank('clifton', run='other') }}", "KeyError: 'other'"),
        ("{{ range(1000000) }}", "Range too big"),
    ],
)
def test_what_a_run_does_not_have_is_a_problem_and_no_number(text: str, problem: str) -> None:
    shown = page_text(page(text), TRACES)
    assert problem in shown.problem and shown.text == ""


def test_the_solution_is_the_only_option_that_has_the_value() -> None:
    options = [Option(text="First", **{"is": "1"}), Option(text="first"), Option(text="Last")]
    fields = {"question": "Where?", "asks": "rank('clifton')"}
    for some, problem in (
        (options[1:], ""),
        (options, "BadInput: The run says “1”: 2 options state it."),
        (options[2:] * 2, "BadInput: The run says “1”: 0 options state it."),
    ):
        shown = page_text(page(task=Task(**fields, option=some)), TRACES)
        assert (shown.problem, shown.solution) == (problem, 0)


def test_names_light_up_terms_are_explained_and_markup_is_text() -> None:
    text = printed("[Avon Gorge] is **no** [gold], <b> `x`.\n\nNext.")
    assert '<span data-entity="avon gorge"' in text and "&lt;b&gt;" in text
    assert "<strong>no</strong>" in text and "<code>x</code>" in text
    assert "aria-description" in text
