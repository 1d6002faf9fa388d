"""A summary without a language model: some of the texts' own sentences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gear_app.core.protocols import Embedder
from gear_app.core.types import Summary
from gear_app.language.mentions import sentence_text, sentences

WORDS = 75  # RAPTOR's 100 tokens


def nearest_the_centre(texts: Sequence[tuple[str, str]], embedder: Embedder) -> Summary:
    """The sentences nearest to the mean of all, in the order of the texts: the first one whatever
    its length, others so long as all have at most 75 words. Equally near ones go by their order.
    """
    titles = {
        text[span.start : span.end]: title for title, text in texts for span in sentences(text)
    }
    if not titles:
        return Summary("", quoted=True)
    vectors = embedder.embed([sentence_text(title, words) for words, title in titles.items()])
    nearness = np.round((vectors @ vectors.mean(axis=0)).astype(np.float64), 6)
    room, lines, selected = WORDS, list(titles), set[int]()
    for place in np.argsort(-nearness, kind="stable").tolist():
        length = len(lines[place].split())
        if not selected or length <= room:
            selected.add(place)
            room -= length
    return Summary(" ".join(lines[place] for place in sorted(selected)), quoted=True)
