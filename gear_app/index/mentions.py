"""Passages that share mentions, from arrays: who holds a mention, what a passage holds, and where.

A mention that many passages hold links none of them, so that the work for a passage is bounded
whatever the collection's size.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import count

import numpy as np
from numpy.typing import NDArray

from gear_app.core.protocols import Vectors
from gear_app.core.rows import HubLimit, MentionNetwork, MentionQuery, SharedMentions
from gear_app.core.types import Passage
from gear_app.index.arrays import (
    Arrays,
    Ints,
    Places,
    Words,
    entries,
    in_file,
    pairs,
    positions,
    word_arrays,
)
from gear_app.language.mentions import read, sentence_text

AT_ONCE = 1_000  # passages of a slice


class MentionIndex:
    """The mentions of a collection's passages and the vectors of its sentences.

    Sorted pairs of positions say where there is what: `sentences` of a passage and a sentence,
    `held` of a passage and a name. `size` is the number of passages of the collection, `holders`
    (N,) how many of them hold each name.
    """

    def __init__(
        self,
        arrays: Arrays,
        passage_ids: Sequence[int] | Ints,
        read_passages: Callable[[Collection[int]], Mapping[int, Passage]],
        vectors: Vectors,
    ) -> None:
        """`arrays` are those of `mention_arrays` of these passages, whose ids ascend; `vectors`
        those of the sentences.
        """
        self.sentences = arrays["sentences"]
        self.network = MentionNetwork(
            names=Words(arrays, "names"),
            common=arrays["common"],
            passage_ids=np.asarray(passage_ids, np.int64),
            read_passages=read_passages,
            sentence_passages=self.sentences[:, 0],
            spans=arrays["spans"],
            vectors=vectors,
            in_sentences=arrays["in_sentences"],
            in_titles=arrays["in_titles"],
        )
        self._names, self.size = Places(arrays, "names"), len(passage_ids)
        self.held, self._holding, self.holders = (
            arrays[name] for name in ("held", "holding", "holders")
        )

    def shared(self, query: MentionQuery, limit: HubLimit) -> SharedMentions:
        """Mentions of the query's passages in sharing as well (protocols.Index.shared_mentions).
        Raises KeyError for a passage that is not there.
        """
        network = self.network
        starts = positions(network.passage_ids, query.passage_ids)
        names = np.unique(entries(self.held, starts)[1])
        linking = names[
            (self.holders[names] >= 2) & (self.holders[names] <= limit.holders(self.size))
        ]
        sharing = np.setdiff1d(entries(self._holding, linking)[1], starts)
        passages = np.concatenate([starts, sharing])
        places, sentences = entries(self.sentences, passages)
        named = entries(network.in_sentences, sentences)
        queried = np.array([self._names.get(name, -1) for name in query.names], np.int64)
        ids = network.passage_ids[passages].tolist()
        rows = network.read_passages(ids)
        return SharedMentions(
            size=self.size,
            passages=[rows[id_] for id_ in ids],
            names=[network.names[position] for position in linking.tolist()],
            holders=self.holders[linking],
            common=network.common[linking],
            held=_among(entries(self.held, passages), linking),
            sentence_passages=places,
            spans=network.spans[sentences],
            vectors=np.asarray(network.vectors[sentences], np.float32),
            named=_among(named, linking),
            asked_holders=np.append(self.holders, 0)[queried],  # -1 is the last place
            asked_in_sentences=_table(named, len(sentences), queried),
            asked_in_titles=_table(entries(network.in_titles, passages), len(ids), queried),
        )


def _among(entries: tuple[Ints, Ints], columns: Ints) -> Ints:
    """(n, 2) place and position among these columns, ascending, of the entries in one of them."""
    places, values = entries
    present = np.isin(values, columns)
    return np.stack([places[present], np.searchsorted(columns, values[present])], axis=1)


def _table(entries: tuple[Ints, Ints], rows: int, columns: Ints) -> NDArray[np.bool_]:
    """(rows, columns) whether an entry is there; -1 is an empty column."""
    table = np.zeros((rows, len(columns)), np.bool_)
    for number, column in enumerate(columns.tolist()):
        table[entries[0][entries[1] == column], number] = True
    return table


def read_mentions(
    passages: Iterable[Passage], embed: Callable[[Sequence[str]], Vectors]
) -> MentionIndex:
    """The mentions of passages, read and encoded now."""
    ordered = sorted(passages, key=lambda passage: passage.id)
    ids = [passage.id for passage in ordered]
    pairs = [(passage, read(passage.title, passage.text)) for passage in ordered]
    sentences = [(passage, span) for passage, mentions in pairs for span in mentions.sentences]
    arrays = mention_arrays(
        ids,
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
    by_id = dict(zip(ids, ordered, strict=True))
    return MentionIndex(arrays, ids, lambda ids: by_id, embed(texts))


def mention_arrays(
    passages: Sequence[int] | Ints,
    sentences: Iterable[tuple[int, int, int]],
    mentions: Iterable[tuple[int, int, str, bool]],
) -> Arrays:
    """The arrays of a MentionIndex from rows.

    `passages`: ids, ascending. `sentences`: passage id, start, end, in order. `mentions`: passage
    id, sentence from 1 or 0 for the title, name, whether it is in lower case; by passage, as often
    as they come. In memory are the names, and of all else a slice or one number a row.
    """
    spans: Ints = np.fromiter(sentences, np.dtype((np.int64, 3)))
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    rows = in_file(
        (array("q", (id_, at, numbers[name], low)) for id_, at, name, low in mentions), 4
    )
    names, size = sorted(numbers), len(passages)
    columns, width = np.argsort([numbers[name] for name in names]), len(names)
    numbers.clear()
    common = np.bincount(columns[rows[rows[:, 3] == 1, 2]], minlength=width) > 0
    bounds = np.searchsorted(rows[:, 0], passages[AT_ONCE::AT_ONCE])
    slices = [part.T for part in np.split(rows, bounds)]

    def held_in(parts: Iterable[Ints]) -> Ints:
        """Pairs of a passage and a name that it holds there."""
        return in_file(
            (
                _unique(np.searchsorted(passages, ids) * width + columns[number], width)
                for ids, _, number, _ in parts
            ),
            2,
        )

    inside = (part[:, part[1] > 0] for part in slices)
    in_sentences = (
        _unique((np.searchsorted(spans[:, 0], ids) + at - 1) * width + columns[number], width)
        for ids, at, number, _ in inside
    )
    held = held_in(slices)
    holding = np.array_split(np.sort(held[:, 1] * size + held[:, 0]), len(slices))
    of_sentences = np.searchsorted(passages, spans[:, 0])
    return {
        **word_arrays("names", names),
        "common": common,
        "sentences": pairs(of_sentences, np.arange(len(spans))),
        "spans": spans[:, 1:],
        "in_sentences": in_file(in_sentences, 2),
        "in_titles": held_in(part[:, part[1] == 0] for part in slices),
        "held": held,
        "holding": in_file((_unique(part, size) for part in holding), 2),
        "holders": np.bincount(held[:, 1], minlength=width),
    }


def held_names(of_sentences: Ints, in_sentences: Ints, in_titles: Ints) -> Ints:
    """(n, 2) passage and name of all that passages hold, in a sentence or in the title: sorted,
    each pair once.
    """
    in_texts = np.stack([of_sentences[in_sentences[:, 0]], in_sentences[:, 1]], axis=1)
    rows, names = np.concatenate([in_texts, in_titles]).T
    width = int(names.max(initial=0)) + 1
    return _unique(rows * width + names, width)


def _unique(numbers: Ints, width: int) -> Ints:
    """(n, 2) sorted pairs, each once, of what is a row times the width and a column: one number a
    pair is sorted faster than two.
    """
    return np.stack(np.divmod(np.unique(numbers), max(width, 1)), axis=1)
