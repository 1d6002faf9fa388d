"""Late interaction (ColBERT, Khattab and Zaharia 2020, Eq. 3): a text scores, over the words of the
query, the sum of the greatest cosine that any of its own words has.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gear_app.events import ScorePart
from gear_app.seams import Embedder

AT_ONCE = 32  # texts whose vectors of words are in memory, 150 kB each at a hundred words


class JudgedText(NamedTuple):
    """A text's score and the terms that it is the sum of."""

    score: float
    parts: tuple[ScorePart, ...]


def max_sim(embedder: Embedder, query: str, texts: Sequence[str]) -> list[JudgedText]:
    """How well each text answers the query, with each of the query's words beside the word that won
    it; of equally near words the first. A text or a query without words scores 0. Raises NotReady
    where the embedder gives no vectors of words.
    """
    (asked,) = embedder.tokens([query], query=True)
    judged = []
    slices = (texts[start : start + AT_ONCE] for start in range(0, len(texts), AT_ONCE))
    for text in (one for some in slices for one in embedder.tokens(some)):
        terms: dict[str, float] = {}
        if asked.words and text.words:
            cosines = np.round((asked.vectors @ text.vectors.T).astype(np.float64), 6)
            for word, row in zip(asked.words, cosines, strict=True):
                name = f"{word} → {text.words[int(row.argmax())]}"
                terms[name] = round(terms.get(name, 0.0) + float(row.max()), 6)
        parts = tuple(ScorePart(name, 0, value) for name, value in terms.items())
        judged.append(JudgedText(round(sum(terms.values()), 6), parts))
    return judged
