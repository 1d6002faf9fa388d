"""Which questions pass as English."""

from __future__ import annotations

import pytest

from gear_app.language.english import looks_english


@pytest.mark.parametrize(
    "question",
    [
        "Where was Ada Quill born?",
        "director Harbour Lights birthplace",
        "freezer c alarm contact number",
        "",
    ],
)
def test_english_and_key_words_pass(question: str) -> None:
    assert looks_english(question)


@pytest.mark.parametrize(
    "question",
    [
        "Wo wurde der Architekt der Brücke geboren?",
        "Quel est le père de la reine?",
        "¿Dónde nació el director de la película?",
        "桥梁的设计师在哪里出生?",
        "Где родился архитектор моста?",
        "Mwandishi kitabu alizaliwa wapi?",  # of no language whose words are known
    ],
)
def test_other_languages_do_not(question: str) -> None:
    assert not looks_english(question)


@pytest.mark.parametrize(
    "text",
    [
        "Jembatan itu dibangun oleh seorang arsitek pada tahun 1923. Ia lahir di Bandung.",
        "Cây cầu được xây dựng bởi một kiến trúc sư vào năm 1923. Ông sinh ra ở Hà Nội.",
        "Daraja hilo lilijengwa kwa miaka mingi na mhandisi maarufu sana wa nchi. Alizaliwa karibu na bahari"
        " kabla ya kuhamia mji mkuu wa nchi jirani.",
        "Le pont a été construit par une entreprise de la ville et il est haut.",
        "这座桥建于一九〇〇年",
    ],
)
def test_sentences_without_english_words_are_not_english(text: str) -> None:
    assert not looks_english(text)
