"""What encyclopaedic questions ask for: the type of the answer, and words of the same relation, as
"the director of X" is asked and "X was directed by" is stored.

Short tables of what is asked again and again; whatever they lack is left to embeddings.
"""

from __future__ import annotations

import re
from typing import Literal

from gear_app.language.dates import COUNT, ENGLISH, WEEKDAYS
from gear_app.language.words import FUNCTION_WORDS, root, roots, word_set, words

AnswerType = Literal["date", "number", "person", "place", "thing"]

_MONTHS = frozenset(map(str.casefold, ENGLISH))
_TIMES = frozenset(_MONTHS | WEEKDAYS | {f"{day}s" for day in WEEKDAYS}) | word_set(
    "century centuries ad bc ce bce early late mid years year days months about circa decade"
)
_FIGURE = re.compile(r"\d+(km|m|cm|mm|kg|g|mg|ms|ft|mi|mph|bn|k)?$")
_ORDINAL = re.compile(r"\d+(st|nd|rd|th|s)$")

_SIZE = (
    "more|heavier|taller|higher|longer|larger|bigger|most|heaviest|tallest|highest|longest"
    "|less|fewer|lighter|shorter|lower|cheaper|smaller|least|fewest|lightest|shortest|lowest"
    "|cheapest"
)

# the first pattern that is found decides
_TYPES: tuple[tuple[AnswerType, str], ...] = (
    ("date", r"\b(older|younger|oldest|youngest)\b|\bwho\b.*\b(earlier|later)\b"),
    (
        "date",
        r"\b(born|died|lived|released|founded|published|opened) (first|earlier|later|longer)\b",
    ),
    ("date", r"^\W*(did|was|were)\b.*\b(before|after|(earlier|later) than)\b"),
    ("person", r"^\W*(who|whom|whose)\b|\b(what|which) (person|man|woman|actor|actress|author)\b"),
    (
        "place",
        r"\bplace of (birth|death|burial|origin)\b|^\W*where\b"
        r"|\b(what|which) (city|country|state|county|place|town|region|continent)\b",
    ),
    ("number", r"\bhow (many|much|far|tall|high|large|big)\b|\b(population|enrollment|average)\b"),
    (
        "date",
        r"\bwhen\b|\bdates? of\b"
        r"|\b(what|which) (years?|dates?|months?|(week)?days?|century|decades?)\b",
    ),
    ("date", r"\bhow (old|long)\b|\b(longer|earlier|later|first|recently)\b.*\bor\b"),
    ("number", rf"^\W*which\b.*\b({_SIZE})\b.*\bor\b"),
)


def answer_type(question: str) -> AnswerType:
    """The type of thing that answers the question, by its words; "thing" where they do not say."""
    matches = (type_ for type_, pattern in _TYPES if re.search(pattern, question, re.IGNORECASE))
    return next(matches, "thing")


def is_date(entity: str) -> bool:
    """Whether the words are a time: "30 July 1970", "the 12th century", "1991", "Fridays"."""
    texts = [word.text for word in words(entity) if word.text not in FUNCTION_WORDS]
    dated = [word for word in texts if word.isdigit() or word in _TIMES or _ORDINAL.match(word)]
    month_and_more = len(dated) >= 2 and bool(_MONTHS & set(texts))
    return bool(texts) and (len(dated) == len(texts) or month_and_more)


def is_number(entity: str) -> bool:
    """Whether the words begin with a figure, or a word that counts, and are not a date: "22,513
    students", "40km", "four rooms".

    A name with a figure in its first word is none: "17D vaccine", and neither is "Three Rivers".
    """
    first = words(entity)[:1]
    stated = bool(first) and bool(_FIGURE.match(first[0].text)) and not is_date(entity)
    return stated or COUNT.match(entity) is not None


def is_value(entity: str) -> bool:
    """Whether the words are a date or a number, which names nothing."""
    return is_date(entity) or is_number(entity)


