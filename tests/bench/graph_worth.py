"""Whether edges between passages join gold passages of one question more often than chance.

    python -m tests.bench.graph_worth WORKSPACE COLLECTION

An edge joins two passages: by *title* where the text of one names the title of the other, by
*mention* where both hold a mention, by *triple* where triples of both name an entity, by *synonym*
where these name two entities that mean the same. A mention or an entity that more passages hold
than `chain` follows (`rows.HubLimit`) joins none. Prints a table, and how many edges the gold
passages that hybrid search misses are from its first five.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np
from scipy import sparse

import gear_app
from gear_app.core.protocols import Index, Sparse
from gear_app.core.rows import HubLimit
from gear_app.core.types import Passage, Question
from gear_app.methods.base import BaseQuery, Hybrid
from gear_app.trace.metrics import stands_for
from tests.small import parts_over

FIRST, FURTHEST = 5, 3  # passages of a search, and edges from these
LONGEST, SHORTEST = 6, 5  # words and characters of a title that makes an edge


def edges(index: Index) -> dict[str, Sparse]:
    """Symmetric matrices of passages by kind of edge, with an empty diagonal."""
    network, entities = index.mention_network(), index.entities()
    passages = list(network.read_passages(network.passage_ids.tolist()).values())
    size, mentions = len(passages), len(network.names)
    place = {passage.id: at for at, passage in enumerate(passages)}
    in_sentences = network.in_sentences.copy()
    in_sentences[:, 0] = network.sentence_passages[in_sentences[:, 0]]
    held = rare(matrix(np.concatenate([in_sentences, network.in_titles]), size, mentions))
    counts = entities.counts.tocoo()
    at = np.array([place[id_] for id_ in entities.passage_ids], np.int64)[counts.col]
    named = rare(matrix(np.stack([at, counts.row], axis=1), size, len(entities.names)))
    kinds = {
        "title": matrix(title_edges(passages), size, size),
        "mention": held @ held.T,
        "triple": named @ named.T,
        "synonym": named @ (entities.synonymy > 0).astype(float) @ named.T,
    }
    kinds["any"] = sum(kinds.values(), start=sparse.csr_array((size, size)))
    for kind, joined in kinds.items():
        both = (joined + joined.T).tolil()
        both.setdiag(0)
        kinds[kind] = both.tocsr().astype(bool)
    return kinds


def matrix(pairs: np.ndarray, rows: int, columns: int) -> Sparse:
    """1.0 at each pair (row, column)."""
    return sparse.csr_array((np.ones(len(pairs)), pairs.T), shape=(rows, columns)).sign()


def rare(held: Sparse) -> Sparse:
    """The matrix without the columns of names that more passages hold than the hub limit."""
    few = held.sum(axis=0) <= HubLimit().holders(held.shape[0])
    return sparse.csr_array(held @ sparse.diags_array(few.astype(float)))


def title_edges(passages: Sequence[Passage]) -> np.ndarray:
    """Pairs of places: a passage, and a passage whose title its text names."""
    titles: dict[str, int] = {}
    for at, passage in enumerate(passages):
        title = " ".join(words(passage.title))
        if len(title) >= SHORTEST and len(title.split()) <= LONGEST:
            titles.setdefault(title, at)
    pairs = set()
    for at, passage in enumerate(passages):
        text = words(passage.text)
        for start in range(len(text)):
            spans = (" ".join(text[start : start + length]) for length in range(1, LONGEST + 1))
            pairs |= {(at, titles[span]) for span in spans if span in titles}
    return np.array(sorted(pairs), np.int64).reshape(-1, 2)


def words(text: str) -> list[str]:
    """Lower-case words of a text, without signs."""
    return re.sub("[^a-z0-9 ]", " ", text.lower()).split()


def gold_places(question: Question, keys: Sequence[str]) -> list[int]:
    """Places of a question's gold passages; of a document that was split, its first part."""
    first = (
        next((at for at, key in enumerate(keys) if stands_for(key, gold)), None)
        for gold in question.supporting_keys
    )
    return list(dict.fromkeys(at for at in first if at is not None))


def distances(
    index: Index, gold: dict[str, list[int]], any_edge: Sparse, place: dict[int, int]
) -> Counter[int]:
    """Gold passages that hybrid search misses, by edges from its first passages; 0: too far."""
    away: Counter[int] = Counter()
    results = Hybrid(parts_over(index)).search([BaseQuery(question, FIRST) for question in gold])
    for missing, result in zip(gold.values(), results, strict=True):
        reached = np.zeros(len(place), bool)
        reached[[place[id_] for id_ in result.ranking.ids]] = True
        left = [at for at in missing if not reached[at]]
        for step in range(1, FURTHEST + 1):
            reached |= any_edge @ reached.astype(float) > 0
            away[step] += sum(reached[left])
            left = [at for at in left if not reached[at]]
        away[0] += len(left)
    return away


def main(file: str, collection: str) -> None:
    """Print the table of a collection, with its active triple set."""
    workspace = gear_app.open(file, create=False)
    row = workspace.store.collections.get(collection)
    set_ = workspace.store.collections.find_set(row.id, row.active_set_id)
    index = workspace.corpora.get(row, set_, row.revision).index
    ids = index.mention_network().passage_ids.tolist()
    passages = index.rows(ids, ()).passages
    keys = [passages[id_].key for id_ in ids]
    places = {one.question: gold_places(one, keys) for one in workspace.store.questions.of(row.id)}
    gold = {question: found for question, found in places.items() if len(found) > 1}
    pairs = {pair for found in gold.values() for pair in combinations(sorted(found), 2)}
    chance = len(pairs) / (len(keys) * (len(keys) - 1) / 2)
    kinds = edges(index)
    print(f"{len(gold)} questions, {len(pairs)} gold pairs of {len(keys)} passages")
    print("kind      edges  gold pairs  share of these  share of its edges  times chance")
    for kind, joined in kinds.items():
        number, hits = joined.nnz // 2, sum(bool(joined[pair]) for pair in pairs)
        share = hits / max(1, number)
        print(
            f"{kind:8} {number:6,} {hits:11,} {hits / len(pairs):15.0%} {share:19.1%}"
            f" {share / chance:13.0f}"
        )
    place = {passage.id: at for at, passage in enumerate(passages)}
    away = distances(index, gold, kinds["any"], place)
    far = ", ".join(f"{away[step]} at {step}" for step in range(1, FURTHEST + 1))
    print(f"Gold that hybrid misses at {FIRST}, by edges from its first: {far}, {away[0]} further")


if __name__ == "__main__":
    main(*sys.argv[1:])
