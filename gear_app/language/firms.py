"""Names of firms that "and" and commas seem to part: "Hugh Marlowe and Sons".

Each is one name, and so is "Brown, Boveri & Cie", while "Hugh Marlowe and Ann Lee" are two: closed
lists say what ends the name of a firm.
"""

from __future__ import annotations

import re

from gear_app.language.words import FUNCTION_WORDS, LIGHT_WORDS, TOLD, word_set
from gear_app.text import MARKS

_FAMILY = "Sons?|Daughters?|Nephews?|Nieces?|Sisters|Brothers|Bros"
_OTHERS = "Company|Co|Cie|Partners?|Associates"
_LEGAL = "Ltd|Limited|Inc|LLC|LLP|PLC|plc|AG|GmbH|SA|NV|BV"
_ENDS = rf"(?![\w{MARKS}-])"
_ENDING = re.compile(
    rf",?\s(?:and|&)\s(?:({_FAMILY})|{_OTHERS}){_ENDS}(?:(?<=Co)\.|(?<=Bros)\.)?"
    rf"(?:,?\s(?:{_LEGAL}){_ENDS})?"
)
# "and Sons of the Desert", "and Brothers Grimm", "and Company B" begin names of others
_BEGINS_ANOTHER = re.compile(
    r"\sof the\b|(?:(?<=Brothers)|(?<=Sisters)|(?<=Company)|(?<=Partner)|(?<=Partners))\s[^\W_a-z]"
)
_CAPITAL = rf"(?:(?:[^\W\d_a-z]\.)+|[^\W\d_a-z][\w{MARKS}'’-]*)"
_CAPITALS = re.compile(rf"(?<![\w{MARKS}'’.-]){_CAPITAL}(?:\s{_CAPITAL}){{0,4}}\Z")
_LONGEST = 100  # characters of a part
_MOST_PARTS = 4
_BEFORE_PLACES = re.compile(r"(?:\A|\W)(?:in|at|near)\s\Z", re.IGNORECASE)
_NO_PART = (FUNCTION_WORDS | LIGHT_WORDS | TOLD | word_set("messrs")) - word_set("will")


def firms(text: str) -> list[tuple[int, int]]:
    """The places of such names, ends exclusive, in order; none overlap.

    Commas belong to one only before partners, and between single words: "Otto Lind, Marlowe and
    Co", "Ghent, Marlowe and Sons" and "in London, Brown and Co" have one name before theirs.
    """
    found: list[tuple[int, int]] = []
    edge = 0
    for ending in _ENDING.finditer(text):
        begin = _begin(text, edge, ending.start(), partners=ending[1] is None)
        if begin is not None and not _BEGINS_ANOTHER.match(text, ending.end()):
            edge = ending.end()
            found.append((begin, edge))
    return found


def _begin(text: str, edge: int, end: int, *, partners: bool) -> int | None:
    """Where a name begins, at `edge` or after it, whose ending begins at `end`; None where no name
    stands before that.
    """
    last = _capitals(text, edge, end)
    if last is None or not partners:
        return last
    begins, stop = [last], end
    while len(begins) < _MOST_PARTS and len(text[begins[-1] : stop].split()) == 1:
        stop = begins[-1] - 2
        before = _capitals(text, edge, stop) if text[max(stop, 0) : begins[-1]] == ", " else None
        if before is None or len(text[before:stop].split()) > 1:
            break
        begins.append(before)
    return last if _BEFORE_PLACES.search(text, max(begins[-1] - 6, 0), begins[-1]) else begins[-1]


def _capitals(text: str, edge: int, end: int) -> int | None:
    """Where the words with a capital begin that end at `end`; None where there are none."""
    run = _CAPITALS.search(text, max(end - _LONGEST, edge), end)
    if run is None:
        return None
    begin = None
    for word in reversed(list(re.finditer(r"\S+", run[0]))):
        owner = begin is not None and word[0].endswith(("'s", "’s"))  # "Ghent's Marlowe & Co"
        if owner or not word[0][0].isupper() or word[0].casefold() in _NO_PART:
            break
        begin = run.start() + word.start()
    return begin
