"""Relative clauses of a question, by the words that connect them (GRIEVER §1). English, no parser.

A question is cut where a relative pronoun ("who", "in which") or a participle ("founded by") begins a clause, and again
where the main clause goes on: after a comma, or at the verb that "did" waits for. The question's own "who" or "which"
connects nothing, wherever it stands. Ours: the paper names the connectors only as such.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from gear_app.events import Clause
from gear_app.types import Span

_WORD = re.compile(r"[^\W_]+")


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CONNECTORS = _set("who whom whose which that where when")
_PREPOSITIONS = _set(
    "of in on at by for from to with about under after before during through into over between against within besides"
    " as than around near along"
)
_AUXILIARIES = _set("is was are were be been being do does did has have had will would can could")
_DETERMINERS = _set("the a an this these those his her its their my our")
_WAITING = _set("do does did will would can could")  # their verb comes after the subject and its clauses
_FUNCTION = _CONNECTORS | _PREPOSITIONS | _AUXILIARIES | _DETERMINERS | _set("and or but not he she it they what how")
_JOINING = _PREPOSITIONS | _AUXILIARIES | _set("and or but not what how why")
_SAYING = _set("said say says show showed shown believe believed claim claimed know known found prove proved so")
_PARTICIPLES = _set("built written made won held led sung drawn shot given sold known bought taken")
_STATES = _set("located situated based set found born named called known")
_SHORT = 3  # letters of an initial or a title: "W.", "Mr."


class _Word(NamedTuple):
    text: str
    start: int
    end: int
    capital: bool


def split(question: str) -> tuple[Clause, ...]:
    """Cut the question into clauses, in its order; together they are its words, each once.

    A question without relative clauses is one clause; one without words has none.
    """
    words = [_Word(m[0].casefold(), m.start(), m.end(), m[0][0].isupper()) for m in _WORD.finditer(question)]
    begins = _begins(words, question)
    cuts = {
        0: "",
        **{resumed: "" for first in begins if (resumed := _resumed(words, first, begins, question))},
        **begins,
    }
    starts = sorted(cuts) if words else []
    ends = [*(start - 1 for start in starts[1:]), len(words) - 1]
    return tuple(_clause(question, words, a, b, cuts[a]) for a, b in zip(starts, ends, strict=False))


def _clause(question: str, words: list[_Word], first: int, last: int, connector: str) -> Clause:
    """Brackets, quotes and the question mark stay with the word before them; a comma is left out."""
    end = words[last + 1].start if last + 1 < len(words) else len(question)
    text = question[words[first].start : end].rstrip(" ,;\n\t\"'(“‘")
    return Clause(text, Span(words[first].start, words[first].start + len(text)), connector)


def _begins(words: list[_Word], question: str) -> dict[int, str]:
    """Where relative clauses begin, as positions of words, with their connectors."""
    found: dict[int, str] = {}
    loose: list[int] = []  # those that could also be the question's own
    for i in range(1, len(words)):
        first = i - (words[i - 1].text in _PREPOSITIONS and not _between(words, i, question).strip())
        if words[i].text in _CONNECTORS and not words[i].capital and _relative(words, first, i, question):
            found[first] = " ".join(word.text for word in words[first : i + 1])
            loose += [first] if _bare_noun(words, i) else []
        elif _reduced(words, i, question):
            found[i] = " ".join(word.text for word in words[i : i + 2])
    if loose and not _asked_first(words, question):
        del found[loose[-1]]
    return found


def _relative(words: list[_Word], first: int, i: int, question: str) -> bool:
    """Whether the connector at i, with its preposition at `first`, follows a noun."""
    if first == 0 or i + 1 == len(words) or (first < i and words[i].text in ("that", "when", "who")):
        return False
    before = words[first - 1]
    if before.text in _JOINING or (words[i].text == "that" and before.text in _SAYING):
        return False
    gap = _between(words, first, question)
    return not _new_sentence(words, first, question) and ("," not in gap or _asked_first(words[:first], question))


def _asked_first(words: list[_Word], question: str) -> bool:
    """Whether a sentence of these words begins by asking: "Who …", "In which …", "Did …"."""
    opening = [i for i in range(len(words)) if i == 0 or _new_sentence(words, i, question)]
    asking = _CONNECTORS - {"that"} | _AUXILIARIES | {"what", "how", "why"}
    return any(words[i].text in asking or _prepositional(words, i, asking) for i in opening)


def _prepositional(words: list[_Word], i: int, asking: frozenset[str]) -> bool:
    return words[i].text in _PREPOSITIONS and i + 1 < len(words) and words[i + 1].text in asking - _AUXILIARIES


def _bare_noun(words: list[_Word], i: int) -> bool:
    """Whether "which" is followed by what may be its noun: "is a character in which film?"."""
    return words[i].text == "which" and words[i + 1].text not in _FUNCTION and not words[i + 1].capital


def _reduced(words: list[_Word], i: int, question: str) -> bool:
    """Whether a participle with its preposition begins a clause without connector: "the label founded by …"."""
    if i + 2 >= len(words) or words[i].capital or _between(words, i, question).strip():
        return False
    passive = any(word.text in _AUXILIARIES for word in words[max(0, i - 2) : i])
    if passive or words[i - 1].text in _FUNCTION or words[i + 2].text in _CONNECTORS:
        return False
    if words[i + 1].text == "by":
        return _participle(words[i])
    return words[i].text in _STATES and words[i + 1].text in _PREPOSITIONS and not words[i - 1].capital


def _participle(word: _Word) -> bool:
    return word.text.endswith("ed") or word.text in _PARTICIPLES | _STATES


def _resumed(words: list[_Word], first: int, begins: dict[int, str], question: str) -> int:
    """Where the main clause goes on after the relative clause that begins at `first`; 0 where it does not."""
    until = min((begin for begin in begins if begin > first), default=len(words))
    aside = "," in _between(words, first, question) or not _asked_first(words[:first], question)
    waiting = any(word.text in _WAITING for word in words[:first])
    for i in range(first + len(begins[first].split()) + 1, until):
        gap = _between(words, i, question).strip()
        comma = "," in gap
        if _new_sentence(words, i, question) or (comma and (aside or _options(words, i))):
            return i
        if waiting and _plain(words[i]) and (comma or (not gap and _verb_again(words, first, i))):
            return i
    return 0


def _options(words: list[_Word], i: int) -> bool:
    """Whether names to choose from follow: ", Free Guy or Forbidden Ground?"."""
    return words[i].capital and not words[i - 1].capital and any(word.text == "or" for word in words[i:])


def _verb_again(words: list[_Word], first: int, i: int) -> bool:
    """Whether the plain word i cannot belong to the clause: it follows "is located", or the clause's last name."""
    before, ahead = words[i - 1], words[i - 2]
    if ahead.text in _AUXILIARIES and _participle(before):
        return True
    return before.capital and ahead.text not in _DETERMINERS and _verb_first(words, first)


def _verb_first(words: list[_Word], first: int) -> bool:
    """Whether the clause's subject is its connector: "who wrote Hamlet", not "that Italy entered"."""
    after = words[first + 1]
    return words[first].text in ("who", "which", "that") and after.text not in _DETERMINERS and not after.capital


def _plain(word: _Word) -> bool:
    return not word.capital and word.text not in _FUNCTION


def _new_sentence(words: list[_Word], i: int, question: str) -> bool:
    """Whether a sentence begins with word i; not after an initial or "Mr."."""
    gap, before = _between(words, i, question), words[i - 1]
    if not words[i].capital or not set(gap) & set(".;?!"):
        return False
    return not ("." in gap and before.capital and len(before.text) <= _SHORT)


def _between(words: list[_Word], i: int, question: str) -> str:
    """What stands between word i and the one before it."""
    return question[words[i - 1].end : words[i].start] if i else ""
