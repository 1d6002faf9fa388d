"""Who is meant: pronouns, surnames, partial titles and "the film" as the entity they stand for.

The title is the first candidate, since most passages are about theirs; other people of the passage are the second.
What cannot be resolved is None, and makes no triple.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gear_app.extract.phrases import extent, wording
from gear_app.extract.title import Title
from gear_app.extract.words import (
    BE, FEMALE, GENERIC, HE, IT, MALE, PEOPLE, PRONOUNS, SHE, THEY, THINGS, folded, is_name, singular,
)  # fmt: skip

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_SUBJECTS = ("nsubj", "nsubjpass")
_LOCATIVE = frozenset("in at to from near into toward towards around through".split())
_FEATURES = frozenset("river lake mountain mountains mount island islands creek valley company corporation inc records band".split())


class Resolver:
    """Resolves the tokens of one parsed passage. `born`: the opening brackets told a birth or a death."""

    def __init__(self, doc: Doc, title: Title, *, born: bool = False) -> None:
        """Read off the first sentence and the pronouns what the title is."""
        self._doc = doc
        self.title = title
        self.subject = _first_subject(doc)
        self.about = self.subject is not None and self._lead(self.subject, born)
        self.types = _types(self.subject) if self.about and self.subject is not None else frozenset()
        self.people = _people(doc)
        self.person = self._is_person(born)
        self.female = self._is_female()

    def entity(self, token: Token) -> str | None:
        """The name of what the phrase headed by `token` stands for, or None."""
        lower = token.text.lower()
        if token.tag_ in ("PRP", "PRP$") or lower in IT | HE | SHE | THEY:
            return self._pronoun(token)
        if lower in PRONOUNS or token.tag_ in ("WP", "WDT", "EX", "DT", "WRB", "WP$"):
            return None
        if self.is_title(token):
            return self.title.name
        return self._full_name(token) or wording(token) or None

    def is_title(self, token: Token) -> bool:
        """Whether the phrase headed by `token` names the title or stands for it ("the film")."""
        if token is self.subject and self.about:
            return True
        words = folded(wording(token))
        if is_name(token) and words and self._names_title(token, words):
            return True
        return not is_name(token) and self.stands_for_title(token)

    def stands_for_title(self, token: Token) -> bool:
        """Whether it is "the N" or "this N" with nothing but a type of thing: the film, the company."""
        determiner = [c for c in token.lefts if c.tag_ == "DT"]
        if not determiner or determiner[0].text.lower() not in ("the", "this") or len(list(token.lefts)) > 1:
            return False
        noun = singular(token.text)
        if any(c.dep_ in ("prep", "relcl", "acl", "appos") and c.i == token.i + 1 for c in token.rights):
            return False
        typed = noun in self.types or (not self.types and noun in GENERIC and noun in self.title.words)
        return typed or (noun in GENERIC and self.about and not self.person and not (self.types & THINGS - {noun} and noun in THINGS))

    def _names_title(self, token: Token, words: tuple[str, ...]) -> bool:
        mine = self.title.words
        if words == mine or any(words == folded(form) for form in self.title.forms):
            return not (self._is_place_of(token) and self.types & {"club", "team", "group", "band", "album", "film", "song"})
        if not set(words) < set(mine):
            return self.person and len(mine) >= 2 and words[0] == mine[0] and words[-1] == mine[-1] and set(mine) < set(words)
        if self.person:
            return len(words) <= 2 and (words[-1] == mine[-1] or words == mine[:1]) and words[-1] not in self.others
        return bool(set(mine) - set(words) <= _FEATURES) and not self._is_place_of(token)

    @property
    def others(self) -> frozenset[str]:
        """No names, so far, that could be confused with the title's."""
        return frozenset()

    def _is_place_of(self, token: Token) -> bool:
        return token.dep_ == "pobj" and token.head.text.lower() in _LOCATIVE

    def _full_name(self, token: Token) -> str | None:
        """A lone surname as the last full name of the passage that ends in it."""
        if not is_name(token) or len(wording(token).split()) != 1:
            return None
        mine = folded(token.text)
        for end, name in reversed(self.people):
            parts = folded(name)
            if end < token.i and len(parts) > 1 and mine and parts[-1] == mine[-1] and token.ent_type_ in ("PERSON", "ORG", ""):
                return name
        return None

    def _pronoun(self, token: Token) -> str | None:
        lower = token.text.lower()
        if lower in HE or lower in SHE:
            if self.person and (lower in SHE) == self.female:
                return self.title.name
            return self._last_person(token)
        if lower in IT:
            if self.person:
                return None
            return self.title.name if self.about else self._last_subject(token)
        if lower in THEY and self.types & {"band", "group", "team", "duo", "club", "trio", "quartet"}:
            return self.title.name
        return None

    def _last_person(self, token: Token) -> str | None:
        """The person named last before `token`, a subject of this or the last sentence first; never the title."""
        known = [(end, name) for end, name in self.people if end < token.i and not (self.person and self._same(name))]
        near = [(end, name) for end, name in known if end >= _sentence_before(token)]
        subjects = [name for end, name in near if self._doc[end].dep_ in _SUBJECTS]
        if subjects:
            return subjects[-1]
        return near[-1][1] if near else None

    def _same(self, name: str) -> bool:
        return folded(name)[-1:] == self.title.words[-1:]

    def _last_subject(self, token: Token) -> str | None:
        """The subject of the sentence before, if it is a name that is no person."""
        start = _sentence_before(token)
        for other in self._doc[start : token.sent.start]:
            if other.dep_ in _SUBJECTS and other.head.dep_ == "ROOT":
                if self.is_title(other):
                    return self.title.name
                return wording(other) if is_name(other) and other.ent_type_ != "PERSON" else None
        return None

    def _lead(self, subject: Token, born: bool) -> bool:
        """Whether the first sentence's subject is the title."""
        start, end = extent(subject)
        words, mine = set(folded(self._doc[start:end].text)), self.title.words
        if subject.tag_ == "PRP" or subject.text.lower() in IT | HE | SHE:
            return True
        if not mine or not words:
            return False
        shared = words & set(mine)
        if is_name(subject):
            return words == set(mine) or set(mine) <= words or (mine[-1] in words and len(shared) * 2 >= min(len(words), len(mine))) or (
                born and bool(shared)) or (len(shared) * 2 >= len(mine) and not words - set(mine))
        return set(mine) == words or set(mine) == {singular(w) for w in words}

    def _is_person(self, born: bool) -> bool:
        if self.types & THINGS and not self.types & PEOPLE:
            return False
        if born or self.types & PEOPLE:
            return True
        counts = _counts(self._doc)
        if counts[0] + counts[1] <= counts[2] or not _namelike(self.title.name):
            return False
        first = next(t for t in self._doc if t.text.lower() in HE | SHE)
        earlier = [name for end, name in self.people if end < first.i and self._doc[end].dep_ in _SUBJECTS]
        return self.about or not earlier or any(self._same(name) for name in earlier)

    def _is_female(self) -> bool:
        he, she, _ = _counts(self._doc)
        if self.types & FEMALE and not self.types & MALE:
            return she > 0 or he == 0
        if self.types & MALE and not self.types & FEMALE:
            return False
        return she > he


