"""What a query asks about a name: "the country where the Bubye River is found".

That is the innermost phrase around the name, found without a parser. From the name the phrase
reaches left over at least one linking word (of, by, that, where, …) to the noun it belongs to and
that noun's article; where the name is the subject of a relative clause it reaches right over the
verb; where the name possesses something ("Gisvi's city of birth") it reaches right over that.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from gear_app.language.query import Anchor, Query
from gear_app.language.words import ASKING, AUXILIARIES, FUNCTION_WORDS, RELATIVE, word_set

_LINKING = word_set("of by from for in at on to with about under during as") | RELATIVE
_ARTICLE = word_set("the a an this these his her its their both")
_VERBS = word_set(
    "die born study live work go come play serve attend graduate end start begin open form fall"
    " belong win lose move come from located"
)
_PARTICIPLES = word_set("built written made sung known won drawn led held born given shown")
_EMPTY = word_set("name names called known term word kind type film films song songs movie")
_ENDS = frozenset(",?;.")
# what ends "X's …"; at a second "s" too: of X's mother's spouse the mother is asked for first
_AFTER_POSSESSED = AUXILIARIES | (_LINKING - {"of"}) | word_set("and or s")
_BETWEEN = 5  # words between two compared names: "X and director of film Y"


class Phrase(NamedTuple):
    """Words `first` to `last` (positions, inclusive) of a query, around a name.

    `head` is the noun the name leads to ("country"). It is empty where nothing is asked about the
    name but what the whole query asks. `possessive` says that the phrase is "X's …".
    """

    first: int
    last: int
    head: str
    possessive: bool


class AskedRelation(NamedTuple):
    """What a query asks about a name: the phrase around it, and what it is matched by.

    `relation` are the phrase's words without any name ("is" where none is left), `head` is its
    noun, or "thing".
    """

    phrase: Phrase
    relation: str
    head: str


def asked_relation(query: Query, anchor: Anchor) -> AskedRelation:
    """What the query asks about the anchor; without a phrase the words of the whole query."""
    phrase = phrase_around(query, anchor)
    span = range(phrase.first, phrase.last + 1) if phrase.head else range(len(query.words))
    return relation_in(query, anchor, phrase, span)


def relation_in(
    query: Query, anchor: Anchor, phrase: Phrase, span: range, beside: Collection[int] = ()
) -> AskedRelation:
    """What a phrase asks about the anchor in a span of words, without names and those `beside`."""
    names = [other for other in query.anchors if other == anchor or query.proper(other)]
    named = {i for name in names for i in range(name.first, name.last + 1)}.union(beside)
    words = [i for i in span if i not in named and query.words[i].text != "s"]
    relation = " ".join(text_of(query, i, i) for i in words)
    return AskedRelation(phrase, relation or "is", phrase.head or "thing")


def phrase_around(query: Query, anchor: Anchor) -> Phrase:
    """The innermost phrase that asks something about the anchor, or else the anchor alone."""
    return _possessed(query, anchor) or _reached(query, anchor)


def text_of(query: Query, first: int, last: int) -> str:
    """The query's words `first` to `last` as they are written."""
    return query.text[query.words[first].start : query.words[last].end] if first <= last else ""


def asks_one_thing(query: Query) -> bool:
    """Whether the query asks one thing only: no name's phrase has content words around it."""
    return bool(query.anchors) and all(
        _alone(query, phrase_around(query, anchor)) for anchor in query.anchors
    )


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


def _alone(query: Query, phrase: Phrase) -> bool:
    """Whether no content word stands outside the phrase."""
    if not phrase.head:
        return True
    outside = [w.text for i, w in enumerate(query.words) if not phrase.first <= i <= phrase.last]
    return all(word in FUNCTION_WORDS or word in _EMPTY for word in outside)


def _gap(query: Query, i: int) -> str:
    """What stands between word i and the next."""
    end = query.words[i + 1].start if i + 1 < len(query.words) else len(query.text)
    return query.text[query.words[i].end : end]


