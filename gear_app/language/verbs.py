"""English verbs: irregular forms, what looks like a verb, and one root for all forms of a word."""

from __future__ import annotations

from functools import lru_cache

from gear_app.language.words import AUXILIARIES, FUNCTION_WORDS, word_set, words

_FORMS = """
arise arose arisen; bear bore borne born; beat beaten; become became; begin began begun; bend bent;
bind bound; bite bit bitten; bleed bled; blow blew blown; break broke broken; breed bred;
bring brought; build built; burn burnt; buy bought; catch caught; choose chose chosen; cling clung;
come came; creep crept; deal dealt; dig dug; draw drew drawn; drink drank drunk; drive drove driven;
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
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)] + ("y" if ending in ("ied", "ies") else "")
            break
    if len(word) > 3 and word[-1] == word[-2]:
        word = word[:-1]  # shipped, swimming
    return word.removesuffix("e") if len(word) > 3 else word


def roots(text: str) -> frozenset[str]:
    """The roots of the text's words that are not function words."""
    return frozenset(root(word.text) for word in words(text) if word.text not in FUNCTION_WORDS)