def suits(type_: AnswerType, entity: str) -> bool:
    """Whether the entity can be an answer of the type; persons, places and things are all names."""
    if type_ == "date":
        return is_date(entity)
    if type_ == "number":
        return any(character.isdigit() for character in entity) or is_number(entity)
    return not is_value(entity)


# Countries: a town is no answer to "in which country"

_COUNTRY_NAMES = """
Afghanistan, Albania, Algeria, Andorra, Angola, Antigua and Barbuda, Argentina, Armenia,
Australia, Austria, Azerbaijan, Bahamas, Bahrain, Bangladesh, Barbados, Belarus, Belgium, Belize,
Benin, Bhutan, Bolivia, Bosnia and Herzegovina, Botswana, Brazil, Britain, Brunei, Bulgaria,
Burkina Faso, Burma, Burundi, Cambodia, Cameroon, Canada, Cape Verde, Central African Republic,
Chad, Chile, China, Colombia, Comoros, Congo, Costa Rica, Croatia, Cuba, Cyprus, Czech Republic,
Czechia, Czechoslovakia, Denmark, Djibouti, Dominica, Dominican Republic, East Germany, East
Timor, Ecuador, Egypt, El Salvador, England, Equatorial Guinea, Eritrea, Estonia, Eswatini,
Ethiopia, Fiji, Finland, France, Gabon, Gambia, Georgia, Germany, Ghana, Great Britain, Greece,
Grenada, Guatemala, Guinea, Guinea-Bissau, Guyana, Haiti, Honduras, Hungary, Iceland, India,
Indonesia, Iran, Iraq, Ireland, Israel, Italy, Ivory Coast, Jamaica, Japan, Jordan, Kazakhstan,
Kenya, Kiribati, Kosovo, Kuwait, Kyrgyzstan, Laos, Latvia, Lebanon, Lesotho, Liberia, Libya,
Liechtenstein, Lithuania, Luxembourg, Madagascar, Malawi, Malaysia, Maldives, Mali, Malta,
Marshall Islands, Mauritania, Mauritius, Mexico, Micronesia, Moldova, Monaco, Mongolia,
Montenegro, Morocco, Mozambique, Myanmar, Namibia, Nauru, Nepal, Netherlands, New Zealand,
Nicaragua, Niger, Nigeria, North Korea, North Macedonia, Northern Ireland, Norway, Oman, Ottoman
Empire, Pakistan, Palau, Palestine, Panama, Papua New Guinea, Paraguay, People's Republic of
China, Peru, Philippines, Poland, Portugal, Prussia, Qatar, Republic of Ireland, Republic of the
Congo, Romania, Russia, Russian Empire, Rwanda, Saint Lucia, Samoa, San Marino, Saudi Arabia,
Scotland, Senegal, Serbia, Seychelles, Sierra Leone, Singapore, Slovakia, Slovenia, Solomon
Islands, Somalia, South Africa, South Korea, South Sudan, Soviet Union, Spain, Sri Lanka, Sudan,
Suriname, Sweden, Switzerland, Syria, Taiwan, Tajikistan, Tanzania, Thailand, Togo, Tonga,
Trinidad and Tobago, Tunisia, Turkey, Turkmenistan, Tuvalu, Uganda, Ukraine, United Arab Emirates,
United Kingdom, United States, United States of America, Uruguay, UK, US, USA, Uzbekistan,
Vanuatu, Vatican City, Venezuela, Vietnam, Wales, West Germany, Yemen, Yugoslavia, Zaire, Zambia,
Zimbabwe
"""


def _spelled(name: str) -> str:
    return " ".join(word.text for word in words(name))


_COUNTRIES = frozenset(map(_spelled, _COUNTRY_NAMES.replace("\n", " ").split(",")))


def is_country(name: str) -> bool:
    """Whether a country, of today or of the last centuries, is called so."""
    return _spelled(name).removeprefix("the ") in _COUNTRIES


