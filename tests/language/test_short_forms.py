"""Abbreviations, short forms of people, and what is told to be done."""

from __future__ import annotations

import unicodedata
from typing import Literal

import pytest

from gear_app.index.mentions import found_arrays
from gear_app.language.mentions import mentions, read, shown
from gear_app.types import Passage


def names(text: str) -> set[str]:
    return {name for name, _, _ in mentions(text)}


def of_sentence(text: str, number: int) -> set[str]:
    return {one.name for one in read("", text).mentions if one.sentence == number}


@pytest.mark.parametrize(
    "text", ["The WLC (wireless controller) failed", "the wireless controllers (WLC) failed"]
)
def test_an_explained_abbreviation_is_a_mention_with_its_meaning(text: str) -> None:
    assert "wlc=wireless controller" in names(text)
    assert shown("wlc=wireless controller") == "WLC (wireless controller)"


def test_small_words_may_be_left_out_and_other_brackets_explain_nothing() -> None:
    assert "boe=bank england" in names("the Bank of England (BoE)")
    assert "ttc=toronto transit commission" in names("the Toronto Transit Commission (TTC)")
    assert not any(
        "=" in name for name in names("the WLC (second floor), Anna Bell (CEO), I (it is)")
    )


def holders(*texts: str) -> dict[str, set[int]]:
    """The passages whose sentences hold each mention, from 1."""
    passages = [Passage(n, str(n), "", text) for n, text in enumerate(texts, start=1)]
    arrays = found_arrays(passages, [read("", text) for text in texts])
    found: dict[str, set[int]] = {}
    for sentence, name in arrays.in_sentences.tolist():
        passage = int(arrays.sentence_passages[sentence]) + 1
        found.setdefault(arrays.names[name], set()).add(passage)
    return found


def test_an_abbreviation_links_passages_that_another_one_explains() -> None:
    texts = (
        "The WLC failed.",
        "The wireless controller was replaced.",
        "We call it WLC (wireless controller).",
        "A wireless printer.",
    )
    assert holders(*texts)["wlc"] == {1, 2, 3}


def test_an_abbreviation_with_two_meanings_in_a_collection_has_none() -> None:
    texts = ("WLC (wireless controller).", "WLC (water level control).", "The wireless controller.")
    assert holders(*texts)["wlc"] == {1, 2}


def test_short_forms_are_the_person_who_is_named_in_full_in_the_text() -> None:
    text = "Priya Raman wrote it. P. Raman signed it. P.R. approved."
    assert "priya raman" in of_sentence(text, 2) & of_sentence(text, 3)


@pytest.mark.parametrize(
    "text",
    [
        "Priya Raman and Paul Reyes met. P.R. approved.",
        "Priya Raman met Pavel Raman. P. Raman approved.",
        "Union Station is a station. The U.S. approved.",
        "Priya Raman wrote it. PR approved.",
        "Priya Raman wrote it. P.R. Okoro approved.",
    ],
)
def test_a_short_form_that_could_be_another_is_nobody(text: str) -> None:
    assert "priya raman" not in of_sentence(text, 2)
    assert "union station" not in of_sentence(text, 2)


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Max Müller wrote it. M. Müller signed it.", "max müller"),
        ("Émile Müller-Köhn wrote it. É. Müller-Köhn signed it.", "émile müller-köhn"),
        ("Émile Åkesson wrote it. É.Å. signed it.", "émile åkesson"),
        ("Max Noé wrote it. M. Noé signed it.", "max noé"),
        ("Émile Kohn wrote it. É. Å. Kohn signed it.", "émile kohn"),
    ],
)
def test_a_short_form_is_found_whichever_way_accents_are_written(
    form: Literal["NFC", "NFD"], text: str, name: str
) -> None:
    assert name in of_sentence(unicodedata.normalize(form, text), 2)


def test_composed_and_decomposed_text_mention_the_same() -> None:
    text = "Max Müller met Zoë Noé. M. Müller and Z. Noé signed it. M.M. left, the Ära ends: ära."
    composed, decomposed = (
        [(one.name, one.sentence, one.lower) for one in read("", text_in_form).mentions]
        for text_in_form in (unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text))
    )
    assert composed == decomposed
    assert ("max müller", 3, False) in composed


def test_a_word_in_lower_case_is_no_name_whichever_way_it_is_written() -> None:
    text = unicodedata.normalize("NFD", "Grüne Bühne plays. B. Bühne or G. Bühne: die bühne.")
    assert "grüne bühne" not in of_sentence(text, 2)


def test_what_is_to_be_done_is_no_part_of_a_name() -> None:
    assert "priya raman" in names("Call Priya Raman") and "call priya raman" not in names(
        "Call Priya Raman"
    )
    assert "call of duty" in names("Call of Duty")


def test_a_firm_is_one_mention_however_it_is_written() -> None:
    found = names("They met Hugh Marlowe and Sons.")
    assert "hugh marlowe sons" in found & names("Call Hugh Marlowe & Sons")
    assert "hugh marlowe" not in found
    assert "brown boveri cie" in names("by Brown, Boveri and Cie") & names("Brown Boveri & Cie")
