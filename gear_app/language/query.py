"""Which words of a query mention an entity, and how surely.

The query's *anchors* are settled first: the stretches of it that are names, either because
something in the passages is called so or because they are written with capitals, longest first. An
entity is then mentioned as well as its name and an anchor cover each other: "West Virginia" is
hardly mentioned by "Johnnycake, West Virginia".
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from gear_app.language.words import FUNCTION_WORDS, Word, words

_JOINING = frozenset(("of", "the", "and", "de", "la", "du", "van", "von", "for", "to", "s"))
_BRACKET = re.compile(r"\s*\([^()]*\)")


@dataclass(frozen=True, slots=True)
class Anchor:
    """The words `first` to `last` (positions, inclusive) of a query, which are a name."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class EntityMention:
    """An anchor that stands for an entity.

    `quality`, in (0, 1], is how well they cover each other; `mass` sums the rarity of the words
    that they share.
    """

    anchor: Anchor
    quality: float
    mass: float


class Query:
    """A query, its words and its anchors, given the names that passages and triples use.

    `rarity` maps words to (0, 1]; an unknown word counts 1, a function word a tenth.
    """

    def __init__(
        self, text: str, names: Collection[str], rarity: Mapping[str, float] | None = None
    ) -> None:
        self.text = text
        self.words = words(text)
        self.texts = frozenset(word.text for word in self.words)
        self._rarity = rarity or {}
        self.anchors = _anchors(self.words, text, names)
        self._proper = _proper(self.words, self.anchors)
        self._mentions: dict[str, EntityMention | None] = {}

    def mention(self, name: str) -> EntityMention | None:
        """The entity's best mention; None where its name shares no word with an anchor."""
        if name not in self._mentions:
            matches = (
                self._match(form, discount, anchor)
                for form, discount in _forms(name)
                for anchor in self.anchors
            )
            self._mentions[name] = max(
                (match for match in matches if match),
                key=lambda match: (match.quality, match.mass, -match.anchor.first),
                default=None,
            )
        return self._mentions[name]

    def place(self, anchor: Anchor) -> tuple[int, int]:
        """The anchor's characters, end exclusive, with a bracket that follows it."""
        start, end = self.words[anchor.first].start, self.words[anchor.last].end
        bracket = _BRACKET.match(self.text, end)
        if bracket:
            return start, bracket.end()
        closed = self.text[end : end + 1] == ")" and "(" in self.text[start:end]
        return start, end + 1 if closed else end

    def proper(self, anchor: Anchor) -> bool:
        """Whether the anchor has a capital; in a query without capitals every anchor counts so."""
        return anchor in self._proper

    def weight(self, word: str) -> float:
        """The word's rarity."""
        return 0.1 if word in FUNCTION_WORDS else self._rarity.get(word, 1.0)

    def _match(self, form: frozenset[str], discount: float, anchor: Anchor) -> EntityMention | None:
        stretch = {word.text for word in self.words[anchor.first : anchor.last + 1]}
        shared = form & stretch
        mass = sum(self.weight(word) for word in shared if word not in FUNCTION_WORDS)
        if not shared - FUNCTION_WORDS and form != stretch:
            return None
        if anchor not in self._proper and not form - FUNCTION_WORDS <= stretch:
            return None  # "the county" is not Chunggang County
        of_name = sum(map(self.weight, shared)) / sum(map(self.weight, form))
        of_anchor = sum(map(self.weight, shared)) / sum(map(self.weight, stretch))
        return EntityMention(anchor, discount * of_name * of_anchor, mass)


def text_of(query: Query, first: int, last: int) -> str:
    """The query's words `first` to `last` as they are written."""
    return query.text[query.words[first].start : query.words[last].end] if first <= last else ""


