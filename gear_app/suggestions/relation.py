"""A triple's predicate as grammar: what kind of clause it makes, and the clauses themselves.

    "was directed by"   passive   Who directed X?        the director of X
    "was born in"       state     Where was X born?      the place where X was born
    "designed", "lies on"  action  What did X design?     the tunnel that X designed
    "is capital of"     role      Of what is X the capital?   the capital of X
    "Owner"             key       Who is the owner of X?      the owner of X

A predicate that is none of these has no clause, and makes no question.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gear_app.english.verbs import (
    ADVERBS,
    PARTICLES,
    base_of_past,
    base_of_present,
    is_past,
    is_present,
    past_of,
)
from gear_app.english.words import AUXILIARIES, FUNCTION_WORDS, PREPOSITIONS, participle, word_set

LONGEST = 4  # words of a predicate
BE = word_set("is was are were")
NO_RELATION = word_set("mentions is was are were has had said says means meant see sees")
_AGENTS = {
    word.split(":")[0]: word.split(":")[1]
    for word in (
        "directed:director written:author wrote:author founded:founder designed:designer"
        " built:builder composed:composer produced:producer owned:owner owns:owner"
        " painted:painter discovered:discoverer invented:inventor edited:editor"
        " translated:translator led:leader leads:leader managed:manager manages:manager"
        " published:publisher created:creator developed:developer supplied:supplier"
        " supplies:supplier maintained:maintainer maintains:maintainer"
    ).split()
}
_NOUN_ENDINGS = ("er", "or")
_STATES = {
    "located": "is",
    "situated": "is",
    "based": "is",
    "born": "was",
    "raised": "was",
    "educated": "was",
    "published": "was",
    "released": "was",
    "founded": "was",
    "built": "was",
    "written": "was",
    "named": "was",
    "titled": "was",
}
_KEYS = word_set(
    "lead supplier contact landlord tenant vendor author editor editors team runbook broker sponsor"
    " deputy chair host home brand model publisher office location site capital successor"
    " predecessor spouse wife husband father mother brother sister son daughter boss keeper owner"
    " manager maker carrier provider operator printer engineer architect designer"
)
_NO_KEYS = word_set("number other order after later paper water never ever letter winter summer")
_NO_ROLES = word_set(
    "made part one proud member native descendant fan student type kind form example all most home"
    " typical full out because instead north south east west short capable aware ahead citizen film"
    " book novel song album series version piece set group lot subject result"
    " suburb city town village state district county"
)
Kind = Literal["passive", "state", "action", "role", "key"]


@dataclass(frozen=True, slots=True)
class PredicateParts:
    """A predicate that was understood: "was moved to" is `state`, `verb` moved, `rest` to.

    `be` is its form of "to be", which a `bare` one lacks; `present`: its verb is in the present.
    """

    kind: Kind
    verb: str = ""
    rest: str = ""
    be: str = ""
    present: bool = False
    bare: bool = False

    @property
    def preposition(self) -> str:
        """Its last word where that is a preposition, else ""."""
        last = self.rest.split()[-1] if self.rest else ""
        return last if last in PREPOSITIONS else ""

    @property
    def finite(self) -> str:
        """The predicate as the verb of a clause whose subject stands before it."""
        match self.kind:
            case "role":
                return f"{self.be} the {self.verb} of"
            case "action":
                return f"{self.verb} {self.rest}".strip()
            case _:
                return f"{self.be} {self.verb} {self.rest}".strip()

    @property
    def asked(self) -> str:
        """The predicate behind its subject in a question, without what stands before: "born"."""
        if self.kind != "action":
            return self.verb
        base = base_of_present(self.verb) if self.present else base_of_past(self.verb)
        return f"{base} {self.rest}".strip()

    @property
    def auxiliary(self) -> str:
        """What stands before the subject in a question: "was", "did" or "does"."""
        if self.kind == "action":
            return "does" if self.present else "did"
        return self.be

    @property
    def past(self) -> str:
        """Of a passive, the verb as whoever did it did: "wrote"."""
        return past_of(self.verb)

    @property
    def agent(self) -> str:
        """The noun for who does it: "director" of directing and of being directed; "" for none."""
        if self.kind not in ("passive", "action") or (self.kind == "action" and self.rest):
            return ""
        return _AGENTS.get(self.verb, "")


def relation(predicate: str) -> PredicateParts | None:
    """The predicate as grammar; None where it makes no clause that reads well."""
    written = predicate.split()
    words = [word for word in predicate.lower().split() if word not in ADVERBS]
    if not 0 < len(words) <= LONGEST or not all(word.isalpha() for word in words):
        return None
    if predicate.lower() in NO_RELATION:
        return None
    if words[0] in BE:
        return _with_be(words[0], words[1:])
    if is_past(words[0]) and words[1:] == ["by"]:
        return PredicateParts("passive", words[0], "by", "was", bare=True)
    if words[0] in _STATES and _closing(words[1:]):  # "born in" for "was born in"
        return PredicateParts("state", words[0], " ".join(words[1:]), _STATES[words[0]])
    if _key(words) and (written[0][0].isupper() or words[0] in _KEYS):
        return PredicateParts("key", words[0])
    if (
        written[0][0].isupper()
        or words[0] in AUXILIARIES | FUNCTION_WORDS
        or not _closing(words[1:])
    ):
        return None
    if is_present(words[0]):
        return PredicateParts("action", words[0], " ".join(words[1:]), present=True)
    if is_past(words[0]) and words[0] == past_of(words[0]):
        return PredicateParts("action", words[0], " ".join(words[1:]))
    return None


def _with_be(be: str, words: list[str]) -> PredicateParts | None:
    words = [word for word in words if word not in ("the", "a", "an")]
    if len(words) == 1 and words[0] in ("in", "on", "at", "near", "from"):
        return PredicateParts("state", "", words[0], be)
    if len(words) < 2 or words[0] in FUNCTION_WORDS:
        return None
    if words[-1] == "of" and not participle(words[0]) and not words[0].endswith("ing"):
        nouns = words[:-1]
        fits = len(nouns) == 1 and nouns[0] not in _NO_ROLES
        return PredicateParts("role", nouns[0], "of", be) if fits else None
    if not (participle(words[0]) or is_past(words[0])) or not _closing(words[1:]):
        return None
    if words[1:] == ["by"]:
        return PredicateParts("passive", words[0], "by", be)
    return PredicateParts("state", words[0], " ".join(words[1:]), be)


def _closing(words: list[str]) -> bool:
    """Whether a verb may end in these: nothing, or a particle, or prepositions."""
    return len(words) < 3 and all(word in PARTICLES | PREPOSITIONS for word in words)


def _key(words: list[str]) -> bool:
    """Whether it is a heading that names a relation: "Owner", "supplier"."""
    last = words[-1]
    noun = last in _KEYS or (last.endswith(_NOUN_ENDINGS) and last not in _NO_KEYS)
    return len(words) == 1 and noun and last not in FUNCTION_WORDS
