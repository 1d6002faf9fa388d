"""Whether a sentence says what a triple says, in its words and their order. Grammar fails on notes,
lists and letters, and what it makes of them then reads as nothing: "Enzo has retired Fergus Daly".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from gear_app.extract.mention_pairs import MENTIONS
from gear_app.language.verbs import is_past
from gear_app.language.words import DETERMINERS, PREPOSITIONS, word_set
from gear_app.text import title_and_section
from gear_app.types import Span, TripleWords

_WORD = re.compile(r"n't|'s\b|\w+?(?=n't\b)|\w+(?:[-–/.,:]\w+)*|[^\w\s]")
_BE = word_set("is was are were")
_HELPING = _BE | word_set("has had")
_ARTICLES = word_set("a an the")
_SMALL = DETERMINERS | word_set("also then just only now still")
_JOINING = PREPOSITIONS | _SMALL | word_set(", and or & / -")
_PEOPLE = word_set("he she it they who whose")
_QUOTES = frozenset("\"“‘'")
_NEAR = 4  # words between a subject and its verb, or a verb and its object
_SKIPPED = 2  # words that a predicate leaves out


def is_stated(triple: TripleWords, sentence: str, title: str) -> bool:
    """Whether a sentence of a passage with this title says it: a field with its value, or a verb
    whose subject (or a pronoun) comes before it and whose object after it. Also true where nobody
    can tell: there is no sentence, or it has the predicate in other words. That a passage mentions
    something says nothing.
    """
    if triple.predicate == MENTIONS:
        return False
    words = _words(sentence)
    low = [word.lower() for word in words]
    subject, predicate, object_ = (_words(side.lower()) for side in triple.words)
    keys = [at.end for side in (subject, predicate) for at in _places(side, low)]
    if not sentence or any(low[end : end + 1] == [":"] for end in keys):
        return True
    if triple.predicate in (title, *title_and_section(title)):
        return False
    if "|" in low:  # a cell cut in two; the predicate of a row is its column's head
        return not any(_places(predicate, low))
    verb = [word for word in predicate if word not in _ARTICLES]
    if not set(verb) <= set(low):
        return True
    return any(_led(subject, words, at) for at in _with_object(verb, object_, words, low))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.replace("’", "'"))


def _places(wanted: Sequence[str], low: Sequence[str], skipped: int = 0) -> Iterator[Span]:
    """Where words stand in this order, with nothing between them but articles and so many others;
    no pronoun, preposition or mark.
    """
    for start in range(len(low)):
        end, found, left = start, 0, skipped
        while end < len(low) and found < len(wanted):
            if low[end] == wanted[found]:
                found += 1
            elif not found or low[end] not in _SMALL:
                left -= 1
                passed = low[end][0].isalnum() and low[end] not in PREPOSITIONS | _PEOPLE
                if not found or left < 0 or not passed:
                    break
            end += 1
        if wanted and found == len(wanted):
            yield Span(start, end)


def _with_object(
    verb: Sequence[str], object_: Sequence[str], words: Sequence[str], low: Sequence[str]
) -> Iterator[Span]:
    """Where the verb stands with its object: behind it, or with its preposition anywhere, where
    between them are but names, numbers and other prepositions.
    """
    for at in _places(verb, low, _SKIPPED):
        later = (o.start for o in _places(object_, low) if o.start >= at.end)
        start = next(later, None)
        if start is not None and _follows(verb[-1], words[at.end : start], words[start]):
            yield at
    *alone, preposition = verb
    if alone and preposition in PREPOSITIONS:
        objects = list(_places([preposition, *object_], low, _SKIPPED))
        for at in _places(alone, low, _SKIPPED):
            if any(o.start < at.start or _joined(words[at.end : o.start]) for o in objects):
                yield at


def _follows(verb: str, between: Sequence[str], first: str) -> bool:
    if between == [","]:  # "her father, Thomas Howard"
        return first[0].isupper() and not is_past(verb)
    if not between or between[0] in _QUOTES:
        return True
    plain = all(word[0].isalnum() for word in between)
    return between[0][0].isalnum() and (_joined(between) or (plain and len(between) < _NEAR))


def _joined(words: Sequence[str]) -> bool:
    """Names, numbers, and what joins them."""
    return all(word[0].isupper() or word[0].isdigit() or word in _JOINING for word in words)


def _led(subject: Sequence[str], words: Sequence[str], verb: Span) -> bool:
    """Whether the subject leads to the verb, or somebody whom the sentence does not name."""
    low = [word.lower() for word in words]
    places = [at for at in _places(subject, low) if at.end <= verb.start]
    if not places:
        near = {*low[:1], *low[max(0, verb.start - _NEAR) : verb.start]}
        turned = verb.start == 0 and subject[-1] in low  # "Born in Paris, she was …"
        return bool(near & (_PEOPLE | {subject[-1]})) or low[0] == "the" or turned
    start = places[-1].end
    between = low[start : verb.start]
    if not between or {between[0], between[-1]} <= set(",()") or between[-1] in _PEOPLE:
        return True
    a_thing = any(one in _BE and other in _ARTICLES for one, other in pairwise(between))
    done_before = between[0] in _HELPING and between[-1] in ("and", "or", "then")
    placed = between[0] in PREPOSITIONS and _joined(words[start : verb.start])
    plain = all(word[0].isalnum() for word in between) and len(between) <= _NEAR
    return a_thing or done_before or placed or plain
