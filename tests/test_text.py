"""Words and names."""

from __future__ import annotations

import pytest

from gear_app.text import linearise, normalise_entity, tokenise


def test_tokens_are_folded_runs_of_letters_and_digits() -> None:
    assert tokenise("The Straße of ﬁre, 1951-52: O'Neil_x") == [
        "the",
        "strasse",
        "of",
        "fire",
        "1951",
        "52",
        "o",
        "neil",
        "x",
    ]


@pytest.mark.parametrize(
    "name", ["Marie Curie", "  MARIE   curie. ", "Marie-Curie", "(Marie) Curie"]
)
def test_spellings_of_one_entity(name: str) -> None:
    assert normalise_entity(name) == "marie curie"


def test_a_name_of_signs_is_no_entity() -> None:
    assert normalise_entity("—!?") == ""


def test_sequences_are_joined_in_order() -> None:
    assert linearise(["a r b", "b r c"]) == "a r b; b r c"
