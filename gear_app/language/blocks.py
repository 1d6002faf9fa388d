"""A passage's text as blocks: headings, list items, table rows, `Key: value` pairs and prose, each
with its sentences. By lines and marks alone: any language, no model.

What a line, a cell or a mark ends, no sentence goes beyond; and marks (`#`, `-`, `1.`, `**`, a
clock time before an entry) belong to no sentence.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise, zip_longest

from gear_app.core.errors import Refused
from gear_app.core.text import MARKS
from gear_app.core.types import Span
from gear_app.language.words import word_set

_MARK = re.compile(  # or a clock time before an entry
    r"(?:[-*+•–—▪◦‣·>]\s+|\d{1,3}[.)]\s+|[A-Za-z][)]\s+|#{1,6}\s+|\[[ xX]?\]\s+"
    r"|\d{1,2}:\d{2}(?::\d{2})?(?:\s?(?:h|am|pm|[A-Z]{3,4})\b)?\s*[-–—:,|]?\s+)+"
)
_EMPHASIS = "*_`~"
_AROUND = _EMPHASIS + " \t\n\r\f\v\u00a0\u2003\u2009\u202f\u3000"
_RULE = re.compile(r"[-=*_+|:\s]{3,}")  # a line of marks only; under a line it makes that a heading
_KEY = re.compile(r"[^\W_][^:：|\t\r\n]{0,39}[:：](?:[*_]{1,3})?(?=\s|$)")
_KEY_WORDS = 5
_BAR, _TAB = (re.compile(mark) for mark in (r"\|", r"\t"))
_WRAPPED = 50  # characters; lines of a group that has no longer one were not wrapped at a margin
_LINES_OF_THEIR_OWN = 0.8  # of a group's lines begin like sentences: they are entries
_LONG_GROUP = 200_000  # characters; a log's, whose lines are not looked at together
_HEADING_CHARACTERS, _HEADING_WORDS = 100, 12

# Ends of sentences, for languages that end them with marks
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


class Kind(StrEnum):
    """Kind of a block."""

    HEADING = "heading"
    ITEM = "item"
    ROW = "row"
    PAIR = "pair"
    PROSE = "prose"


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a text that stands for itself; all spans are offsets into the text.

    `span` is all of it, its marks included. `sentences` are in order, without marks; a heading and
    a row have one, a pair those of its value. `heading` is the nearest heading above, or the line
    that introduces a list; None where the passage's title is all there is. `key` is a pair's, or
    the first cell of a row of two. `cells` are a row's that are not empty, and `columns` those of
    the row that heads the table, one for each cell; empty where none does.
    """

    kind: Kind
    span: Span
    sentences: tuple[Span, ...]
    heading: Span | None = None
    key: Span | None = None
    cells: tuple[Span, ...] = ()
    columns: tuple[Span, ...] = ()


def blocks(text: str) -> tuple[Block, ...]:
    """The blocks of a text, in order; blank text has none. Never raises, and takes time in
    proportion to the text's length.
    """
    blocks: list[Block] = []
    for group in line_groups(text):
        blocks += _of_group(text, group)
    return tuple(_headed(text, blocks))


def lines_and_blocks(text: str, most: int) -> Iterator[tuple[int, list[Block]]]:
    """For each group of lines of a text how many there are, and its blocks, without what stands
    above them; of a very long group each line is a block of prose. Raises Refused for more lines
    than `most`.
    """
    for group in line_groups(text, most):
        if group[-1].end - group[0].start > _LONG_GROUP:
            yield len(group), [Block(Kind.PROSE, line, ()) for line in group]
        else:
            yield len(group), list(_of_group(text, group))


def sentences(text: str) -> list[Span]:
    """The sentences of a text, block by block, without marks; the first of a pair begins with its
    key, and a row is one. Blank text has none.
    """
    return [sentence for block in blocks(text) for sentence in of_block(text, block)]


def of_block(text: str, block: Block) -> list[Span]:
    """The sentences of one block, in the same way."""
    if block.kind is Kind.PAIR and block.key:
        first = block.sentences[0] if block.sentences else block.key
        return [Span(block.key.start, first.end), *block.sentences[1:]]
    if block.kind is Kind.ROW:
        return list(block.sentences)
    # What reads as a heading can be two short sentences.
    return [part for span in block.sentences for part in sentences_of(text, span)]


