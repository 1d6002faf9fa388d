"""Words of the same relation: "the director of X" is asked, "X was directed by" is stored.

A short table of what encyclopaedic questions ask about again and again; whatever it lacks is left
to embeddings.
"""

from __future__ import annotations

import re

from gear_app.language.words import stem, stems, word_set, words

_KIN = (
    "father mother parent parents son daughter child children born",
    "grandfather grandmother grandparent grandson granddaughter grandchild",
    "husband wife spouse married marry marries marriage widow divorced",
    "brother sister sibling siblings half",
    "uncle aunt nephew niece",
)

_PAIRS = ("father mother", "brother sister", "uncle aunt", "grandfather grandmother")
_OPPOSITES = {a: b for pair in _PAIRS for a, b in (pair.split(), reversed(pair.split()))}

_GROUPS = tuple(
    frozenset(map(stem, group.split()))
    for group in (
        "direct directed director directors filmmaker helmed",
        "write wrote written writer author authored novelist novel book poem play",
        "compose composed composer music song score",
        (
            "perform performed performer performers singer sang sung song album released recorded"
            " artist band single track"
        ),
        "produce produced producer production",
        (
            "act actor actress star stars starred starring play plays played portrayed cast role"
            " character voiced voice"
        ),
        *_KIN,
        "birthplace birth born birthday older younger oldest youngest",
        "teacher teach taught pupil student mentor trained training disciple",
        "death died die dies dead killed buried deathplace",
        (
            "country nation state nationality citizen citizenship located city town region county"
            " province capital"
        ),
        (
            "found founded founder established establish formed form formation started created"
            " creator inception"
        ),
        "company firm manufacturer made manufactured maker produced developed developer built",
        "publish published publisher label distributed distributor distributor released issued",
        "own owned owner owns parent subsidiary acquired bought sold",
        (
            "educated education studied study school university college attended alma graduated"
            " graduate degree"
        ),
        "employer employed work worked works job joined professor taught",
        "network channel aired broadcast broadcasts series show episode programme program",
        "league team club played plays player football coach managed manager",
        "record recorded label signed contract",
        (
            "lead leader president king queen ruler ruled minister governor mayor chairman head"
            " elected chief"
        ),
        "river tributary flows flow flowing mouth empties joins lake sea body",
        "language speak spoken speaks native",
        "member party belongs belong group part",
        "discover discovered discoverer found invented inventor invention",
        "won win winner award awarded champion",
    )
)


_AGENTS = word_set(
    "author writer composer director producer performer performers singer singers artist creator"
    " founder founders inventor discoverer designer architect painter sculptor developer"
    " manufacturer maker publisher editor narrator host actor actress person man woman individual"
    " people band group company builder leader owner captain ruler teacher mentor engineer"
    " commander driver supplier master translator conductor explorer"
)
_PLACES = word_set(
    "birthplace place city town village country nation state county province region district"
    " continent location venue area municipality island land headquarters hometown"
)

_PLACE_PREPOSITIONS = word_set("in at on near from within to into")

_ALIAS = re.compile(
    r"(is|was|are|were)?\s*((also|first|formerly|later|sometimes) )?"
    r"((called|known as|nicknamed|renamed|named|abbreviated( as| to)?|stands for|short for)$)"
)
VOCABULARY = frozenset().union(*_GROUPS) | frozenset(map(stem, _AGENTS | _PLACES))
"""The stems of what encyclopaedic questions ask by."""


def asks_kin(text: str) -> bool:
    """Whether the text asks for a relative: another relative is near in meaning, and wrong."""
    nouns = frozenset(word for group in _KIN for word in group.split()) - {"born", "half"}
    return any(word.text in nouns for word in words(text))


def is_alias(predicate: str) -> bool:
    """Whether the predicate says that its sides are two names of one thing."""
    return bool(_ALIAS.match(predicate))


def tells_kin(question: str, predicate: str) -> bool:
    """Whether the predicate names a relative who can be the one asked for, and not another one.

    A daughter's triple tells who her father is, a mother's does not; born is not yet born to.
    """
    nouns = frozenset(word for group in _KIN for word in group.split()) - {"born", "half"}
    predicate_words = [word.text for word in words(predicate)]
    asked_words = {word.text for word in words(question)}
    opposites = {_OPPOSITES[word] for word in asked_words if word in _OPPOSITES}
    if opposites & set(predicate_words) and not asked_words & nouns & set(predicate_words):
        return False
    if asked_words & {"law", "step"} and not asked_words & {"law", "step"} & set(predicate_words):
        return False
    return bool(nouns & set(predicate_words)) or predicate_words[-2:] == ["born", "to"]


def names_agent(word: str) -> bool:
    """Whether the word is someone who makes or leads something."""
    return word in _AGENTS


def names_place(word: str) -> bool:
    """Whether the word is a kind of place."""
    return word in _PLACES


def asks_agent(text: str) -> bool:
    """Whether a word of the text is someone who makes or leads something."""
    return any(word.text in _AGENTS for word in words(text))


def direction(head: str, predicate: str, forward: bool) -> float:
    """Whether the predicate leads to an agent or a place, as the noun wants: 1 yes, -1 no, else 0.

    `forward` says that it is followed from subject to object: "written by" then leads to an agent,
    "wrote" only backward; "located in" leads to a place.
    """
    nouns = {word.text for word in words(head)}
    ending = words(predicate)[-1].text if words(predicate) else ""
    if nouns & _PLACES:
        return float(forward and ending in _PLACE_PREPOSITIONS) - float(ending == "by")
    if nouns & _AGENTS:
        active = ending not in _PLACE_PREPOSITIONS and ending != "by"
        if (forward and ending == "by") or (not forward and active):
            return 1.0
        return -float(ending in _PLACE_PREPOSITIONS and forward)
    return 0.0


def related(question: str, stored: str) -> bool:
    """Whether a word of the one and a word of the other have one stem, or belong to one group."""
    left, right = stems(question), stems(stored)
    return bool(left & right) or any(left & group and right & group for group in _GROUPS)
