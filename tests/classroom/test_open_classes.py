"""Codes, tokens, who is away, and what followers of a presentation see."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from gear_app.classroom import session
from gear_app.classroom.open_classes import (
    AWAY_S,
    JOINS_S,
    LETTERS,
    MOST_JOINS,
    MOST_PRESENTATIONS,
    ClassClosed,
    OpenClasses,
    plain,
    spaced,
)
from gear_app.classroom.phone import Pointed, Presentation, followed, pointed_from
from gear_app.errors import BadInput
from tests.classroom.make import BEAMS, SHEETS


def same(one: session.ClassSession, number: int) -> session.ClassSession:
    return one


class Clock:
    """Seconds that a test turns on."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_code_is_found_however_it_is_typed() -> None:
    classes = OpenClasses()
    code = classes.open("Beams", SHEETS).code
    assert set(code) <= set(LETTERS) and len(code) == 6
    assert classes.get(f" {spaced(code).lower()}-").code == code
    assert plain("k7-4 qx") == "K74QX"


def test_a_token_is_good_for_one_learner_of_one_class_until_she_is_removed() -> None:
    classes = OpenClasses()
    code, other = (classes.open("Beams", SHEETS).code for _ in range(2))
    first, second = classes.join(code, "otter"), classes.join(code, "wren")
    assert classes.as_learner(code, second.token, same)[1] == 2
    for where, token in ((other, first.token), (code, ""), (code, "1"), (code, first.token[:-1])):
        with pytest.raises(BadInput, match="no longer in this class"):
            classes.as_learner(where, token, same)
    classes.change(code, lambda one: session.remove(one, 1))
    with pytest.raises(BadInput, match="no longer in this class"):
        classes.as_learner(code, first.token, same)


def test_who_comes_back_with_her_token_is_who_she_was() -> None:
    classes = OpenClasses()
    code, other = (classes.open("Beams", SHEETS).code for _ in range(2))
    bo = classes.join(code, "Bo")
    classes.change(code, lambda one: replace(one, complete=True))
    assert classes.join(code, "Bo", "10.0.0.7", bo.token) == bo
    assert classes.join(code, "Robert", "10.0.0.7", bo.token) == bo
    assert [one.nickname for one in classes.get(code).learners] == ["Bo"]
    elsewhere = classes.join(other, "Bo", token=bo.token)  # a token is of one class
    assert elsewhere.token != bo.token
    classes.change(code, lambda one: replace(session.remove(one, 1), complete=False))
    assert classes.join(code, "Bo", token=bo.token).token != bo.token


def test_a_closed_class_is_forgotten() -> None:
    classes = OpenClasses()
    code = classes.open("Beams", SHEETS).code
    token = classes.join(code, "otter").token
    classes.close(code)
    assert classes.codes() == []
    for ask in (lambda: classes.get(code), lambda: classes.as_learner(code, "", same)):
        with pytest.raises(BadInput, match="No class is open"):
            ask()
    with pytest.raises(ClassClosed, match="The class is closed"):
        classes.as_learner(code, token, same)


def test_a_phone_that_asks_no_more_is_away_until_it_asks_again() -> None:
    clock = Clock()
    classes = OpenClasses(clock)
    code = classes.open("Beams", SHEETS).code
    sleeper, _ = classes.join(code, "otter"), classes.join(code, "wren")
    clock.now += AWAY_S + 1
    assert classes.away(code) == {1, 2}
    classes.as_learner(code, sleeper.token, same)
    assert classes.away(code) == {2}
    assert classes.open_for_s(code) == AWAY_S + 1


