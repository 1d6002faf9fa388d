"""Numbers as a text states them: in digits or in words."""

from __future__ import annotations

NUMBER_WORDS = (
    "none one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
    " fifteen sixteen seventeen eighteen nineteen twenty"
).split()
ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth"
    " fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
).split()


def counts(word: str) -> bool:
    """Whether a word counts things: "two" to "twenty", in lower case. "One" may count nothing."""
    return word in NUMBER_WORDS[2:]


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
