"""Words: how text is tokenised for BM25, how entity names are made equal, how triples are put in a
line, how much of a reply of no use is kept, and a number with its noun.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

KEPT = 100_000  # characters; a server may say megabytes
_WORD = re.compile(r"[^\W_]+")


def tokenise(text: str) -> list[str]:
    """Case-folded runs of letters and digits after NFKC; no stemming, no stop list (DESIGN §4)."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def normalise_entity(name: str) -> str:
    """The identity of an entity: `tokenise` joined by one space. Names that give "" are not
    entities.
    """
    return " ".join(tokenise(name))


def linearise(triples: Iterable[str]) -> str:
    """A sequence of triples' texts as one text, joined by `; ` in order (GEAR Alg. 1's score)."""
    return "; ".join(triples)


def shortened(reply: str) -> str:
    """What is kept of a reply beside the event of its call, to be looked at: its beginning, and how
    much is missing.
    """
    return (
        reply
        if len(reply) <= KEPT
        else f"{reply[:KEPT]} … and {len(reply) - KEPT:,} more characters"
    )


def count(number: int, word: str) -> str:
    """A number with its noun: "1 triple set", "3 triple sets"."""
    return f"{number:,} {word}" + ("" if number == 1 else "s")
