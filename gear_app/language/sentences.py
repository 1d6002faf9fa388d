"""The sentences of a paragraph, by rule: languages that end sentences with marks, no model.

A parser would do better and costs thirty milliseconds a passage before anything can be searched.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from gear_app.core.errors import Refused
from gear_app.core.text import MARKS
from gear_app.core.types import Span
from gear_app.language.words import word_set

_LINE = re.compile(r"\S(?:[^\r\n]*\S)?")  # what is not blank of a line that is not blank
_VISIBLE = re.compile(r"\S")
_BREAK = re.compile(r"\r\n|\r|\n")
# Only from the first mark of a run, and never given back (`++`, `*+`): else long runs cost the
# square of their length.
_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’»)\]]*+(?=\s)|[。！？؟۔।]++[\"'”’»」』）)]*+")
_OPENING = "\"'“‘«([¿¡"
_NEXT = re.compile(rf"\s*([{re.escape(_OPENING)}]*)(\w[\w{MARKS}]*)(\.?)")


MOST_LINES = 500_000

_NEVER = word_set(
    "mr mrs ms dr prof st gen col sgt capt lt rev hon gov sen rep pres mt ft vs cf viz mme mlle"
)
_BEFORE_NUMBER = word_set("no nos p pp vol ch fig figs eq sec art op c ca circa b d r")
_SOMETIMES = word_set(
    "inc ltd co corp jr sr etc approx dept est bros univ al ed eds ph.d jan feb mar apr jun jul aug"
    " sep sept oct nov dec"
)
_STARTERS = word_set(
    "The A An He She It They We I You His Her Its Their This That These Those There In On At As For"
    " From With By To After Before When While Since During Although Because If But And However Then"
    " Later Today Some Many Most Both One Two Another Other Each All No Not Who What Where Why How"
)


def sentences_of(text: str, paragraph: Span) -> Iterator[Span]:
    """The sentences of one paragraph."""
    start = paragraph.start
    for mark in _END.finditer(text, paragraph.start, paragraph.end):
        if _ends(text, start, mark, paragraph):
            yield Span(start, mark.end())
            following = _VISIBLE.search(text, mark.end(), paragraph.end)
            start = following.start() if following else paragraph.end
    if start < paragraph.end:
        yield Span(start, paragraph.end)


def line_groups(text: str, most: int | None = None) -> Iterator[list[Span]]:
    """The lines between blank lines, in order, without the white space around them. Raises Refused
    for more lines than `most`, where that is given.
    """
    block: list[Span] = []
    for number, match in enumerate(_LINE.finditer(text)):
        if number == most:
            raise Refused(f"it has more than {most:,} lines; split it")
        line = Span(*match.span())
        if block and len(_BREAK.findall(text, block[-1].end, line.start)) > 1:
            yield block
            block = []
        block.append(line)
    if block:
        yield block


def _ends(text: str, start: int, mark: re.Match[str], paragraph: Span) -> bool:
    following = _NEXT.match(text, mark.end(), paragraph.end)
    if not following:
        return True
    if following[2][0].islower():
        return False
    if not mark.group().startswith(".") or mark.group().startswith(".."):
        return True
    before = text[max(start, mark.start() - 20) : mark.start()].split()
    word = before[-1].lstrip(_OPENING) if before else ""
    first = mark.start() - start == len(word)
    word = unicodedata.normalize("NFC", word)  # "É" is one letter, also with its accent apart
    if len(word) == 1 and len(before) > 1 and before[-2][-1].isdigit():
        return True  # of a unit: "at 60 C."
    return not _abbreviation(
        word, following[2], starts=not following[3] and following[2] in _STARTERS, first=first
    )


def _abbreviation(word: str, following: str, *, starts: bool, first: bool) -> bool:
    """Whether the full stop after `word` belongs to it. `starts`: what follows is a word that
    begins sentences.
    """
    lower = word.lower()
    if lower in _NEVER or (lower in _BEFORE_NUMBER and following[0].isdigit()):
        return True
    if word.isdigit():
        return first and len(word) <= 3  # the number of a list item
    initials = len(word) == 1 and word.isalpha()
    dotted = "." in word and all(len(part) <= 2 and part.isalpha() for part in word.split("."))
    return (initials or dotted or lower in _SOMETIMES) and not starts
