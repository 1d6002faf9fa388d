"""Text: letters with the marks that combine with them, tokens for BM25, the identity of entity
names, triples in a line, numbers with nouns, words in quotes, tables that no spreadsheet computes,
and how long a question or a name may be.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from gear_app.core.errors import BadInput

MOST_DIGITS = 18  # of a whole number that is read from text; a database takes no more
# Vowel signs of Hindi, accents that were typed as characters of their own: patterns of words leave
# them out, and a word would end at each.
_JOINERS = "\u200c\u200d"  # inside words of Hindi, Persian and others
_PLAIN = {**dict.fromkeys(_JOINERS, ""), "i\u0307": "i"}
# all but what encloses a letter or chooses how it is drawn: "1" in a box is 1
_BLOCKS = chain(
    range(0x300, 0x20D0),
    range(0x2100, 0x3100),
    range(0xA000, 0xB000),
    range(0xFB1E, 0xFE00),
    range(0xFE20, 0xFE30),
)


def _class_of_marks() -> str:
    marks = [code for code in _BLOCKS if unicodedata.category(chr(code))[0] == "M"]
    starts = [code for code, before in zip(marks, [0, *marks], strict=False) if code != before + 1]
    ends = [code for code, after in zip(marks, [*marks[1:], 0], strict=True) if code != after - 1]
    return "".join(f"{chr(a)}-{chr(b)}" for a, b in zip(starts, ends, strict=True))


MARKS = _class_of_marks() + _JOINERS
"""What a class of characters has to name, besides letters, for whole words."""
WORD = re.compile(rf"[^\W_]+(?:[{MARKS}]+[^\W_]*)*")
"""A run of letters and digits with their marks, in any text."""


def normal(text: str) -> str:
    """One form for all ways of writing the same letters: NFKC, case folded, without joiners and
    without the dot that the small letter of "İzmir" would have twice.
    """
    if text.isascii():
        return text.casefold()
    folded = unicodedata.normalize("NFKC", text).casefold()
    for sign, plain in _PLAIN.items():
        folded = folded.replace(sign, plain)
    return folded


# Text

LONGEST_REPLY = 100_000  # characters; a server may send megabytes
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_ASCII_WORD = re.compile(r"[^\W_]+")  # WORD where there are no marks, and faster


def tokenise(text: str) -> list[str]:
    """Case-folded runs of letters and digits after NFKC, with the marks that combine with them; no
    stemming, no stop list.
    """
    return (_ASCII_WORD if text.isascii() else WORD).findall(normal(text))


# Kana, Han, Hangul, Thai, Lao, Burmese and Khmer: between their words there are no blanks, or what
# stands between blanks is more than a word.
_UNBROKEN = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_SCRIPTS = re.compile(f"(?P<unbroken>[{_UNBROKEN}]+)|[^{_UNBROKEN}]+")
_HAS_UNBROKEN = re.compile(f"[{_UNBROKEN}]")


def terms(text: str) -> list[str]:
    """Terms that BM25 counts: the text's tokens; of a run of letters in a script without blanks
    between words all pairs of neighbours, as Lucene's CJKBigramFilter makes them, and a lone letter
    as it
    is.
    """
    tokens = tokenise(text)
    if text.isascii() or not _HAS_UNBROKEN.search(text):
        return tokens
    return [term for token in tokens for term, _ in pairs(token)]


def pairs(word: str) -> Iterator[tuple[str, int]]:
    """The terms of one word, each with its place in it."""
    for run in _SCRIPTS.finditer(word):
        length = len(run[0])
        if run["unbroken"] and length > 2:
            yield from ((run[0][n : n + 2], run.start() + n) for n in range(length - 1))
        else:
            yield run[0], run.start()


def spaced_letters(text: str) -> str:
    """The text with a blank around each letter of a script without blanks between words, and
    without punctuation; a text without such letters as it is.
    """
    if not _HAS_UNBROKEN.search(text):
        return text
    plain = (" " if unicodedata.category(sign)[0] == "P" else sign for sign in text)
    return _HAS_UNBROKEN.sub(r" \g<0> ", "".join(plain))


# A word of a name, with the signs that end it: C, C++ and C# are three names.
NAME_WORD = re.compile(rf"{WORD.pattern}(?:(?:\+\+?|#)(?![^\W_]))?")


def normalise_entity(name: str) -> str:
    """The identity of an entity: its words, one space between. "" is not an entity."""
    return " ".join(NAME_WORD.findall(normal(name)))


def linearise(triples: Iterable[str]) -> str:
    """A sequence of triples' texts as one text, joined by `; ` in order (GEAR Alg. 1's score)."""
    return "; ".join(triples)


def storable(text: str) -> str:
    """The text with halves of one character joined; lone halves and NUL, which no file keeps, are
    replaced by \ufffd.
    """
    joined = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return joined.replace("\0", "\ufffd")


def shortened(text: str, limit: int = LONGEST_REPLY) -> str:
    """The beginning of a long text, and how much is missing: what is stored of a reply."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]} … and {len(text) - limit:,} more characters"


