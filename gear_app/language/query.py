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

from gear_app.language.words import (
    ADVERBS,
    ASKING,
    AUXILIARIES,
    DETERMINERS,
    FUNCTION_WORDS,
    MODALS,
    PARTICLES,
    PREPOSITIONS,
    RELATIVE,
    Word,
    is_past,
    is_verb,
    word_set,
    words,
)

_JOINING = frozenset(("of", "the", "and", "de", "la", "du", "van", "von", "for", "to", "s"))
_BRACKET = re.compile(r"\s*\([^()]*\)")


LINKS = PREPOSITIONS | word_set("without towards behind above below onto off")
_STOPS = frozenset(",;?")
_BETWEEN = 5  # words between two compared names: "X and director of film Y"
_TELLING = re.compile(
    r"^\W*(?:please )?(?:(?:can you )?(?:tell (?:me|us)|say)|name|do you know)"
    r"(?= (?:what|which|who|whom|whose|where|when|how)\b) ",
    re.IGNORECASE,
)


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
        # positions of words that follow a comma, a semicolon or a question mark
        self.stops = frozenset(
            i
            for i, (left, right) in enumerate(itertools.pairwise(self.words), start=1)
            if not _STOPS.isdisjoint(text[left.end : right.start])
        )
        self._rarity = rarity or {}
        self.anchors = _anchors(self.words, text, names)
        # those with a capital; in a query without capitals all
        self.proper = frozenset(
            anchor
            for anchor in self.anchors
            if any(
                word.capital or word.digit for word in self.words[anchor.first : anchor.last + 1]
            )
        ) or frozenset(self.anchors)
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

    def weight(self, word: str) -> float:
        """The word's rarity."""
        return 0.1 if word in FUNCTION_WORDS else self._rarity.get(word, 1.0)

    def _match(self, form: frozenset[str], discount: float, anchor: Anchor) -> EntityMention | None:
        stretch = {word.text for word in self.words[anchor.first : anchor.last + 1]}
        shared = form & stretch
        mass = sum(self.weight(word) for word in shared if word not in FUNCTION_WORDS)
        if not shared - FUNCTION_WORDS and form != stretch:
            return None
        if anchor not in self.proper and not form - FUNCTION_WORDS <= stretch:
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
    texts = ((bare.split(",")[0], 0.85), (bare, 0.97), (name, 1.0))
    forms = {frozenset(word.text for word in words(text)): discount for text, discount in texts}
    return tuple((form, discount) for form, discount in forms.items() if form)


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


def asked_noun(query: Query) -> str:
    """The noun that a query asks by: "lake" of "Into which lake did …"; "" where it has none."""
    texts = [word.text for word in query.words[:-1]]
    start = next((i for i, text in enumerate(texts) if text in ("which", "what")), None)
    if start is None or is_past(query.words[start + 1].text):
        return ""
    return text_of(query, start + 1, noun_end(query, start + 1) - 1)


def noun_end(query: Query, i: int) -> int:
    """The position of the first word from word i on that does not belong to the noun asked by."""
    while i < len(query.words) and _of_noun(query, i):
        i += 1
    return i


def compared_names(query: Query) -> tuple[Anchor, ...]:
    """The anchors that a question compares, in order: "X or Y", "both X and Y", "did X die before
    Y".
    """
    joined: list[Anchor] = []
    joining = {"or", "and"}
    if query.words[:1] and query.words[0].text in ("did", "was", "were"):
        joining |= {"before", "after", "than"}
    for left, right in zip(query.anchors, query.anchors[1:], strict=False):
        between = [word.text for word in query.words[left.last + 1 : right.first]]
        listed = joining & set(between) and not RELATIVE & set(between)
        if 0 < len(between) <= _BETWEEN and listed:
            joined += [anchor for anchor in (left, right) if anchor not in joined]
    return tuple(joined)


def _of_noun(query: Query, i: int) -> bool:
    word = query.words[i].text
    after = query.words[i + 1].text if i + 1 < len(query.words) else ""
    ends = AUXILIARIES | MODALS | DETERMINERS | LINKS | ADVERBS
    if word in ends or i in query.stops:
        return False
    first = query.words[i - 1].text in ASKING
    if is_past(word):  # "which invented republic"
        return first and after not in ends | {""} and not query.words[i + 1].capital
    # "which town lies on", "which firm supplies the": the second word is the verb
    verb = after in DETERMINERS or (after in LINKS and (word.endswith("s") or is_verb(word)))
    return first or not verb


def straightened(question: str, names: Sequence[str] = ()) -> str:
    """The question with a clause that stands behind the verb put back to its noun.

    "Where was the artist born who designed the flag?" becomes "Where was the artist who designed
    the flag born?". Words that only tell to answer ("Tell me what …") are left out. Any other
    question is given back as it is.
    """
    question = _TELLING.sub("", question, count=1)
    query = Query(question, names)
    words = query.words
    start = _fronted(query)
    if start is None:
        return question
    named = {
        i
        for anchor in query.anchors
        if anchor in query.proper
        for i in range(anchor.first, anchor.last + 1)
    }
    for i in range(start + 2, len(words) - 2):
        # "to whom", but "allergic to | who serves"
        linked = words[i].text in LINKS and words[i + 1].text not in ("who", "that")
        clause = i if linked else i + 1
        relative = clause + 1 if words[clause].text in LINKS else clause
        if relative >= len(words) or words[relative].text not in RELATIVE:
            continue
        verb = _verb_before(query, clause, start, named)
        if verb is None or query.stops & set(range(verb + 1, clause + 1)):
            continue
        moved = text_of(query, verb, clause - 1)
        end = words[-1].end
        left, right = question[: words[verb].start], question[words[clause].start : end]
        return re.sub(r"\s+", " ", f"{left}{right} {moved}{question[end:]}").strip()
    return question


def _verb_before(query: Query, clause: int, start: int, named: set[int]) -> int | None:
    """First word of the question's verb that ends just before word `clause`; None without one."""
    last = clause - 1
    stranded = query.words[last].text in LINKS
    if stranded or query.words[last].text in PARTICLES:
        last -= 1
    word, auxiliary = query.words[last].text, query.words[start].text
    if last in named or last <= start + 1:
        return None
    if auxiliary in ("did", "does", "do"):
        fits = is_verb(word) or last < clause - 1
    else:
        fits = is_past(word) or word == "set" or stranded
    before = query.words[last - 1].text
    if not fits or before in DETERMINERS | RELATIVE or (before in LINKS and before != "been"):
        return None
    return last - 1 if before in ("been", "being") else last


def _fronted(query: Query) -> int | None:
    """The auxiliary that stands before the subject: "In which town *was* the …"."""
    for i, word in enumerate(query.words):
        if word.text in AUXILIARIES:
            following = query.words[i + 1].text if i + 1 < len(query.words) else ""
            return None if is_past(following) or following in LINKS else i
        if word.text in DETERMINERS or (word.text in RELATIVE and i > 2):
            return None
    return None
