"""Whether a question is English, by its function words."""

from __future__ import annotations

from gear_app.english.words import FUNCTION_WORDS, word_set, words

# what is common in other languages and no English word
_FOREIGN = word_set(
    "der das und ist sind wer wo wann welche welcher welches wurde wurden ein eine einem einen dem"
    " den des im von zum zur mit für auf nicht hat haben le la les du une est sont qui où quel"
    " quelle quels dans sur avec pour par été el los las del es son quién dónde cuál qué una en con"
    " por fue il lo gli della di che chi dove quale nel het een wie waar welke zijn werd o os uma"
    " quem onde foi na no em på och är vem var hvem hvor og er det"
) - (FUNCTION_WORDS | word_set("o on no"))


def looks_english(question: str) -> bool:
    """False where words of other languages outnumber English ones, or letters are not Latin.

    A question of names and key words alone passes: nothing speaks against it.
    """
    written = [word.text for word in words(question, accents=True)]
    latin = sum(word[0] < "\u0250" for word in written)
    if latin * 2 < len(written):
        return False
    english = sum(word in FUNCTION_WORDS for word in written)
    return sum(word in _FOREIGN for word in written) <= english