def rarity(texts: Iterable[str]) -> dict[str, float]:
    """How rare each word is among the texts: 1 in a single text, towards 0 in all of them."""
    distinct = [{word.text for word in words(text)} for text in texts]
    counts, total = Counter(itertools.chain.from_iterable(distinct)), len(distinct)
    return {
        word: math.log(1 + total / count) / math.log(1 + total) for word, count in counts.items()
    }


@lru_cache(maxsize=8192)
def _forms(name: str) -> tuple[tuple[frozenset[str], float], ...]:
    """The name's words as written, without brackets, and up to a comma, each with a discount."""
    bare = _BRACKET.sub("", name)
    forms = {}
    for text, discount in ((name, 1.0), (bare, 0.97), (bare.split(",")[0], 0.85)):
        form = frozenset(word.text for word in words(text))
        if form and form not in forms:
            forms[form] = discount
    return tuple(forms.items())


def _proper(query: tuple[Word, ...], anchors: Sequence[Anchor]) -> frozenset[Anchor]:
    spelled = frozenset(
        anchor
        for anchor in anchors
        if any(w.capital or w.digit for w in query[anchor.first : anchor.last + 1])
    )
    return spelled or frozenset(anchors)


def _anchors(query: tuple[Word, ...], text: str, names: Collection[str]) -> tuple[Anchor, ...]:
    texts = [word.text for word in query]
    exact = {span for name in names for span in _occurrences(texts, name)}
    runs = _capitals(query, text)
    spans = exact | {part for run in runs for part in _parts(run, texts, exact)}
    covered, anchors = bytearray(len(query)), []
    for first, last in sorted(spans, key=lambda span: (span[0] - span[1], span[0])):
        if not any(covered[first : last + 1]):
            covered[first : last + 1] = b"\1" * (last + 1 - first)
            anchors.append(Anchor(first, last))
    return tuple(sorted(anchors, key=lambda anchor: anchor.first))


def _parts(
    run: tuple[int, int], texts: list[str], exact: set[tuple[int, int]]
) -> list[tuple[int, int]]:
    """A run of capitals, or the two names that "and" joins in it where one of them is known."""
    first, last = run
    for i in range(first + 1, last):
        sides = [(first, i - 1), (i + 1, last)]
        if texts[i] == "and" and run not in exact and exact & set(sides):
            return sides
    return [run]


def _occurrences(query: list[str], name: str) -> list[tuple[int, int]]:
    """Places of the name in the query, word by word; a leading article may be missing."""
    name_words = _spelled(name)
    if not name_words or name_words[0] not in query:
        return []
    n = len(name_words)
    return [(i, i + n - 1) for i in range(len(query) - n + 1) if query[i : i + n] == name_words]


@lru_cache(maxsize=8192)
def _spelled(name: str) -> list[str]:
    """The name's words without brackets and leading article; none where all are function words."""
    spelling = [word.text for word in words(_BRACKET.sub("", name))]
    if len(spelling) > 1 and spelling[0] in ("the", "a", "an"):
        spelling = spelling[1:]
    return spelling if any(word not in FUNCTION_WORDS for word in spelling) else []


def _capitals(query: tuple[Word, ...], text: str) -> list[tuple[int, int]]:
    """Runs of capitalised words, with small joining words and the rest of hyphenated words.

    The question's own first word is no name, and "both X and Y" is two. "I" is one only as a
    number, behind a name: "World War I".
    """
    spans, start, last, both = [], None, 0, False
    for i, word in enumerate(query):
        gap = text[query[last].end : word.start]
        follows = start is not None and last == i - 1
        hyphenated = follows and gap in ("-", "–")
        opening = i == 0 and word.text in FUNCTION_WORDS
        nobody = opening or (word.text == "i" and not follows)
        joining = word.text in _JOINING and i - last <= 2 and not (both and word.text == "and")
        if ((word.capital or word.digit) and not nobody) or hyphenated:
            start = i if start is None else start
            last = i
        elif start is not None and not joining:
            spans.append((start, last))
            start = None
        both = both or word.text == "both"
    return [*spans, (start, last)] if start is not None else spans
