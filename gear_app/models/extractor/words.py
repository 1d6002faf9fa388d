"""Closed lists of English words the rules stand on, and small tests of tokens."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from gear_app.core.text import NAME_WORD
from gear_app.language.words import word_set

if TYPE_CHECKING:
    from spacy.tokens import Token


BE = word_set("be is are was were been being am 's 're 'm")
MASCULINE = word_set("he him his himself")
FEMININE = word_set("she her hers herself")
NEUTER = word_set("it its itself")
PLURAL = word_set("they them their theirs themselves")
RELATIVE = word_set("who which that whom whose")
PRONOUNS = (
    MASCULINE
    | FEMININE
    | NEUTER
    | PLURAL
    | RELATIVE
    | word_set(
        """i me my we us our you your this these those what there one ones others some all both
        many most each another other any none something someone everyone anyone nothing myself
        yourself mine ours yours much more such so former latter nobody somebody anybody everybody
        anyone anything everything none"""
    )
)

MALE = word_set(
    """man boy king prince emperor duke son father husband brother actor lord nephew grandson
    uncle businessman priest monk sultan baronet baron earl statesman sportsman cricketer pope"""
)
FEMALE = word_set(
    """woman girl queen princess empress duchess daughter mother wife sister actress lady niece
    granddaughter aunt businesswoman nun heiress countess baroness consort concubine hostess
    sportswoman"""
)
PEOPLE = (
    MALE
    | FEMALE
    | word_set(
        """politician musician artist journalist physician scientist footballer player athlete
        director producer singer writer author poet painter composer lawyer attorney judge
        officer soldier general admiral engineer architect professor teacher philosopher
        mathematician physicist chemist biologist historian novelist screenwriter filmmaker
        playwright comedian dancer model swimmer wrestler boxer cyclist coach manager
        entrepreneur executive activist bishop archbishop cardinal ruler governor senator
        president minister chancellor ambassador diplomat economist theologian missionary rapper
        guitarist drummer bassist pianist violinist conductor songwriter vocalist noble nobleman
        noblewoman monarch leader person character explorer inventor designer photographer
        sculptor editor critic translator child member owner founder chief jurist surgeon
        aristocrat cinematographer animator skier skater golfer racer driver jockey presenter
        broadcaster host personality revolutionary industrialist banker merchant farmer spy pilot
        astronaut educator academic scholar linguist"""
    )
)
THINGS = word_set(
    """film movie album song single novel book series show episode play opera game magazine
    newspaper journal station channel company label band group team club league organization
    organisation school university college institute hospital church museum library village town
    city county district province state country region municipality township community suburb
    river lake mountain island airport bridge railway road highway street building house castle
    palace park stadium tower battle war event festival award ship aircraft car species genus
    disease language software website party airline bank brand studio theatre theater poem
    painting work sitcom documentary comedy drama thriller program programme franchise store
    restaurant hotel firm business"""
)
GENERIC = THINGS | word_set(
    """area place neighborhood neighbourhood settlement borough commune establishment site
    facility"""
)
CAST = word_set("character characters role roles played portrayed cast sitcom")
STAR = word_set("star stars starred starring")
KIN = word_set(
    """wife husband son daughter father mother brother sister child parent nephew niece uncle
    aunt cousin grandson granddaughter grandfather grandmother friend member founder part capital
    seat leader head"""
)
PARTS = word_set(
    "music screenplay story script lyrics soundtrack cinematography score cast starcast plot song"
    " songs"
)

NAME_TAGS = frozenset({"NNP", "NNPS"})
NOUN_TAGS = NAME_TAGS | {"NN", "NNS", "CD"}
PLACE = frozenset({"GPE", "LOC", "FAC"})

_PERSON_ENDINGS = ("ist", "ian", "woman", "man", "eer", "grapher", "ster", "ette")
_DEMONYM_ENDINGS = ("an", "ish", "ese", "sh", "ch", "ic")
_DEMONYMS = frozenset({"Greek", "Thai", "Swiss", "Czech", "Iraqi", "Israeli", "Pakistani"})


def folded(text: str) -> tuple[str, ...]:
    """Words without case and diacritics, to compare names: "Trần Anh" is ("tran", "anh"); C++ is
    not C.
    """
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return tuple(NAME_WORD.findall(plain.casefold()))


def is_name(token: Token) -> bool:
    """Whether a token is a proper noun."""
    return token.tag_ in NAME_TAGS and (
        not token.text[:1].islower() or any(c.isupper() for c in token.text)
    )


def begins_sentence(token: Token) -> bool:
    """Whether a word that the parser takes for a name may have its capital from its sentence alone:
    no entity, and written so nowhere else.
    """
    if not token.is_sent_start or token.ent_type_:
        return False
    return not any(t.text == token.text and not t.is_sent_start for t in token.doc)


def is_noun(token: Token) -> bool:
    """Any noun, number or name."""
    return token.tag_ in NOUN_TAGS or is_name(token)


def is_verb(token: Token) -> bool:
    """A verb or auxiliary, in any form."""
    return token.tag_[:2] == "VB"


def is_owning(token: Token) -> bool:
    """A possessive pronoun: his, her, its, their, whose."""
    return token.tag_ in ("PRP$", "WP$")


def is_demonym(word: str) -> bool:
    """Whether a capitalised word looks like one for people of a place: German, Welsh, Chinese."""
    return word in _DEMONYMS or word.endswith(_DEMONYM_ENDINGS)


def is_person_noun(word: str) -> bool:
    """Whether a noun is said of people, by the list or by its ending (economist, councilwoman)."""
    if word[:1].isupper():
        return singular(word) in PEOPLE or word.endswith(("ist", "ists", "grapher"))
    word = singular(word)
    return word in PEOPLE or (word not in THINGS and word.endswith(_PERSON_ENDINGS))


def singular(word: str) -> str:
    """A rough singular, enough to find a noun in the lists above."""
    word = word.lower()
    if word in ("series", "species", "genus"):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word