def cut(text: str, limit: int) -> str:
    """The text in at most `limit` characters; one that is longer ends in "…"."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def reason(error: Exception) -> str:
    """What is wrong with data from outside, in one line; of pydantic's problems the first, with its
    place.
    """
    text = str(error)
    if problems := getattr(error, "errors", None):
        first = problems(include_url=False, include_context=False, include_input=False)[0]
        text = f"{'.'.join(map(str, first['loc'])) or 'all of it'}: {first['msg']}"
    return cut(" ".join(text.split()), 300)


def count(number: int, word: str, plural: str = "") -> str:
    """A number with its noun: "1 triple set", "3,000 triple sets", "2 replies"."""
    return f"{number:,} {word if number == 1 else plural or word + 's'}"


_SECTION = " › "  # between a document's title and a heading in it


def whole_number(text: str) -> int | None:
    """The number that a text of decimal digits states; None for any other text, and for more digits
    than a database takes.
    """
    return int(text) if text.isdecimal() and len(text) <= MOST_DIGITS else None


def section_title(title: str, headings: Sequence[str]) -> str:
    """The title of a passage under headings of its document, the outermost first: "Title › Part ›
    Heading". A heading that is only the title again, perhaps with a number ("Title 17"), is left
    out.
    """
    again = normalise_entity(title)
    informative = (
        heading
        for heading in headings
        if any(map(str.isalpha, normalise_entity(heading).replace(again, "", 1)))
    )
    return _SECTION.join(filter(None, [title, *informative]))


def title_and_section(title: str) -> tuple[str, str]:
    """The document's title and the innermost heading in such a title; of any other itself and
    "".
    """
    document, *_, section = title.split(_SECTION) if _SECTION in title else (title, "")
    return (document, section) if document and section else (title, "")


def told_of(title: str, text: str) -> str:
    """Which of the two a passage tells of. Its document, where the text names that or the heading
    says nothing by itself ("Early life"); else the heading ("Site diary, 3 March").
    """
    document, section = title_and_section(title)
    if not section:
        return title
    last = document.rpartition(" ")[2]
    below = text.removeprefix(f"{document}\n")  # where it stands as a heading itself
    if document in below or (last[:1].isupper() and re.search(rf"\b{re.escape(last)}\b", below)):
        return document
    rest = section.split()[1:]
    named = any(word[0].isupper() for word in rest) and any(word[0].islower() for word in rest)
    return section if named or any(map(str.isdigit, section)) else document


_PART_LABEL = re.compile(r" · \d+ of \d+$")


def part_label(title: str, number: int, total: int) -> str:
    """Label of one of several passages with the same title: "Title · 2 of 3"."""
    return f"{title} · {number} of {total}"


def without_part(label: str) -> str:
    """The title in such a label; any other title as it is."""
    return _PART_LABEL.sub("", label)


_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")


def split_quoted(text: str, between: str = r"\s") -> list[str]:
    """The pieces of a text between blanks, or between other letters (as in a regular expression's
    class); what is in quotes stays whole, with them. A quote without another is a letter.
    """
    return re.findall(rf"(?:{_QUOTED.pattern}|[^{between}])+", text)


def unquoted(piece: str) -> str:
    """A piece without its quotes."""
    return _QUOTED.sub(lambda match: match[0][1:-1], piece)


def quoted(text: str) -> str:
    """The text as a piece: in quotes, as in a shell, where it has blanks, commas or quotes."""
    if not re.search(r"[\s,'\"]", text):
        return text
    inside = text.replace("'", "'\"'\"'")
    return f"'{inside}'"


def harmless(cell: str) -> str:
    """A cell of a CSV file. A spreadsheet would carry out as a formula what begins like one."""
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def csv_table(rows: Iterable[Sequence[object]]) -> str:
    """Rows as CSV with a byte order mark, without which Excel shows wrong letters."""
    out = io.StringIO()
    out.write("\ufeff")
    writer = csv.writer(out, lineterminator="\n")
    for row in rows:
        writer.writerow([harmless(cell) if isinstance(cell, str) else cell for cell in row])
    return out.getvalue()


MOST_QUESTION = 2_000  # characters
MOST_NAME = 200  # characters of what somebody gives a name
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_METHOD = re.compile(r"[\w-]{1,40}(?::[\w-]{1,40}){0,3}", re.ASCII)


def question_words(text: str) -> str:
    """A question as it is kept: every run of blanks and controls one blank. Raises BadInput where
    nothing is left, or more than any question has.
    """
    words = " ".join(_CONTROL.sub(" ", text).split())
    if not words:
        raise BadInput("There is no question. Type one.")
    if len(words) > MOST_QUESTION:
        raise BadInput(
            f"The question has {len(words):,} characters; at most {MOST_QUESTION:,} are taken."
        )
    return words


def name_words(subject: str, text: str) -> str:
    """A name without blanks around it. Raises BadInput for one that is none; `subject` has it."""
    name = text.strip()
    if not name:
        raise BadInput(f"{subject} needs a name.")
    if len(name) > MOST_NAME:
        raise BadInput(f"{subject} may have a name of {MOST_NAME} characters, not {len(name):,}.")
    if _CONTROL.search(name):
        raise BadInput(f"{subject} has a name with a control character. Take it out.")
    return name


def is_method(text: str) -> bool:
    """Whether it could be a method's name with its base, of this program or another version."""
    return _METHOD.fullmatch(text) is not None
