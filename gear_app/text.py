"""Text: tokens for BM25, the identity of entity names, triples in a line, numbers with nouns."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

LONGEST_REPLY = 100_000  # characters; a server may send megabytes
_WORD = re.compile(r"[^\W_]+")


def tokenise(text: str) -> list[str]:
    """Case-folded runs of letters and digits after NFKC; no stemming, no stop list (DESIGN §4)."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def normalise_entity(name: str) -> str:
    """The identity of an entity: its tokens, one space between. "" is not an entity."""
    return " ".join(tokenise(name))


def linearise(triples: Iterable[str]) -> str:
    """A sequence of triples' texts as one text, joined by `; ` in order (GEAR Alg. 1's score)."""
    return "; ".join(triples)


def shortened(reply: str) -> str:
    """A model's reply as it is stored: its beginning, and how many characters are missing."""
    if len(reply) <= LONGEST_REPLY:
        return reply
    return f"{reply[:LONGEST_REPLY]} … and {len(reply) - LONGEST_REPLY:,} more characters"


def count(number: int, word: str) -> str:
    """A number with its noun: "1 triple set", "3 triple sets"."""
    return f"{number:,} {word}" + ("" if number == 1 else "s")
