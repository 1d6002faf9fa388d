"""The page Class, as a teacher uses it: open, turn, reveal, ask again, rename, export, close."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from gear_app.classroom import session
from gear_app.classroom.open_classes import OPEN
from gear_app.ui.shared import visitors
from gear_app.workspace import Workspace
from tests.app.conftest import sentences, visit
from tests.classroom.make import BEAMS, SHEETS


@pytest.fixture(autouse=True)
def closed_afterwards() -> Iterator[None]:
    yield
    for code in OPEN.codes():
        OPEN.close(code)


@pytest.fixture
def code() -> str:
    """A class at its first question with two learners, of whom one answered."""
    opened = OPEN.open("Beams by hand", SHEETS).code
    OPEN.change(opened, lambda one: session.turn_to(one, 1))
    joined = OPEN.join(opened, "otter <b>")
    OPEN.join(opened, "wren")
    OPEN.as_learner(opened, joined.token, lambda one, n: session.answer(one, n, BEAMS.key, 0))
    return opened


@pytest.fixture
def teacher(empty: Workspace, start: AppTest, code: str) -> AppTest:
    """The teacher's page of that class."""
    start.query_params["class"] = code
    return start.run().switch_page("classroom/page.py").run()


def test_a_class_is_opened_on_a_lesson_and_is_in_the_address(
    empty: Workspace, start: AppTest
) -> None:
    at = start.run().switch_page("classroom/page.py").run()
    assert visitors.ONLY_HERE in sentences(at) or visitors.OPEN_TO_ALL in sentences(at)
    at.button(key="class-open").click().run()
    [code] = OPEN.codes()
    assert at.query_params["class"] == code
    assert f"{code[:3]} {code[3:]}" in sentences(at)


def test_before_the_reveal_nothing_tells_what_is_right(teacher: AppTest) -> None:
    shown = sentences(teacher)
    assert "1 of 1 expect Portsmouth" in shown and "2 are here" in shown
    assert "otter &lt;b&gt;" in shown and "otter <b>" not in shown
    assert "gear-class-row gear-class-right" not in shown and "✓" not in shown
    teacher.button(key="class-reveal").click().run()
    shown = sentences(teacher)
    assert "0 of 1 said C, which is right" in shown and "Avon Gorge<em" in shown
    assert teacher.button(key="class-again").disabled


def test_asking_again_shows_both_votes(teacher: AppTest, code: str) -> None:
    teacher.button(key="class-again").click().run()
    shown = sentences(teacher)
    assert "before the talk" in shown and "after it" in shown
    assert len(OPEN.get(code).ballot(BEAMS.key).votes) == 2


def test_the_switches_are_the_class_s(teacher: AppTest, code: str) -> None:
    teacher.toggle(key="class-locked").set_value(False).run()
    assert not OPEN.get(code).locked
    teacher.toggle(key="class-names_hidden").set_value(True).run()
    assert "otter" not in sentences(teacher) and "wren" not in sentences(teacher)
    teacher.button(key="class-on").click().run()
    assert OPEN.get(code).page == 2


def test_a_learner_is_renamed_and_removed(teacher: AppTest, code: str) -> None:
    teacher.selectbox(key="class-who").select(2).run()
    teacher.text_input(key="class-name").input("robin").run()
    teacher.button(key="class-rename").click().run()
    assert [one.nickname for one in OPEN.get(code).learners] == ["otter <b>", "robin"]
    teacher.button(key="class-remove").click().run()
    assert [one.nickname for one in OPEN.get(code).learners] == ["otter <b>"]


def test_the_code_is_shown_large_and_back(teacher: AppTest) -> None:
    teacher.button(key="class-enlarge").click().run()
    assert "gear-class-large" in sentences(teacher) and "Portsmouth" not in sentences(teacher)
    teacher.button(key="class-shrink").click().run()
    assert "Portsmouth" in sentences(teacher)


def test_another_lesson_is_offered_to_who_comes_with_it_and_the_class_stays_open(
    teacher: AppTest, code: str
) -> None:
    del teacher.query_params["class"]
    visit(teacher, lesson="gist-memory")
    assert teacher.selectbox(key="class-lesson").value == "gist-memory"
    teacher.button(key=f"class-go-{code}").click().run()
    assert dict(teacher.query_params) == {"class": code}
    assert "Portsmouth" in sentences(teacher)
    del teacher.query_params["class"]  # who comes back by the navigation
    assert "Portsmouth" in sentences(teacher.run())


def test_a_closed_class_is_gone_from_memory_and_address(teacher: AppTest, code: str) -> None:
    teacher.button(key="class-close").click().run()
    assert OPEN.codes() == [] and "class" not in teacher.query_params
    visit(teacher, **{"class": code})
    assert "This class is closed" in sentences(teacher)
