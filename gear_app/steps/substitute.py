"""Rewriting a query: some of its words are replaced by an entity (GRIEVER §5); English."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gear_app.events import Clause
from gear_app.language.words import (
    AUXILIARIES,
    CLAUSE_WORDS,
    DETERMINERS,
    PREPOSITIONS,
    participle,
    words,
)
from gear_app.types import Span

_SPACE_BEFORE = re.compile(r"\s+([?,;.!])")
_NOUN = 4  # words of a noun with its article: "the second iron bridge"


def substitute(query: str, changes: Sequence[tuple[Span, str]]) -> str:
    """Put words in the place of spans that do not overlap, in any order; white space is tidied.

    No changes give the query with single spaces.
    """
    parts: list[str] = []
    at = 0
    for span, inserted in sorted(changes):
        parts += [query[at : span.start], inserted]
        at = span.end
    text = " ".join("".join([*parts, query[at:]]).split())
    return _SPACE_BEFORE.sub(r"\1", text)


def widen(query: str, span: Span, name: Span, clauses: Sequence[Clause]) -> Span:
    """The span with what would be left hanging without it; `name` is the name in it.

    Where it is all of the name's relative clause it takes along the connector and the noun the
    clause belongs to ("the club that" of "the club that plays at Vane Park"); where it is all but a
    passive verb it takes that along ("was named"). The second of two quotation marks follows the
    first.
    """
    start, end = span
    around = (
        clause
        for clause in clauses
        if clause.connector and clause.span.start <= name.start < clause.span.end
    )
    for clause in around:
        first, last = clause.span.start, clause.span.start + len(clause.text.rstrip(" ?.,;"))
        if _passive(query[end:last]):
            end = last
        if first <= start <= first + len(clause.connector) + 1 and end >= last:
            start = _noun(query, first)
    return Span(start, end + (query[start:end].count('"') % 2 and query[end : end + 1] == '"'))


def _passive(rest: str) -> bool:
    """Whether the rest of a clause is a passive verb: "was named after"."""
    first, *rest_words = [word.text for word in words(rest, accents=True)] or [""]
    return first in AUXILIARIES and all(
        word in PREPOSITIONS or participle(word) for word in rest_words
    )


def _noun(query: str, at: int) -> int:
    """Where the noun before `at` begins: at its article; without one it is the last word alone."""
    before = words(query[:at], accents=True)[-_NOUN:]
    start = at
    for n, word in enumerate(reversed(before)):
        after = query[word.end : before[-n].start] if n else query[word.end : at]
        if after.strip() or (word.text in CLAUSE_WORDS and word.text not in DETERMINERS):
            break
        if word.text in DETERMINERS:
            return word.start
        start = word.start if n == 0 else start
    return start
