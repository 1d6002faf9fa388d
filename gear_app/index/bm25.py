"""BM25Okapi exactly as the rank-bm25 package defines it, as a sparse text × word matrix.

k1 = 1.5, b = 0.75; a word in more than half of the texts has a negative idf there, and gets epsilon
= 0.25 times the average idf instead. A query costs one addition per posting instead of a loop over
all texts.

A word in exactly half of the texts has an idf of 0 there, and in a collection of a few texts the
average can be below 0, too: then every text with words of the query may score 0 or less. For such a
query there is Lucene's idf, which is always above 0.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import count

import numpy as np
from numpy.typing import NDArray

from gear_app.core.text import terms
from gear_app.index.matrix import matrix

K1, B, EPSILON = 1.5, 0.75, 0.25


class Bm25Matrix:
    """Scores of texts by position, 0 to n - 1."""

    def __init__(self, texts: Iterable[str]) -> None:
        """Tokenise and weigh the texts; no texts give no scores."""
        self._columns: defaultdict[str, int] = defaultdict(count().__next__)
        columns, starts = array("i"), array("q", [0])
        for text in texts:
            columns.extend(self._columns[word] for word in terms(text))
            starts.append(len(columns))
        lengths = np.diff(starts)
        shape = len(lengths), len(self._columns)
        rows = np.repeat(np.arange(len(lengths)), lengths)
        counts = matrix((rows, np.array(columns)), shape, np.ones(len(rows))).tocsc()
        frequency = np.diff(counts.indptr)
        self._lucene_idf = np.log(1 + (shape[0] - frequency + 0.5) / (frequency + 0.5))
        idf = np.log(shape[0] - frequency + 0.5) - np.log(frequency + 0.5)
        self._idf = np.where(idf < 0, EPSILON * idf.sum() / max(len(idf), 1), idf)
        norm = K1 * (1 - B + B * lengths * max(len(lengths), 1) / max(lengths.sum(), 1))
        counts.data *= (K1 + 1) / (counts.data + norm[counts.indices])
        self._saturated = counts

    def scores(self, query: str, *, lucene: bool = False) -> NDArray[np.float64]:
        """(n,) scores of all texts, with Lucene's idf or Okapi's; a word that occurs twice in the
        query counts twice, as in rank-bm25.
        """
        times = Counter(word for word in terms(query) if word in self._columns)
        columns = [self._columns[word] for word in times]
        idf = (self._lucene_idf if lucene else self._idf)[columns]
        scores = self._saturated[:, columns] @ (idf * np.array([*times.values()], np.float64))
        return np.asarray(scores, np.float64)
