"""Gold passages that a question names by title or text, and the search for them.

A question has a key for each until it is known which passage is meant: the name in the file, or the
key derived from title and text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from gear_app.core.text import title_and_section
from gear_app.core.types import Question

_WORD = re.compile(r"\w+")
# Between texts that may be in several passages: sentences, lines, and marks of lists.
_BETWEEN = re.compile(r"(?<=[.!?])(?<!\b\w\.)\s+|(?<=[。！？])|\s*[\n|;]\s*")
_SHORTEST = 12  # characters of a text that is looked for inside passages
_KEY_WORDS = 3  # by which a text is looked up
_PART = re.compile(r"#\d+$")


class GoldClue(NamedTuple):
    """Title of a gold passage, or a text in it, or both; the same in both where the file does not
    say which it is.
    """

    title: str = ""
    text: str = ""

    @property
    def is_name(self) -> bool:
        """Whether it may as well be an id."""
        return self.title == self.text and len(self.text.split()) == 1


class GoldSearch:
    """Search for gold passages: call `look` for every passage, then `result`.

    A text is in a passage with all of its words; else its sentences are, each in a passage of its
    own. A passage with the right title goes before others. A title alone is enough where no text is
    known, or where one passage has it.
    """

    def __init__(self, clues: Mapping[str, GoldClue]) -> None:
        """`clues` by the keys that stand for them."""
        self._clues = clues
        self._titles: dict[str, list[str]] = {}
        self._texts: dict[str, list[tuple[str, str, int]]] = {}  # words, key, number of the part
        self._lengths: set[int] = set()
        self._parts: dict[str, int] = {}  # number of the last part of a clue's text
        self._titled: dict[str, str] = {}
        self._ambiguous: set[str] = set()  # keys whose title several documents have
        self._matches: dict[tuple[str, int], tuple[bool, str]] = {}  # titled, passage
        for name, clue in clues.items():
            if clue.title:
                self._titles.setdefault(plain(clue.title), []).append(name)
            for part, text in enumerate(_texts(clue.text)):
                self._add_text(name, part, plain(text).split())

    def _add_text(self, name: str, part: int, words: list[str]) -> None:
        length = min(_KEY_WORDS, len(words))
        if length:
            self._lengths.add(length)
            self._parts[name] = part
            start = " ".join(words[:length])
            self._texts.setdefault(start, []).append((" ".join(words), name, part))

    def look(self, key: str, title: str, text: str) -> None:
        """Compare one passage with all clues."""
        full = plain(title)
        names = {full, plain(title_and_section(title)[0])} if self._titles else set[str]()
        titled = {name for title in names for name in self._titles.get(title, ())}
        document = _PART.sub("", key)
        for name in titled:
            if self._titled.setdefault(name, document) != document:
                self._ambiguous.add(name)
        if not self._texts:
            return
        words = f"{full} {plain(text)}".split()
        joined = f" {' '.join(words)} "
        starts = {
            " ".join(words[place : place + length])
            for length in self._lengths
            for place in range(len(words))
        }
        for start in starts & self._texts.keys():
            for sentence, name, part in self._texts[start]:
                before = self._matches.get((name, part))
                if f" {sentence} " in joined and (before is None or (name in titled) > before[0]):
                    self._matches[name, part] = name in titled, key

    def result(self) -> dict[str, tuple[str, ...]]:
        """Keys of the passages by the keys of their clues."""
        return {name: keys for name in self._clues if (keys := self._keys(name))}

    def _keys(self, name: str) -> tuple[str, ...]:
        clue = self._clues[name]
        titled = (self._titled[name],) if name in self._titled else ()
        if titled and clue.text in ("", clue.title):
            return titled
        if (name, 0) in self._matches:
            return (self._matches[name, 0][1],)
        parts = ((name, part) for part in range(1, self._parts.get(name, 0) + 1))
        keys = [self._matches[part][1] for part in parts if part in self._matches]
        if keys or name in self._ambiguous:
            return tuple(dict.fromkeys(keys))
        return titled


def remark(clues: Mapping[str, GoldClue], result: Mapping[str, tuple[str, ...]]) -> str:
    """Sentence on how much gold was found; "" where all clues may be ids of absent passages."""
    missing = sum(not clue.is_name for name, clue in clues.items() if name not in result)
    total = len(result) + missing
    return f"gold by title or text: {len(result):,} of {total:,} found" if total else ""


def _texts(text: str) -> Iterator[str]:
    """A text, and its sentences where it has several, but for those too short to search."""
    if len(text) >= _SHORTEST:
        yield text
        parts = [part for part in _BETWEEN.split(text) if part]
        if len(parts) > 1:
            yield from (part for part in parts if len(part) >= _SHORTEST)


def plain(text: str) -> str:
    """Words of a text, case-folded, a blank between them."""
    composed = text if text.isascii() else unicodedata.normalize("NFKC", text)
    return " ".join(_WORD.findall(composed.casefold().replace("_", " ")))


def resolve_gold(question: Question, result: Mapping[str, tuple[str, ...]]) -> Question:
    """The question with the passages that were found in place of the keys of their clues."""
    if not any(key in result for key in question.supporting_keys):
        return question
    grades: dict[str, int] = {}
    for old, grade in question.grades.items():
        for key in result.get(old, (old,)):
            grades[key] = max(grade, grades.get(key, 0))
    hops = tuple(
        replace(hop, supporting_key=result.get(hop.supporting_key, (hop.supporting_key,))[0])
        for hop in question.decomposition
    )
    return replace(question.with_gold(grades), decomposition=hops)
