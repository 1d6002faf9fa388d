"""Coreference: what a passage's title is, and pronouns, surnames and "the film" as that title.

Most passages are about their title. What cannot be resolved is None, and makes no triple.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gear_app.models.extractor.dependencies import extent, phrase_text
from gear_app.models.extractor.title import SUFFIXES, Title, title_of
from gear_app.models.extractor.words import (
    BE,
    FEMALE,
    FEMININE,
    GENERIC,
    KIN,
    MASCULINE,
    NEUTER,
    PLURAL,
    PRONOUNS,
    THINGS,
    folded,
    is_name,
    is_person_noun,
    singular,
)

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_SUBJECTS = ("nsubj", "nsubjpass")
_UNNAMED_TAGS = frozenset({"WP", "WDT", "EX", "DT", "WRB"})
_GROUPS = frozenset("band group team duo club trio quartet company label".split())
_LOWER_IN_NAMES = frozenset({"of", "de", "von", "van", "bin", "al", "the"})


class Resolver:
    """Resolves the tokens of one parsed passage.

    `title` is what the passage is about: its title, or what the first sentence is about where that
    is no name. `titled` says that the text opens with it as its subject, and `types` are the nouns
    after its "is a", in the singular.
    """

    def __init__(self, doc: Doc, title: Title) -> None:
        subject = first_subject(doc)
        if not title.name and subject is not None and is_name(subject):
            title = title_of(phrase_text(subject), doc.text)
        opening = _opening(doc, title)
        self._subject = subject = opening or subject
        masculine, feminine, neuter = (
            sum(token.lower_ in pronouns for token in doc)
            for pronouns in (MASCULINE, FEMININE, NEUTER)
        )
        personal = masculine + feminine > neuter
        opens = opening is not None
        if subject is not None and title.words:
            opens = opens or _names_same(subject, title, personal=personal)
        self.title, self.types = title, _types(subject) if opens and subject else frozenset[str]()
        personal = personal and not self.types & THINGS
        self.person = any(map(is_person_noun, self.types)) or (
            personal and _could_be_person(title, doc)
        )
        people = (entity for entity in doc.ents if entity.label_ == "PERSON")
        self._people = [(entity.end, phrase_text(entity.root)) for entity in people]
        self._female = feminine + bool(self.types & FEMALE) > masculine
        pronouns = MASCULINE | FEMININE if self.person else frozenset[str]()
        self.titled = opens or (subject is not None and subject.lower_ in pronouns)

    def entity(self, token: Token) -> str | None:
        """The name of what the phrase headed by `token` stands for, or None."""
        if token.tag_ in ("PRP", "PRP$", "WP$"):
            return (self.title.name or None) if self._is_title_pronoun(token) else None
        if token.lower_ in PRONOUNS or token.tag_ in _UNNAMED_TAGS:
            return None
        return self.title.name if self.is_title(token) else self._full_name(token) or None

    def _full_name(self, token: Token) -> str:
        """The phrase headed by `token`; of a surname the one person of it that the text has before
        in full.
        """
        name, thing = phrase_text(token), token.ent_type_ in ("GPE", "LOC", "FAC", "ORG")
        full = {
            person for end, person in self._people if end <= token.i and person.endswith(f" {name}")
        }
        return full.pop() if len(full) == 1 and is_name(token) and not thing else name

    def is_title(self, token: Token) -> bool:
        """Whether the phrase headed by `token` names the title or stands for it ("the film")."""
        if self.titled and token == self._subject:
            return True
        if is_name(token) or (
            token.text[:1].isupper() and folded(token.text) == (self.title.surname,)
        ):
            words = folded(phrase_text(token))
            return bool(words) and self._is_title_name(words)
        return self._stands_for_title(token)

    def _is_title_name(self, words: tuple[str, ...]) -> bool:
        """Whether words are the title, or a part of a person's name, or that name in full."""
        title_words = self.title.words
        if words == title_words or any(words == folded(form) for form in self.title.forms):
            return True
        if not self.person:
            return False
        if set(words) < set(title_words):
            return len(words) <= 2 and (self.title.surname in words or words == title_words[:1])
        same_ends = words[:1] + words[-1:] == title_words[:1] + title_words[-1:]
        return len(title_words) >= 2 and same_ends and set(title_words) < set(words)

    def _stands_for_title(self, token: Token) -> bool:
        """Whether it is "the N" or "this N" with nothing but a type of thing: the company."""
        left, noun = list(token.lefts), singular(token.text)
        if len(left) != 1 or left[0].lower_ not in ("the", "this") or noun in KIN:
            return False
        after = [child.dep_ for child in token.rights if child.i == token.i + 1]
        if after and after[0] in ("prep", "relcl", "acl", "appos"):
            return False
        return noun in self.types or (noun,) == self.title.words[-1:]

    def _is_title_pronoun(self, token: Token) -> bool:
        pronoun = token.lower_
        if pronoun in MASCULINE | FEMININE:
            return self.person and (pronoun in FEMININE) == self._female
        if pronoun in NEUTER:
            return not self.person and (self.titled or token.i == 0)
        return pronoun in PLURAL and bool(self.types & _GROUPS)


