"""What the teacher's screen says of a class."""

from __future__ import annotations

import pytest

from gear_app.classroom import session
from gear_app.classroom.access import join_link, learners_address
from gear_app.ui.classroom import screen
from tests.classroom.make import BEAMS, GAMMA, a_class

KEY = BEAMS.key


def voted(*options: int) -> session.ClassSession:
    one = a_class(*(f"n{n}" for n in range(len(options))))
    for number, option in enumerate(options, start=1):
        one = session.answer(one, number, KEY, option)
    return one


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (a_class(), "Waiting for learners"),
        (a_class("otter"), "Nobody has answered yet"),
        (voted(0, 0, 2), "2 of 3 expect Portsmouth"),
        (voted(0, 2), "No majority: 1 each for A and C"),
        (session.reveal(voted(0, 2), KEY), "1 of 2 said C, which is right"),
    ],
)
def test_the_heading_says_what_most_expect(one: session.ClassSession, said: str) -> None:
    assert screen.heading(one, BEAMS) == said


def test_bars_are_as_long_as_their_numbers_and_the_longest_is_the_most_of_all() -> None:
    drawn = screen.histogram(voted(0, 0, 2), BEAMS)
    widths = [float(part.split("%")[0]) for part in drawn.split("width:")[1:]]
    assert widths == [80.0, 0.0, 40.0, 0.0]


def test_the_state_of_every_question_is_told_and_right_answers_only_where_shown() -> None:
    one = voted(0, 2)
    assert "open, 2 of 2" in screen.questions(one)
    assert "right" not in screen.questions(one)
    assert "1 of 2 right" in screen.questions(session.reveal(one, KEY))
    rows = screen.histogram_rows(session.reveal(one, KEY))
    assert [(row["option"], row["answers"], row["right"]) for row in rows] == [
        ("A: Portsmouth", 1, "no"),
        ("B: the railway", 0, "no"),
        ("C: Avon Gorge", 1, "yes"),
    ]
    assert GAMMA.question not in [row["question"] for row in rows]


def test_facts_count_pages_and_questions_from_one() -> None:
    assert screen.facts(a_class(page=2), 130).startswith(
        "page 3 of 3 · question 2 of 2 · open for 2 min 10 s · nothing is kept"
    )
    assert screen.facts(a_class(page=0), 4000).startswith("page 1 of 3 · open for 1 h 6 min")


@pytest.mark.parametrize(
    ("own", "given", "address"),
    [
        ("http://localhost:8501/class", "http://10.0.0.7:8501", "http://10.0.0.7:8501"),
        ("http://[::1]:8501/class", "http://10.0.0.7:8501", "http://10.0.0.7:8501"),
        ("https://gear.example/class?x", "http://10.0.0.7:8501", "https://gear.example"),
        ("http://localhost:8501/class", "", "http://localhost:8501"),
    ],
)
def test_learners_get_the_address_that_the_teacher_came_by_unless_it_is_loopback(
    own: str, given: str, address: str
) -> None:
    assert learners_address(own, given) == address


def test_the_qr_code_holds_the_link_and_is_dark_on_light() -> None:
    link = join_link("http://10.0.0.7:8501", "K74QXM")
    assert link == "http://10.0.0.7:8501/join?code=K74QXM"
    data = screen.qr_data(link)
    assert data.startswith("data:image/svg+xml") and "%23fff" in data
    assert data != screen.qr_data(join_link("http://10.0.0.7:8501", "K74QXN"))
