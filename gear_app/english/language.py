"""Whether a text is English, by the words that every sentence of a language has."""

from __future__ import annotations

import re

from gear_app.english.words import FUNCTION_WORDS

NOT_ENGLISH = "does not look English: no triples; use a language model"
_WORD = re.compile(r"[^\W\d_]+")
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
    """.split()
)


def looks_english(text: str) -> bool:
    """Whether a text may well be English. Too little text, and lists without sentences, may be."""
    letters = [character for character in text if character.isalpha()]
    foreign_letters = sum(character > "ɏ" for character in letters)  # beyond the Latin alphabet
    if foreign_letters > len(letters) / 2:
        return False
    words = [word for word in _WORD.findall(text) if word.islower()]
    if len(words) < _FEWEST:
        return True
    english = sum(word in FUNCTION_WORDS for word in words)
    others = sum(word in _OTHERS and word not in FUNCTION_WORDS for word in words)
    if others > english and others >= _SHARE * len(words):
        return False
    return english > 0 or len(words) < _LONG