def _could_be_person(title: Title, doc: Doc) -> bool:
    """Whether a title has the form of a person's name; one word, whether the text has it so."""
    words = title.name.split()
    if len(words) == 1:
        persons = (span for span in doc.ents if span.label_ == "PERSON")
        return any(folded(span.text) == title.words for span in persons)
    shaped = all(word[:1].isupper() or word in _LOWER_IN_NAMES for word in words)
    return shaped and not set(title.words) & GENERIC


def first_subject(doc: Doc) -> Token | None:
    """The subject of the first sentence; of "The son of X, he ..." it is "he"."""
    for sentence in doc.sents:
        subjects = [t for t in sentence if t.dep_ in _SUBJECTS and t.head.dep_ == "ROOT"]
        pronouns = [token for token in subjects[-1:] if token.tag_ == "PRP"]
        return next(iter([*pronouns, *subjects]), None)
    return None


def _opening(doc: Doc, title: Title) -> Token | None:
    """The head of the phrase that the text opens with, if that is the title."""
    first = next((token for token in doc[:2] if token.text in title.forms), None)
    if first is None or (first.i and doc[0].lower_ != "the"):
        return None
    head = first.head if first.dep_ in ("compound", "nmod") else first
    return head if is_name(head) and first.dep_ != "poss" else None  # "Acme customers sued Bolt"


def _names_same(subject: Token, title: Title, *, personal: bool) -> bool:
    """Whether the first sentence's subject is the title, has half of its words, is a person of this
    surname ("William Crystal was an actor"), or is known as it ("Mary Ann Evans, known as …").
    """
    start, end = extent(subject)
    words = folded(subject.doc[start:end].text)
    if not SUFFIXES & set(title.words):
        words = tuple(word for word in words if word not in SUFFIXES)
    if not is_name(subject):
        return title.words in (words, tuple(singular(word) for word in words))
    beside = subject.doc[end : subject.head.i]
    if any(token.text in title.forms and token.head.lower_ == "as" for token in beside):
        return True
    personal = personal or any(map(is_person_noun, _types(subject)))
    if start == 0 and personal and len(title.words) > 1:
        return words[-1:] == (title.surname,) or set(title.words) <= set(words)
    shared = set(words) & set(title.words)
    return 2 * len(shared) >= max(len(words), len(title.words))


def _types(subject: Token) -> frozenset[str]:
    attributes = [child for child in subject.head.children if child.dep_ == "attr"]
    nouns = [noun for child in attributes for noun in (child, *child.conjuncts)]
    is_copula = subject.head.lower_ in BE
    return frozenset(singular(noun.text) for noun in nouns if is_copula)
