"""Passages ranked by links: a mention that two passages share, and the two sentences that hold it.

Ours; docs/methods.md works one example. A passage's score is a weighted sum of five terms:

    base    10 / (5 + its rank in the base ranking, from 0)
    pair    5 (p - 0.5); p, of its best link: the cosine of the query with the sum of the vectors of
            two sentences that hold the mention, one here and one in a passage that the search
            starts from; 0.05 its weight; 0.3 the share of the query that the two cover; and
            0.15 / (1 + the rank of the start)
    link    a quarter of the mention's weight: how few passages hold it, half as much again for a
            name or an id, seven tenths for an ordinary word
    cover   3 times the share of the query that is in the second sentence and not in the first
    spread  ln(1 + 50 x the probability of being here after one step of a walk from the starts over
            shared mentions)

The share of a query is that of the inverse document frequencies of its mentions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gear_app.rows import SharedMentions

Floats = NDArray[np.float64]
Vectors = NDArray[np.float32]
Ints = NDArray[np.int64]

TERMS = ("base", "pair", "link", "cover", "spread")
UNRANKED = 100  # the rank of a passage that the base ranking does not have
_MENTIONS = 4  # of one pair of passages: the rarest are looked at
_NAME, _WORD = 1.5, 0.7  # how much a name or id, and an ordinary word, count as links
_ALIKE = 65, 200  # weights are as in a collection of 64 passages, from 200 passages on


class Links(NamedTuple):
    """The best link into each of n passages, in the order of the passages.

    `passages` and `starts` are positions among the passages that were shared, `here` (the start's)
    and `there` among the sentences, `mentions` among the mentions. `strength` decides between
    links. Of all links that were looked at, `edges` has (m, 3) start, mention, passage, by passage
    and then the heaviest first. `walk` is (P,) the probability of being there after a step.
    """

    passages: Ints
    starts: Ints
    mentions: Ints
    here: Ints
    there: Ints
    cosine: Floats
    strength: Floats
    weight: Floats
    cover: Floats
    edges: Ints
    walk: Floats

    @property
    def weakest(self) -> float:
        """The strength of the weakest link, 0 where there is none."""
        return float(self.strength.min()) if len(self.strength) else 0.0


def idf(holders: Ints, size: int) -> Floats:
    """Inverse document frequency of mentions; one that no passage holds counts as half a holder."""
    return np.asarray(np.log((size + 1) / (np.maximum(holders, 0.5) + 0.5)), np.float64)


def shares(shared: SharedMentions) -> Floats:
    """(Q,) each asked name's part of the query, by inverse document frequency."""
    found = idf(shared.asked_holders, shared.size)
    return np.asarray(found / (found.sum() + 1e-9), np.float64)


def weights(shared: SharedMentions) -> Floats:
    """(M,) how much each mention counts as a link."""
    names = [_is_name(*of) for of in zip(shared.names, shared.common, strict=True)]
    kind = np.where(np.array(names, np.bool_), _NAME, _WORD)
    like, large = _ALIKE
    scale = math.log(like) / math.log(shared.size + 1) if shared.size > large else 1.0
    return scale * idf(shared.holders, shared.size) * kind


def _is_name(name: str, common: bool) -> bool:
    return not common or any(character.isdigit() for character in name)


def follow(shared: SharedMentions, starts: int, query: Vectors, asked: Sequence[str]) -> Links:
    """The best link into every passage that shares a mention with one of the first `starts`.

    `query` is (d,); `asked` are its mentions, which are no links: two passages that share them are
    only alike. Ties go to the start that ranks higher, then to the heavier mention, then to the
    earlier sentences.
    """
    weight = weights(shared)
    every = _edges(shared, starts)
    names = set(asked)
    new = np.array([name not in names for name in shared.names], np.bool_)
    edges = _rarest(every[new[every[:, 1]]], weight)
    walk = _walk(shared, starts, weight, every)
    return _best(shared, weight, query, edges[np.argsort(edges[:, 2], kind="stable")], walk)


def _edges(shared: SharedMentions, starts: int) -> Ints:
    """(n, 3) start, mention, other passage; by start, then mention, then passage."""
    held = shared.held
    of_starts = held[held[:, 0] < starts]
    by_mention = held[np.lexsort((held[:, 0], held[:, 1]))]
    edge, place = _join(of_starts[:, 1], by_mention[:, 1])
    edges = np.column_stack([of_starts[edge], by_mention[place, 0]])
    return np.asarray(edges[edges[:, 0] != edges[:, 2]], np.int64)


def _join(keys: Ints, table: Ints) -> tuple[Ints, Ints]:
    """All pairs of positions with equal numbers, by the first; `table` is sorted."""
    low, high = np.searchsorted(table, keys), np.searchsorted(table, keys, side="right")
    lengths = high - low
    first = np.repeat(np.arange(len(keys)), lengths)
    offsets = np.arange(len(first)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return first, low[first] + offsets


def _walk(shared: SharedMentions, starts: int, weight: Floats, edges: Ints) -> Floats:
    """(P,) one step from the starts, the r-th with probability in proportion to 1 / (2 + r), over
    mentions in proportion to weight squared and evenly to all who hold one.
    """
    flow = weight**2 / shared.holders
    out = np.bincount(edges[:, 0], flow[edges[:, 1]], minlength=starts) + 1e-9
    begin = 1 / (2 + np.arange(starts))
    begin /= begin.sum()
    amount = begin[edges[:, 0]] * flow[edges[:, 1]] / out[edges[:, 0]]
    return np.asarray(np.bincount(edges[:, 2], amount, len(shared.passages)), np.float64)


def _rarest(edges: Ints, weight: Floats) -> Ints:
    """Of each pair of passages those with the heaviest mentions, by pair, heaviest first."""
    heaviest = np.round(-weight[edges[:, 1]], 6)
    edges = edges[np.lexsort((edges[:, 1], heaviest, edges[:, 2], edges[:, 0]))]
    begins = np.any(np.diff(edges[:, [0, 2]], axis=0, prepend=-1) != 0, axis=1)
    rank = np.arange(len(edges)) - np.maximum.accumulate(np.where(begins, np.arange(len(edges)), 0))
    return edges[rank < _MENTIONS]


class _Pairs(NamedTuple):
    """(n,) each: edges, with a sentence at either end."""

    start: Ints
    mention: Ints
    passage: Ints
    here: Ints
    there: Ints


def _sentence_pairs(shared: SharedMentions, edges: Ints) -> _Pairs:
    """Every sentence of the start that has the mention with every one of the passage; all of its
    sentences where it stands in the title alone.
    """
    one, here = _holding(shared, edges[:, 0], edges[:, 1])
    edges = edges[one]
    two, there = _holding(shared, edges[:, 2], edges[:, 1])
    start, mention, passage = edges[two].T
    return _Pairs(start, mention, passage, here[two], there)


def _holding(shared: SharedMentions, passages: Ints, mentions: Ints) -> tuple[Ints, Ints]:
    """For passages with mentions: their positions, repeated, and the sentences that hold them."""
    width = len(shared.names)
    sentence, mention = shared.named.T
    table = shared.sentence_passages[sentence] * width + mention
    order = np.argsort(table, kind="stable")
    first, place = _join(passages * width + mentions, table[order])
    sentences = sentence[order[place]]
    without = np.setdiff1d(np.arange(len(passages)), first)
    more, whole = _join(passages[without], shared.sentence_passages)
    first, sentences = np.r_[first, without[more]], np.r_[sentences, whole]
    stable = np.argsort(first, kind="stable")
    return first[stable], sentences[stable]


def _best(
    shared: SharedMentions, weight: Floats, query: Vectors, edges: Ints, walk: Floats
) -> Links:
    """The strongest link into every passage, among all sentences that hold an edge's mention."""
    pairs = _sentence_pairs(shared, edges)
    share = shares(shared)
    had = shared.asked_in_sentences[pairs.here] | shared.asked_in_titles[pairs.start]
    has = shared.asked_in_sentences[pairs.there] | shared.asked_in_titles[pairs.passage]
    before = had.astype(np.float64) @ share
    cover = (has & ~had).astype(np.float64) @ share
    cosine = _cosines(shared.vectors, query, pairs)
    heavy = weight[pairs.mention]
    strength = cosine + 0.05 * heavy + 0.3 * (before + cover) + 0.15 / (1 + pairs.start)
    order = np.lexsort((pairs.start, -np.round(strength, 6), pairs.passage))
    best = order[np.diff(pairs.passage[order], prepend=-1) != 0]
    return Links(
        pairs.passage[best],
        pairs.start[best],
        pairs.mention[best],
        pairs.here[best],
        pairs.there[best],
        cosine[best].round(6),
        strength[best].round(6),
        heavy[best].round(6),
        cover[best].round(6),
        edges,
        walk,
    )


def _cosines(vectors: Vectors, query: Vectors, pairs: _Pairs) -> Floats:
    """(n,) cosines of the query and the sum of each pair's vectors, all of length 1: so the sum's
    length follows from the cosine of the two. Few sentences are starts', and have many partners.
    """
    first, place = np.unique(pairs.here, return_inverse=True)
    between = (vectors[first] @ vectors.T)[place, pairs.there]
    near = vectors @ query
    length = np.sqrt(np.maximum(2 + 2 * between, 1e-9))
    return np.asarray((near[pairs.here] + near[pairs.there]) / length, np.float64)


def terms(ranks: Ints, links: Links, rows: Ints, walk: Floats) -> Floats:
    """(n, 5) the terms of n passages, in the order of TERMS, to 1e-6, before their weights.

    `ranks` from 0 in the base ranking, UNRANKED where it has none. `rows` are the passages' places
    among the links, -1 for none: then `pair` is that of the weakest, and `link` and `cover` are 0.
    """
    linked = rows >= 0
    strength = np.where(linked, np.append(links.strength, 0.0)[rows], links.weakest)
    weight = np.where(linked, np.append(links.weight, 0.0)[rows], 0.0)
    cover = np.where(linked, np.append(links.cover, 0.0)[rows], 0.0)
    values = 10 / (5 + ranks), 5 * (strength - 0.5), weight / 4, 3 * cover, np.log1p(50 * walk)
    return np.stack(values, axis=1).round(6)
