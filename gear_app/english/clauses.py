"""What a query asks about a name: the innermost phrase around it, "the country where the Bubye
River is found".

No parser. From the name the phrase reaches left over at least one linking word (of, by, that,
where, …) to the noun it belongs to and that noun's article; where the name is the subject of a
relative clause it reaches right over the verb; where the name possesses something ("Gisvi's city of
birth") it reaches right over that.
"""

from __future__ import annotations

from typing import NamedTuple

from gear_app.english.mentions import Anchor, Query
from gear_app.english.words import FUNCTION_WORDS, word_set

_RELATIVE = word_set("where which that who whom whose when")
_LINKING = word_set("of by from for in at on to with about under during as") | _RELATIVE
_ASKING = word_set("what which who whom whose when where how")
_AUXILIARY = word_set("is was are were be been being did do does has had have will would can could")
_ARTICLE = word_set("the a an this these his her its their both")
_VERBS = word_set(
    "die born study live work go come play serve attend graduate end start begin open form fall"
    " belong win lose move come from located"
)
_PARTICIPLES = word_set("built written made sung known won drawn led held born given shown")
_EMPTY = word_set("name names called known term word kind type film films song songs movie")
_ENDS = frozenset(",?;.")
_BETWEEN = 5  # words between two compared names: "X and director of film Y"


class Clause(NamedTuple):
    """Words `first` to `last` (positions, inclusive) of the query; `head` is the noun the name
    leads to ("country").

    An empty head says that nothing is asked about the name but what the whole query asks.
    """

    first: int
    last: int
    head: str
    possessive: bool


def clause(query: Query, anchor: Anchor) -> Clause:
    """The innermost phrase that asks something about the anchor; the anchor alone where there is
    none.
    """
    return _possessed(query, anchor) or _reached(query, anchor)


def text_of(query: Query, first: int, last: int) -> str:
    """The query's words `first` to `last` as they are written."""
    return query.text[query.words[first].start : query.words[last].end] if first <= last else ""


def final(query: Query) -> bool:
    """Whether the query asks one thing only: no name's phrase has content words around it."""
    return bool(query.anchors) and all(
        _alone(query, clause(query, anchor)) for anchor in query.anchors
    )


def side_by_side(query: Query) -> tuple[Anchor, ...]:
    """The anchors that a question compares, "X or Y", "both X and Y", in order; empty where it
    compares none.
    """
    joined: list[Anchor] = []
    for left, right in zip(query.anchors, query.anchors[1:], strict=False):
        between = [word.text for word in query.words[left.last + 1 : right.first]]
        if (
            0 < len(between) <= _BETWEEN
            and ({"or", "and"} & set(between))
            and not _RELATIVE & set(between)
        ):
            joined += [anchor for anchor in (left, right) if anchor not in joined]
    return tuple(joined)


def _alone(query: Query, phrase: Clause) -> bool:
    if not phrase.head:
        return True
    outside = [w.text for i, w in enumerate(query.words) if not phrase.first <= i <= phrase.last]
    return all(word in FUNCTION_WORDS or word in _EMPTY for word in outside)


def _gap(query: Query, i: int) -> str:
    """What stands between word i and the next."""
    end = query.words[i + 1].start if i + 1 < len(query.words) else len(query.text)
    return query.text[query.words[i].end : end]


def _possessed(query: Query, anchor: Anchor) -> Clause | None:
    """X's city of birth: from the name to the end of what it possesses."""
    s = anchor.last + 1
    if (
        s >= len(query.words)
        or query.words[s].text != "s"
        or _gap(query, anchor.last).strip(" )") not in ("'", "’")
    ):
        return None
    last = s
    while last + 1 < len(query.words) and not _ENDS & set(_gap(query, last)):
        word = query.words[last + 1].text
        if (
            word in _AUXILIARY
            or word in _RELATIVE
            or word in ("and", "or")
            or (word in _LINKING and word != "of")
        ):
            break
        if word == "s":  # X's mother's spouse: the mother first
            break
        last += 1
    if last > s + 1 and _verbal(query.words[last].text):
        last -= 1
    return Clause(anchor.first, last, text_of(query, s + 1, last), True) if last > s else None


def _verbal(word: str) -> bool:
    return word in _VERBS or word.endswith("ed")


def _reached(query: Query, anchor: Anchor) -> Clause:
    walk = _Walk(query, anchor)
    for i in range(anchor.first - 1, -1, -1):
        if walk.stops(i):
            break
        walk.passes(i)
    head = _head(query, walk.first, walk.head_last)
    if not head:
        return Clause(anchor.first, anchor.last, "", False)
    return Clause(walk.first, _right(query, anchor), head, False)


class _Walk:
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
            return not (self._copula and word in _RELATIVE)  # "the star whose pulses are on X"
        if word in _AUXILIARY and not self._relative:
            return not _relative_before(self._query, i)
        return word in _ASKING and i == 0

    def passes(self, i: int) -> None:
        """Take word i into the phrase where it makes one."""
        word = self._query.words[i].text
        if word in _LINKING or (not self._linked and not self._noun and _participle(word)):
            self._relative = self._relative or word in _RELATIVE
            self._linked, self._noun, self.head_last = True, False, i - 1
        elif word in _AUXILIARY:
            self._copula = True
        elif word not in _ARTICLE:
            self._noun = True
        if self._linked and self._noun:
            self.first = i


def _relative_before(query: Query, i: int) -> bool:
    """Whether an auxiliary belongs to a relative clause, "the star whose pulses are on X", and not
    to the question.
    """
    return any(word.text in _RELATIVE for word in query.words[2:i])


def _participle(word: str) -> bool:
    return word in _PARTICIPLES or (len(word) > 4 and word.endswith("ed"))


def _right(query: Query, anchor: Anchor) -> int:
    """The name's last word, or the end of the verb whose subject the name is: "where X is
    located".
    """
    before = anchor.first - 1
    while before >= 0 and query.words[before].text in _ARTICLE:
        before -= 1
    last = anchor.last
    if before < 0 or query.words[before].text not in _RELATIVE:
        return last
    for wanted in (_AUXILIARY, _ARTICLE, None, _LINKING - _RELATIVE):
        if last + 1 >= len(query.words) or _ENDS & set(_gap(query, last)):
            break
        if wanted is None or query.words[last + 1].text in wanted:
            last += 1
    return last


def _head(query: Query, first: int, last: int) -> str:
    while first <= last and query.words[first].text in _ARTICLE:
        first += 1
    return text_of(query, first, last)
