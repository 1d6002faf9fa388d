"""Gold passages that a question names by title or text, and the search for them.

A question has a key for each until it is known which passage is meant: the name in the file, or the
key derived from title and text.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

from gear_app.core.text import title_and_section
from gear_app.core.types import Question

_BETWEEN = re.compile(r"(?<=[.!?])(?<!\b\w\.)\s+")  # sentences, which may be in several passages
_SHORTEST = 12  # characters of a text that is looked for inside passages
_KEY_WORDS = 3  # by which a text is looked up


# Title of a gold passage, or a text in it, or both; the same in both where the file does not say
# which it is.
GoldClue = tuple[str, str]


def find_gold(
    clues: Mapping[str, GoldClue], passages: Iterable[tuple[str, str, str]]
) -> dict[str, tuple[str, ...]]:
    """Keys of the passages that clues describe, by the keys of the clues, among passages of key,
    title and text.

    A text is in a passage with all of its words; else its sentences are, each in a passage of its
    own. A passage with the right title goes before others. A title alone is enough where no text is
    known, or where one passage has it.
    """
    search = _Search(clues)
    for passage in passages:
        search.look(*passage)
    return {name: keys for name in clues if (keys := search.keys(name))}


class _Search:
    def __init__(self, clues: Mapping[str, GoldClue]) -> None:
        self._clues = clues
        self._titles = defaultdict[str, list[str]](list)  # names of clues
        self._texts = defaultdict[str, list[tuple[str, str, int]]](list)  # words, name, part
        self._titled = defaultdict[str, set[str]](set)  # documents with the title, by name
        self._matches: dict[tuple[str, int], tuple[bool, str]] = {}  # titled, passage
        for name, (title, passage) in clues.items():
            if title:
                self._titles[plain(title)].append(name)
            for part, text in enumerate([passage, *_BETWEEN.split(passage)]):
                words = plain(text).split()
                if len(text) >= _SHORTEST and words:
                    line = " ".join(words), name, part
                    self._texts[" ".join(words[:_KEY_WORDS])].append(line)

    def look(self, key: str, title: str, text: str) -> None:
        """Compare one passage with all clues."""
        full = plain(title)
        titles = {full, plain(title_and_section(title)[0])} if self._titles else set[str]()
        titled = {name for title in titles for name in self._titles.get(title, ())}
        for name in titled:
            self._titled[name].add(re.sub(r"#\d+$", "", key))
        words = f"{full} {plain(text)}".split() if self._texts else []
        joined = f" {' '.join(words)} "
        lengths = range(1, _KEY_WORDS + 1)
        starts = {" ".join(words[n : n + length]) for n in range(len(words)) for length in lengths}
        for start in starts & self._texts.keys():
            for sentence, name, part in self._texts[start]:
                before = self._matches.get((name, part))
                better = before is None or (name in titled) > before[0]
                if better and f" {sentence} " in joined:
                    self._matches[name, part] = name in titled, key

    def keys(self, name: str) -> tuple[str, ...]:
        """Keys of the passages of one clue."""
        title, text = self._clues[name]
        titled = tuple(self._titled[name])
        if titled and text in ("", title):
            return titled[:1]
        if (name, 0) in self._matches:
            return (self._matches[name, 0][1],)
        parts = range(1, len(_BETWEEN.split(text)) + 1)
        keys = [self._matches[name, part][1] for part in parts if (name, part) in self._matches]
        return tuple(dict.fromkeys(keys)) or (titled if len(titled) == 1 else ())


def plain(text: str) -> str:
    """Words of a text, case-folded, a blank between them."""
    composed = text if text.isascii() else unicodedata.normalize("NFKC", text)
    return " ".join(re.findall(r"\w+", composed.casefold().replace("_", " ")))


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