def _possessed(query: Query, anchor: Anchor) -> Phrase | None:
    """X's city of birth: from the name to the end of what it possesses."""
    s = anchor.last + 1
    if s >= len(query.words) or query.words[s].text != "s":
        return None
    if _gap(query, anchor.last).strip(" )") not in ("'", "’"):
        return None
    last = s
    while last + 1 < len(query.words) and not _ENDS & set(_gap(query, last)):
        word = query.words[last + 1].text
        if word in _AFTER_POSSESSED:
            break
        last += 1
    if last > s + 1 and _verbal(query.words[last].text):
        last -= 1
    return Phrase(anchor.first, last, text_of(query, s + 1, last), True) if last > s else None


def _verbal(word: str) -> bool:
    return word in _VERBS or word.endswith("ed")


def _reached(query: Query, anchor: Anchor) -> Phrase:
    scan = _LeftScan(query, anchor)
    for i in range(anchor.first - 1, -1, -1):
        if scan.stops(i):
            break
        scan.add(i)
    head = _head(query, scan.first, scan.head_last)
    if not head:
        return Phrase(anchor.first, anchor.last, "", False)
    return Phrase(scan.first, _right(query, anchor), head, False)


class _LeftScan:
    """From a name to the left, word by word: over a link to a noun, and to the noun's article."""

    def __init__(self, query: Query, anchor: Anchor) -> None:
        self.first = anchor.first  # of the phrase so far
        self.head_last = -1  # of the noun, before the leftmost link
        self._query = query
        self._linked = self._noun = self._relative = self._copula = False
        names = [other for other in query.anchors if other != anchor and query.proper(other)]
        self._others = {i for other in names for i in range(other.first, other.last + 1)}

    def stops(self, i: int) -> bool:
        """Whether the phrase ends at word i; an article still belongs to it."""
        word, gap = self._query.words[i].text, set(_gap(self._query, i))
        complete = self._linked and self._noun
        if i in self._others or gap & (_ENDS - {","}) or (complete and "," in gap):
            return True
        if complete and word in _ARTICLE:
            self.first = i
            return True
        if complete and word in _LINKING:
            return not (self._copula and word in RELATIVE)  # "the star whose pulses are on X"
        if word in AUXILIARIES and not self._relative:
            return not _relative_before(self._query, i)
        return word in ASKING and i == 0

    def add(self, i: int) -> None:
        """Go over word i; the phrase reaches to it once it has a link and a noun."""
        word = self._query.words[i].text
        if word in _LINKING or (not self._linked and not self._noun and _participle(word)):
            self._relative = self._relative or word in RELATIVE
            self._linked, self._noun, self.head_last = True, False, i - 1
        elif word in AUXILIARIES:
            self._copula = True
        elif word not in _ARTICLE:
            self._noun = True
        if self._linked and self._noun:
            self.first = i


def _relative_before(query: Query, i: int) -> bool:
    """Whether the auxiliary i belongs to a relative clause: "the star whose pulses are on X"."""
    return any(word.text in RELATIVE for word in query.words[2:i])


def _participle(word: str) -> bool:
    return word in _PARTICIPLES or (len(word) > 4 and word.endswith("ed"))


def _right(query: Query, anchor: Anchor) -> int:
    """The name's last word, or the end of the verb it is the subject of: "where X is located"."""
    before = anchor.first - 1
    while before >= 0 and query.words[before].text in _ARTICLE:
        before -= 1
    last = anchor.last
    if before < 0 or query.words[before].text not in RELATIVE:
        return last
    for wanted in (AUXILIARIES, _ARTICLE, None, _LINKING - RELATIVE):
        if last + 1 >= len(query.words) or _ENDS & set(_gap(query, last)):
            break
        if wanted is None or query.words[last + 1].text in wanted:
            last += 1
    return last


def _head(query: Query, first: int, last: int) -> str:
    """The words `first` to `last` without leading articles."""
    while first <= last and query.words[first].text in _ARTICLE:
        first += 1
    return text_of(query, first, last)
