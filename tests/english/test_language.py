"""Which questions pass as English."""

from __future__ import annotations

import pytest

from gear_app.english.language import question_looks_english


@pytest.mark.parametrize(
    "question",
    ["Where was Ada Quill born?", "director Harbour Lights birthplace", "Who wrote Die Nixe?", ""],
)
def test_english_and_key_words_pass(question: str) -> None:
    assert question_looks_english(question)


@pytest.mark.parametrize(
    "question",
    [
        "Wo wurde der Architekt der Brücke geboren?",
        "Quel est le père de la reine?",
        "¿Dónde nació el director de la película?",
        "桥梁的设计师在哪里出生?",
        "Где родился архитектор моста?",
    ],
)
def test_other_languages_do_not(question: str) -> None:
    assert not question_looks_english(question)
