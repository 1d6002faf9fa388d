"""Whether a text or a question is English, by the words that every sentence of a language has."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gear_app.english.words import FUNCTION_WORDS, words

NOT_ENGLISH = "does not look English: no triples; use a language model"
_WORD = re.compile(r"[^\W\d_]+")
_LAST_LATIN = "ɏ"
_ENGLISH_TOO = FUNCTION_WORDS | {"o", "on", "no"}
_FEWEST = 6  # words in small letters; fewer say nothing
_LONG = 30  # so many without a single English function word are another language, whichever it is
_SHARE = 0.12
# Words that sentences of other languages have and those of English have not.
_OTHERS = frozenset(
    """
    der die das und ist nicht mit von den dem des ein eine einen einer sich auf für wurde wird auch
    bei nach aus zum zur oder aber wie sind sie wir ich haben
    le la les des est une un et dans pour qui que sur avec du au aux par ne pas sont cette il elle
    el los las una por con para como pero más del al se su fue está lo es en y
    gli della dello di che non è sono nel nella con ma anche dal alla ha
    het een van niet op zijn voor met dat wordt ook maar bij naar uit werd heeft te dit deze
    os uma não em do da dos das pelo pela com são ao mais foi ou e o
    och att det som är på av för inte till med har den ett om jag var
    og på er ikke til af at blev som fra han hun
    ja on ei että oli mutta myös kun se
    nie na się jest z do że w przez dla jak był i
    se že který pro byl ale jsou
    és az hogy egy nem volt
    ve bir bu için ile da de
    și în cu pe nu este sau pentru din care
    wer wo wann welche welcher welches wurden einem im vom du où quel quelle quels quién dónde cuál
    qué chi dove quale wie waar welke quem onde foi vem var hvem hvor
    """.split()
)


def looks_english(text: str) -> bool:
    """Whether a text may well be English. Too little text, and lists without sentences, may be."""
    letters = [character for character in text if character.isalpha()]
    foreign_letters = sum(character > _LAST_LATIN for character in letters)
    if foreign_letters > len(letters) / 2:
        return False
    lower = [word for word in _WORD.findall(text) if word.islower()]
    if len(lower) < _FEWEST:
        return True
    english, others = _function_words(lower)
    if others > english and others >= _SHARE * len(lower):
        return False
    return english > 0 or len(lower) < _LONG


def question_looks_english(question: str) -> bool:
    """False where words of other languages outnumber English ones, or letters are not Latin.

    A question of names and key words alone passes: nothing speaks against it.
    """
    written = [word.text for word in words(question, accents=True)]
    latin = sum(word[0] <= _LAST_LATIN for word in written)
    english, others = _function_words(written)
    return latin * 2 >= len(written) and others <= english


def _function_words(written: Sequence[str]) -> tuple[int, int]:
    """How many are English, and how many are of other languages and not English."""
    english = sum(word in FUNCTION_WORDS for word in written)
    others = sum(word in _OTHERS and word not in _ENGLISH_TOO for word in written)
    return english, others