def test_who_fills_a_class_and_takes_no_part_keeps_nobody_out() -> None:
    clock = Clock()
    classes = OpenClasses(clock)
    code = classes.open("Beams", SHEETS).code
    classes.change(code, lambda one: session.turn_to(one, 1))
    joined = [classes.join(code, f"bot {n}") for n in range(session.MOST_LEARNERS)]
    answered, asks, bot = (one.token for one in joined[:3])
    classes.as_learner(code, answered, lambda one, n: session.answer(one, n, BEAMS.key, 0))
    with pytest.raises(BadInput, match="full"):
        classes.join(code, "otter")
    clock.now += AWAY_S + 1
    classes.as_learner(code, asks, same)
    otter = classes.join(code, "otter")
    assert [one.number for one in classes.get(code).learners] == [1, 2, otter.learner.number]
    for token in (answered, asks, otter.token):
        classes.as_learner(code, token, same)
    with pytest.raises(BadInput, match="no longer in this class"):
        classes.as_learner(code, bot, same)


def test_as_many_as_a_class_join_from_one_address_at_once_and_no_more() -> None:
    clock = Clock()
    classes = OpenClasses(clock)
    code = classes.open("Beams", SHEETS).code
    for n in range(MOST_JOINS):
        classes.join(code, f"n{n}", "10.0.0.1")
        clock.now += 0.125
    with pytest.raises(BadInput, match="Try again in 53 seconds"):
        classes.join(code, "script", "10.0.0.1")
    classes.join(code, "otter", "10.0.0.2")
    clock.now = 100.0 + JOINS_S + 0.05  # the first is a minute ago
    classes.join(code, "late", "10.0.0.1")
    with pytest.raises(BadInput, match=r"Try again in 1 second$"):
        classes.join(code, "later", "10.0.0.1")
    assert len(classes.get(code).learners) == MOST_JOINS + 2


def test_who_has_many_addresses_of_one_network_fills_no_class() -> None:
    clock = Clock()
    classes = OpenClasses(clock)
    code = classes.open("Beams", SHEETS).code
    came_in = 0
    for n in range(3 * MOST_JOINS):
        clock.now += 59.0 / (3 * MOST_JOINS)
        with suppress(BadInput):
            classes.join(code, f"n{n}", f"2001:db8::{n:x}")
            came_in += 1
    assert came_in == MOST_JOINS, "in a minute"
    classes.join(code, "otter", "2001:db8:0:1::1")


def test_where_learners_came_from_is_forgotten_with_their_class() -> None:
    classes = OpenClasses(Clock())
    code, other = (classes.open("Beams", SHEETS).code for _ in range(2))
    for n in range(MOST_JOINS):
        classes.join(code, f"n{n}", "10.0.0.1")
    with pytest.raises(BadInput, match="Try again"):
        classes.join(other, "otter", "10.0.0.1")
    classes.close(code)
    classes.join(other, "otter", "10.0.0.1")


def test_a_refused_change_leaves_the_class_as_it_was() -> None:
    classes = OpenClasses()
    code = classes.open("Beams", SHEETS).code
    token = classes.join(code, "otter").token
    with pytest.raises(BadInput, match="another page"):
        classes.as_learner(code, token, lambda one, n: session.answer(one, n, BEAMS.key, 0))
    assert classes.get(code).ballots == {}


# Following


def card(id_: str, title: str, *, given: bool = False, **more: Any) -> dict[str, Any]:
    blank = {"text": "", "note": "", "lead": "", "pieces": (), "parents": ()}
    look = {"kind": "kept", "star": True, "marked": False}
    return {"id": id_, "title": title, "given": given, **blank, **look, **more}


SLIDE = {
    "shown": "run 3",
    "prompt": "Where do these facts lead?",
    "heading": "To Brunel",
    "columns": [
        {"name": "first", "cards": [card("a", "Clifton Bridge", given=True)]},
        {
            "name": "second",
            "cards": [card("b", "Isambard Brunel", parents=("a",)), card("c", "Avon")],
        },
    ],
}


def titles(seen: dict[str, Any]) -> list[str]:
    return [card["title"] for column in seen["columns"] for card in column["cards"]]


def test_a_follower_gets_no_word_of_what_is_covered() -> None:
    seen = followed(Presentation(SLIDE, Pointed(uncovered=1)))
    assert titles(seen) == ["Clifton Bridge", "Isambard Brunel", ""]
    assert seen["heading"] == SLIDE["prompt"]
    assert "Avon" not in str(seen) and "To Brunel" not in str(seen)
    nothing = followed(Presentation(SLIDE))
    assert titles(nothing) == ["Clifton Bridge", "", ""]
    assert nothing["columns"][1]["cards"][0]["parents"] == ()