def is_row(text: str) -> bool:
    """Whether a text is fields alone, a line each, as the row of a table is read."""
    lines = text.splitlines()
    return bool(lines) and all(": " in line for line in lines)


def content(text: str, span: Span) -> Span:
    """A span without white space, list marks and emphasis around it."""
    mark = _MARK.match(text, *span)
    return _bare(text, mark.end() if mark else span.start, span.end)


def _bare(text: str, start: int, end: int) -> Span:
    """Without white space and emphasis at its ends; a lone mark stays."""
    words = text[start:end].lstrip(_AROUND)
    start = end - len(words)
    return Span(start, start + len(words.rstrip(_AROUND)))


def _of_group(text: str, lines: list[Span]) -> Iterator[Block]:
    """The blocks of lines without a blank line between them."""
    paragraphs = list(_paragraphs(text, lines))
    rules = [_is_rule(text, span) for span in paragraphs]
    for number, span in enumerate(paragraphs):
        if rules[number]:
            continue
        underlined = number + 1 < len(rules) and rules[number + 1] and "|" not in text[slice(*span)]
        alone = len(paragraphs) == 1 or (number == 0 and _above_prose(text, *paragraphs[:2]))
        yield from _of_paragraph(text, span, alone=alone, underlined=underlined)


def _above_prose(text: str, span: Span, following: Span) -> bool:
    """Whether a group's first line stands over sentences or a list, as a heading without a
    blank line does.
    """
    words = text[span.start : span.end].split()
    if len(words) > _HEADING_WORDS // 2:
        return False
    if _MARK.match(text, following.start, following.end):
        return True
    prose = text[following.start : following.end].rstrip(_EMPHASIS + "\"'”’)")
    return (
        prose.endswith((".", "!", "?"))
        and len(prose.split()) > max(len(words), 2)
        and not _KEY.match(text, following.start, following.end)
    )


def _paragraphs(text: str, lines: list[Span]) -> Iterator[Span]:
    """Lines put together where they were wrapped at a margin."""
    width = max(line.end - line.start for line in lines)
    starts = sum(not text[line.start].islower() for line in lines)
    entries = width < _WRAPPED or (len(lines) > 2 and starts >= _LINES_OF_THEIR_OWN * len(lines))
    start = lines[0].start
    for line, following in pairwise(lines):
        if _ends(text, line, following, width, entries=entries):
            yield Span(start, line.end)
            start = following.start
    yield Span(start, lines[-1].end)


def _ends(text: str, line: Span, following: Span, width: int, *, entries: bool) -> bool:
    """Whether a line ends on purpose: marks say so, or the next word would have had room on it."""
    if (
        text[line.start] in "#|"
        or _is_rule(text, line)
        or _is_rule(text, following)
        or _MARK.match(text, following.start, following.end)
        or _cells(text, line)
        or _cells(text, following)
    ):
        return True
    keyed = _KEY.match(text, following.start, following.end)
    if keyed and (not text[following.start].islower() or _KEY.match(text, line.start, line.end)):
        return True
    word = text[slice(*following)].split(None, 1)[0]
    room = line.end - line.start + 1 + len(word) <= width
    if text[following.start].islower():
        return room and text[line.end - 1] in ".!?"
    return room or entries


def _is_rule(text: str, span: Span) -> bool:
    return _RULE.fullmatch(text, span.start, span.end) is not None


def _of_paragraph(text: str, span: Span, *, alone: bool, underlined: bool) -> Iterator[Block]:
    inner = content(text, span)
    if inner.start == inner.end:
        return
    if text[span.start] == "#" or underlined:
        yield Block(Kind.HEADING, span, (inner,))
        return
    cells = _cells(text, inner)
    if cells:
        key = cells[0] if len(cells) == 2 else None
        yield Block(Kind.ROW, span, (Span(cells[0].start, cells[-1].end),), None, key, cells)
        return
    marked = _MARK.match(text, span.start, span.end) is not None
    if not marked and _reads_as_heading(text, inner, alone=alone):
        yield Block(Kind.HEADING, span, (inner,))
        return
    yield from _sentence_blocks(text, span, inner, Kind.ITEM if marked else Kind.PROSE)


