"""Coreference: pronouns, surnames, partial titles and "the film" as the entity they stand for.

The title is the first candidate, since most passages are about theirs; other people of the passage
are the second. What cannot be resolved is None, and makes no triple.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gear_app.models.extractor.brackets import is_abbreviation
from gear_app.models.extractor.dependencies import phrase_text
from gear_app.models.extractor.normalise import Bracket
from gear_app.models.extractor.title import Title, title_of
from gear_app.models.extractor.topic import (
    FEATURES,
    SUBJECTS,
    Topic,
    first_subject,
    full_name,
    persons_in,
)
from gear_app.models.extractor.words import (
    FEMALE,
    HE,
    IT,
    KIN,
    MALE,
    PRONOUNS,
    SHE,
    THEY,
    folded,
    is_name,
    singular,
)

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

OPENING = 120  # characters in which the first mention of the title and its brackets are looked for
_UNNAMED_TAGS = frozenset({"WP", "WDT", "EX", "DT", "WRB"})
_LOCATIVE = frozenset("in at to from near into toward towards around through".split())
_ROLES = frozenset((*SUBJECTS, "dobj", "dative", "pobj", "conj", "appos"))
_MISTER = frozenset("mr sir".split())
_MISTRESS = frozenset("mrs ms miss madame mme dame".split())
_GROUPS = frozenset("band group team duo club trio quartet company label".split())


class Resolver:
    """Resolves the tokens of one parsed passage.

    `title` is what the passage is about: its title, or what the first sentence is about where that
    is no name.
    """

    def __init__(self, doc: Doc, title: Title, brackets: Sequence[Bracket] = ()) -> None:
        self._doc = doc
        subject = first_subject(doc)
        if not title.name and subject is not None and is_name(subject):
            title = title_of(phrase_text(subject), doc.text)
        self.title = title
        self.people = persons_in(doc)
        opening = [bracket.text for bracket in brackets if bracket.at < OPENING]
        renamed = bool(title.words) and any(
            folded(text)[-len(title.words) :] == title.words for text in opening
        )
        self.topic = Topic.of(doc, title, self.people, renamed=renamed)
        self._short: dict[str, str] = {}
        # filled at once, so that no name is found through another abbreviation
        abbreviations = [bracket for bracket in brackets if is_abbreviation(bracket.text)]
        names = [(bracket.text, self.name_before(bracket)) for bracket in abbreviations]
        self._short |= {short: name for short, name in names if name and name != short}

    @property
    def titled(self) -> bool:
        """Whether the text opens with the title as its subject."""
        return self.topic.titled

    def entity(self, token: Token) -> str | None:
        """The name of what the phrase headed by `token` stands for, or None."""
        if is_name(token) and token.text in self._short:
            return self._short[token.text]
        if token.tag_ in ("PRP", "PRP$", "WP$") and " " not in token.text:
            return self._pronoun(token)
        if token.lower_ in PRONOUNS or (token.tag_ in _UNNAMED_TAGS and " " not in token.text):
            return None
        if self.is_title(token):
            return self.title.name
        return self._full_name(token) or phrase_text(token) or None

    def is_title(self, token: Token) -> bool:
        """Whether the phrase headed by `token` names the title or stands for it ("the film")."""
        if self.titled and token == self.topic.token:
            return True
        if is_name(token) or (
            token.text[:1].isupper() and folded(token.text) == (self.title.surname,)
        ):
            words = folded(phrase_text(token))
            return bool(words) and self._names_title(token, words)
        return self._stands_for_title(token)

    def name_before(self, bracket: Bracket) -> str | None:
        """The name before a bracket: the title in its first mention, else the name ending there."""
        token = self.token_before(bracket)
        if token is None:
            return None
        around = [entity for entity in self._doc.ents if entity.start <= token.i < entity.end]
        head = around[0].root if around else token
        while not is_name(head) and head.dep_ in ("nummod", "compound"):
            if head.head.i > token.i + 1:
                break
            head = head.head
        return self.entity(head) if is_name(head) or self.is_title(head) else None

    def token_before(self, bracket: Bracket) -> Token | None:
        """The last token before brackets."""
        return next((t for t in self._doc if t.idx < bracket.at <= t.idx + len(t.text) + 1), None)

    def _stands_for_title(self, token: Token) -> bool:
        """Whether it is "the N" or "this N" with nothing but a type of thing: the company."""
        left, noun, types = list(token.lefts), singular(token.text), self.topic.types
        if len(left) != 1 or left[0].lower_ not in ("the", "this") or noun in KIN:
            return False
        after = [child.dep_ for child in token.rights if child.i == token.i + 1]
        if after and after[0] in ("prep", "relcl", "acl", "appos"):
            return False
        return noun in types or (noun,) == self.title.words[-1:]

    def _names_title(self, token: Token, words: tuple[str, ...]) -> bool:
        title_words = self.title.words
        if words == title_words or any(words == folded(form) for form in self.title.forms):
            return True
        if self.topic.person:
            if set(words) < set(title_words):
                return len(words) <= 2 and (self.title.surname in words or words == title_words[:1])
            same_ends = words[0] == title_words[0] and words[-1] == title_words[-1]
            return len(title_words) >= 2 and same_ends and set(title_words) < set(words)
        missing = set(title_words) - set(words)
        return set(words) < set(title_words) and missing <= FEATURES and not _is_place_of(token)

    def _full_name(self, token: Token) -> str | None:
        """A lone surname or first name as the last full name of the passage that has it."""
        if not is_name(token) or " " in phrase_text(token):
            return None
        if token.ent_type_ not in ("PERSON", "ORG", ""):
            return None
        before = [name for head, name in reversed(self.people) if head < token.i]
        return full_name(folded(token.text), before)

    def _pronoun(self, token: Token) -> str | None:
        lower = token.lower_
        if lower in HE | SHE:
            is_title = self.topic.person and (lower in SHE) == self.topic.female
            return self.title.name if is_title else self._last_person(token)
        if lower in IT and not self.topic.person:
            return self.title.name if self.titled else self._last_subject(token)
        if lower in THEY and self.topic.types & _GROUPS:
            return self.title.name
        return None

    def _last_person(self, token: Token) -> str | None:
        """The one other person of this sentence before `token` and the one before it; None where
        two could be meant.
        """
        reach = self._doc[_sentence_before(token) : token.i]
        persons = dict(self.people)
        candidates = {
            persons.get(other.i) or phrase_text(other)
            for other in reach
            if (other.i in persons or _may_be_person(other)) and _may_be(other, token.lower_)
        }
        candidates = {name for name in candidates if not self._is_own(name)}
        sure = len(candidates) == 1 and candidates <= set(persons.values())
        return candidates.pop() if sure else None

    def _is_own(self, name: str) -> bool:
        """Whether a person's name is the title's."""
        words = folded(name)
        surnamed = self.topic.person and self.title.surname in words[-1:]
        return surnamed and set(words) <= set(self.title.words)

    def _last_subject(self, token: Token) -> str | None:
        """The last sentence's subject, if a name but no person; the title if nothing is before."""
        if not any(is_name(other) or other.tag_ in ("NN", "NNS") for other in self._doc[: token.i]):
            return self.title.name or None
        before = self._doc[_sentence_before(token) : token.sent.start]
        for other in before:
            if other.dep_ in SUBJECTS and other.head.dep_ == "ROOT":
                if self.is_title(other):
                    return self.title.name
                thing = is_name(other) and other.ent_type_ not in ("", "PERSON")
                return phrase_text(other) if thing else None
        return None


def _may_be_person(token: Token) -> bool:
    """Whether the parser may have taken a person's name for nothing."""
    thing = token.ent_type_ or any(child.lower_ == "the" for child in token.lefts)
    return is_name(token) and token.dep_ in _ROLES and not thing


def _may_be(head: Token, pronoun: str) -> bool:
    """Whether a person may be "he", or "she": a word before the name may say otherwise."""
    before = {word for left in head.lefts for word in folded(left.text)}
    before |= set(folded(head.text))
    return not before & ((MALE | _MISTER) if pronoun in SHE else (FEMALE | _MISTRESS))


def _is_place_of(token: Token) -> bool:
    return token.dep_ == "pobj" and token.head.lower_ in _LOCATIVE


def _sentence_before(token: Token) -> int:
    """The index of the first token of the sentence before `token`'s."""
    start = token.sent.start
    return int(token.doc[start - 1].sent.start) if start else 0
