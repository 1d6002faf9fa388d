"""Forms of verbs."""

from __future__ import annotations

import pytest

from gear_app.language.words import root


@pytest.mark.parametrize(
    "forms",
    [
        ("grow", "grew", "grown", "grows"),
        ("cross", "crosses", "crossed"),
        ("live", "lived"),
        ("ship", "shipped"),
        ("carry", "carries", "carried"),
        ("die", "dies", "died"),
        ("lie", "lies", "lied"),
        ("vie", "vies", "vied"),
        ("use", "uses", "used"),
        ("sue", "sues", "sued"),
        ("try", "tries", "tried"),
        ("fly", "flies", "flew"),
    ],
)
def test_all_forms_of_a_word_have_one_root(forms: tuple[str, ...]) -> None:
    assert len({root(form) for form in forms}) == 1


@pytest.mark.parametrize("words", [("seed", "see"), ("reed", "ree"), ("Mary", "Marie")])
def test_words_that_only_look_alike_have_two_roots(words: tuple[str, str]) -> None:
    assert len({root(word.casefold()) for word in words}) == 2
