"""Letters with the marks that combine with them: vowel signs of Hindi, accents that were typed as
characters of their own. Patterns of words leave them out, and a word would end at each.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import chain

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
