"""Passages ranked by links: a mention that two passages share, and the two sentences that hold it.

Ours; docs/methods.md works one example. A passage's score is a weighted sum of seven terms (the
weights are settings: config.ChainConfig), four of which are those of its best link, the one with
the greatest weighted sum of the four:

    base    10 / (5 + its rank in the base ranking, from 0)
    alone   1 for a passage that no link reaches; its four terms of a link are 0
    parts   the query is cut in two after every word that says something, and one part compared
            with the sentence of the start that holds the mention, the other with this passage's:
            the mean of both cosines, by the best cut. It is a decomposition that nobody has to
            write. Of a sentence of fewer than 30 characters ("02.46 gone") the cosine counts in
            proportion to its length: it is near to anything, or only its title is near
    link    how few passages hold the mention: ln(65 / (passages + 0.5)), half as much again for a
            name, an id or a date, seven tenths for an ordinary word
    start   the share of the query that the start's sentence covers
    cover   the share that this passage's sentence covers and the start's does not
    spread  ln(1 + 50 x the probability of being here after one step of a walk from the starts over
            shared mentions, the query's own too, which are no links)

The share of a query is that of the inverse document frequencies of its mentions; those of a title
count for every sentence under it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gear_app.core.rows import SharedMentions
from gear_app.core.types import Passage
from gear_app.index.arrays import Ints, is_among_first
from gear_app.language.blocks import is_row
from gear_app.language.mentions import (
    idf,
    is_compound,
    is_name,
    link_weights,
    mentions,
    of_document,
)
from gear_app.trace.events.chain import TERMS as TERMS  # those of what is told of a score

Floats = NDArray[np.float64]
Vectors = NDArray[np.float32]

OF_LINKS = TERMS[2:6]
UNRANKED = 100  # the rank of a passage that the base ranking does not have
_MENTIONS = 4  # of one pair of passages: the rarest are looked at
_SENTENCES = 12  # of a passage that are looked at for one mention: the first
_FULL_LENGTH = 30  # characters from which on the cosine of a sentence counts whole


class Links(NamedTuple):
    """The best link into each of n passages, in the order of the passages, or of each pair of a
    start and a passage, in the order of passages and starts.

    Positions are among the passages, sentences and mentions that were shared. The query's parts are
    `left` and `right` of a cut.
    """

    passages: Ints
    starts: Ints  # passages
    mentions: Ints
    start_sentences: Ints
    end_sentences: Ints
    cut: Ints
    turned: NDArray[np.bool_]  # the right part is the start's
    start_cosines: Floats  # of a part and the sentence, before what counts for short sentences
    end_cosines: Floats
    values: Floats  # (n, 4) terms of a link
    edges: Ints  # (m, 3) start, mention, passage of all links, by passage, the heaviest first
    walk: Floats  # (P,) probability of each passage after a step


class ChainQuery(NamedTuple):
    """A query: its mentions, its cuts in two, and the (2c, d) vectors of their parts, in order.
    `left_out` are other names that are no links either.
    """

    mentions: Sequence[str]
    cuts: Sequence[tuple[str, str]]
    parts: Vectors
    left_out: frozenset[str] = frozenset()


def shares(shared: SharedMentions, names: Sequence[str]) -> Floats:
    """(Q,) each name's part of the query, by inverse document frequency. One that was put
    together by rule counts only where a passage holds it: its words are there as well.
    """
    single = np.array([not is_compound(name) for name in names], np.bool_)
    counts = single | (shared.asked_holders > 0)
    weights = idf(shared.asked_holders, shared.size) * counts
    return np.asarray(weights / (weights.sum() + 1e-9), np.float64)


def follow(
    shared: SharedMentions,
    starts: int,
    query: ChainQuery,
    weights: Sequence[float],
    *,
    pairs: bool = False,
) -> Links:
    """The best link into every passage that shares a mention with one of the first `starts`, by the
    weights of the four terms; with `pairs` that of every start and every passage.

    The query's own mentions are no links: two passages that share them are only alike. Neither is
    the title of the document that both are parts of, or the head of its table, which say of no row
    more than of any other, nor what only the titles of both name ("Show report"), which says that
    they are of one kind, nor what two rows of a table have in the same column, which makes them
    alike. The walk follows the query's mentions, and none of these. Ties go to the start that ranks
    higher, then to the heavier mention, then to the earlier sentences.
    """
    names = [is_name(*named) for named in zip(shared.names, shared.common, strict=True)]
    weight = link_weights(shared.holders, np.array(names, np.bool_))  # (M,) of a mention as a link
    sentences = _sentences(shared)
    every = _edges(shared, starts, sentences)
    excluded = query.left_out.union(query.mentions)
    new = np.array([name not in excluded for name in shared.names], np.bool_)
    edges = _rarest(every[new[every[:, 1]]], weight)
    pairs_of_sentences = _sentence_pairs(shared, edges, sentences)
    start, mention, passage, first, second = pairs_of_sentences.T
    counts = counted(np.diff(shared.spans, axis=1)[:, 0])
    cut, turned, start_cosines, end_cosines = _best_cuts(
        shared.vectors, counts, query, first, second
    )
    share = shares(shared, query.mentions)
    had = shared.asked_in_sentences[first] | shared.asked_in_titles[start]
    has = shared.asked_in_sentences[second] | shared.asked_in_titles[passage]
    values = np.column_stack(
        [
            (start_cosines * counts[first] + end_cosines * counts[second]) / 2,
            weight[mention],
            had.astype(np.float64) @ share,
            (has & ~had).astype(np.float64) @ share,
        ]
    ).round(6)
    strength = (values @ np.asarray(weights, np.float64)).round(6)
    groups = passage * starts + start if pairs else passage
    order = np.lexsort((start, -strength, groups))
    best = order[np.diff(groups[order], prepend=-1) != 0]
    return Links(
        passage[best],
        start[best],
        mention[best],
        first[best],
        second[best],
        cut[best],
        turned[best],
        start_cosines[best],
        end_cosines[best],
        values[best],
        edges,
        _walk(shared, starts, weight, every),
    )


def _sentences(shared: SharedMentions) -> Mapping[tuple[int, int], list[int]]:
    """The sentences of a passage that have a mention, by passage and mention."""
    sentences: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for sentence, mention in shared.named.tolist():
        sentences[int(shared.sentence_passages[sentence]), mention].append(sentence)
    return sentences


def _edges(
    shared: SharedMentions, starts: int, sentences: Mapping[tuple[int, int], list[int]]
) -> Ints:
    """(n, 3) start, mention, other passage; by start, then mention, then passage."""
    holders: defaultdict[int, list[int]] = defaultdict(list)
    for passage, mention in shared.held.tolist():
        holders[mention].append(passage)
    edges = [
        (start, mention, other)
        for start, mention in shared.held[shared.held[:, 0] < starts].tolist()
        for other in holders[mention]
        if other != start
        # A sentence of at least one of both holds it: what only titles name is of their kind.
        and ((start, mention) in sentences or (other, mention) in sentences)
        and not _alike(shared.passages[start], shared.passages[other], shared.names[mention])
    ]
    return np.array(edges, np.int64).reshape(-1, 3)


def _alike(passage: Passage, other: Passage, name: str) -> bool:
    """Whether a name only says that both are parts of one document, or that two rows of one table
    have the same in a column.
    """
    if passage.document_id != other.document_id:
        return False
    if name in of_document(passage, other):
        return True
    columns = _columns(passage.text) if passage.title == other.title else {}
    return not columns.get(name, set()).isdisjoint(_columns(other.text).get(name, ()))


@lru_cache(maxsize=4096)
def _columns(text: str) -> Mapping[str, set[str]]:
    """The columns of a table's row that hold each name; none where the text is no row."""
    columns: defaultdict[str, set[str]] = defaultdict(set)
    for line in text.splitlines() if is_row(text) else ():
        for name, _, _ in mentions(line):
            columns[name].add(line.partition(":")[0])
    return columns


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
    """Edges with the heaviest mentions of each pair of passages, by passage, then start, the
    heaviest first.
    """
    start, mention, passage = edges.T
    heaviest = edges[np.lexsort((-weight.round(6)[mention], start, passage))]
    groups = heaviest[:, 2] * (start.max(initial=0) + 1) + heaviest[:, 0]
    return heaviest[is_among_first(groups, _MENTIONS)]


