"""The fixed forms of suggested questions: a phrase that stands for a thing without naming it, and a
question that asks for one side of a fact. "" where none reads well.

    "was directed by"   passive   Who directed X?        the director of X
    "was born in"       state     Where was X born?      the place where X was born
    "designed"          action    Which tunnel did X design?   the tunnel that X designed

A field of a form or a table is asked for by its key.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from gear_app.extract.words import KIN, is_person_noun
from gear_app.language.answer_types import is_date
from gear_app.language.verbs import (
    ADVERBS,
    PARTICLES,
    base_of_past,
    base_of_present,
    is_past,
    is_present,
    past_of,
)
from gear_app.language.words import (
    AUXILIARIES,
    DETERMINERS,
    FUNCTION_WORDS,
    PREPOSITIONS,
    participle,
    word_set,
)

SOMEBODY = "one"  # what a question calls a person of whom nothing is known
BE = word_set("is was are were")
_WHERE = word_set("in at on near from")
_LONGEST_PREDICATE, _YEAR = 4, 4
_PLACED = word_set(
    "born died buried raised educated located situated based built held filmed lived lives studied"
    " worked works grew moved stands lies settled stayed taught kept came comes come serves served"
)
_HERE = word_set("located situated based")  # which is so still: "located in" for "is located in"
_DONE = _HERE | word_set(
    "born buried raised educated built held released founded published written"
)
_SHARED = word_set("part member friend student child founder director")  # that there are several of
_SAYING = word_set("born had has said says means meant see sees")
_AGENTS = dict(
    pair.split(":")
    for pair in (
        "directed:director written:author wrote:author founded:founder designed:designer"
        " built:builder composed:composer produced:producer owned:owner owns:owner"
        " painted:painter discovered:discoverer invented:inventor edited:editor led:leader"
        " leads:leader managed:manager published:publisher created:creator developed:developer"
    ).split()
)
_WHO = word_set("contact chair sponsor client lead tenant guide recipient")
_NO_NOUNS = word_set(
    "due valid other new old open lost last next done needed possible approx paid said went use"
    " who whom how why when what where which"
)
_ASKED = {
    **dict.fromkeys(("place", "location", "whereabouts"), "Where is {}?"),
    **dict.fromkeys(("cost", "price"), "What does {} cost?"),
    "age": "How old is {}?",
}


@dataclass(frozen=True, slots=True)
class PredicateClause:
    """A predicate that was understood: "was moved to" is a `state`, `verb` moved, `rest` to. `be`
    is its form of "to be".
    """

    kind: Literal["passive", "state", "action"]
    verb: str
    rest: str = ""
    be: str = ""

    @property
    def finite(self) -> str:
        """The predicate as the verb of a clause whose subject stands before it."""
        return " ".join(filter(None, (self.be, self.verb, self.rest)))

    @property
    def agent(self) -> str:
        """The noun for who does it: "director" of directing and of being directed; "" for none."""
        alone = self.kind == "passive" or (self.kind == "action" and not self.rest)
        return _AGENTS.get(self.verb, "") if alone else ""

    @property
    def preposition(self) -> str:
        """Its last word where that is a preposition, else ""."""
        last = self.rest.rpartition(" ")[2]
        return last if last in PREPOSITIONS else ""

    @property
    def tells_where(self) -> bool:
        """Whether it leads to a place, or to a time."""
        return self.preposition in _WHERE and (self.verb in _PLACED or not self.verb)


def role(predicate: str) -> str:
    """The noun of "is capital of" or "was the son of", that something is to another thing; "" for
    any other predicate.
    """
    match = re.fullmatch(r"(?:(?:is|was) (?:the )?)?([a-z]+)( of)?", predicate)
    noun = match[1] if match and (match[2] or " " not in predicate) else ""
    one = noun not in _SHARED and not noun.endswith("s")
    return noun if one and (noun in KIN or is_person_noun(noun)) else ""


def clause(predicate: str) -> PredicateClause | None:
    """A triple's predicate as grammar; None where it makes no clause that reads well."""
    written = predicate.split()
    words = [word for word in written if word not in ADVERBS | {"the", "a", "an"}]
    if not 0 < len(words) <= _LONGEST_PREDICATE or not all(
        word.isalpha() and word.islower() for word in words
    ):
        return None
    be, words = (words[0], words[1:]) if words[0] in BE else ("", words)
    if not words or (words[0] in FUNCTION_WORDS and not (be and words[0] in _WHERE)):
        return None
    verb, after = words[0], words[1:]
    rest = " ".join(after)
    done = participle(verb) or is_past(verb)
    if len(after) > 2 or not all(word in PARTICLES | PREPOSITIONS for word in after):
        return None
    if done and rest == "by":
        return PredicateClause("passive", verb, rest, be or "was")
    if be and (verb in _WHERE and not after):
        return PredicateClause("state", "", verb, be)
    if done and rest and (be or verb in _DONE):
        return PredicateClause("state", verb, rest, be or ("is" if verb in _HERE else "was"))
    acts = is_present(verb) or (is_past(verb) and verb == past_of(verb))
    usable = acts and not be and verb not in AUXILIARIES | _SAYING
    return PredicateClause("action", verb, rest) if usable else None


