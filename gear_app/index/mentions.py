"""Passages that share mentions, from arrays: who holds a mention, what a passage holds, and where.

A mention that many passages hold links none of them, so that the work for a passage is bounded
whatever the collection's size.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gear_app.core.protocols import Vectors
from gear_app.core.rows import HubLimit, MentionNetwork, MentionQuery, SharedMentions
from gear_app.core.types import Passage
from gear_app.language.mentions import PassageMentions, sentence_text

Ints = NDArray[np.int64]


class MentionArrays(NamedTuple):
    """All mentions of a collection at a revision.

    Passages by position in the order of their ids, sentences in the order of their passages,
    mentions by position in the order of their names. A title is no sentence.
    """

    names: Sequence[str]  # (M,) sorted
    common: NDArray[np.bool_]  # (M,) written in lower case somewhere
    sentence_passages: Ints  # (S,) ascending
    spans: NDArray[np.int64]  # (S, 2) places in the passages' texts
    in_sentences: Ints  # (n, 2) sentence, mention, sorted, each pair once
    in_titles: Ints  # (n, 2) passage, mention, sorted, each pair once


class _Incidence:
    """Pairs of a row and a column, by row: which columns each row has."""

    def __init__(self, pairs: Ints, rows: int) -> None:
        """`pairs` (n, 2) sorted, each once; `rows` is how many rows there are."""
        self._starts = np.searchsorted(pairs[:, 0], np.arange(rows + 1))
        self._columns = np.ascontiguousarray(pairs[:, 1])

    def counts(self) -> Ints:
        """(rows,) how many columns each row has."""
        return np.diff(self._starts)

    def of(self, rows: Ints) -> Ints:
        """(n, 2) all pairs of these rows, in their order: the row's place among `rows`, column."""
        starts, lengths = self._starts[rows], self._starts[rows + 1] - self._starts[rows]
        place = np.repeat(np.arange(len(rows)), lengths)
        offsets = np.arange(len(place)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return np.stack([place, self._columns[starts[place] + offsets]], axis=1)


class MentionIndex:
    """The mentions of a collection's passages and the vectors of its sentences."""

    def __init__(
        self, passages: Sequence[Passage], arrays: MentionArrays, vectors: Vectors
    ) -> None:
        """`passages` by id; `vectors` (S, d) float32 of the sentences, memory-mapped perhaps."""
        self._passages = passages
        self.position = {passage.id: n for n, passage in enumerate(passages)}
        self.arrays = arrays
        self.vectors = vectors
        self._names = {name: n for n, name in enumerate(arrays.names)}
        self._in_sentences = _Incidence(arrays.in_sentences, len(arrays.sentence_passages))
        self._in_titles = _Incidence(arrays.in_titles, len(passages))
        pairs = _held(arrays)
        self._held = _Incidence(pairs, len(passages))
        turned = pairs[np.lexsort((pairs[:, 0], pairs[:, 1]))][:, ::-1]
        self._holders = _Incidence(turned, len(arrays.names))
        self.counts = self._holders.counts()
        self._sentences = np.searchsorted(arrays.sentence_passages, np.arange(len(passages) + 1))

    @property
    def network(self) -> MentionNetwork:
        """All of it."""
        arrays = self.arrays
        return MentionNetwork(
            arrays.names,
            arrays.common,
            self._passages,
            arrays.sentence_passages,
            arrays.spans,
            self.vectors,
            arrays.in_sentences,
            arrays.in_titles,
        )

    def shared(self, query: MentionQuery, limit: HubLimit) -> SharedMentions:
        """Mentions of the query's passages in others as well (protocols.Index.shared_mentions)."""
        starts = np.array([self.position[id_] for id_ in query.passage_ids], np.int64)
        most = limit.of(len(self._passages))
        of_starts = np.unique(self._held.of(starts)[:, 1])
        counts = self.counts[of_starts]
        linking = of_starts[(counts >= 2) & (counts <= most)]
        holders = self._holders.of(linking)[:, ::-1]  # passage, place of the mention
        other_passages = np.setdiff1d(holders[:, 0], starts)
        passages = np.concatenate([starts, other_passages])
        place = _places(passages, len(self._passages))
        holder_pairs = np.stack([place[holders[:, 0]], holders[:, 1]], axis=1)
        sentences = self._sentences_of(passages)
        link_place = _places(linking, len(self.arrays.names))
        in_sentences = self._in_sentences.of(sentences)
        named = np.stack([in_sentences[:, 0], link_place[in_sentences[:, 1]]], axis=1)
        query_mentions = np.array([self._names.get(name, -1) for name in query.names], np.int64)
        return SharedMentions(
            size=len(self._passages),
            passages=[self._passages[position] for position in passages.tolist()],
            names=[self.arrays.names[position] for position in linking.tolist()],
            holders=self.counts[linking],
            common=self.arrays.common[linking],
            held=holder_pairs[np.lexsort((holder_pairs[:, 1], holder_pairs[:, 0]))],
            sentence_passages=place[self.arrays.sentence_passages[sentences]],
            spans=self.arrays.spans[sentences],
            vectors=np.asarray(self.vectors[sentences], np.float32),
            named=named[named[:, 1] >= 0],
            asked_holders=self._holders_of(query_mentions),
            asked_in_sentences=_where(in_sentences, len(sentences), query_mentions),
            asked_in_titles=_where(self._in_titles.of(passages), len(passages), query_mentions),
        )

    def _holders_of(self, mentions: Ints) -> Ints:
        """How many passages hold each mention; none where it is -1."""
        counts = np.append(self.counts, 0)  # -1 is the last place
        return np.asarray(counts[mentions], np.int64)

    def _sentences_of(self, passages: Ints) -> Ints:
        """The sentences of these passages, in order."""
        first, last = self._sentences[passages], self._sentences[passages + 1]
        lengths = last - first
        offsets = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return np.asarray(np.repeat(first, lengths) + offsets, np.int64)


def _held(arrays: MentionArrays) -> Ints:
    """(n, 2) passage, mention: in a sentence or in the title, sorted, each once."""
    by_passage = np.stack(
        [arrays.sentence_passages[arrays.in_sentences[:, 0]], arrays.in_sentences[:, 1]], axis=1
    )
    return _unique(np.concatenate([by_passage, arrays.in_titles]), len(arrays.names))


def _unique(pairs: Ints, columns: int) -> Ints:
    """Sorted, each once. One number a pair is sorted faster than two."""
    keys = np.unique(pairs[:, 0] * max(columns, 1) + pairs[:, 1])
    return np.stack([keys // max(columns, 1), keys % max(columns, 1)], axis=1)


def _places(of: Ints, size: int) -> Ints:
    """(size,) where a number stands in `of`; -1 where it does not."""
    places = np.full(size, -1, np.int64)
    places[of] = np.arange(len(of))
    return places


def _where(pairs: Ints, rows: int, columns: Ints) -> NDArray[np.bool_]:
    """(rows, columns) whether the pair is there; a column of -1 is nowhere."""
    table = np.zeros((rows, len(columns)), np.bool_)
    for number, column in enumerate(columns.tolist()):
        if column >= 0:
            table[pairs[pairs[:, 1] == column, 0], number] = True
    return table


def found_arrays(passages: Sequence[Passage], found: Sequence[PassageMentions]) -> MentionArrays:
    """Arrays of what was found in passages, by id."""
    pairs = list(zip(passages, found, strict=True))
    return arrays_of(
        [passage.id for passage in passages],
        [(passage.id, *span) for passage, mentions in pairs for span in mentions.sentences],
        [
            (passage.id, mention.sentence, mention.name, mention.lower)
            for passage, mentions in pairs
            for mention in mentions.mentions
        ],
    )


def sentence_texts(passages: Sequence[Passage], found: Sequence[PassageMentions]) -> list[str]:
    """The words of the vectors of all sentences of passages, in order."""
    return [
        sentence_text(passage.title, passage.text[span.start : span.end])
        for passage, mentions in zip(passages, found, strict=True)
        for span in mentions.sentences
    ]


def arrays_of(
    passages: Sequence[int],
    sentences: Iterable[tuple[int, int, int]],
    mentions: Iterable[tuple[int, int, str, bool]],
) -> MentionArrays:
    """Arrays from rows.

    `passages`: ids, ascending. `sentences`: passage id, start, end, in order. `mentions`: passage
    id, sentence from 1 or 0 for the title, name, whether it is in lower case; in any order, as
    often as they come.
    """
    position = {id_: n for n, id_ in enumerate(passages)}
    rows = [(position[id_], start, end) for id_, start, end in sentences]
    table = np.array(rows, np.int64).reshape(-1, 3)
    first = np.searchsorted(table[:, 0], np.arange(len(passages)))
    numbers: dict[str, int] = {}
    lower: set[int] = set()
    places_found = []
    for id_, sentence, name, is_lower in mentions:
        number = numbers.setdefault(name, len(numbers))
        places_found.append((position[id_], sentence, number))
        if is_lower:
            lower.add(number)
    by_name = sorted(numbers)
    rank = np.zeros(len(numbers), np.int64)
    rank[[numbers[name] for name in by_name]] = np.arange(len(numbers))
    places = np.array(places_found, np.int64).reshape(-1, 3)
    names = rank[places[:, 2]]
    common = np.zeros(len(numbers), np.bool_)
    common[rank[sorted(lower)]] = True
    title = places[:, 1] == 0
    inside = first[places[~title, 0]] + places[~title, 1] - 1
    return MentionArrays(
        by_name,
        common,
        table[:, 0],
        table[:, 1:],
        _unique(np.stack([inside, names[~title]], axis=1), len(by_name)),
        _unique(np.stack([places[title, 0], names[title]], axis=1), len(by_name)),
    )
