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
    ],
)
def test_all_forms_of_a_word_have_one_root(forms: tuple[str, ...]) -> None:
    assert len({root(form) for form in forms}) == 1