def test_a_covered_card_has_no_id_by_which_other_slides_know_it() -> None:
    known = {"columns": [{"cards": [card("p7", "Avon"), card("x", "Bath", given=True)]}]}
    known["columns"][0]["cards"][1]["parents"] = ("p7",)
    covered, given = followed(Presentation(known))["columns"][0]["cards"]
    assert (covered["id"], given["id"], given["parents"]) == ("covered 1", "x", ())
    open_, given = followed(Presentation(known, Pointed(uncovered=1)))["columns"][0]["cards"]
    assert (open_["id"], given["parents"]) == ("p7", ("p7",))


def test_the_heading_comes_with_the_last_card() -> None:
    seen = followed(Presentation(SLIDE, Pointed(uncovered=2)))
    assert (titles(seen)[-1], seen["heading"]) == ("Avon", "To Brunel")


def test_a_name_lights_the_uncovered_cards_on_which_it_stands_whole() -> None:
    def lit(names: tuple[str, ...], card: str = "", uncovered: int = 2) -> list[str]:
        return list(followed(Presentation(SLIDE, Pointed(uncovered, card, names)))["lit"])

    assert lit(("isambard brunel",)) == ["b"]
    assert lit(("Brunel",), "c") == ["b", "c"]
    assert lit(("Brun",)) == []
    assert lit(("isambard brunel",), uncovered=0) == []


def test_what_a_browser_says_is_kept_within_bounds() -> None:
    assert pointed_from({"uncovered": 2, "card": "b", "names": ["x", 1]}) == Pointed(2, "b", ("x",))
    assert pointed_from({"uncovered": -5, "card": 1, "names": "x"}) == Pointed()
    assert len(pointed_from({"names": ["n" * 9999] * 99}).names) == 10


def test_pointing_at_a_slide_that_is_gone_points_at_nothing() -> None:
    classes = OpenClasses()
    presenter = classes.present()
    classes.show(presenter.code, SLIDE)
    classes.point(presenter, "run 3", Pointed(1))
    assert classes.follow(presenter.code)["uncovered"] == 1
    classes.show(presenter.code, {**SLIDE, "shown": "run 4"})
    classes.point(presenter, "run 3", Pointed(2))
    assert classes.follow(presenter.code)["uncovered"] == 0


def test_only_the_presenter_points_and_nobody_follows_when_it_is_over() -> None:
    classes = OpenClasses()
    presenter = classes.present()
    classes.show(presenter.code, SLIDE)
    with pytest.raises(BadInput, match="Only who presents"):
        classes.point(presenter._replace(token="x"), "run 3", Pointed(2))
    assert classes.presenter(presenter.code.lower()) == presenter
    classes.end(presenter.code)
    assert classes.presenter(presenter.code) is None
    for ask in (
        lambda: classes.follow(presenter.code),
        lambda: classes.point(presenter, "run 3", Pointed(1)),
    ):
        with pytest.raises(BadInput, match="Nobody presents"):
            ask()


def test_a_code_presents_in_the_browser_that_it_was_begun_in_alone() -> None:
    classes = OpenClasses()
    mine = classes.present("my browser")
    assert classes.presenter(mine.code, "my browser") == mine
    assert classes.presenter(mine.code, "another") is None
    assert classes.presenter(mine.code) is None
    assert classes.is_followed(mine.code)
    newer = classes.present("my browser")
    assert classes.begun_in("my browser") == newer.code and not classes.begun_in("another")
    classes.end(newer.code)
    assert classes.begun_in("my browser") == mine.code
    classes.end(mine.code)
    assert not classes.begun_in("my browser")
    assert not classes.is_followed(mine.code)


def test_the_oldest_presentation_ends_where_too_many_are_open() -> None:
    classes = OpenClasses()
    first, *others = [classes.present().code for _ in range(MOST_PRESENTATIONS + 1)]
    assert classes.presenter(first) is None and all(map(classes.presenter, others))
