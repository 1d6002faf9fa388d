"""Gold passages that a question names by their title or by a text out of them, and where they are.

A question keeps a key for each, until it is known which passage is meant: the name that the file
gave, or the key that is derived from title and text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from gear_app.text import title_and_section
from gear_app.types import Question

_WORD = re.compile(r"\w+")
# Between what may lie in several passages: sentences, lines, and marks that lists are joined by.
_BETWEEN = re.compile(r"(?<=[.!?])(?<!\b\w\.)\s+|(?<=[。！？])|\s*[\n|;]\s*")
_SHORTEST = 12  # characters of a text that is looked for inside others
_KEY_WORDS = 3  # by which a text is looked up
_PART = re.compile(r"#\d+$")


class Sought(NamedTuple):
    """A gold passage by its title, by a text that is in it, or by both; the same in both where the
    file does not tell which it is.
    """

    title: str = ""
    text: str = ""

    @property
    def is_name(self) -> bool:
        """Whether it may as well be an id: a title or text of one word."""
        return self.title == self.text and len(self.text.split()) == 1


class FoundGold(NamedTuple):
    """Of gold that was looked for by title or text, the keys of the passages by what stands for
    them; `unsure` are those told by a title that several passages have.
    """

    keys: dict[str, tuple[str, ...]]
    unsure: frozenset[str] = frozenset()

    def words(self, sought: Mapping[str, Sought], where: str) -> str:
        """What is said of what was sought; "" where all of it may be ids that nothing has."""
        known = [name for name in sought if name in self.keys]
        of = len(known) + sum(not sought[name].is_name for name in sought if name not in self.keys)
        if not of:
            return ""
        unsure = sum(name in self.unsure for name in known)
        several = f", {unsure:,} by a title that several passages have" if unsure else ""
        return f"gold by title or text: {len(known):,} of {of:,} found {where}{several}"


class GoldSearch:
    """Finds passages that are sought, while all passages of a place go by once.

    A text is in a passage with the words of all of it; else its sentences are, each in a passage
    of its own. One with the title that is sought goes before others. A title alone is enough where
    no text is known, or where one passage has it. Where nothing has a title with commas, the titles
    between these are looked for.
    """

    def __init__(self, sought: Mapping[str, Sought]) -> None:
        """`sought` by the keys that stand for it."""
        self._sought = sought
        self._titles: dict[str, list[str]] = {}
        self._texts: dict[str, list[tuple[str, str, int]]] = {}  # words, of what, which part
        self._lengths: set[int] = set()
        self._parts: dict[str, int] = {}
        self._titled: dict[str, str] = {}
        self._several: set[str] = set()  # of these, titles that several have
        self._found: dict[tuple[str, int], tuple[bool, str]] = {}  # with its title, the key
        for name, one in sought.items():
            for title, stands in ((one.title, name), *_listed(name, one)):
                if title:
                    self._titles.setdefault(plain(title), []).append(stands)
            for part, text in enumerate(_texts(one.text)):
                self._want(name, part, text)

    def _want(self, name: str, part: int, text: str) -> None:
        words = plain(text).split()
        if not words:
            return
        length = min(_KEY_WORDS, len(words))
        self._lengths.add(length)
        self._parts[name] = part
        key = " ".join(words[:length])
        self._texts.setdefault(key, []).append((" ".join(words), name, part))

    def look(self, key: str, title: str, text: str) -> None:
        """A passage goes by."""
        whole = plain(title)
        names = {whole, plain(title_and_section(title)[0])} if self._titles else set[str]()
        titled = {name for one in names for name in self._titles.get(one, ())}
        document = _PART.sub("", key)
        for name in titled:
            first = self._titled.setdefault(name, document)
            self._several |= {name} if first != document else set()
        if not self._texts:
            return
        words = f"{whole} {plain(text)}".split()
        joined = f" {' '.join(words)} "
        starts = {
            " ".join(words[place : place + length])
            for length in self._lengths
            for place in range(len(words))
        }
        for start in starts & self._texts.keys():
            for wanted, name, part in self._texts[start]:
                if f" {wanted} " in joined:
                    before = self._found.get((name, part))
                    if before is None or (name in titled and not before[0]):
                        self._found[name, part] = name in titled, key

    def found(self) -> FoundGold:
        """What was found."""
        keys = {name: keys for name in self._sought if (keys := self._keys(name))}
        unsure = {name for name in self._several if keys.get(name) == (self._titled[name],)}
        return FoundGold(keys, frozenset(unsure - {name for name, _ in self._found}))

    def _keys(self, name: str) -> tuple[str, ...]:
        one = self._sought[name]
        titled = (self._titled[name],) if name in self._titled else ()
        if titled and (not one.text or one.text == one.title):
            return titled
        if (name, 0) in self._found:
            return (self._found[name, 0][1],)
        parts = range(1, self._parts.get(name, 0) + 1)
        keys = [self._found[name, part][1] for part in parts if (name, part) in self._found]
        listed = (stands for _, stands in _listed(name, one))
        keys = keys or [self._titled[stands] for stands in listed if stands in self._titled]
        if keys or name in self._several:
            return tuple(dict.fromkeys(keys))
        return titled


def _listed(name: str, one: Sought) -> Iterator[tuple[str, str]]:
    """The titles between the commas of words that may be a title or several, each with a name that
    stands for it; none where there is no comma.
    """
    titles = one.title.split(",") if one.title == one.text else ()
    if len(titles) > 1:
        yield from ((title, f"{name}\0{place}") for place, title in enumerate(titles))


def _texts(text: str) -> Iterator[str]:
    """A text, and its parts where it has several; none where it is too short to say anything."""
    if len(text) >= _SHORTEST:
        yield text
        parts = [part for part in _BETWEEN.split(text) if part]
        if len(parts) > 1:
            yield from (part for part in parts if len(part) >= _SHORTEST)


def plain(text: str) -> str:
    """Its words in small letters, a blank between them."""
    whole = text if text.isascii() else unicodedata.normalize("NFKC", text)
    return " ".join(_WORD.findall(whole.casefold().replace("_", " ")))


def with_found(question: Question, found: Mapping[str, tuple[str, ...]]) -> Question:
    """The question with the passages that were found in place of what stood for them."""
    if not any(key in found for key in question.supporting_keys):
        return question
    grades: dict[str, int] = {}
    for given, grade in question.grades.items():
        for key in found.get(given, (given,)):
            grades[key] = max(grade, grades.get(key, 0))
    hops = tuple(
        replace(hop, supporting_key=found.get(hop.supporting_key, (hop.supporting_key,))[0])
        for hop in question.decomposition
    )
    return replace(question.with_gold(grades), decomposition=hops)