def _sentence_pairs(
    shared: SharedMentions, edges: Ints, sentences: Mapping[tuple[int, int], list[int]]
) -> Ints:
    """(n, 5) edges with every sentence of the start that has the mention and every one of the
    passage; all of its sentences where it stands in the title alone.
    """
    bounds = np.searchsorted(shared.sentence_passages, np.arange(len(shared.passages) + 1))
    every = [range(*bound) for bound in pairwise(bounds.tolist())]
    ends = [
        (
            sentences.get((start, mention), every[start])[:_SENTENCES],
            sentences.get((passage, mention), every[passage])[:_SENTENCES],
        )
        for start, mention, passage in edges.tolist()
    ]
    number = np.repeat(np.arange(len(edges)), [len(first) * len(second) for first, second in ends])
    firsts = [sentence for first, second in ends for sentence in first for _ in second]
    seconds = [sentence for first, second in ends for _ in first for sentence in second]
    return np.column_stack([edges[number], firsts, seconds]).astype(np.int64)


def counted(characters: Ints) -> Floats:
    """The share of its cosine that counts, for sentences of so many characters."""
    return np.asarray(np.minimum(1.0, characters / _FULL_LENGTH), np.float64)


def _best_cuts(
    vectors: Vectors, counts: Floats, query: ChainQuery, first: Ints, second: Ints
) -> tuple[Ints, NDArray[np.bool_], Floats, Floats]:
    """(n,) the best cut of every pair of sentences, as Links has it: every cut, both ways round, by
    what of the cosines counts; of equal ones the first, not turned.
    """
    cosines = (vectors @ query.parts.T).astype(np.float64)
    near = cosines * counts[:, np.newaxis]
    best = np.full(len(first), -np.inf)
    cut, turned = np.zeros(len(best), np.int64), np.zeros(len(best), np.bool_)
    for number in range(len(query.cuts)):  # one after the other: together they would fill memory
        left, right = near[:, 2 * number], near[:, 2 * number + 1]
        both = np.stack(
            [
                left[first] + right[second],
                right[first] + left[second],
            ]
        )
        better = both.max(axis=0) > best
        best[better], cut[better] = both.max(axis=0)[better], number
        turned[better] = both.argmax(axis=0)[better]
    start_cosines = cosines[first, 2 * cut + turned].round(6)
    return cut, turned, start_cosines, cosines[second, 2 * cut + ~turned].round(6)


def terms(ranks: Ints, links: Links, rows: Ints, walk: Floats) -> Floats:
    """(n, 7) the terms of n passages, in the order of TERMS, to 1e-6, before their weights.

    `ranks` from 0 in the base ranking, UNRANKED where it has none. `rows` are the passages' places
    among the links, -1 for none.
    """
    of_links = np.concatenate([links.values, np.zeros((1, len(OF_LINKS)))])[rows]
    alone = (rows < 0).astype(np.float64)
    return np.column_stack([10 / (5 + ranks), alone, of_links, np.log1p(50 * walk)]).round(6)
