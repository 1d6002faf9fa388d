"""What links by mentions rest on: a query cut in two, how much a mention counts, and what links no
two parts of one document.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from gear_app.core.types import Passage
from gear_app.language.mentions import content_words, of_title

Floats = NDArray[np.float64]

_CUTS = 32  # of a query: every one up to some sixty words
_NAME, _WORD = 1.5, 0.7  # how much a name or id, and an ordinary word, count as links
_ALIKE = 65  # weights are as in a collection of 64 passages, whatever the size


def cuts(query: str) -> list[tuple[str, str]]:
    """The query cut in two after every word that says something, where two such words are on
    either side: words that only join ("of the") go with what follows them. Itself twice where
    there is no such place. Of more than _CUTS places so many, evenly.
    """
    words = query.rstrip("?. ").split()
    telling = content_words(words)
    count = np.cumsum(telling)
    places = [
        place
        for place in range(1, len(words))
        if telling[place - 1] and count[place - 1] > 1 and count[-1] - count[place - 1] > 1
    ]
    if len(places) > _CUTS:
        places = [places[n * len(places) // _CUTS] for n in range(_CUTS)]
    halves = [(" ".join(words[:place]), " ".join(words[place:])) for place in places]
    return halves or [(query, query)]


def idf(holders: NDArray[np.int64], size: int) -> Floats:
    """Inverse document frequency of mentions; one that no passage holds counts as half a holder."""
    return np.asarray(np.log((size + 1) / (np.maximum(holders, 0.5) + 0.5)), np.float64)


def link_weights(holders: NDArray[np.int64], named: NDArray[np.bool_]) -> Floats:
    """(M,) how much mentions count as links, by how many passages hold each, and whether it is a
    name, an id or a date and not an ordinary word.
    """
    kind = np.where(named, _NAME, _WORD)
    return np.asarray(np.log(_ALIKE / (holders + 0.5)) * kind, np.float64)


def is_name(name: str, common: bool) -> bool:
    """Whether a mention is more than a word that is written in lower case somewhere (`common`)."""
    return not common or any(character.isdigit() for character in name)


def of_document(left: Passage, right: Passage) -> frozenset[str]:
    """The mentions that link no two passages, since both have them from their document: those of
    its title, of its file's name, or of a line of cells that both repeat, as the parts of a table
    that was cut do its head. Of passages that are not of one document there are none.
    """
    if left.document_id is None or left.document_id != right.document_id:
        return frozenset()
    heads = [line for line in _lines(left.text) & _lines(right.text) if "|" in line or "\t" in line]
    return _names_of(left.title) & _names_of(right.title) | frozenset().union(
        *map(_names_of, heads)
    )


@lru_cache(maxsize=4096)  # each part of a document is compared with many
def _lines(text: str) -> frozenset[str]:
    return frozenset(text.splitlines())


def _names_of(line: str) -> frozenset[str]:
    return frozenset(name for name, _, _ in of_title(line))
