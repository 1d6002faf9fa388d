"""Forms of verbs."""

from __future__ import annotations

import pytest

from gear_app.english.verbs import is_past, root


@pytest.mark.parametrize(
    "forms",
    [
        ("grow", "grew", "grown", "grows"),
        ("cross", "crosses", "crossed"),
        ("live", "lived"),
        ("ship", "shipped"),
        ("carry", "carries", "carried"),
    ],
)
def test_all_forms_of_a_word_have_one_root(forms: tuple[str, ...]) -> None:
    assert len({root(form) for form in forms}) == 1


def test_what_looks_like_a_past_tense() -> None:
    assert [
        word for word in ("grew", "died", "set", "seed", "hundred", "fall") if is_past(word)
    ] == [
        "grew",
        "died",
        "set",
    ]
