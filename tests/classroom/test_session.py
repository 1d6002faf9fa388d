"""The rules of a class: joining, answering, revealing, asking again, and what a table of it has."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest

from gear_app.classroom import phone, session
from gear_app.classroom.session import MOST_LEARNERS, ClassSession, answers_csv, tally
from gear_app.errors import BadInput
from tests.classroom.make import BEAMS, GAMMA, SHEETS, a_class

KEY = BEAMS.key


def voted(*options: int) -> ClassSession:
    """A class in which learner 1 chose the first of these options, and so on."""
    one = a_class(*(f"n{n}" for n in range(len(options))))
    for number, option in enumerate(options, start=1):
        one = session.answer(one, number, KEY, option)
    return one


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("  otter \n", "otter"),
        ("a\u202eb\u200bc", "a b c"),  # marks that turn the direction of text, or are not seen
        ("Ａda", "Ada"),
        ("<b>", "<b>"),
        ("ot\ufe0fter\u3164\u034f", "otter"),  # letters that are not seen
        ("a" + 20 * "\u20dd", "a" + 3 * "\u20dd"),  # a pile of marks covers the lines above
        ("שָׁלוֹם ผู้", "שָׁלוֹם ผู้"),
    ],
)
def test_a_nickname_is_one_line_of_what_can_be_seen(typed: str, name: str) -> None:
    assert session.tidied(typed) == name


@pytest.mark.parametrize("typed", ["", " \u200b ", "!?", "x" * 25, "\u3164", "\uffa0\u1160"])
def test_no_nickname_and_a_long_one_are_refused(typed: str) -> None:
    with pytest.raises(BadInput, match="nickname"):
        session.tidied(typed)


def test_a_nickname_that_is_taken_gets_a_number_and_nobody_a_number_twice() -> None:
    one = a_class("Otter", "otter", "OTTER")
    assert [(who.number, who.nickname) for who in one.learners] == [
        (1, "Otter"),
        (2, "otter 2"),
        (3, "OTTER 3"),
    ]
    one = session.remove(one, 3)
    one, who = session.join(one, "wren")
    assert who.number == 4


def test_a_class_is_full_at_some_point() -> None:
    full = a_class(*(f"n{n}" for n in range(MOST_LEARNERS)))
    with pytest.raises(BadInput, match="full"):
        session.join(full, "one more")


def test_nobody_joins_a_class_that_is_complete_and_who_is_there_stays() -> None:
    closed = replace(a_class("Mira"), complete=True)
    with pytest.raises(BadInput, match="Nobody else can join"):
        session.join(closed, "Bo")
    assert tally(session.answer(closed, 1, KEY, 0), KEY).given == 1
    assert len(session.join(replace(closed, complete=False), "Bo")[0].learners) == 2


def test_who_answered_nothing_is_removed_at_once_and_nobody_else() -> None:
    one = session.answer(a_class("Mira", "bot 1", "bot 2"), 1, KEY, 0)
    assert session.silent(one) == {2, 3}
    left = session.remove_silent(one)
    assert [learner.nickname for learner in left.learners] == ["Mira"]
    assert left.ballots == one.ballots and session.remove_silent(left) == left


def test_a_vote_counts_the_last_answer_of_everybody_and_those_without() -> None:
    one = session.answer(voted(0, 0, 2), 2, KEY, 1)
    one, _ = session.join(one, "late")
    assert tally(one, KEY).counts == (1, 1, 1)
    assert tally(one, KEY).missing == 1
    assert session.right_answers(one, KEY) == 1


def test_both_votes_are_kept_side_by_side() -> None:
    again = session.ask_again(voted(0, 0, 2), KEY)
    assert tally(again, KEY).counts == (0, 0, 0)
    again = session.answer(again, 1, KEY, 2)
    assert [tally(again, KEY, vote).counts for vote in (0, 1)] == [(2, 0, 1), (0, 0, 1)]


def test_what_is_not_allowed_is_refused_with_a_reason() -> None:
    one = voted(0)
    shown = session.reveal(one, KEY)
    for change, reason in (
        (lambda: session.answer(one, 9, KEY, 0), "no longer in this class"),
        (lambda: session.answer(one, 1, KEY, 3), "no option 4"),
        (lambda: session.answer(one, 1, KEY, -1), "no option"),
        (lambda: session.answer(one, 1, GAMMA.key, 0), "another page"),
        (lambda: session.answer(one, 1, "beams/9", 0), "no page"),
        (lambda: session.answer(shown, 1, KEY, 1), "closed"),
        (lambda: session.ask_again(shown, KEY), "shown already"),
        (lambda: session.ask_again(one, GAMMA.key), "Nobody has answered"),
        (lambda: session.reveal(one, "beams/1"), "asks nothing"),
    ):
        with pytest.raises(BadInput, match=reason):
            change()


def test_unlocked_learners_answer_on_any_page_and_leaf_by_themselves() -> None:
    free = replace(voted(0), locked=False)
    assert tally(session.answer(free, 1, GAMMA.key, 1), GAMMA.key).counts == (0, 1)
    assert phone.page(free, 1, 2)["title"] == GAMMA.title
    assert phone.page(free, 1, 99)["page"] == 2
    assert phone.page(voted(0), 1, 2)["title"] == BEAMS.title  # locked: the teacher's page


def test_who_is_removed_takes_her_answers_along() -> None:
    one = session.remove(voted(0, 2), 1)
    assert tally(one, KEY).counts == (0, 0, 1)
    assert tally(one, KEY).missing == 0


def test_renaming_keeps_names_apart() -> None:
    one = session.rename(a_class("rude", "wren"), 1, "wren")
    assert [who.nickname for who in one.learners] == ["wren 2", "wren"]
    assert session.rename(one, 2, "wren").learners[1].nickname == "wren"


def test_turning_stops_at_the_first_and_the_last_page() -> None:
    assert session.turn_to(a_class(), -1).page == 0
    assert session.turn_to(a_class(), 7).page == len(SHEETS) - 1


def test_a_phone_gets_nothing_of_the_answer_nor_of_others_before_the_reveal() -> None:
    one = voted(0, 2)
    seen = phone.page(one, 1)
    assert seen["task"] == {
        "key": KEY,
        "question": BEAMS.question,
        "options": list(BEAMS.options),
        "answers": [0],
        "revealed": False,
    }
    sent = str(seen)
    assert "n1" not in sent and "0.425" not in sent and "first in its beam" not in sent


def test_the_reveal_brings_the_counts_of_every_vote_and_the_right_option() -> None:
    one = session.answer(session.ask_again(voted(0, 2), KEY), 1, KEY, 2)
    task = phone.page(session.reveal(one, KEY), 2)["task"]
    assert (task["right"], task["counts"]) == (2, [[1, 0, 1], [0, 0, 1]])
    assert task["answers"] == [2, None]
    assert task["solution"] == ["The penalty takes 0.425 from Portsmouth."]


def test_the_table_has_nicknames_only_where_they_are_asked_for_and_no_formula() -> None:
    one, _ = session.join(voted(0), "=HYPERLINK(1)")
    plain = answers_csv(one)
    assert "n0" not in plain and "HYPERLINK" not in plain
    rows = list(csv.DictReader(io.StringIO(answers_csv(one, nicknames=True))))
    assert [row["nickname"] for row in rows if row["page"] == KEY] == ["n0", "'=HYPERLINK(1)"]
    assert [(row["learner"], row["answer"], row["right"]) for row in rows[:2]] == [
        ("1", "Portsmouth", "no"),
        ("1", "", ""),
    ]
