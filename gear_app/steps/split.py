"""Relative clauses of a question, by the words that connect them (GRIEVER §1). English, no parser.

A question is cut where a relative pronoun ("who", "in which") or a participle ("founded by") begins
a clause, and again where the main clause goes on: after a comma, or at the verb that "did" waits
for. The question's own "who" or "which" connects nothing, wherever it stands. Ours: the paper names
the connectors only as such.
"""

from __future__ import annotations

from gear_app.english.grammar import (
    AUXILIARIES,
    CONNECTORS,
    DETERMINERS,
    FUNCTION,
    JOINING,
    PREPOSITIONS,
    SAYING,
    STATES,
    WAITING,
    Word,
    participle,
    words,
)
from gear_app.events import Clause
from gear_app.types import Span

_SHORT = 3  # letters of an initial or a title: "W.", "Mr."


def split(question: str) -> tuple[Clause, ...]:
    """Cut the question into clauses, in its order; together they are its words, each once.

    A question without relative clauses is one clause; one without words has none.
    """
    line = words(question)
    begins = _begins(line, question)
    cuts = {
        0: "",
        **{resumed: "" for first in begins if (resumed := _resumed(line, first, begins, question))},
        **begins,
    }
    starts = sorted(cuts) if line else []
    ends = [*(start - 1 for start in starts[1:]), len(line) - 1]
    return tuple(_clause(question, line, a, b, cuts[a]) for a, b in zip(starts, ends, strict=False))


def _clause(question: str, line: list[Word], first: int, last: int, connector: str) -> Clause:
    """Brackets, quotes and the question mark stay with the word before them; a comma is left
    out.
    """
    end = line[last + 1].start if last + 1 < len(line) else len(question)
    text = question[line[first].start : end].rstrip(" ,;\n\t\"'(“‘")
    return Clause(text, Span(line[first].start, line[first].start + len(text)), connector)


def _begins(line: list[Word], question: str) -> dict[int, str]:
    """Where relative clauses begin, as positions of words, with their connectors."""
    found: dict[int, str] = {}
    loose: list[int] = []  # those that could also be the question's own
    for i in range(1, len(line)):
        first = i - (line[i - 1].text in PREPOSITIONS and not _between(line, i, question).strip())
        if (
            line[i].text in CONNECTORS
            and not line[i].capital
            and _relative(line, first, i, question)
        ):
            found[first] = " ".join(word.text for word in line[first : i + 1])
            loose += [first] if _bare_noun(line, i) else []
        elif _reduced(line, i, question):
            found[i] = " ".join(word.text for word in line[i : i + 2])
    if loose and not _asked_first(line, question):
        del found[loose[-1]]
    return found


def _relative(line: list[Word], first: int, i: int, question: str) -> bool:
    """Whether the connector at i, with its preposition at `first`, follows a noun."""
    if first == 0 or i + 1 == len(line) or (first < i and line[i].text in ("that", "when", "who")):
        return False
    before = line[first - 1]
    if before.text in JOINING or (line[i].text == "that" and before.text in SAYING):
        return False
    gap = _between(line, first, question)
    return not _new_sentence(line, first, question) and (
        "," not in gap or _asked_first(line[:first], question)
    )


def _asked_first(line: list[Word], question: str) -> bool:
    """Whether a sentence of these words begins by asking: "Who …", "In which …", "Did …"."""
    opening = [i for i in range(len(line)) if i == 0 or _new_sentence(line, i, question)]
    asking = CONNECTORS - {"that"} | AUXILIARIES | {"what", "how", "why"}
    return any(line[i].text in asking or _prepositional(line, i, asking) for i in opening)


def _prepositional(line: list[Word], i: int, asking: frozenset[str]) -> bool:
    return (
        line[i].text in PREPOSITIONS
        and i + 1 < len(line)
        and line[i + 1].text in asking - AUXILIARIES
    )


def _bare_noun(line: list[Word], i: int) -> bool:
    """Whether "which" is followed by what may be its noun: "is a character in which film?"."""
    return line[i].text == "which" and line[i + 1].text not in FUNCTION and not line[i + 1].capital


def _reduced(line: list[Word], i: int, question: str) -> bool:
    """Whether a participle with its preposition begins a clause without connector: "the label
    founded by …".
    """
    if i + 2 >= len(line) or line[i].capital or _between(line, i, question).strip():
        return False
    passive = any(word.text in AUXILIARIES for word in line[max(0, i - 2) : i])
    if passive or line[i - 1].text in FUNCTION or line[i + 2].text in CONNECTORS:
        return False
    if line[i + 1].text == "by":
        return participle(line[i].text)
    return line[i].text in STATES and line[i + 1].text in PREPOSITIONS and not line[i - 1].capital


def _resumed(line: list[Word], first: int, begins: dict[int, str], question: str) -> int:
    """Where the main clause goes on after the relative clause that begins at `first`; 0 where it
    does not.
    """
    until = min((begin for begin in begins if begin > first), default=len(line))
    aside = "," in _between(line, first, question) or not _asked_first(line[:first], question)
    waiting = any(word.text in WAITING for word in line[:first])
    for i in range(first + len(begins[first].split()) + 1, until):
        gap = _between(line, i, question).strip()
        comma = "," in gap
        if _new_sentence(line, i, question) or (comma and (aside or _options(line, i))):
            return i
        if waiting and _plain(line[i]) and (comma or (not gap and _verb_again(line, first, i))):
            return i
    return 0


def _options(line: list[Word], i: int) -> bool:
    """Whether names to choose from follow: ", Free Guy or Forbidden Ground?"."""
    return (
        line[i].capital and not line[i - 1].capital and any(word.text == "or" for word in line[i:])
    )


def _verb_again(line: list[Word], first: int, i: int) -> bool:
    """Whether the plain word i cannot belong to the clause: it follows "is located", or the
    clause's last name.
    """
    before, ahead = line[i - 1], line[i - 2]
    if ahead.text in AUXILIARIES and participle(before.text):
        return True
    return before.capital and ahead.text not in DETERMINERS and _verb_first(line, first)


def _verb_first(line: list[Word], first: int) -> bool:
    """Whether the clause's subject is its connector: "who wrote Hamlet", not "that Italy
    entered".
    """
    after = line[first + 1]
    return (
        line[first].text in ("who", "which", "that")
        and after.text not in DETERMINERS
        and not after.capital
    )


def _plain(word: Word) -> bool:
    return not word.capital and word.text not in FUNCTION


def _new_sentence(line: list[Word], i: int, question: str) -> bool:
    """Whether a sentence begins with word i; not after an initial or "Mr."."""
    gap, before = _between(line, i, question), line[i - 1]
    if not line[i].capital or not set(gap) & set(".;?!"):
        return False
    return not ("." in gap and before.capital and len(before.text) <= _SHORT)


def _between(line: list[Word], i: int, question: str) -> str:
    """What stands between word i and the one before it."""
    return question[line[i - 1].end : line[i].start] if i else ""
