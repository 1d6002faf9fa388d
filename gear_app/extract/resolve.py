"""Who is meant: pronouns, surnames, partial titles and "the film" as the entity they stand for.

The title is the first candidate, since most passages are about theirs; other people of the passage are the second.
What cannot be resolved is None, and makes no triple.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gear_app.extract.about import Subject
from gear_app.extract.phrases import alternative, wording
from gear_app.extract.title import Title
from gear_app.extract.words import GENERIC, HE, IT, KIN, PRONOUNS, SCREEN, SHE, THEY, THINGS, folded, is_name, singular

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_SUBJECTS = ("nsubj", "nsubjpass")
_LOCATIVE = frozenset("in at to from near into toward towards around through".split())
_FEATURES = frozenset("river lake mountain mountains mount island islands creek valley company corporation inc records band".split())
_GROUPS = frozenset("band group team duo club trio quartet company label".split())
_NAMESAKES = frozenset("club team group band album film song novel book".split())


class Resolver:
    """Resolves the tokens of one parsed passage. `born`: the opening brackets told a birth or a death."""

    def __init__(self, doc: Doc, title: Title, *, born: bool = False, renamed: bool = False) -> None:
        """Find out what the title is and who else is named. `renamed`: the opening brackets hold the title."""
        self._doc = doc
        self.title = title
        self.people = _people(doc)
        self.subject = Subject.of(doc, title, self.people, born=born, renamed=renamed)

    @property
    def about(self) -> bool:
        """Whether the text opens with the title as its subject."""
        return self.subject.about

    @property
    def screened(self) -> bool:
        """Whether the text speaks of films, series or roles."""
        return any(token.lower_ in SCREEN for token in self._doc)

    @property
    def aliases(self) -> list[str]:
        """What the opening calls the title, where that is another name: "Franz Sequens, or František Sequens, was"."""
        token = self.subject.token
        if not self.about or token is None or not is_name(token):
            return []
        others = [c for c in token.rights if c.dep_ in ("conj", "appos") and is_name(c) and alternative(token)]
        names = [wording(t) for t in (token, *others)]
        return [name for name in names if len(folded(name)) > 1 and not set(folded(name)) <= set(self.title.words)]

    def entity(self, token: Token) -> str | None:
        """The name of what the phrase headed by `token` stands for, or None."""
        lower = token.text.lower()
        if token.tag_ in ("PRP", "PRP$") and " " not in token.text or lower in IT | HE | SHE | THEY:
            return self._pronoun(token)
        if lower in PRONOUNS or token.tag_ in ("WP", "WDT", "EX", "DT", "WRB", "WP$") and " " not in token.text:
            return None
        if self.is_title(token):
            return self.title.name
        return self._full_name(token) or wording(token) or None

    def is_title(self, token: Token) -> bool:
        """Whether the phrase headed by `token` names the title or stands for it ("the film")."""
        if token == self.subject.token and self.about:
            return True
        if is_name(token) or (token.text[:1].isupper() and folded(token.text) == (self.title.surname,)):
            words = folded(wording(token))
            return bool(words) and self._names_title(token, words)
        return self._stands_for_title(token)

    def introduces(self, token: Token) -> bool:
        """Whether a common noun of the first sentence says what the title is, however it was parsed."""
        return self.about and token.sent.start == 0 and singular(token.text) in THINGS & self.subject.types

    def opens_with_title(self, token: Token) -> bool:
        """Whether `token` ends the first mention of the title, before the first verb."""
        subject = self.subject.token
        return self.about and subject is not None and token.i <= subject.right_edge.i and token.i < subject.head.i <= 40 and (
            token == subject or token.i >= subject.left_edge.i and not any(c.tag_ == "CC" and c.lower_ != "or" for c in self._doc[: token.i])
        )

    def _stands_for_title(self, token: Token) -> bool:
        """Whether it is "the N" or "this N" with nothing but a type of thing: the film, the company."""
        left = list(token.lefts)
        if len(left) != 1 or left[0].text.lower() not in ("the", "this") or singular(token.text) in KIN:
            return False
        if any(c.dep_ in ("prep", "relcl", "acl", "appos") and c.i == token.i + 1 for c in token.rights):
            return False
        noun, types = singular(token.text), self.subject.types
        if noun in types or (noun,) == self.title.words[-1:]:
            return True
        return bool(types) and noun in GENERIC and self.about and not self.subject.person and not (types & THINGS - {noun} and noun in THINGS)

    def _names_title(self, token: Token, words: tuple[str, ...]) -> bool:
        mine = self.title.words
        if words == mine or any(words == folded(form) for form in self.title.forms):
            return not (_is_place_of(token) and self.subject.types & _NAMESAKES)
        if self.subject.person:
            if set(words) < set(mine):
                return len(words) <= 2 and (self.title.surname in words or words == mine[:1])
            return len(mine) >= 2 and words[0] == mine[0] and words[-1] == mine[-1] and set(mine) < set(words)
        return set(words) < set(mine) and set(mine) - set(words) <= _FEATURES and not _is_place_of(token)

    def _full_name(self, token: Token) -> str | None:
        """A lone surname as the last full name of the passage that ends in it."""
        if not is_name(token) or " " in token.text or len(wording(token).split()) != 1 or token.ent_type_ not in ("PERSON", "ORG", ""):
            return None
        mine = folded(token.text)
        for end, name in reversed(self.people):
            parts = folded(name)
            if end < token.i and len(parts) > 1 and parts[-1:] == mine:
                return name
        return None

    def _pronoun(self, token: Token) -> str | None:
        lower = token.text.lower()
        if lower in HE | SHE:
            mine = self.subject.person and (lower in SHE) == self.subject.female
            return self.title.name if mine else self._last_person(token)
        if lower in IT and not self.subject.person:
            return self.title.name if self.about else self._last_subject(token)
        if lower in THEY and self.subject.types & _GROUPS:
            return self.title.name
        return None

    def _last_person(self, token: Token) -> str | None:
        """The person named last before `token`, a subject of this or the last sentence first; never the title."""
        start = _sentence_before(token)
        known = [(end, name) for end, name in self.people if start <= end < token.i and not (self.subject.person and self._same(name))]
        subjects = [name for end, name in known if self._doc[end].dep_ in _SUBJECTS]
        names = subjects or [name for _, name in known]
        return names[-1] if names else None

    def _same(self, name: str) -> bool:
        return self.title.surname in folded(name)[-1:] and set(folded(name)) <= set(self.title.words)

    def _last_subject(self, token: Token) -> str | None:
        """The subject of the sentence before, if it is a name that is no person."""
        start = _sentence_before(token)
        for other in self._doc[start : token.sent.start]:
            if other.dep_ in _SUBJECTS and other.head.dep_ == "ROOT":
                if self.is_title(other):
                    return self.title.name
                return wording(other) if is_name(other) and other.ent_type_ != "PERSON" else None
        return None


def _people(doc: Doc) -> list[tuple[int, str]]:
    """(index of the head, name) of the persons named in the text, in order; a lone surname as the full name before it."""
    found: list[tuple[int, str]] = []
    for span in doc.ents:
        if span.label_ == "PERSON":
            name = wording(span.root)
            full = (other for _, other in reversed(found) if " " in other and folded(other)[-1:] == folded(name))
            found.append((span.root.i, next(full, name)))
    return found


def _is_place_of(token: Token) -> bool:
    return token.dep_ == "pobj" and token.head.text.lower() in _LOCATIVE


def _sentence_before(token: Token) -> int:
    """The index of the first token of the sentence before `token`'s."""
    start = token.sent.start
    return int(token.doc[start - 1].sent.start) if start else 0