def _reads_as_heading(text: str, span: Span, *, alone: bool) -> bool:
    """Whether an unmarked line does: short, and standing alone without a stop, or ending with a
    colon.
    """
    if span.end - span.start > _HEADING_CHARACTERS:
        return False
    line = text[span.start : span.end]
    if len(line.split()) > _HEADING_WORDS or "\n" in line or "\r" in line:
        return False
    ends = line[-1].isalnum() or line[-1] in ")?"
    return line[-1] in ":：" or (alone and ends and not _KEY.match(line))


def _sentence_blocks(text: str, span: Span, inner: Span, kind: Kind) -> Iterator[Block]:
    """A block for the sentences before the first key, and one for each key and what follows it."""
    parts: list[tuple[Span | None, list[Span]]] = []
    for sentence in sentences_of(text, inner):
        key = _key(text, sentence)
        words = _bare(text, key.end + 1 if key else sentence.start, sentence.end)
        if key or (not parts and words.start < words.end):
            parts.append((_bare(text, *key) if key else None, []))
        if words.start < words.end:
            parts[-1][1].append(words)
    starts = [span.start, *(key.start for key, _ in parts[1:] if key), span.end]
    for (key, sentences), (start, end) in zip(parts, pairwise(starts), strict=True):
        inside = Span(start, max(start, _bare(text, start, end).end))
        yield Block(kind if key is None else Kind.PAIR, inside, tuple(sentences), key=key)


def _key(text: str, sentence: Span) -> Span | None:
    """The key of a sentence that is `Key: value`, without the colon."""
    match = _KEY.match(text, sentence.start, sentence.end)
    if match is None:
        return None
    key = match[0].rstrip(_EMPHASIS)[:-1]
    if len(key.split()) > _KEY_WORDS or key.count("(") != key.count(")"):
        return None
    return Span(sentence.start, sentence.start + len(key))


def _cells(text: str, span: Span) -> tuple[Span, ...]:
    """The cells of a table's row that are not empty, two or more; else none."""
    for pattern in (_BAR, _TAB):
        marks = [match.span() for match in pattern.finditer(text, *span)]
        starts = [span.start, *(end for _, end in marks)]
        stops = [*(start for start, _ in marks), span.end]
        cells = [_bare(text, start, stop) for start, stop in zip(starts, stops, strict=True)]
        filled = tuple(cell for cell in cells if cell.start < cell.end)
        if len(filled) > 1:
            return filled
    return ()


def _headed(text: str, blocks: list[Block]) -> Iterator[Block]:
    """Blocks with the heading that each is under, and rows with their table's columns.

    A heading without anything under it is prose; a line that ends with a colon is the heading of
    what it introduces: the items, rows and pairs right after it.
    """
    heading: Span | None = None
    introduction: Span | None = None
    columns: tuple[Span, ...] = ()
    before: Block | None = None
    for block, following in zip_longest(blocks, blocks[1:]):
        if block.kind is Kind.HEADING:
            if following is None:
                yield replace(block, kind=Kind.PROSE, heading=introduction or heading)
            elif text[block.sentences[0].end - 1] in ":：":
                yield replace(block, heading=heading)
                introduction = _bare(text, block.sentences[0].start, block.sentences[0].end - 1)
            else:
                yield block
                heading, introduction = block.sentences[0], None
        elif block.kind is Kind.ROW:
            first = before is None or before.kind is not Kind.ROW
            if first:
                columns = ()
            fits = len(columns) == len(block.cells)
            yield replace(block, heading=introduction or heading, columns=columns if fits else ())
            if first and following is not None and _heads(text, block, following):
                columns = block.cells
        else:
            if block.kind is Kind.PROSE:
                introduction = None
            yield replace(block, heading=introduction or heading)
        before = block


def _heads(text: str, row: Block, following: Block) -> bool:
    """Whether a table's first row names its columns: a rule is under it, or it has three cells or
    more and no digit.
    """
    if following.kind is not Kind.ROW or len(following.cells) != len(row.cells):
        return False
    if _RULE.fullmatch(text, row.span.end, following.span.start):
        return True
    words = text[row.span.start : row.span.end]
    return len(row.cells) > 2 and not any(map(str.isdigit, words))


def sentences_of(text: str, paragraph: Span) -> Iterator[Span]:
    """The sentences of one paragraph."""
    start = paragraph.start
    for mark in _END.finditer(text, paragraph.start, paragraph.end):
        if _ends_sentence(text, start, mark, paragraph):
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


def _ends_sentence(text: str, start: int, mark: re.Match[str], paragraph: Span) -> bool:
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
