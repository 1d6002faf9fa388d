"""Names in triples: which sides of a triple are specific names, and what they are names of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from gear_app.english.answer_types import is_date
from gear_app.english.words import FUNCTION_WORDS, PREPOSITIONS, word_set
from gear_app.suggestions.relation import BE, relation
from gear_app.text import normalise_entity, tokenise
from gear_app.types import Passage, Triple

LONGEST = 5  # words of a name
_PARTS = word_set("of the de del della van von der den di da du la le and al el zu on in for y")
_NO_NAMES = word_set(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june"
    " july august september october november december spring summer autumn winter today tomorrow"
    " english french german american british european italian spanish latin christian north south"
    " east west he she it they we you i nobody everybody somebody all both one two three four five"
    " first second third another most more every each any some no yes ok part chapter page none new"
)
_PEOPLE = word_set(
    "person man woman boy girl singer writer poet painter king queen doctor nurse pianist"
    " prince princess saint chemist physicist surgeon president general wife husband father mother"
    " brother sister son daughter uncle aunt nephew niece cousin widow lodger student pupil friend"
    " boatman fisherman heir monk nun priest bishop baker tailor smith clerk guitarist drummer"
    " bassist politician musician lawyer officer critic historian assistant colleague actress"
)
_PERSON_ENDINGS = ("er", "or", "ist", "ian", "man", "woman", "ess")
_NO_PEOPLE = word_set(
    "river tower number order paper chapter letter water computer scanner server container printer"
    " motor harbor border cover poster center theater quarter reactor sensor router newspaper"
    " freighter steamer door floor monitor cancer disorder glacier chamber collier"
)
_LIFE = word_set("born died married studied educated raised buried")
_PLACES = word_set("city town village country river lake island port region state street harbour")
_DEFINED = re.compile(
    r"\b(?:is|was) (?:an?|the) ((?:[\w'-]+ ){0,4}?[a-z-]+)(?=[,.;:)]|$| (?:of|in|and|who|that|which"
    r"|from|by|with|at|for|on|to|near|whose|where|when|born|known|called|named|made|built)\b)"
)
_NO_NOUNS = word_set("name part one first last only member same own way")
_PERSONAL = ("he", "she", "his", "her", "him")
_DEFINING = 90  # characters from a passage's beginning to its definition
_STOPS = FUNCTION_WORDS | PREPOSITIONS | word_set("who that which known named called born")


def is_name(words: str) -> bool:
    """Whether the words are a specific name: capitals or figures throughout, and no date."""
    parts = words.split()
    if not 0 < len(parts) <= LONGEST or not re.fullmatch(r"[\w .'’&/-]+", words):
        return False
    content = [part for part in parts if part not in _PARTS]
    if not content or not all(part[0].isupper() or any(map(str.isdigit, part)) for part in content):
        return False
    if parts[0] in _PARTS or parts[-1] in _PARTS or not any(map(str.isalpha, words)):
        return False
    return not (normalise_entity(words) in _NO_NAMES or is_date(words) or content[0] == "The")


@dataclass(slots=True)
class KnownNames:
    """What is known of the names of a collection: what each is, and where it stands.

    `nouns` say what a name is of, as in "English singer"; `places`, `people` are those that stand
    where only such do; `passages` the ids of those that have it in a triple.
    """

    nouns: dict[str, str] = field(default_factory=dict)
    people: set[str] = field(default_factory=set)
    places: set[str] = field(default_factory=set)
    passages: dict[str, set[int]] = field(default_factory=dict)
    _personal: set[str] = field(default_factory=set)  # whose passage says "he" or "she"

    @classmethod
    def of(cls, triples: Iterable[Triple], passages: Sequence[Passage]) -> KnownNames:
        """Gather them from triples ("X is an English singer") and from passages' first words."""
        names = cls()
        for passage in passages:
            names._define(passage)
        for triple in triples:
            names._learn(triple)
        return names

    def number(self, name: str) -> int:
        """How many passages have it in a triple."""
        return len(self.passages.get(normalise_entity(name), ()))

    def noun(self, name: str) -> str:
        """What it is, in one or two words; "" where nothing says so."""
        key = normalise_entity(name)
        if found := self.nouns.get(key):
            return found
        return "person" if self.is_person(name) else ""

    def is_person(self, name: str) -> bool:
        """Whether it is a person's name."""
        key = normalise_entity(name)
        noun = self.nouns.get(key, "")
        head = noun.split()[-1] if noun else ""
        if head in _PEOPLE:
            return True
        written = [part for part in name.split() if part.isalpha()]
        several = len(written) > 1 and not any(part.isupper() for part in written)
        personal = key in self._personal and several
        if head:
            return personal and head.endswith(_PERSON_ENDINGS)
        return personal or key in self.people

    def is_place(self, name: str) -> bool:
        """Whether it is a place's name."""
        key = normalise_entity(name)
        noun = self.nouns.get(key, "").split()
        return key in self.places or bool(noun and noun[-1] in _PLACES)

    def _define(self, passage: Passage) -> None:
        """Learn what its title names, where its first sentence is a definition."""
        title = re.sub(r"\s*\([^)]*\)$", "", passage.title)
        key = normalise_entity(title)
        if not key:
            return
        words = tokenise(passage.text)
        if sum(map(words.count, _PERSONAL)) > sum(map(words.count, ("it", "its"))) + 1:
            self._personal.add(key)
        start = passage.text.find(title.split()[-1], 0, len(title) + _DEFINING)
        found = _DEFINED.search(passage.text, max(start, 0), len(title) + _DEFINING)
        if start < 0 or found is None:
            return
        between = passage.text[start + len(title.split()[-1]) : found.start()].strip()
        if re.fullmatch(r"(\([^)]*\))?(,[^.]*,)?", between) and (noun := noun_phrase(found[1])):
            self.nouns.setdefault(key, noun)

    def _learn(self, triple: Triple) -> None:
        subject, object_ = normalise_entity(triple.subject), normalise_entity(triple.object)
        for side in (subject, object_):
            self.passages.setdefault(side, set()).add(triple.passage_id)
        if triple.predicate in BE:
            if triple.span is None and (noun := noun_phrase(triple.object)):
                self.nouns.setdefault(subject, noun)
            return
        found = relation(triple.predicate)
        if found is None:
            return
        if found.kind in ("state", "action") and found.verb in _LIFE:
            self.people.add(subject)
            if found.preposition == "in" and not is_date(triple.object):
                self.places.add(object_)


def noun_phrase(words: str) -> str:
    """The noun of a definition with its adjectives, up to its first function word; "" for none."""
    parts = words.split()
    while parts and parts[0].lower() in ("a", "an", "the"):
        parts = parts[1:]
    kept: list[str] = []
    for part in parts:
        if part.lower() in _STOPS or not part.replace("-", "").isalpha():
            break
        kept.append(part)
    head = kept[-1] if kept else ""
    if not len(head) > 2 or len(kept) > 3 or not head.islower() or head in _NO_NOUNS:
        return ""
    if head.endswith(("ed", "ing", "est", "th")):  # an adjective, an ordinal
        return ""
    return " ".join(kept)


def is_person_noun(noun: str) -> bool:
    """Whether the noun is of people: "English singer"."""
    head = noun.split()[-1] if noun else ""
    return head in _PEOPLE or (head.endswith(_PERSON_ENDINGS) and head not in _NO_PEOPLE)
