"""Whether a text or a question is English, by the words that every sentence of a language has."""

from __future__ import annotations

import re

from gear_app.core.text import WORD
from gear_app.language.words import AUXILIARIES, FUNCTION_WORDS, PREPOSITIONS

NOT_ENGLISH = "does not look English: no triples; use a language model"
# "de la" in "Rio de la Plata" speaks for no language.
_JOINTS = re.compile(
    r"(?<=\w)(?:[ -](?:d[aeio]s?|du|del|della|den|der|v[ao]n|l[aeo]s?|el|te[nr]|zu|a[fl])){1,3}"
    r"(?= [A-Z])"
)
_LAST_LATIN = "ɏ"
_SENTENCE_END = re.compile(r"[.!?;:\n]+")
_ENGLISH = FUNCTION_WORDS | PREPOSITIONS | AUXILIARIES
# English words that other languages have, too: alone they speak for none
_ELSEWHERE = frozenset(
    "a an as at by do for had has he her i in is me most no of on over s so t to".split()
)
# So many words without an English function word are another language, in sentences of so many or
# more, since notes and lists are shorter; and in a question.
_PROSE, _SENTENCE = 12, 7
_QUESTION = 4
_SHARE = 0.12
# Words that sentences of other languages have and those of English have not.
_FOREIGN = frozenset(
    """
    der die das und ist nicht mit von den dem des ein eine einen einer sich auf für wurde wird auch
    bei nach aus zum zur oder aber wie sind sie wir ich haben
    le la les des est une un et dans pour qui que sur avec du au aux par ne pas sont cette il elle
    el los las una por con para como pero más del al se su fue está lo es en y
    gli della dello di che non è sono nel nella con ma anche dal alla ha
    het een van niet op zijn voor met dat wordt ook maar bij naar uit werd heeft te dit deze
    os uma não em do da dos das pelo pela com são ao mais foi ou e
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
    """Whether a text or a question may well be English. Too little text, and lists without
    sentences, may be.

    It is not with letters that are not Latin, with more words of other languages than of English,
    names apart, or without English words.
    """
    sentences = [WORD.findall(part) for part in _SENTENCE_END.split(_JOINTS.sub("", text))]
    written = [word for sentence in sentences for word in sentence]
    if sum(word[0] <= _LAST_LATIN for word in written) * 2 < len(written):
        return False
    plain = [word.lower() for word in (*written[:1], *filter(str.islower, written[1:]))]
    question = text.rstrip().endswith("?")
    english = [word for word in plain if word in _ENGLISH]
    sure = set(english) - _ELSEWHERE
    foreign = sum(word in _FOREIGN and word not in _ENGLISH for word in plain)
    fewest = _SHARE * len(plain)
    if foreign > len(sure if question else english) and foreign >= fewest:
        return False
    if sure or (english and len(english) >= fewest):
        return True
    lengths = [sum(map(str.islower, sentence)) for sentence in sentences]
    prose = sum(length for length in lengths if length >= _SENTENCE)
    return len(plain) < _QUESTION if question else prose < _PROSE
