"""What a passage is about: whether it opens with its title, what kind of thing that is, and of
which gender.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gear_app.extract.phrases import extent
from gear_app.extract.title import Title
from gear_app.extract.words import (
    BE,
    FEMALE,
    GENERIC,
    HE,
    IT,
    MALE,
    SHE,
    THINGS,
    folded,
    is_name,
    is_person_noun,
    singular,
)

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

SUBJECTS = ("nsubj", "nsubjpass")
FEATURES = frozenset(
    "river lake mountain mountains mount island islands creek valley company corporation inc"
    " records band hms uss ss".split()
)
_REACH = 12  # tokens a subject may stand after the title it repeats
_LOWER_IN_NAMES = frozenset({"of", "de", "von", "van", "bin", "al", "the"})
People = Sequence[tuple[int, str]]


@dataclass(frozen=True, slots=True)
class Subject:
    """`token` heads the first sentence's subject; `types` are the nouns after its "is a", in the
    singular.
    """

    token: Token | None
    about: bool
    types: frozenset[str]
    person: bool
    female: bool

    @classmethod
    def of(cls, doc: Doc, title: Title, people: People, *, born: bool, renamed: bool) -> Subject:
        """Read it off the first sentence and the pronouns.

        `born`: the opening brackets told a birth or a death; `renamed`: they held the title.
        `people` are (token index, name) of the persons named.
        """
        token = first_subject(doc)
        about = (
            token is not None and bool(title.words) and (renamed or _opens(token, title, born=born))
        )
        types = _types(token) if about and token is not None else frozenset()
        person = _is_person(doc, title, people, types, born=born)
        if person and token is not None and token.lower_ in HE | SHE:
            about = True
        return cls(token, about, types, person, _is_female(doc, types))


def first_subject(doc: Doc) -> Token | None:
    """The subject of the first sentence; of "The son of X, he ..." it is "he"."""
    for sentence in doc.sents:
        found = [t for t in sentence if t.dep_ in SUBJECTS and t.head.dep_ == "ROOT"]
        return found[-1] if found and found[-1].tag_ == "PRP" else next(iter(found), None)
    return None


def _opens(subject: Token, title: Title, *, born: bool) -> bool:
    """Whether the first sentence's subject is the title: it begins with it, or shares enough words
    with it.
    """
    if _begins(subject, title) or _known_as(subject, title):
        return True
    start, end = extent(subject)
    words, mine = folded(subject.doc[start:end].text), title.words
    if not is_name(subject):
        return mine in (words, tuple(singular(word) for word in words))
    shared = set(words) & set(mine)
    he, she, it = _counts(subject.doc)
    if not shared or born or words == (title.surname,) or (words == mine[:1] and he + she > it):
        return bool(shared)
    alike = words[-1] == mine[-1] or set(words) ^ set(mine) <= FEATURES
    return alike and len(shared) * 3 >= min(len(mine), len(words)) * 2


def _begins(subject: Token, title: Title) -> bool:
    """Whether the text begins with the title, and the subject comes right with or after it."""
    doc = subject.doc
    first = 1 if doc[0].text == "The" and "The" not in title.forms and len(doc) > 1 else 0
    if doc[first].text.removeprefix("The ") not in {
        form.removeprefix("The ") for form in title.forms
    }:
        return False
    named = first + 1 < len(doc) and is_name(doc[first + 1])  # "Seattle Art Museum" is not Seattle
    between = any(t.tag_ in ("VBZ", "VBD", "VBP", "POS") for t in doc[: subject.i])
    return subject.i <= first + _REACH and not between and not named


def _known_as(subject: Token, title: Title) -> bool:
    """Whether the subject is said to be known under the title: "Craft Contemporary, formerly known
    as ...".
    """
    naming = ("known", "called", "named")
    spots = [
        t
        for t in subject.subtree
        if t.dep_ == "pobj" and t.head.lower_ == "as" and t.head.head.lower_ in naming
    ]
    return any(folded(t.text) == title.words for t in spots)


def _types(subject: Token) -> frozenset[str]:
    if subject.head.lower_ not in BE:
        return frozenset()
    nouns = [
        t
        for child in subject.head.children
        if child.dep_ == "attr"
        for t in (child, *child.conjuncts)
    ]
    return frozenset(singular(noun.text) for noun in nouns)


def _is_person(
    doc: Doc, title: Title, people: People, types: frozenset[str], *, born: bool
) -> bool:
    persons = any(is_person_noun(noun) for noun in types)
    if types & THINGS and not persons:
        return False
    if born or persons:
        return True
    he, she, it = _counts(doc)
    if he + she <= it or not _namelike(title.name, people):
        return False
    first = next(t for t in doc if t.lower_ in HE | SHE)
    mentioned = any(folded(t.text)[-1:] == (title.surname,) and is_name(t) for t in doc)
    return mentioned or not any(end < first.i for end, _ in people)


def _is_female(doc: Doc, types: frozenset[str]) -> bool:
    he, she, _ = _counts(doc)
    if types & FEMALE and not types & MALE:
        return she > 0 or he == 0
    if types & MALE and not types & FEMALE:
        return False
    return she > he


def _counts(doc: Doc) -> tuple[int, int, int]:
    """How many masculine, feminine and neuter pronouns there are."""
    words = [token.lower_ for token in doc]
    return sum(w in HE for w in words), sum(w in SHE for w in words), sum(w in IT for w in words)


def _namelike(name: str, people: People) -> bool:
    """Whether a title could be a person's name: two to six capitalised words, none of them a kind
    of thing.
    """
    words = name.split()
    if "," in name and not any(character.isdigit() for character in name):
        return False
    if len(words) == 1:
        return any(folded(other) == folded(name) for _, other in people)
    shaped = 2 <= len(words) <= 6 and all(
        word[:1].isupper() or word in _LOWER_IN_NAMES for word in words
    )
    return shaped and not set(folded(name)) & GENERIC and words[1] != "of"
