"""A Markdown file to a title and plain text: marks go, what they say of the layout stays.

Headings stand alone, lists keep a dash, tables their bars and the rule under the head; so the
blocks of the text are those of the file (language.blocks).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from gear_app.ingest.decode import decode
from gear_app.ingest.documents import DocumentText

_FENCE = re.compile(r"\s{0,3}(```+(?=[^`]*\Z)|~~~+)")
_HEADING = re.compile(r"\s{0,3}#{1,6}[ \t]+(\S.*)")
_UNDERLINE = re.compile(r"\s{0,3}(?:=+|-+)\s*")
_RULE = re.compile(r"\s{0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})")
# Nothing is given back (`++`, `*+`): else a line of blanks costs the square of its length.
_TABLE_RULE = re.compile(r"\s*+\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?+-*+:?[ \t]*+)++")
_CLOSING = re.compile(r"(?<![ \t])[ \t]+#+[ \t]*\Z")
_QUOTE = re.compile(r"\s{0,3}(?:>[ \t]?)+")
_BULLET = re.compile(r"([ \t]*)[-*+][ \t]+(?:\[[ xX]\][ \t]+)?")
# Where a link leads, with its title; other words after such a mark are text, as in "[Ada]: Hello.".
_DEFINITION = re.compile(
    r"\s{0,3}\[[^\^\]\n][^\]\n]{0,199}\]:[ \t]+(?=\S*(?:[/#:@]|\w\.\w))\S+"
    r"(?:[ \t]+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?[ \t]*"
)
_COMMENT = re.compile(r"<!--(?:(?!<!--)[^-]|-(?!->))*+-->")
_LINK = re.compile(
    r"!?\[([^\[\]\n]{0,500})\]\([^()\s]{0,2000}(?:[ \t]+[^()\n]{0,500})?\)"
    r"|(?<!\w)!?\[([^\[\]\n]{0,500})\]\[[^\[\]\n]{0,200}\]"
)
# What means itself: a mark after a backslash, and code.
_LITERAL = re.compile(r"\\([!-/:-@\[-`{-~])|(?<!`)(`{1,3})(?!`)([^`\n]{1,500})\2(?!`)")
_KEPT = re.compile(r"\0(\d+)\0")
_STRONG = re.compile(
    r"(?<![\w*_~])(\*\*\*|\*\*|___|__|~~|\*|_)(?=[^\s*_~])([^\n*~]{1,500}?)(?<=[^\s*_~])\1(?![\w*_~])"
)
# Also within a word.
_STARRED = re.compile(r"(\*\*|~~)(?=[^\s*~])([^\n*~]{1,500}?)(?<=[^\s*~])\1")
_LETTER = re.compile(r"[A-Za-z0-9]")
_POWER = re.compile(r"[\w)\]]\*\*\d")
_LONGEST = 100_000  # characters of a line; marks in longer ones stay


def read_markdown(content: bytes, title: str) -> DocumentText:
    """A Markdown file as plain text; the title is its first heading."""
    return markdown(decode(content), title)


def markdown(text: str, title: str) -> DocumentText:
    """Markdown as plain text; the title is its first heading, else the given one."""
    lines = _COMMENT.sub("", text).splitlines() if "<!--" in text else text.splitlines()
    parts: list[str] = []
    first = ""
    for line, heading in _plain(lines):
        if heading and line:
            first = first or line
            parts += ["", line, ""]
        else:
            parts.append(line)
    return DocumentText(first or title, _BLANKS.sub("\n\n", "\n".join(parts)).strip("\n"))


_BLANKS = re.compile(r"\n{3,}")


def _plain(lines: list[str]) -> Iterator[tuple[str, bool]]:
    """Each line without its marks, and whether it is a heading; what fences hold is as it was."""
    fence, underlined, table = "", False, False
    for number, line in enumerate(lines):
        found = _FENCE.match(line)
        if fence:
            if found and found[1].startswith(fence) and not line.strip(" `~"):
                fence = ""
            else:
                yield line, False
            continue
        if underlined:
            underlined = False
            continue
        following = lines[number + 1] if number + 1 < len(lines) else ""
        blank_before = number == 0 or not lines[number - 1].strip()
        table = "|" in line and (table or _TABLE_RULE.fullmatch(following) is not None)
        if found:
            fence = found[1]
        elif heading := _HEADING.fullmatch(line):
            yield _words(_CLOSING.sub("", heading[1].rstrip())), True
        elif blank_before and _titled(line, following):
            underlined = True
            yield _words(line), True
        elif "|" in line and _TABLE_RULE.fullmatch(line):
            yield "---", False
        elif _RULE.fullmatch(line.rstrip()) or _DEFINITION.fullmatch(line):
            yield "", False
        elif table:
            yield _words(_row(line)), False
        else:
            yield _line(line), False


def _titled(line: str, following: str) -> bool:
    """Whether a line is a heading by the rule under it."""
    return (
        bool(line.strip())
        and bool(following.strip())
        and _UNDERLINE.fullmatch(following) is not None
        and _BULLET.match(line) is None
        and "|" not in line
    )


def _line(line: str) -> str:
    """A line of text, of a list or of a quotation."""
    line = line[quote.end() :] if (quote := _QUOTE.match(line)) else line
    bullet = _BULLET.match(line)
    if bullet:
        return f"{bullet[1]}- {_words(line[bullet.end() :])}"
    return _words(line)


def _row(line: str) -> str:
    """A row of a table without the bars at its ends."""
    cells = line.strip().removeprefix("|")
    return (cells if cells.endswith("\\|") else cells.removesuffix("|")).strip()


def _words(text: str) -> str:
    """Without emphasis, links and escapes."""
    if len(text) > _LONGEST:
        return text.rstrip()
    literals: list[str] = []

    def keep(found: re.Match[str]) -> str:
        literals.append(found[1] or found[3])
        return f"\0{len(literals) - 1}\0"

    text = _LITERAL.sub(keep, text)
    text = _LINK.sub(lambda found: found[1] or found[2] or "", text)
    text = _STARRED.sub(_unstarred, text)
    text = _STRONG.sub(r"\2", text)
    return _KEPT.sub(lambda found: literals[int(found[1])], text).rstrip()


def _unstarred(found: re.Match[str]) -> str:
    """Words without the stars around them; "x**2 + y**2" as it is."""
    text, start, end = found.string, found.start(), found.end()
    within = _LETTER.match(text[start - 1 : start]) and _LETTER.match(text, end)
    power = start > 0 and _POWER.match(text, start - 1)
    return found[0] if power or (within and " " in found[2]) else found[2]
