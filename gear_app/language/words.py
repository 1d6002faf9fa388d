"""The words of a text with their places, closed lists of English words, and the forms of verbs."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import NamedTuple

from gear_app.core.text import NAME_WORD


def word_set(text: str) -> frozenset[str]:
    """The words of a list written in one line, spaces between them."""
    return frozenset(text.split())


# Words that name nothing: they never make a mention and never match a relation.
FUNCTION_WORDS = word_set(
    "a an and are as at be been being but by did do does for from had has have he her hers him his"
    " how i if in into is it its itself many much me more most my no nor not of off on once only or"
    " other our out over same she so some such than that the their them then there these they this"
    " those to too under until up very was we were what when where which while who whom whose why"
    " will with within would you your s t"
)

RELATIVE = word_set("who whom whose which that where when")
ASKING = word_set("what which who whom whose where when how")
PREPOSITIONS = word_set(
    "of in on at by for from to with about under after before during through into over between"
    " against within besides as than around near along"
)
AUXILIARIES = word_set(
    "is was are were be been being do does did has have had will would can could"
)
MODALS = word_set("must should might shall may")
DETERMINERS = word_set("the a an both this these those his her its their my our")
# The function words by which a question is cut into clauses.
CLAUSE_WORDS = (
    RELATIVE
    | PREPOSITIONS
    | AUXILIARIES
    | DETERMINERS
    | word_set("and or but not he she it they what how")
)

# Words so common that two texts that share one need not be about the same. Units ("day", "part")
# are not among them: with a number behind they name something.
LIGHT_WORDS = word_set(
    # what stands for a name or a number
    "myself yourself himself herself itself ourselves yourselves themselves oneself anybody anyone"
    " anything everybody everyone everything nobody none nothing somebody someone something"
    " whatever whichever whoever hers ours yours theirs such many much less least several enough"
    " either neither else various whole half four five six seven eight nine ten eleven twelve"
    " second third"
    # what joins
    " above across against along although amid among amongst around because behind below beside"
    " besides between beyond despite except inside like near outside since though through"
    " throughout toward towards unless upon whereas whether within without"
    # when, how and how much
    " ago almost already also altogether always away back early even ever everywhere far further"
    " hardly however indeed instead just late later maybe meanwhile mostly nearly never"
    " nevertheless now nowhere often otherwise perhaps quite rather really seldom simply somehow"
    " sometimes somewhere soon still therefore thus today together tomorrow too usually very"
    " yesterday yet"
    # verbs that leave the saying to their object
    " am become becomes became becoming bring brings brought came cannot come comes coming does"
    " doing gave get gets getting give given gives giving go goes going gone got having keep"
    " keeping keeps kept knew know known knows let lets look looked looking looks made make makes"
    " making need needed needs put puts putting said say saying says see seeing seem seemed"
    " seems seen take taken takes taking tell tells think thinks thought told took tried tries try"
    " trying use used uses using want wanted wants went"
    # nouns for anything, and forms of address
    " mr mrs ms ok okay sort thing things time times way ways"
)

STATES = word_set("located situated based set found born named called known")


class Word(NamedTuple):
    """A word of a text: its normal form, its characters `start` to `end` (exclusive).

    `capital` and `digit` say what it begins with.
    """

    text: str
    start: int
    end: int
    capital: bool
    digit: bool


@lru_cache(maxsize=8192)
def words(text: str) -> tuple[Word, ...]:
    """Runs of letters and digits, with marks, in order, case-folded; places are those in `text`.
    C, C++ and C# are three words.

    Accents are removed, since questions spell "Akinoshu" what passages spell "Akinoshū".
    """
    return tuple(
        Word(_plain(m[0]), m.start(), m.end(), m[0][0].isupper(), m[0][0].isdigit())
        for m in NAME_WORD.finditer(text)
    )


def _plain(word: str) -> str:
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c))


@lru_cache(maxsize=8192)
def content(text: str) -> tuple[Word, ...]:
    """The words that are not function words; all words where nothing else is left ("The Who")."""
    every = words(text)
    return tuple(word for word in every if word.text not in FUNCTION_WORDS) or every


# Verbs

_FORMS = """
arise arose arisen; bear bore borne born; beat beaten; become became; begin began begun; bend bent;
bind bound; bite bit bitten; bleed bled; blow blew blown; break broke broken; breed bred;
bring brought; build built; burn burnt; buy bought; catch caught; choose chose chosen; cling clung;
come came; creep crept; deal dealt; dig dug; draw drew drawn;
drink drank drunk; drive drove driven;
eat ate eaten; fall fell fallen; feed fed; feel felt; fight fought; find found; flee fled;
fly flew flown; forbid forbade forbidden; forget forgot forgotten; freeze froze frozen;
get got gotten; give gave given; go went gone goes; grow grew grown; hang hung; hear heard;
hide hid hidden; hold held; keep kept; kneel knelt; know knew known; lay laid; lead led;
learn learnt; leave left; lend lent; lie lay lain; lose lost; make made; mean meant; meet met;
pay paid; ride rode ridden; ring rang rung; rise rose risen; run ran; say said; see saw seen;
seek sought; sell sold; send sent; sew sewn; shake shook shaken; shine shone; shoot shot;
show shown; sing sang sung; sink sank sunk; sit sat; sleep slept; slide slid; speak spoke spoken;
spend spent; spin spun; split; stand stood; steal stole stolen; stick stuck; strike struck;
swear swore sworn; swim swam swum; take took taken; teach taught; tear tore torn; tell told;
think thought; throw threw thrown; understand understood; wake woke woken; wear wore worn;
weave wove woven; win won; wind wound; write wrote written; hit; cut; put; set; cast
"""
_BASE = {
    form: group.split()[0] for group in _FORMS.split(";") for form in group.split() if group.strip()
}
# forms that are nouns or adjectives at least as often
_NOUNS = word_set("cut cast drink fall fight wind wound split bit bear ring spoke found left rose")
_ENDS_ALIKE = word_set(
    "need seed feed speed breed shed weed deed steed creed greed reed heed indeed hundred sacred"
    " naked wicked kindred fred sled"
)
_COMMON = word_set(
    "die live study work play attend graduate start open close belong move serve form run stand"
    " begin come go win lose speak marry grow carry own flow join retire star appear occur happen"
)
PARTICLES = word_set("up out off down away back")
ADVERBS = word_set(
    "first later also now then originally still once already finally ever never always previously"
    " formerly eventually only just not earlier recently normally actually"
)
_ENDINGS = ("ings", "ing", "ers", "ors", "ied", "ies", "ed", "er", "or", "es", "s")


def is_past(word: str) -> bool:
    """Whether the word looks like a past tense or a past participle."""
    regular = len(word) > 3 and word.endswith("ed") and word not in _ENDS_ALIKE
    irregular = word in _BASE and _BASE[word] != word and word not in _NOUNS
    return regular or irregular or word == "set"


def is_verb(word: str) -> bool:
    """Whether the word looks like a verb: by its form, or as one of the commonest."""
    return is_past(word) or word in _COMMON or word in AUXILIARIES


@lru_cache(maxsize=8192)
def root(word: str) -> str:
    """Root of all forms of a word: "grew", "grown" and "grows" have the same root."""
    word = _BASE.get(word, word)
    if len(word) == 4 and word.endswith("ed") and word not in _ENDS_ALIKE:
        word = word[:-1]  # died, used
    for ending in _ENDINGS:
        after_y = ending in ("ied", "ies")  # tries
        if word.endswith(ending) and len(word) - len(ending) >= 3 - after_y:
            word = word[: -len(ending)] + "y" * after_y
            break
    if len(word) > 3 and word[-1] == word[-2]:
        word = word[:-1]  # shipped, swimming
    return word.removesuffix("e") if len(word) > 3 else word


def roots(text: str) -> frozenset[str]:
    """The roots of the text's words that are not function words."""
    return frozenset(root(word.text) for word in words(text) if word.text not in FUNCTION_WORDS)
