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
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gear_app.core.rows import SharedMentions
from gear_app.language.blocks import is_row
from gear_app.language.links import idf, is_name, link_weights, of_document
from gear_app.language.mentions import is_compound, mentions
from gear_app.trace.events.chain import TERMS as TERMS  # those of what is told of a score

Floats = NDArray[np.float64]
Vectors = NDArray[np.float32]
Ints = NDArray[np.int64]

OF_LINKS = TERMS[2:6]
UNRANKED = 100  # the rank of a passage that the base ranking does not have
_MENTIONS = 4  # of one pair of passages: the rarest are looked at
_SENTENCES = 12  # of a passage that are looked at for one mention: the first
_WHOLE = 30  # characters from which on the cosine of a sentence counts whole


class Links(NamedTuple):
    """The best link into each of n passages, in the order of the passages, or of each pair of a
    start and a passage, in the order of passages and starts.

    `passages` and `starts` are positions among the passages that were shared, `here` (the start's)
    and `there` among the sentences, `mentions` among the mentions. `near_here` and `near_there` are
    the cosines of the query's parts, `left` and `right`, with the two, before what they count for
    short sentences; `turned` says that the right part is the start's. `values` (n, 4) are the terms
    of a link. Of all links that were looked at, `edges` has (m, 3) start, mention, passage, by
    passage and then the heaviest first. `walk` is (P,) the probability of being there after a step.
    """

    passages: Ints
    starts: Ints
    mentions: Ints
    here: Ints
    there: Ints
    cut: Ints
    turned: NDArray[np.bool_]
    near_here: Floats
    near_there: Floats
    values: Floats
    edges: Ints
    walk: Floats


class ChainQuery(NamedTuple):
    """A query: its mentions, its cuts in two, and the (2c, d) vectors of their parts, in order.
    `left_out` are other names that are no links either.
    """

    mentions: Sequence[str]
    cuts: Sequence[tuple[str, str]]
    parts: Vectors
    left_out: frozenset[str] = frozenset()


def shares(shared: SharedMentions, asked: Sequence[str]) -> Floats:
    """(Q,) each asked name's part of the query, by inverse document frequency. One that was put
    together by rule counts only where a passage holds it: its words are there as well.
    """
    single = np.array([not is_compound(name) for name in asked], np.bool_)
    counts = single | (shared.asked_holders > 0)
    weights = idf(shared.asked_holders, shared.size) * counts
    return np.asarray(weights / (weights.sum() + 1e-9), np.float64)


def mention_weights(shared: SharedMentions) -> Floats:
    """(M,) how much each mention counts as a link."""
    names = [is_name(*named) for named in zip(shared.names, shared.common, strict=True)]
    return link_weights(shared.holders, np.array(names, np.bool_))


