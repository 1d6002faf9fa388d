"""The functions of lessons on a run made by hand, and their printed form."""

from __future__ import annotations

import re

import pytest

from gear_app.lessons.facts import LessonTrace, page_text
from gear_app.lessons.lesson import Option, Page, Task
from tests import factories

TRACES = {"gear": LessonTrace(tuple(factories.gear_run()), factories.GOLD)}


def page(text: str = "Look.", **fields: object) -> Page:
    return Page(title="t", text=text, run="gear", step="fuse 1", reveal="fuse 1", **fields)


def printed(text: str) -> str:
    """The text as a page prints it."""
    told = page_text(page(text), TRACES)
    assert told.problems == []
    return told.text


@pytest.mark.parametrize(
    ("call", "words", "term"),
    [
        ("gold()", "3", "Clifton Suspension Bridge"),
        ("gold(1)", "1", "Clifton Suspension Bridge: rank 1"),
        ("gold(1)", "1", ": not ranked"),
        ("rank('clifton')|ordinal", "first", "= "),
        ("rank('clifton')|ordinal|capitalize", "First", "= "),
        ("score('clifton')|round(2)", "0.03", "0.016393 · rank 1 in beams"),
        ("count('proximal triples', 'read 1')", "2", "Suspension Bridge was designed by"),
        ("count('linked triples', 'link 1')|word", "two", "Suspension Bridge was designed by"),
        ("count('kept beams', 'expand 1')|word", "six", "Isambard Kingdom Brunel"),
        ("count('remembered', 'remember 2')", "3", "Isambard Kingdom Brunel"),
        ("count('passages', 'retrieve 1')|word", "ten", "Clifton Suspension Bridge"),
    ],
)
def test_a_number_opens_into_its_arithmetic_or_into_what_it_counts(
    call: str, words: str, term: str
) -> None:
    (number,) = re.findall(r"<summary[^>]*>(.*?)</summary>", printed("{{" + call + "}}"))
    assert number == words
    assert any(term in line for line in re.findall("<li>(.*?)</li>", printed("{{" + call + "}}")))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("rank('nobody')", "none"),
        ("first()", "clifton"),
        ("query(2)", "Who taught Marc Isambard Brunel?"),
        ("survivor(1)", "Isambard Kingdom Brunel | was the only son of | "),
        ("answerable(1)", "no"),
        ("answer(2)", "François Carpentier"),
        ("iterations()", "2"),
        ("setting('width')", "10"),
    ],
)
def test_other_values_are_printed_plainly(call: str, words: str) -> None:
    text = call.replace("survivor(1)", "survivor(1, 'expand 1')")
    assert words in re.sub("<[^>]+>", "", printed("{{" + text + "}}"))


def test_names_light_up_terms_are_explained_and_markup_is_text() -> None:
    told = printed("[Avon Gorge] is **no** [gold], <b> `[x]`.\n\nNext.".replace("`[x]`", "`x`"))
    assert '<span data-entity="avon gorge"' in told and "&lt;b&gt;" in told
    assert "<strong>no</strong>" in told and "<code>x</code>" in told
    assert "aria-description" in told and told.count('<div class="gear-lesson-p">') == 2


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[Nobody]", "name(Nobody): the run has no such name"),
        ("{{ scor('clifton') }}", "'scor' is undefined"),
        ("{{ score('clifton' }}", "TemplateSyntaxError"),
        ("{{ score('nobody') }}", "score(nobody)"),
        ("{{ score() }}", "missing 1 required positional argument"),
        ("{{ rank('clifton', 'fuse 9') }}", "Unknown step of the run 'fuse 9'"),
        ("{{ rank('clifton', run='other') }}", "rank(clifton): the run has nothing of the kind"),
        ("{{ survivor(9, 'expand 1') }}", "nothing of the kind"),
        ("{{ count('wheels') }}", "nothing of the kind"),
        ("{{ count('matches') }}", "the step has nothing of the kind"),
        ("{{ answer(7) }}", "nothing of the kind"),
        ("{{ ''.__class__.__mro__ }}", "unsafe"),
        ("{{ range(1000000) }}", "Range too big"),
    ],
)
def test_what_a_run_does_not_have_is_a_problem_and_no_number(text: str, problem: str) -> None:
    told = page_text(page(text), TRACES)
    assert len(told.problems) == 1 and problem in told.problems[0]
    assert not re.search(r"\d", re.sub("<[^>]+>", "", told.text))


def test_the_solution_is_the_only_option_that_has_the_value() -> None:
    options = [Option(text="First", **{"is": "1"}), Option(text="first"), Option(text="Last")]
    fields = {"question": "Where?", "asks": "rank('clifton')", "solution": 1}
    for some, problems in ((options[1:], 0), (options, 1), (options[::-1][:2], 1)):
        task = Task(**fields, option=some)
        told = page_text(page(task=task), TRACES)
        assert len(told.problems) == problems, told.problems
    assert "the run says “1”, correct options: [2]" in told.problems[0]


def test_the_picture_has_to_be_there() -> None:
    for fields in ({"opens": "Nobody | left | nothing"}, {"after": "{{ rank('x', 'fuse 7') }}"}):
        assert len(page_text(page(**fields), TRACES).problems) == 1
    gone = Page(title="t", text="Look.", run="gear", reveal="expand 9")
    assert "Unknown step of the run 'expand 9'" in page_text(gone, TRACES).problems[0]
