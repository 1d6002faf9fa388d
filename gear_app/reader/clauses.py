"""What a query asks about a name: the innermost phrase around it, "the country where the Bubye River is found".

No parser: the phrase reaches left from the name over at least one linking word (of, by, that, where, …) to the noun it
belongs to and that noun's article, and right to the end of a relative clause, or over a possessive.
"""

from __future__ import annotations

from typing import NamedTuple

from gear_app.reader.mentions import Anchor, Query
from gear_app.reader.words import Word

_RELATIVE = frozenset("where which that who whom whose when".split())
_LINKING = frozenset("of by from for in at on to with about under during as".split()) | _RELATIVE
_ASKING = frozenset("what which who whom whose when where how".split())
_AUXILIARY = frozenset("is was are were be been did does do has had have will would can could".split())
_ARTICLE = frozenset("the a an this these his her its their both".split())
_ENDS = frozenset(",?;.")


class Clause(NamedTuple):
    """Words `first` to `last` (positions, inclusive) of the query; `head` is what the name leads to ("country")."""

    first: int
    last: int
    head: str
    possessive: bool


def clause(query: Query, anchor: Anchor) -> Clause:
    """The innermost phrase that asks something about the anchor; the anchor alone where nothing is asked."""
    owned = _possessed(query, anchor)
    return owned or _reached(query, anchor)


def text_of(query: Query, first: int, last: int) -> str:
    """The query's words `first` to `last` as they are written."""
    return query.text[query.words[first].start : query.words[last].end] if first <= last else ""


def _gap(query: Query, i: int) -> str:
    """What stands between word i and the next."""
    end = query.words[i + 1].start if i + 1 < len(query.words) else len(query.text)
    return query.text[query.words[i].end : end]


def _possessed(query: Query, anchor: Anchor) -> Clause | None:
    """X's city of birth: from the name to the end of what it possesses."""
    s = anchor.last + 1
    if s >= len(query.words) or query.words[s].text != "s" or _gap(query, anchor.last).strip(" )") not in ("'", "’"):
        return None
    last = s
    while last + 1 < len(query.words) and not _ENDS & set(_gap(query, last)):
        word = query.words[last + 1].text
        if word in _AUXILIARY or word in _RELATIVE or word in ("and", "or") or (word in _LINKING and word != "of"):
            break
        last += 1
    return Clause(anchor.first, last, text_of(query, s + 1, last), True) if last > s else None


def _reached(query: Query, anchor: Anchor) -> Clause:
    first, head_last, linked, relative, noun = anchor.first, anchor.first - 1, False, False, False
    i = anchor.first - 1
    while i >= 0:
        word: Word = query.words[i]
        stop = set(_gap(query, i)) & (_ENDS - {","}) or (linked and noun and "," in _gap(query, i))
        if stop or (word.text in _ASKING and (i == 0 or noun is False and linked and word.text not in _RELATIVE)):
            break
        if linked and noun and (word.text in _ARTICLE or word.text in _LINKING):
            first = i if word.text in _ARTICLE else i + 1
            break
        if word.text in _LINKING:
            relative = relative or word.text in _RELATIVE
            linked, noun, head_last = True, False, i - 1
        elif word.text in _AUXILIARY and not relative:
            break
        elif word.text not in _ARTICLE and word.text not in _AUXILIARY:
            noun = True
        first = i if linked and noun else first
        i -= 1
    if not linked or first == anchor.first:
        return Clause(anchor.first, anchor.last, "", False)
    return Clause(first, _right(query, anchor) if relative else anchor.last, _head(query, first, head_last), False)


def _right(query: Query, anchor: Anchor) -> int:
    last = anchor.last
    while last + 1 < len(query.words) and not _ENDS & set(_gap(query, last)):
        if query.words[last + 1].text in _RELATIVE:
            break
        last += 1
    return last


def _head(query: Query, first: int, last: int) -> str:
    while first <= last and query.words[first].text in _ARTICLE:
        first += 1
    return text_of(query, first, last)
