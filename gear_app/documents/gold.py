"""Gold passages that a question names by title or text, and the search for them.

A question has a key for each until it is known which passage is meant: the name in the file, or the
key derived from title and text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import replace

from gear_app.core.text import title_and_section
from gear_app.core.types import Question

_WORD = re.compile(r"\w+")
_BETWEEN = re.compile(r"(?<=[.!?])(?<!\b\w\.)\s+")  # sentences, which may be in several passages
_SHORTEST = 12  # characters of a text that is looked for inside passages
_KEY_WORDS = 3  # by which a text is looked up
_PART = re.compile(r"#\d+$")


# Title of a gold passage, or a text in it, or both; the same in both where the file does not say
# which it is.
GoldClue = tuple[str, str]


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
        self._titled: dict[str, set[str]] = {}  # documents with the title
        self._matches: dict[str, dict[int, tuple[bool, str]]] = {}  # by part: titled, passage
        for name, (title, passage) in clues.items():
            if title:
                self._titles.setdefault(plain(title), []).append(name)
            for part, text in enumerate([passage, *_BETWEEN.split(passage)]):
                words = plain(text).split()
                if len(text) >= _SHORTEST and words:
                    start = " ".join(words[:_KEY_WORDS])
                    self._texts.setdefault(start, []).append((" ".join(words), name, part))

    def look(self, key: str, title: str, text: str) -> None:
        """Compare one passage with all clues."""
        full = plain(title)
        titles = {full, plain(title_and_section(title)[0])} if self._titles else set[str]()
        titled = {name for title in titles for name in self._titles.get(title, ())}
        for name in titled:
            self._titled.setdefault(name, set()).add(_PART.sub("", key))
        if not self._texts:
            return
        words = f"{full} {plain(text)}".split()
        joined = f" {' '.join(words)} "
        lengths = range(1, _KEY_WORDS + 1)
        starts = {" ".join(words[n : n + length]) for n in range(len(words)) for length in lengths}
        for start in starts & self._texts.keys():
            for sentence, name, part in self._texts[start]:
                parts = self._matches.setdefault(name, {})
                better = part not in parts or (name in titled) > parts[part][0]
                if better and f" {sentence} " in joined:
                    parts[part] = name in titled, key

    def result(self) -> dict[str, tuple[str, ...]]:
        """Keys of the passages by the keys of their clues."""
        return {name: keys for name in self._clues if (keys := self._keys(name))}

    def _keys(self, name: str) -> tuple[str, ...]:
        (title, text), parts = self._clues[name], self._matches.get(name, {})
        titled = tuple(self._titled.get(name, ()))
        if titled and text in ("", title):
            return titled[:1]
        if 0 in parts:
            return (parts[0][1],)
        keys = dict.fromkeys(parts[part][1] for part in sorted(parts))
        return tuple(keys) or (titled if len(titled) == 1 else ())


def plain(text: str) -> str:
    """Words of a text, case-folded, a blank between them."""
    composed = text if text.isascii() else unicodedata.normalize("NFKC", text)
    return " ".join(_WORD.findall(composed.casefold().replace("_", " ")))


def resolve_gold(question: Question, result: Mapping[str, tuple[str, ...]]) -> Question:
    """The question with the passages that were found in place of the keys of their clues."""
    grades: dict[str, int] = {}
    for old, grade in question.grades.items():
        for key in result.get(old, (old,)):
            grades[key] = max(grade, grades.get(key, 0))
    hops = tuple(
        replace(hop, supporting_key=result.get(hop.supporting_key, (hop.supporting_key,))[0])
        for hop in question.decomposition
    )
    return replace(question.with_gold(grades), decomposition=hops)
