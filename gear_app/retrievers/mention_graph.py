"""What all passages name, ready to be walked on: names that are nowhere written small, the
sentences and passages that have them, and their words as written.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gear_app.language import mentions as find
from gear_app.rows import MentionNetwork
from gear_app.seams import Sparse
from gear_app.types import Passage

LONGEST = 1_000  # characters of a sentence in which a name is looked for


class MentionGraph:
    """Names, sentences and passages by position, as in `rows.MentionNetwork`."""

    def __init__(self, network: MentionNetwork) -> None:
        """Ordinary words are left out: they are names of nothing here."""
        from scipy import sparse

        self.network = network
        self.ids = [passage.id for passage in network.passages]
        self.in_sentences = self._named(network.in_sentences, len(network.spans))
        numbers = np.arange(len(network.spans))
        where = network.sentence_passages, numbers
        shape = len(self.ids), len(numbers)
        of_passage = sparse.csr_array((np.ones(len(numbers)), where), shape=shape)
        in_titles = self._named(network.in_titles, len(self.ids))
        # (passages, names): how many of its sentences have a name, and one more for the title
        self.counts: Sparse = sparse.csr_array(of_passage @ self.in_sentences + in_titles)
        self.names: Sequence[str] = _WrittenNames(self)

    def nearness(self, query: NDArray[np.float32]) -> NDArray[np.float64]:
        """(sentences,) cosines with a query's vector, rounded to 1e-6."""
        cosines = (self.network.vectors @ query).astype(np.float64)
        return np.asarray(np.round(cosines, 6), np.float64)

    def passage_of(self, sentence: int) -> Passage:
        """The passage that a sentence stands in."""
        return self.network.passages[int(self.network.sentence_passages[sentence])]

    def words_of(self, sentence: int) -> str:
        """A sentence as it is written."""
        start, end = self.network.spans[sentence].tolist()
        return self.passage_of(sentence).text[start:end]

    def _named(self, pairs: NDArray[np.int64], rows: int) -> Sparse:
        """(rows, names): 1 where a row has a name that is no ordinary word."""
        from scipy import sparse

        proper = pairs[~self.network.common[pairs[:, 1]]]
        where, shape = (proper[:, 0], proper[:, 1]), (rows, len(self.network.names))
        return sparse.csr_array((np.ones(len(proper)), where), shape=shape)


class _WrittenNames(Sequence[str]):
    """The names as their first sentence writes them, looked up for those that are shown."""

    def __init__(self, graph: MentionGraph) -> None:
        self._graph = graph
        self._sentences = graph.in_sentences.T.tocsr()

    def __len__(self) -> int:
        return len(self._graph.network.names)

    def __getitem__(self, name: int) -> str:  # type: ignore[override]
        normal, first = self._graph.network.names[name], self._sentences.indptr[name]
        if first == self._sentences.indptr[name + 1]:
            return find.shown(normal)
        text = self._graph.words_of(int(self._sentences.indices[first]))
        if len(text) > LONGEST:
            return find.shown(normal)
        return next(
            (text[at.start : at.end] for at in find.places(text, normal)), find.shown(normal)
        )