def follow(
    shared: SharedMentions,
    starts: int,
    query: ChainQuery,
    link_weights: Sequence[float],
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
    weight = mention_weights(shared)
    every = _edges(shared, starts)
    names = query.left_out.union(query.mentions)
    new = np.array([name not in names for name in shared.names], np.bool_)
    edges = _rarest(every[new[every[:, 1]]], weight)
    edges = edges[np.argsort(edges[:, 2], kind="stable")]
    sentence_pairs = _sentence_pairs(shared, edges)
    counts = counted(np.diff(shared.spans, axis=1)[:, 0])
    cut = _best_cuts(shared.vectors, counts, query, sentence_pairs)
    values = np.column_stack(
        [
            (
                cut.near_here * counts[sentence_pairs.here]
                + cut.near_there * counts[sentence_pairs.there]
            )
            / 2,
            weight[sentence_pairs.mention],
            *_covered(shared, query, sentence_pairs),
        ]
    ).round(6)
    strength = (values @ np.asarray(link_weights, np.float64)).round(6)
    groups = (
        sentence_pairs.passage * starts + sentence_pairs.start if pairs else sentence_pairs.passage
    )
    order = np.lexsort((sentence_pairs.start, -strength, groups))
    best = order[np.diff(groups[order], prepend=-1) != 0]
    return Links(
        sentence_pairs.passage[best],
        sentence_pairs.start[best],
        sentence_pairs.mention[best],
        sentence_pairs.here[best],
        sentence_pairs.there[best],
        cut.cut[best],
        cut.turned[best],
        cut.near_here[best],
        cut.near_there[best],
        values[best],
        edges,
        _walk(shared, starts, weight, every),
    )


def _edges(shared: SharedMentions, starts: int) -> Ints:
    """(n, 3) start, mention, other passage; by start, then mention, then passage."""
    mentions_held = shared.held
    of_starts = mentions_held[mentions_held[:, 0] < starts]
    by_mention = mentions_held[np.lexsort((mentions_held[:, 0], mentions_held[:, 1]))]
    edge, place = _join(of_starts[:, 1], by_mention[:, 1])
    edges = np.column_stack([of_starts[edge], by_mention[place, 0]])
    edges = edges[edges[:, 0] != edges[:, 2]]
    edges = edges[_in_a_text(shared, edges)]
    edges = edges[~_by_document(shared, edges)]
    return np.asarray(edges[~_by_own_column(shared, edges)], np.int64)


def _in_a_text(shared: SharedMentions, edges: Ints) -> NDArray[np.bool_]:
    """(n,) whether a sentence of at least one of both passages holds the mention."""
    width = len(shared.names)
    sentence, mention = shared.named.T
    pairs_held = shared.sentence_passages[sentence] * width + mention
    starts_held, ends_held = edges[:, 0] * width + edges[:, 1], edges[:, 2] * width + edges[:, 1]
    return np.isin(starts_held, pairs_held) | np.isin(ends_held, pairs_held)


def _by_document(shared: SharedMentions, edges: Ints) -> NDArray[np.bool_]:
    """(n,) whether an edge only says that both passages are parts of one document."""
    documents = np.array([passage_.document_id or 0 for passage_ in shared.passages], np.int64)
    start, other = documents[edges[:, 0]], documents[edges[:, 2]]
    by_document = np.zeros(len(edges), np.bool_)
    for place in np.flatnonzero((start == other) & (start > 0)).tolist():
        start_place, mention, passage = edges[place].tolist()
        titled = of_document(shared.passages[start_place], shared.passages[passage])
        by_document[place] = shared.names[mention] in titled
    return by_document


def _by_own_column(shared: SharedMentions, edges: Ints) -> NDArray[np.bool_]:
    """(n,) whether an edge only says that two rows of one table have the same in a column."""
    table = np.full(len(shared.passages), -1, np.int64)
    numbers: dict[tuple[int | None, str], int] = {}
    for place in np.unique(edges[:, [0, 2]]).tolist():
        passage = shared.passages[place]
        if is_row(passage.text):
            table[place] = numbers.setdefault((passage.document_id, passage.title), place)
    alike = np.flatnonzero((table[edges[:, 0]] == table[edges[:, 2]]) & (table[edges[:, 0]] >= 0))
    columns = _columns(shared, np.concatenate([edges[alike, :2], edges[alike, :0:-1]]))
    by_column = np.zeros(len(edges), np.bool_)
    for place, (passage, mention, other) in zip(alike.tolist(), edges[alike].tolist(), strict=True):
        by_column[place] = bool(columns[passage, mention] & columns[other, mention])
    return by_column


def _columns(shared: SharedMentions, pairs: Ints) -> Mapping[tuple[int, int], set[str]]:
    """The columns of rows, by row and mention, that have one of these: (n, 2) row, mention. Of
    several sentences with a mention some may have it of an author's line alone.
    """
    width, (sentence, mention) = len(shared.names), shared.named.T
    row = shared.sentence_passages[sentence]
    looked_at = np.isin(row * width + mention, pairs @ np.array([width, 1]))
    lines: dict[tuple[int, int], list[str]] = defaultdict(list)
    for place in np.flatnonzero(looked_at).tolist():
        text, start = shared.passages[row[place]].text, int(shared.spans[sentence[place], 0])
        line = text[text.rfind("\n", 0, start) + 1 :].partition("\n")[0]
        lines[int(row[place]), int(mention[place])].append(line)
    columns: dict[tuple[int, int], set[str]] = defaultdict(set)
    for key, all_ in lines.items():
        lines_naming = (
            line for line in all_ if len(all_) == 1 or shared.names[key[1]] in _names(line)
        )
        columns[key] = {line.partition(":")[0] for line in lines_naming}
    return columns


@lru_cache(maxsize=4096)
def _names(line: str) -> frozenset[str]:
    return frozenset(name for name, _, _ in mentions(line))


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
    """Edges with the heaviest mentions of each pair of passages, by pair, heaviest first."""
    heaviest = np.round(-weight[edges[:, 1]], 6)
    edges = edges[np.lexsort((edges[:, 1], heaviest, edges[:, 2], edges[:, 0]))]
    pairs = edges[:, 0] * (edges[:, 2].max(initial=0) + 1) + edges[:, 2]
    return edges[_ranks_in_groups(pairs) < _MENTIONS]


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
    starts, start_sentences = _holding(shared, edges[:, 0], edges[:, 1])
    edges = edges[starts]
    two, end_sentences = _holding(shared, edges[:, 2], edges[:, 1])
    start, mention, passage = edges[two].T
    return _Pairs(start, mention, passage, start_sentences[two], end_sentences)


def _holding(shared: SharedMentions, passages: Ints, mentions_held: Ints) -> tuple[Ints, Ints]:
    """For passages with mentions: their positions, repeated, and the sentences that hold them."""
    width = len(shared.names)
    sentence, mention = shared.named.T
    table = shared.sentence_passages[sentence] * width + mention
    order = np.argsort(table, kind="stable")
    first, place = _join(passages * width + mentions_held, table[order])
    sentences = sentence[order[place]]
    without = np.setdiff1d(np.arange(len(passages)), first)
    more, every = _join(passages[without], shared.sentence_passages)
    first, sentences = np.r_[first, without[more]], np.r_[sentences, every]
    stable = np.argsort(first, kind="stable")
    first, sentences = first[stable], sentences[stable]
    few = _ranks_in_groups(first) < _SENTENCES
    return first[few], sentences[few]


def _ranks_in_groups(keys: Ints) -> Ints:
    """(n,) the place of each number among its equals, which follow each other."""
    places = np.arange(len(keys))
    begins = np.diff(keys, prepend=-1) != 0
    return np.asarray(places - np.maximum.accumulate(np.where(begins, places, 0)), np.int64)


class _Cut(NamedTuple):
    """(n,) each: the best cut of every pair of sentences, as in Links."""

    cut: Ints
    turned: NDArray[np.bool_]
    near_here: Floats
    near_there: Floats


def counted(characters: Ints) -> Floats:
    """The share of its cosine that counts, for sentences of so many characters."""
    return np.asarray(np.minimum(1.0, characters / _WHOLE), np.float64)


def _best_cuts(vectors: Vectors, counts: Floats, query: ChainQuery, pairs: _Pairs) -> _Cut:
    """Every cut, both ways round, by what of the cosines counts; of equal ones the first, not
    turned.
    """
    cosines = (vectors @ query.parts.T).astype(np.float64)
    near = cosines * counts[:, np.newaxis]
    best = np.full(len(pairs.here), -np.inf)
    cut, turned = np.zeros(len(best), np.int64), np.zeros(len(best), np.bool_)
    for number in range(len(query.cuts)):  # one after the other: together they would fill memory
        left, right = near[:, 2 * number], near[:, 2 * number + 1]
        straight = left[pairs.here] + right[pairs.there]
        other_way = right[pairs.here] + left[pairs.there]
        both = np.maximum(straight, other_way)
        better = both > best
        best[better], cut[better] = both[better], number
        turned[better] = (other_way > straight)[better]
    start_part, end_part = 2 * cut + turned, 2 * cut + ~turned
    return _Cut(
        cut,
        turned,
        cosines[pairs.here, start_part].round(6),
        cosines[pairs.there, end_part].round(6),
    )


def _covered(shared: SharedMentions, query: ChainQuery, pairs: _Pairs) -> tuple[Floats, Floats]:
    """(n,) the shares that the start's sentence covers, and that the other one adds."""
    share = shares(shared, query.mentions)
    had = shared.asked_in_sentences[pairs.here] | shared.asked_in_titles[pairs.start]
    has = shared.asked_in_sentences[pairs.there] | shared.asked_in_titles[pairs.passage]
    return had.astype(np.float64) @ share, (has & ~had).astype(np.float64) @ share


def terms(ranks: Ints, links: Links, rows: Ints, walk: Floats) -> Floats:
    """(n, 7) the terms of n passages, in the order of TERMS, to 1e-6, before their weights.

    `ranks` from 0 in the base ranking, UNRANKED where it has none. `rows` are the passages' places
    among the links, -1 for none.
    """
    nothing = np.zeros((1, len(OF_LINKS)))
    of_links = np.concatenate([links.values, nothing])[rows]
    around = 10 / (5 + ranks), (rows < 0).astype(np.float64)
    return np.column_stack([*around, of_links, np.log1p(50 * walk)]).round(6)