def described(of: PredicateClause, noun: str, other: str, *, subject: bool) -> str:
    """A phrase for one side of a triple (`subject`: the first) by the `other`: "the director of
    Blade Runner", "the town where Ada Quill was born". `noun`: what it is, "" where nobody knows.
    """
    if of.agent and subject == (of.kind == "action"):
        return f"the {of.agent} of {other}"
    if subject:  # others were born there, too
        done = of.kind == "action" and person(noun)
        return f"the {noun} who {of.verb} {f'{of.rest} ' * bool(of.rest)}{other}" if done else ""
    if of.tells_where and not person(noun) and of.preposition != "from":
        return (
            f"the {noun or 'place'} where {other} {of.finite.removesuffix(of.preposition)}".strip()
        )
    if of.kind == "passive" and noun:
        return f"the {noun} {'who' if person(noun) else 'that'} {past_of(of.verb)} {other}"
    return (
        f"the {noun} that {other} {of.verb}" if noun not in ("", SOMEBODY) and not of.rest else ""
    )


def asked(of: PredicateClause, phrase: str, noun: str, answer: str) -> str:
    """The question for a triple's object, `phrase` in its subject's place; `noun`: what the answer
    is.
    """
    if of.kind == "passive":
        return "" if is_date(answer) else f"Who {past_of(of.verb)} {phrase}?"
    auxiliary, verb = of.be, of.verb
    if of.kind == "action":
        present = is_present(verb)
        auxiliary = "does" if present else "did"
        verb = base_of_present(verb) if present else base_of_past(verb)
    middle = f"{auxiliary} {phrase} {verb} {of.rest.removesuffix(of.preposition)}".strip()
    if is_date(answer):
        return f"When {middle}?" if of.preposition in ("in", "on") and of.verb else ""
    if of.tells_where and of.verb and "the place where" not in phrase:
        return f"Where {middle} from?" if of.preposition == "from" else f"Where {middle}?"
    what = "Whom" if person(noun) else f"Which {noun}" if noun else "What"
    return f"{what} {middle}?" if of.kind == "action" and not of.preposition else ""


def person(noun: str) -> bool:
    """Whether a noun is of people."""
    return noun == SOMEBODY or (bool(noun) and is_person_noun(noun.split()[-1]))


# Forms and tables


def field_described(key: str, label: str) -> str:
    """A phrase for what something called `label` says under a key; "" where the key is no noun."""
    if verb := doing(key):
        return f"the person who {verb} {label}"
    return f"the {shown(key)} of {label}" if is_noun(key) else ""


def doer(key: str, value: str) -> str:
    """A phrase for whom a row is about, of a key that is a verb: "the one who works at …"."""
    of = clause(key.lower())
    return described(of, SOMEBODY, value, subject=True) if of else ""


def field_asked(key: str, phrase: str, *, named: bool) -> str:
    """The question for what is said of the thing that `phrase` stands for under a key, "" where the
    key is neither a noun nor something done; `named`: the answer is somebody's name.
    """
    if verb := doing(key):
        return f"Who {verb} {phrase}?"
    if key.lower() in _ASKED:
        return _ASKED[key.lower()].format(phrase)
    of = clause(key.lower())
    if of and of.kind == "action" and is_present(of.verb):
        return asked(of, phrase, "", "")
    if not is_noun(key):
        return ""
    head = key.lower().split()[-1]
    verb = "are" if re.search(r"[^su'i]s$", key) else "is"
    agent = head in _WHO or is_person_noun(head) or head.endswith(("er", "or"))
    return f"{'Who' if named and agent else 'What'} {verb} the {shown(key)} of {phrase}?"


def doing(key: str) -> str:
    """The verb of "the person who raised", of the key "Raised by"; "" of any other."""
    done, *by = key.lower().split() or [""]
    return past_of(done) if by == ["by"] and participle(done) else ""


def is_noun(key: str) -> bool:
    """Whether a key reads as a noun: "owner", "place", and not "raised" or "valid to"."""
    words = key.lower().split()
    if not 0 < len(words) < 3 or not all(word.isalpha() for word in words):
        return False
    if set(words) & (FUNCTION_WORDS | PREPOSITIONS | DETERMINERS | _NO_NOUNS):
        return False
    return not (participle(words[-1]) or is_past(words[-1]) or is_present(words[0]))


def shown(key: str) -> str:
    """A key inside a sentence: "Owner" in small letters, "RTO" as it is."""
    return " ".join(word if word.isupper() else word.lower() for word in key.split())


def is_day(words: str) -> bool:
    """Whether the words are a date alone: "24 April", "2019", and not "41.50"."""
    year = words.isdigit() and len(words) == _YEAR
    written = len(words) > _YEAR and any(map(str.isalpha, words)) and any(map(str.isdigit, words))
    return is_date(words) and (year or written)
