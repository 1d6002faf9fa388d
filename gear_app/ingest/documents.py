"""Plain text and Markdown files to a title and a text.

Every reader of documents takes bytes and a fallback title, and raises BadInput with a sentence for
the person who sent the file.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from gear_app.ingest.decode import decode
from gear_app.ingest.sentences import is_heading

_FIRST_LINE = re.compile(r"\s*+(\S[^\r\n]*+)\r?\n\r?\n\s*+\S")  # one that stands alone
_MARKDOWN_HEADING = re.compile(
    r"^#{1,6}[ \t]+(\S[^\r\n]*)|^(\S[^\r\n]*)\r?\n(?:=+|-+)[ \t]*$", re.MULTILINE
)
_AUTOMATIC = re.compile(
    r"(?i)microsoft word -|untitled|word document|.*\.(docx?|pdf|tex|indd|qxd|rtf)$"
)


class Extracted(NamedTuple):
    """A document's title and its plain text, and a sentence where not all of it was taken."""

    title: str
    text: str
    note: str = ""


def read_plain(content: bytes, title: str) -> Extracted:
    """A text file. Its title is a heading-like first line that stands alone, else the given one."""
    return plain(decode(content), title)


def plain(text: str, title: str) -> Extracted:
    """Text as it is, with its title."""
    first = _FIRST_LINE.match(text)
    heading = first and is_heading(first[1])
    return Extracted(first[1].strip("# ") if first and heading else title, text)


def read_markdown(content: bytes, title: str) -> Extracted:
    """A Markdown file, its text as it is; the title is its first heading."""
    text = decode(content)
    found = _MARKDOWN_HEADING.search(text)
    return Extracted((found[1] or found[2]).rstrip("# \t") if found else title, text)


def stated_title(title: object) -> str:
    """A title that a file states, or "" for what programs write when nobody gave one."""
    words = " ".join(title.split()) if isinstance(title, str) else ""
    return "" if _AUTOMATIC.match(words) else words
