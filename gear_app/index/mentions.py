"""Passages that share mentions, from arrays: who holds a mention, what a passage holds, and where.

A mention that many passages hold links none of them, so that the work for a passage is bounded
whatever the collection's size.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gear_app.core.protocols import Vectors
from gear_app.core.rows import HubLimit, MentionNetwork, MentionQuery, SharedMentions, Sparse
from gear_app.core.types import Passage
from gear_app.index.bm25 import matrix
from gear_app.language.mentions import read, sentence_text

Ints = NDArray[np.int64]


class MentionIndex:
    """The mentions of a collection's passages and the vectors of its sentences.

    `sentences` (P, S), `in_sentences` (S, N), `in_titles` and `mentions` (P, N) say where there is
    what. `size` is the number of passages of the collection, `holders` (N,) how many of them hold
    each name.
    """

    def __init__(self, network: MentionNetwork) -> None:
        self.network = network
        self.size = passages = len(network.passages)
        sentences, names = len(network.spans), len(network.names)
        self.position = {passage.id: n for n, passage in enumerate(network.passages)}
        self._names = {name: n for n, name in enumerate(network.names)}
        parts = network.sentence_passages, np.arange(sentences)
        self.sentences = matrix(parts, (passages, sentences))
        self.in_sentences = matrix(network.in_sentences.T, (sentences, names))
        self.in_titles = matrix(network.in_titles.T, (passages, names))
        self.mentions = (self.sentences @ self.in_sentences + self.in_titles).tocsr()
        self.mentions.sort_indices()
        self._holding = self.mentions.T.tocsr()
        self.holders: Ints = np.diff(self._holding.indptr).astype(np.int64)

    def shared(self, query: MentionQuery, limit: HubLimit) -> SharedMentions:
        """Mentions of the query's passages in sharing as well (protocols.Index.shared_mentions)."""
        starts = np.array([self.position[id_] for id_ in query.passage_ids], np.int64)
        names = np.unique(self.mentions[starts].indices)
        linking = names[
            (self.holders[names] >= 2) & (self.holders[names] <= limit.holders(self.size))
        ]
        sharing = np.setdiff1d(self._holding[linking].indices, starts)
        passages = np.concatenate([starts, sharing])
        places, sentences = self.sentences[passages].nonzero()
        in_sentences, network = self.in_sentences[sentences], self.network
        queried = np.array([self._names.get(name, -1) for name in query.names], np.int64)
        return SharedMentions(
            size=self.size,
            passages=[network.passages[position] for position in passages.tolist()],
            names=[network.names[position] for position in linking.tolist()],
            holders=self.holders[linking],
            common=network.common[linking],
            held=_pairs(self.mentions[passages][:, linking]),
            sentence_passages=places.astype(np.int64),
            spans=network.spans[sentences],
            vectors=np.asarray(network.vectors[sentences], np.float32),
            named=_pairs(in_sentences[:, linking]),
            asked_holders=np.append(self.holders, 0)[queried],  # -1 is the last place
            asked_in_sentences=_columns(in_sentences, queried),
            asked_in_titles=_columns(self.in_titles[passages], queried),
        )


def _pairs(matrix: Sparse) -> Ints:
    """(n, 2) row and column of what is in a matrix, by row."""
    return np.stack(matrix.nonzero(), axis=1).astype(np.int64)


def _columns(matrix: Sparse, columns: Ints) -> NDArray[np.bool_]:
    """(rows, columns) some columns of a matrix; -1 is an empty one."""
    table = np.zeros((matrix.shape[0], len(columns)), np.bool_)
    table[:, columns >= 0] = matrix[:, columns[columns >= 0]].toarray()
    return table


def read_network(
    passages: Iterable[Passage], embed: Callable[[Sequence[str]], Vectors]
) -> MentionNetwork:
    """The mentions of passages, read and encoded now."""
    ordered = sorted(passages, key=lambda passage: passage.id)
    pairs = [(passage, read(passage.title, passage.text)) for passage in ordered]
    sentences = [(passage, span) for passage, mentions in pairs for span in mentions.sentences]
    arrays = mention_arrays(
        [passage.id for passage in ordered],
        [(passage.id, *span) for passage, span in sentences],
        [
            (passage.id, mention.sentence, mention.name, mention.lower)
            for passage, mentions in pairs
            for mention in mentions.mentions
        ],
    )
    texts = [
        sentence_text(passage.title, passage.text[slice(*span)]) for passage, span in sentences
    ]
    return MentionNetwork(passages=ordered, vectors=embed(texts), **arrays)


def mention_arrays(
    passages: Sequence[int],
    sentences: Iterable[tuple[int, int, int]],
    mentions: Iterable[tuple[int, int, str, bool]],
) -> dict[str, Any]:
    """A MentionNetwork from rows, but for its passages and vectors.

    `passages`: ids, ascending. `sentences`: passage id, start, end, in order. `mentions`: passage
    id, sentence from 1 or 0 for the title, name, whether it is in lower case; in any order, as
    often as they come.
    """
    spans = np.array(list(sentences), np.int64).reshape(-1, 3)
    first = np.searchsorted(spans[:, 0], passages)
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    rows = [(id_, sentence, numbers[name], lower) for id_, sentence, name, lower in mentions]
    ids, sentence, number, lower = np.array(rows, np.int64).reshape(-1, 4).T
    names = sorted(numbers)
    column = np.argsort([numbers[name] for name in names])[number]
    common = np.zeros(len(names), np.bool_)
    common[column[lower == 1]] = True
    passage, title = np.searchsorted(passages, ids), sentence == 0
    inside = (first[passage] + sentence - 1)[~title]
    return {
        "names": names,
        "common": common,
        "sentence_passages": np.searchsorted(passages, spans[:, 0]),
        "spans": spans[:, 1:],
        "in_sentences": _unique(inside, column[~title], len(names)),
        "in_titles": _unique(passage[title], column[title], len(names)),
    }


def _unique(rows: Ints, columns: Ints, width: int) -> Ints:
    """(n, 2) sorted, each once. One number a pair is sorted faster than two."""
    return np.stack(np.divmod(np.unique(rows * max(width, 1) + columns), max(width, 1)), axis=1)