def asked_part(noun: str, place: str) -> str:
    """The part of a place's name that a noun asks for: of "Hinds County, Mississippi" the last one
    where it asks for a state, and where it asks for a country if that is one. Else the whole name.
    """
    last, head = place.rpartition(", ")[2], noun.casefold().split()[-1:]
    state = head in (["state"], ["province"]) and last[:1].isupper()
    return last if state or (head == ["country"] and is_country(last)) else place


# Relations

_KIN = (
    "father mother parent parents son daughter child children born",
    "grandfather grandmother grandparent grandson granddaughter grandchild",
    "husband wife spouse married marry marries marriage widow divorced",
    "brother sister sibling siblings half",
    "uncle aunt nephew niece",
)

_RELATIVES = word_set(" ".join(_KIN)) - {"born", "half"}
_PAIRS = ("father mother", "brother sister", "uncle aunt", "grandfather grandmother")
_OPPOSITES = {a: b for pair in _PAIRS for a, b in (pair.split(), reversed(pair.split()))}

_GROUPS = tuple(
    frozenset(map(root, group.split()))
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

# Nouns for whoever makes or leads something, and for kinds of places.
AGENTS = word_set(
    "author writer composer director producer performer performers singer singers artist creator"
    " founder founders inventor discoverer designer architect painter sculptor developer"
    " manufacturer maker publisher editor narrator host actor actress person man woman individual"
    " people band group company builder leader owner captain ruler teacher mentor engineer"
    " commander driver supplier master translator conductor explorer"
)
PLACES = word_set(
    "birthplace place city town village country nation state county province region district"
    " continent location venue area municipality island land headquarters hometown"
)

_PLACE_PREPOSITIONS = word_set("in at on near from within to into")

_ALIAS = re.compile(
    r"(is|was|are|were)?\s*((also|first|formerly|later|sometimes) )?"
    r"((called|known as|nicknamed|renamed|named|abbreviated( as| to)?|stands for|short for)$)"
)
# the roots of what encyclopaedic questions ask by
VOCABULARY = frozenset().union(*_GROUPS) | frozenset(map(root, AGENTS | PLACES))


def asks_kin(text: str) -> bool:
    """Whether the text asks for a relative: another relative is near in meaning, and wrong."""
    return any(word.text in _RELATIVES for word in words(text))


def is_alias(predicate: str) -> bool:
    """Whether the predicate says that its sides are two names of one thing."""
    return bool(_ALIAS.match(predicate))


def tells_kin(question: str, predicate: str) -> bool:
    """Whether the predicate names a relative who can be the one asked for, and not another one.

    A daughter's triple tells who her father is, a mother's does not; born is not yet born to.
    """
    predicate_words = [word.text for word in words(predicate)]
    asked_words = {word.text for word in words(question)}
    opposites = {_OPPOSITES[word] for word in asked_words if word in _OPPOSITES}
    if opposites & set(predicate_words) and not asked_words & _RELATIVES & set(predicate_words):
        return False
    if asked_words & {"law", "step"} and not asked_words & {"law", "step"} & set(predicate_words):
        return False
    return bool(_RELATIVES & set(predicate_words)) or predicate_words[-2:] == ["born", "to"]


def direction(head: str, predicate: str, forward: bool) -> float:
    """Whether the predicate leads to an agent or a place, as the noun wants: 1 yes, -1 no, else 0.

    `forward` says that it is followed from subject to object: "written by" then leads to an agent,
    "wrote" only backward; "located in" leads to a place.
    """
    nouns = {word.text for word in words(head)}
    ending = words(predicate)[-1].text if words(predicate) else ""
    if nouns & PLACES:
        return float(forward and ending in _PLACE_PREPOSITIONS) - float(ending == "by")
    if nouns & AGENTS:
        active = ending not in _PLACE_PREPOSITIONS and ending != "by"
        if (forward and ending == "by") or (not forward and active):
            return 1.0
        return -float(ending in _PLACE_PREPOSITIONS and forward)
    return 0.0


def related(question: str, stored: str) -> bool:
    """Whether a word of the one and a word of the other have one root, or belong to one group."""
    left, right = roots(question), roots(stored)
    return bool(left & right) or any(left & group and right & group for group in _GROUPS)
