"""Relative clauses of a question, by the words that connect them (GRIEVER §1), and rewriting: some
of a query's words are replaced by an entity (GRIEVER §5); English.

Closed word lists, no parser. A question is cut where a relative pronoun ("who", "in which") or a
participle ("founded by") begins a clause, and again where the main clause goes on: after a comma,
or at the verb that "did" or "was" waits for. The question's own "who" or "which" connects nothing,
wherever it stands. Ours: the paper names the connectors only as such.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from gear_app.core.types import Span
from gear_app.language.words import (
    AUXILIARIES,
    CLAUSE_WORDS,
    DETERMINERS,
    PREPOSITIONS,
    RELATIVE,
    STATES,
    Word,
    is_past,
    word_set,
    words,
)
from gear_app.trace.events import Clause

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
    first, *rest_words = [word.text for word in words(rest)] or [""]
    return first in AUXILIARIES and all(
        word in PREPOSITIONS or is_past(word) for word in rest_words
    )


def _noun(query: str, at: int) -> int:
    """Where the noun before `at` begins: at its article; without one it is the last word alone."""
    before = words(query[:at])[-_NOUN:]
    start = at
    for n, word in enumerate(reversed(before)):
        after = query[word.end : before[-n].start] if n else query[word.end : at]
        if after.strip() or (word.text in CLAUSE_WORDS and word.text not in DETERMINERS):
            break
        if word.text in DETERMINERS:
            return word.start
        start = word.start if n == 0 else start
    return start


# auxiliaries whose verb comes after the subject and its clauses: "did the man who … live"
_DELAYING = word_set("do does did will would can could")
# words that are no noun, so that no relative clause follows them
_NOT_NOUNS = PREPOSITIONS | AUXILIARIES | word_set("and or but not what how why")
# "said that" and "known that" begin no relative clause
_BEFORE_THAT = word_set(
    "said say says show showed shown believe believed claim claimed know known find found prove"
    " proved so"
)
# participles that close "Where was the man who … born?"
_CLOSING = word_set("born buried educated raised baptised baptized crowned executed killed")
_WAS = word_set("was were")
_SHORT = 3  # letters of an initial or a title: "W.", "Mr."


def split(question: str) -> tuple[Clause, ...]:
    """Cut the question into clauses, in its order; together they are its words, each once.

    A question without relative clauses is one clause; one without words has none.
    """
    line = words(question)
    begins = _begins(line, question)
    resumed = [_resumed(line, first, begins, question) for first in begins]
    # a main clause that is not resumed gives 0, which is a cut anyway
    cuts = {0: "", **dict.fromkeys(resumed, ""), **begins}
    starts = sorted(cuts) if line else []
    ends = [*(start - 1 for start in starts[1:]), len(line) - 1]
    return tuple(_clause(question, line, a, b, cuts[a]) for a, b in zip(starts, ends, strict=False))


def _clause(question: str, line: Sequence[Word], first: int, last: int, connector: str) -> Clause:
    """The clause of words `first` to `last` with what follows it, but without a comma."""
    end = line[last + 1].start if last + 1 < len(line) else len(question)
    text = question[line[first].start : end].rstrip(" ,;\n\t\"'(“‘")
    return Clause(text, Span(line[first].start, line[first].start + len(text)), connector)


def _begins(line: Sequence[Word], question: str) -> dict[int, str]:
    """Where relative clauses begin, as positions of words, with their connectors."""
    begins: dict[int, str] = {}
    loose: list[int] = []  # those that could also be the question's own
    for i in range(1, len(line)):
        preposition = line[i - 1].text in PREPOSITIONS and not _between(line, i, question).strip()
        first = i - 1 if preposition else i
        connector = line[i].text in RELATIVE and not line[i].capital
        if connector and _relative(line, first, i, question):
            begins[first] = " ".join(word.text for word in line[first : i + 1])
            if line[i].text == "which" and not (
                line[i + 1].capital or line[i + 1].text in CLAUSE_WORDS
            ):
                loose.append(first)
        elif _reduced(line, i, question):
            begins[i] = " ".join(word.text for word in line[i : i + 2])
    if loose and not _asked_first(line, question):
        del begins[loose[-1]]
    return begins


def _relative(line: Sequence[Word], first: int, i: int, question: str) -> bool:
    """Whether the connector at i, with its preposition at `first`, follows a noun."""
    if first == 0 or i + 1 == len(line) or (first < i and line[i].text in ("that", "when", "who")):
        return False
    before = line[first - 1]
    if before.text in _NOT_NOUNS or (line[i].text == "that" and before.text in _BEFORE_THAT):
        return False
    gap = _between(line, first, question)
    return not _new_sentence(line, first, question) and (
        "," not in gap or _asked_first(line[:first], question)
    )


def _asked_first(line: Sequence[Word], question: str) -> bool:
    """Whether a sentence of these words begins by asking: "Who …", "In which …", "Did …"."""
    opening = [i for i in range(len(line)) if i == 0 or _new_sentence(line, i, question)]
    question_words = RELATIVE - {"that"} | AUXILIARIES | {"what", "how", "why"}
    return any(
        line[i].text in question_words or _prepositional(line, i, question_words) for i in opening
    )


def _prepositional(line: Sequence[Word], i: int, question_words: frozenset[str]) -> bool:
    return (
        line[i].text in PREPOSITIONS
        and i + 1 < len(line)
        and line[i + 1].text in question_words - AUXILIARIES
    )


def _reduced(line: Sequence[Word], i: int, question: str) -> bool:
    """Whether a participle begins a clause without connector: "the label founded by …"."""
    if i + 2 >= len(line) or line[i].capital or _between(line, i, question).strip():
        return False
    passive = any(word.text in AUXILIARIES for word in line[max(0, i - 2) : i])
    if passive or line[i - 1].text in CLAUSE_WORDS or line[i + 2].text in RELATIVE:
        return False
    if line[i + 1].text == "by":
        return is_past(line[i].text)
    return line[i].text in STATES and line[i + 1].text in PREPOSITIONS and not line[i - 1].capital


def _resumed(line: Sequence[Word], first: int, begins: Mapping[int, str], question: str) -> int:
    """Where the main clause goes on after the relative clause from `first`; 0 where it ends."""
    until = min((begin for begin in begins if begin > first), default=len(line))
    aside = "," in _between(line, first, question) or not _asked_first(line[:first], question)
    delayed = any(word.text in _DELAYING for word in line[:first])
    for i in range(first + len(begins[first].split()) + 1, until):
        gap = _between(line, i, question).strip()
        comma = "," in gap
        if _new_sentence(line, i, question) or (comma and (aside or _options(line, i))):
            return i
        if i == len(line) - 1 and _closes(line, first, i):
            return i
        if delayed and _plain(line[i]) and (comma or (not gap and _verb_again(line, first, i))):
            return i
    return 0


def _closes(line: Sequence[Word], first: int, i: int) -> bool:
    """Whether the last word is the verb of the main clause: "Where was the man who … born?"."""
    waits = any(word.text in _WAS for word in line[:first])
    return waits and line[i].text in _CLOSING and line[i - 1].text not in AUXILIARIES


def _options(line: Sequence[Word], i: int) -> bool:
    """Whether names to choose from follow: ", Free Guy or Forbidden Ground?"."""
    begins_name = line[i].capital and not line[i - 1].capital
    return begins_name and any(word.text == "or" for word in line[i:])


def _verb_again(line: Sequence[Word], first: int, i: int) -> bool:
    """Whether the plain word i ends the clause: after "is located", or after its last name."""
    before, ahead = line[i - 1], line[i - 2]
    if ahead.text in AUXILIARIES and is_past(before.text):
        return True
    return before.capital and ahead.text not in DETERMINERS and _verb_first(line, first)


def _verb_first(line: Sequence[Word], first: int) -> bool:
    """Whether the connector is the subject: "who wrote Hamlet", not "that Italy entered"."""
    after = line[first + 1]
    return (
        line[first].text in ("who", "which", "that")
        and after.text not in DETERMINERS
        and not after.capital
    )


def _plain(word: Word) -> bool:
    return not word.capital and word.text not in CLAUSE_WORDS


def _new_sentence(line: Sequence[Word], i: int, question: str) -> bool:
    """Whether a sentence begins with word i; not after an initial or "Mr."."""
    gap, before = _between(line, i, question), line[i - 1]
    if not line[i].capital or not set(gap) & set(".;?!"):
        return False
    return not ("." in gap and before.capital and len(before.text) <= _SHORT)


def _between(line: Sequence[Word], i: int, question: str) -> str:
    """What stands between word i and the one before it."""
    return question[line[i - 1].end : line[i].start] if i else ""
