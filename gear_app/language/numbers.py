"""Numbers as a text states them: in digits or in words."""

from __future__ import annotations

import re

NUMBER_WORDS = (
    "none one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
    " fifteen sixteen seventeen eighteen nineteen twenty"
).split()
ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth"
    " fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
).split()
_COUNTS = NUMBER_WORDS[2:]  # "one" may count nothing: "one of the founders"

COUNT = (
    rf"(?:\b(?:{'|'.join(_COUNTS)})(?=$| [^A-Z\d])"
    rf"|\b(?:{'|'.join(map(str.title, _COUNTS))})"
    r"(?= (?:[a-z]+[^s\W]s|people|men|women|children)\b))"
    r"(?! (?:of|past|to|thirds|quarters|[a-z]+ths)\b)"
)
"""A pattern for a word that counts what follows, "two" to "twenty".

No name ("Three Rivers", "Seven against Thebes", "ten Downing Street"), no time ("ten past nine")
and no fraction.
"""
_COUNT = re.compile(COUNT)


def begins_with_count(text: str) -> bool:
    """Whether a text begins by counting in words: "four rooms", "Four rooms"."""
    return _COUNT.match(text) is not None


def number_in(words: str) -> float | None:
    """The number that words state: 1.333, three, third; None where they state none."""
    plain = words.strip().casefold().replace(",", "")
    if plain in NUMBER_WORDS:
        return float(NUMBER_WORDS.index(plain))
    if plain in ORDINALS:
        return float(ORDINALS.index(plain) + 1)
    for suffix in ("st", "nd", "rd", "th"):
        plain = plain.removesuffix(suffix) if plain[:1].isdigit() else plain
    try:
        return float(plain)
    except ValueError:
        return None
