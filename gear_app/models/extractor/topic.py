"""The topic of a passage: what its title is, and which other persons it names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gear_app.models.extractor.dependencies import extent, phrase_text
from gear_app.models.extractor.title import Title
from gear_app.models.extractor.words import (
    BE,
    FEMALE,
    GENERIC,
    HE,
    IT,
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
_LOWER_IN_NAMES = frozenset({"of", "de", "von", "van", "bin", "al", "the"})
People = Sequence[tuple[int, str]]


@dataclass(frozen=True, slots=True)
class Topic:
    """What the title of a passage is.

    `token` heads the first sentence's subject; `titled` says that it is the title. `types` are the
    nouns after its "is a", in the singular.
    """

    token: Token | None
    titled: bool
    types: frozenset[str]
    person: bool
    female: bool

    @classmethod
    def of(cls, doc: Doc, title: Title, people: People, *, renamed: bool) -> Topic:
        """Read it off the first sentence and the pronouns.

        `renamed`: the opening brackets held the title.
        `people` are (token index, name) of the persons named.
        """
        token = first_subject(doc)
        titled = False
        if token is not None and title.words:
            titled = renamed or _opens(token, title)
        types = _types(token) if titled and token is not None else frozenset()
        person = _is_person(doc, title, people, types)
        if person and token is not None and token.lower_ in HE | SHE:
            titled = True
        return cls(token, titled, types, person, _is_female(doc, types))


def first_subject(doc: Doc) -> Token | None:
    """The subject of the first sentence; of "The son of X, he ..." it is "he"."""
    for sentence in doc.sents:
        subjects = [t for t in sentence if t.dep_ in SUBJECTS and t.head.dep_ == "ROOT"]
        last = subjects[-1] if subjects else None
        return last if last is not None and last.tag_ == "PRP" else next(iter(subjects), None)
    return None


def _opens(subject: Token, title: Title) -> bool:
    """Whether the first sentence's subject is the title: begins with it, or shares its words."""
    if _begins(subject, title):
        return True
    start, end = extent(subject)
    words, title_words = folded(subject.doc[start:end].text), title.words
    if not is_name(subject):
        return title_words in (words, tuple(singular(word) for word in words))
    shared = set(words) & set(title_words)
    return 2 * len(shared) >= max(len(words), len(title_words))


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


def _is_person(doc: Doc, title: Title, people: People, types: frozenset[str]) -> bool:
    if any(is_person_noun(noun) for noun in types):
        return True
    he, she, neuter = _counts(doc)
    return not types & THINGS and he + she > neuter and _namelike(title.name, people)


def _namelike(name: str, people: People) -> bool:
    """Whether a title could be a person's: of two capitalised words or more, none generic."""
    words = name.split()
    if len(words) == 1:
        return any(folded(other) == folded(name) for _, other in people)
    shaped = all(word[:1].isupper() or word in _LOWER_IN_NAMES for word in words)
    return shaped and "," not in name and not set(folded(name)) & GENERIC


def _is_female(doc: Doc, types: frozenset[str]) -> bool:
    he, she, _ = _counts(doc)
    return she > he or (she == he and bool(types & FEMALE))


def _counts(doc: Doc) -> tuple[int, int, int]:
    """How many masculine, feminine and neuter pronouns there are."""
    words = [token.lower_ for token in doc]
    return sum(w in HE for w in words), sum(w in SHE for w in words), sum(w in IT for w in words)


def persons_in(doc: Doc) -> list[tuple[int, str]]:
    """(index of the head, name) of the persons named, in order; a lone surname in full."""
    persons: list[tuple[int, str]] = []
    roots = {span.root.i for span in doc.ents if span.label_ == "PERSON"}
    for token in doc:
        if token.i in roots or (is_name(token) and token.dep_ in SUBJECTS):
            name = phrase_text(token)
            full = full_name(folded(name), [other for _, other in reversed(persons)])
            if full or token.i in roots:
                persons.append((token.i, full or name))
    return persons


def full_name(words: tuple[str, ...], names: Sequence[str]) -> str | None:
    """The first of `names` whose surname is the one word, or else whose first name it is."""
    if len(words) != 1:
        return None
    full = [(folded(name), name) for name in names if " " in name]
    surnamed = [name for parts, name in full if parts[-1:] == words]
    first_named = [name for parts, name in full if parts[:1] == words]
    return next(iter(surnamed + first_named), None)
