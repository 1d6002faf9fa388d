"""What the entries of a collection say, by what they say it of."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from gear_app.suggestions import wording
from gear_app.suggestions.entries import DocumentEntry, EntryValue
from gear_app.suggestions.identity import Identities, ids, is_id, is_name, prefix
from gear_app.text import normalise_entity
from gear_app.types import Passage

FAMILY = 3  # titles at least that begin alike, as in "Service catalogue: quay"
TWICE = 2  # a word before ids, or behind them, says what they are where it does so again
_FAMILY = re.compile(r"([^\W\d_][\w ]{2,30}): (\w[\w-]*(?: \w[\w-]*)?)")
_HOLDERS = re.compile(
    r" (?:catalogue|register|list|sheet|card|file|profile|page|record|entry|notes?)$", re.IGNORECASE
)
_NUMBERED = re.compile(r"[^\W\d_]+ \d+$")
_BEFORE_ID = re.compile(r"([^\W\d_]{3,}) ([^\W\d_]{1,8}[-–/]?\d[\w-]*|\d{4}-\d{3,})")


class QuestionTarget(NamedTuple):
    """An entry about a thing, or one that has it as a value (`beside`), and a value to ask for."""

    entry: DocumentEntry
    value: EntryValue
    beside: bool


class Told:
    """What entries say of things, by what their names stand for."""

    def __init__(
        self, found: Sequence[DocumentEntry], identities: Identities, passages: Sequence[Passage]
    ) -> None:
        """Of these entries of these passages."""
        self.entries, self.identities = found, identities
        self._titles = Counter(normalise_entity(passage.title) for passage in passages)
        self._of_kind = _nouns_of_ids(passages)
        self._series: dict[str, set[str]] = defaultdict(set)  # ids that begin alike
        for passage in passages:
            for id_ in ids(passage.indexed):
                self._series[prefix(id_)].add(identities.of(id_))
        self.families = _families(found)
        self.about: dict[str, list[DocumentEntry]] = defaultdict(list)
        self.beside: dict[str, list[tuple[DocumentEntry, EntryValue]]] = defaultdict(list)
        self._nouns: dict[str, str] = {}
        self._answers: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._same: Counter[tuple[str, str]] = Counter()
        self._keys: Counter[str] = Counter()
        for entry in found:
            self._learn(entry)

    def _learn(self, entry: DocumentEntry) -> None:
        identity = self.named(entry)
        if identity:
            self.about[identity].append(entry)
            if wording.noun_key(entry.noun):
                self._nouns.setdefault(identity, entry.noun)
        for value in entry.values:
            if other := self.identity(name_of(value)) or _numbered(value):
                self.beside[other].append((entry, value))
            key, text = value.key.lower(), normalise_entity(value.text)
            self._answers[identity or normalise_entity(entry.name), key].add(text)
            self._same[key, text] += 1
            self._keys[key] += 1

    def identity(self, words: str) -> str:
        """What a name stands for; "" where it is none or may be several."""
        return self.identities.of(words) or (words if words in self.families else "")

    def named(self, entry: DocumentEntry) -> str:
        """What an entry's name stands for; "" where it is only called by its passage's title."""
        if not entry.titled:
            return self.identities.of(entry.name) or "".join(_NUMBERED.findall(entry.name))
        family = _FAMILY.fullmatch(entry.name)
        return family[2] if family and family[2] in self.families else ""

    def noun(self, identity: str, name: str) -> str:
        """What a thing is: by its column or key, its family, or as ids of its kind are called; an
        id of a series that nothing calls is a "GT item". "" where nobody knows.
        """
        known = self._nouns.get(identity) or self.families.get(identity, "")
        if known or not is_id(name):
            return known
        letters = prefix(name)
        alone = len(letters) < TWICE  # "G-30" is of a series, "B77" a type of something
        fewest = FAMILY if alone and f"{letters}-" in name else TWICE
        series = (not alone or "-" in name) and len(self._series[letters]) >= fewest
        return self._of_kind.get(letters, "") or (f"{letters} item" if series else "")

    def of_noun(self, identity: str) -> str:
        """The noun under which a thing that has no id is a value elsewhere, so that where its name
        stands in a text, it is this that is meant; else "".
        """
        noun = self._nouns.get(identity, "")
        said = any(value.key.lower() == noun for _, value in self.beside.get(identity, ()))
        return noun if said else ""

    def single(self, entry: DocumentEntry, value: EntryValue) -> bool:
        """Whether a thing has one value under a key, wherever it is told of."""
        name = self.named(entry) or normalise_entity(entry.name)
        return len(self._answers[name, value.key.lower()]) == 1

    def only(self, passage: Passage) -> bool:
        """Whether no other passage has its title."""
        return self._titles[normalise_entity(passage.title)] == 1

    def recurs(self, key: str) -> bool:
        """Whether several entries have the key."""
        return self._keys[key.lower()] > 1

    def repeated(self, value: EntryValue) -> int:
        """How many entries say the same under the same key."""
        return self._same[value.key.lower(), normalise_entity(value.text)]

    def targets(self, identity: str) -> list[QuestionTarget]:
        """What may be asked of a thing: what is said of it, else what the only row says that has
        it as a value.
        """
        own = [
            QuestionTarget(entry, value, beside=False)
            for entry in self.about.get(identity, ())
            for value in entry.values
        ]
        rows = [pair for pair in self.beside.get(identity, ()) if pair[0].tabular]
        if own or len(rows) != 1:
            return own
        entry, here = rows[0]
        return [
            QuestionTarget(entry, value, beside=True) for value in entry.values if value is not here
        ]


def name_of(value: EntryValue) -> str:
    """The name in a value, without what says more of it: "Ida Marsh" of "Ida Marsh, desk"."""
    first, *rest = value.text.split(", ")
    return first if is_name(first) and len(rest) == 1 and rest[0][:1].islower() else value.text


def _numbered(value: EntryValue) -> str:
    """What a number under a noun stands for: "locker 31"; else ""."""
    noun = value.key.lower()
    return f"{noun} {value.text}" if value.text.isdigit() and wording.noun_key(noun) else ""


def _families(found: Sequence[DocumentEntry]) -> dict[str, str]:
    """Things that only titles name, as in "Service catalogue: quay", and what they are."""
    matches = {entry.name: _FAMILY.fullmatch(entry.name) for entry in found if entry.titled}
    sizes = Counter(match[1] for match in matches.values() if match)
    nouns: dict[str, str] = {}
    for match in matches.values():
        if match and sizes[match[1]] >= FAMILY:
            nouns[match[2]] = _HOLDERS.sub("", match[1]).lower()
    return nouns


def _nouns_of_ids(passages: Sequence[Passage]) -> dict[str, str]:
    """What ids that begin alike are called: by the word before them ("ticket GT-219"), or by what
    stands behind them in titles ("DR-07 Damage report"), where it does so more than once.
    """
    said: dict[str, Counter[str]] = defaultdict(Counter)
    for passage in passages:
        text = f"{passage.title}\n{passage.text}"
        before = {(prefix(m[2]), m[1].lower()) for m in _BEFORE_ID.finditer(text) if is_id(m[2])}
        for kind, word in before:
            said[kind][word] += wording.noun_key(word)
        first, *rest = passage.title.split()[:4] or [""]
        if is_id(first) and rest and all(word.isalpha() for word in rest):
            said[prefix(first)][" ".join(rest).lower()] += passage.title.count(" ") < 4
    best = {kind: words.most_common(1)[0] for kind, words in said.items() if words}
    return {kind: word for kind, (word, number) in best.items() if number >= TWICE}