def _counts(doc: Doc) -> tuple[int, int, int]:
    """How many masculine, feminine and neuter pronouns there are."""
    words = [token.text.lower() for token in doc]
    return sum(w in HE for w in words), sum(w in SHE for w in words), sum(w in IT for w in words)


def _first_subject(doc: Doc) -> Token | None:
    for sentence in doc.sents:
        return next((t for t in sentence if t.dep_ in _SUBJECTS and t.head.dep_ == "ROOT"), None)
    return None


def _types(subject: Token) -> frozenset[str]:
    """The nouns after "is a": what the first sentence says its subject is."""
    if subject.head.text.lower() not in BE:
        return frozenset()
    nouns = [t for child in subject.head.children if child.dep_ == "attr" for t in (child, *child.conjuncts)]
    return frozenset(singular(noun.text) for noun in nouns)


def _people(doc: Doc) -> list[tuple[int, str]]:
    """(index of the last token, name) of the persons named in the text, in order."""
    return [(span.root.i, wording(span.root)) for span in doc.ents if span.label_ == "PERSON" and wording(span.root)]


def _sentence_before(token: Token) -> int:
    """The index of the first token of the sentence before `token`'s."""
    start = token.sent.start
    return token.doc[start - 1].sent.start if start else 0


def _namelike(name: str) -> bool:
    """Whether a title could be a person's name: two to five capitalised words, none of them a kind of thing."""
    words = name.split()
    return 1 <= len(words) <= 6 and all(w[:1].isupper() or len(w) <= 3 for w in words) and not set(folded(name)) & GENERIC
