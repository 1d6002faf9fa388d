"""What stands over a block and is said of all of it: its heading, the heads of its table's columns,
and the author's line. Each of its sentences mentions them, at the place where they are written.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from gear_app.segmentation.blocks import Block, Kind, of_block
from gear_app.types import Span

_AUTHOR_KEYS = frozenset("author authors from by autor autorin verfasser auteur autore".split())
_BY_LINE = re.compile(r"(?:By|by|BY) (?=[^\W\d_])([^.:;!?\n]{2,60})")
_AUTHOR_WORDS = 6
_COLUMNS = 20
_LONGEST = 200  # characters of a heading


class HeadedSentence(NamedTuple):
    """A sentence, and the places in the text of what is said of it; `heads`: it is itself a heading
    of sentences that follow.
    """

    span: Span
    above: tuple[Span, ...]
    author: Span | None
    heads: bool


def headed_sentences(text: str, blocks: Sequence[Block]) -> list[HeadedSentence]:
    """The sentences of blocks (blocks.sentences), each under what stands above it. The one author
    of a text is that of all of it, one of several that of what follows until the next.
    """
    authors = [_author(text, block) for block in blocks]
    named = [author for author in authors if author]
    heads = {block.heading.start for block in blocks if block.heading}
    author = named[0] if len(named) == 1 else None
    found = []
    for block, own in zip(blocks, authors, strict=True):
        author = own or author
        heads_of_columns = block.columns[:_COLUMNS]
        above = tuple(span for span in (block.heading, *heads_of_columns) if span)
        above = tuple(span for span in above if span.end - span.start <= _LONGEST)
        for span in of_block(text, block):
            is_head = block.kind is Kind.HEADING and span.start in heads
            found.append(HeadedSentence(span, above, author, is_head))
    return found


def _author(text: str, block: Block) -> Span | None:
    """Where a block names who wrote the text: "Author: X", "From: X", or "By X" on its own line."""
    if len(block.sentences) != 1:
        return None
    (span,) = block.sentences
    words = text[span.start : span.end]
    if block.kind is Kind.PAIR and block.key:
        key = text[block.key.start : block.key.end].casefold()
        short = len(words.split()) <= _AUTHOR_WORDS
        return span if key in _AUTHOR_KEYS and short else None
    line = _BY_LINE.fullmatch(words)
    if line and all(word[0].isupper() or word == "and" for word in line[1].split()):
        return Span(span.start + line.start(1), span.start + line.end(1))
    return None
