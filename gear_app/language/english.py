"""Whether a text or a question is English, by the words that every sentence of a language has."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gear_app.language.words import AUXILIARIES, FUNCTION_WORDS, PREPOSITIONS, Word, words

NOT_ENGLISH = "does not look English: no triples; use a language model"
_WORD = re.compile(r"[^\W\d_]+")
_LAST_LATIN = "ɏ"
_SENTENCE_END = re.compile(r"[.!?;:\n]+")
_ENGLISH = FUNCTION_WORDS | PREPOSITIONS | AUXILIARIES
_ENGLISH_TOO = _ENGLISH | {"o", "on", "no"}
# English words that other languages have, too: alone they speak for none
_ELSEWHERE = frozenset(
    "a an as at by do for had has he her i in is me most no of on over s so t to".split()
)
_FEWEST = 6  # words in small letters; fewer say nothing
_LONG = 30  # so many without a single English function word are another language, whichever it is
_PROSE, _SENTENCE = 12, 7  # or so many in sentences of this length; notes and lists are shorter
_ASKED = 4  # words of a question that ends with a question mark, likewise
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
    kto kim gdzie kiedy ki hol mikor mely kde kdy nerede zaman kuka missä kes kus cine unde când
    ja ta oma kui see mis enne siis
    yang dan di itu dengan untuk pada dari ini oleh adalah siapa mana kapan
    và của là được trong các một cho ở bởi ai khi
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
    english = sum(word in _ENGLISH for word in lower)
    foreign = sum(word in _OTHERS and word not in _ENGLISH_TOO for word in lower)
    if foreign > english and foreign >= _SHARE * len(lower):
        return False
    if english and (english >= _SHARE * len(lower) or set(lower) & _ENGLISH - _ELSEWHERE):
        return True
    return _prose(text) < _PROSE and (english > 0 or len(lower) < _LONG)


def _prose(text: str) -> int:
    """How many words in small letters stand in sentences of some length."""
    counts = (
        sum(word.islower() for word in _WORD.findall(sentence))
        for sentence in _SENTENCE_END.split(text)
    )
    return sum(count for count in counts if count >= _SENTENCE)


def question_looks_english(question: str) -> bool:
    """False where it has more words of other languages than of English, its names apart, or letters
    that are not Latin, or where it is a question without one English function word.

    Names and key words alone pass: nothing speaks against them.
    """
    written = words(question, accents=True)
    latin = sum(word.text[0] <= _LAST_LATIN for word in written)
    if latin * 2 < len(written):
        return False
    written_words = {word.text for word in _outside_names(written)}
    english = written_words & _ENGLISH
    foreign = (written_words & _OTHERS) - _ENGLISH_TOO
    if len(foreign) > len(english - _ELSEWHERE):
        return False
    question_mark = question.rstrip().endswith("?")
    return bool(english) or len(written_words) < (_ASKED if question_mark else _FEWEST)


def _outside_names(written: tuple[Word, ...]) -> Iterable[Word]:
    """The first word, and those that neither have a capital nor join two that have one: not "der"
    in "Van der Berg".
    """
    last = 0  # the last word with a capital, but for the first
    joints: list[Word] = []
    for place, word in enumerate(written):
        if place == 0 or not (word.capital or word.text in _OTHERS):
            yield from joints
            joints = []
            last = 0
            yield word
        elif word.capital:
            joints, last = [], place
        elif last:
            joints.append(word)
        else:
            yield word
    yield from joints
