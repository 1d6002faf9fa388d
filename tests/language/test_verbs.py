"""Forms of verbs."""

from __future__ import annotations

import pytest

from gear_app.language.verbs import base_of_past, base_of_present, is_past, past_of, root


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
    ] == ["grew", "died", "set"]


@pytest.mark.parametrize(
    ("past", "base"),
    [
        ("wrote", "write"),
        ("moved", "move"),
        ("planned", "plan"),
        ("studied", "study"),
        ("visited", "visit"),
        ("created", "create"),
        ("developed", "develop"),
        ("died", "die"),
        ("combined", "combine"),
        ("joined", "join"),
        ("settled", "settle"),
        ("managed", "manage"),
    ],
)
def test_the_infinitive_of_a_past_tense(past: str, base: str) -> None:
    assert base_of_past(past) == base


@pytest.mark.parametrize(
    ("present", "base"),
    [("lies", "lie"), ("carries", "carry"), ("teaches", "teach"), ("owns", "own"), ("bass", "")],
)
def test_the_infinitive_of_a_third_person(present: str, base: str) -> None:
    assert base_of_present(present) == base


def test_the_past_tense_of_a_participle() -> None:
    assert [past_of(word) for word in ("written", "led", "directed")] == [
        "wrote",
        "led",
        "directed",
    ]
