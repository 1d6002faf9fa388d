"""Does the graph earn its place? How many of a question's gold passages an edge joins, how many of
the edges do that, against pairs of passages by chance, and how far gold is from what one search
finds.

An edge joins two passages. By *title*: the text of one has the title of the other. By *mention*:
both hold a mention. By *triple*: triples of both name an entity; by *synonym*: of two names that
mean the same. What more passages hold than chain follows (`rows.HubLimit`) joins none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from gear_app.analysis.metrics import stands_for
from gear_app.config import SYNONYMS_FROM
from gear_app.errors import BadInput, Unknown
from gear_app.evaluate.breakdown import Spread
from gear_app.retrievers.base import BaseQuery, Hybrid
from gear_app.rows import HubLimit, Search
from gear_app.seams import EntityNetwork, Index, Sparse
from gear_app.store.collections import check_all_here
from gear_app.types import Passage, Question
from gear_app.workspace import Workspace

FIRST = 5  # passages of the search that distances are measured from
FURTHEST = 3
OTHERS = 10  # of a question, that are no gold
SHORTEST, LONGEST = 5, 6  # characters and words of a title that makes an edge
_OTHER = re.compile(r"[^a-z0-9 ]")
TITLE, MENTION, TRIPLE, SYNONYM, ANY = "title", "mention", "triple", "synonym", "any"


class EdgeKind(NamedTuple):
    """Edges of one kind, or of any: how many there are, and how many gold pairs they join."""

    kind: str
    edges: int
    joined: int


class EntityCounts(NamedTuple):
    """The graph of entities: how many, how many pairs of them triples join, how many pairs of names
    mean the same, and how many entities a passage with triples names on average.
    """

    entities: int
    joined: int
    synonyms: int
    a_passage: float

    @classmethod
    def of(cls, entities: EntityNetwork) -> EntityCounts:
        """Of the entities of a triple set."""
        joined = (entities.facts > 0).tocoo()
        pairs = len({(min(a, b), max(a, b)) for a, b in zip(*joined.coords, strict=True)})
        named = (entities.counts > 0).sum() / max(1, len(entities.passage_ids))
        synonyms = (entities.synonymy >= SYNONYMS_FROM).nnz // 2
        return cls(len(entities.names), pairs, synonyms, float(named))


@dataclass(frozen=True, slots=True)
class GraphWorth:
    """What the graph of a collection's passages is worth for its questions.

    Attributes:
        passages: of the collection
        questions: with at least two gold passages that are there
        pairs: of gold passages of one question
        kinds: of edges, `any` last
        distances: gold passages that one search does not have among its first five, by how many
            edges they are from the nearest of these; 0: no three edges lead there
        triples: the graph that the triples make
        nearness: the cosines with the question of its gold passages, and of the nearest others,
            which are good distractors where they are as near (HippoRAG Fig. 6)
    """

    passages: int
    questions: int
    pairs: int
    kinds: tuple[EdgeKind, ...]
    distances: Mapping[int, int]
    triples: EntityCounts
    nearness: Mapping[str, Spread]

    @property
    def by_chance(self) -> float:
        """The share of all pairs of passages that are gold pairs."""
        return self.pairs / (self.passages * (self.passages - 1) / 2)

    def share(self, kind: EdgeKind) -> float:
        """The share of gold pairs that edges of a kind join."""
        return kind.joined / self.pairs

    def precision(self, kind: EdgeKind) -> float:
        """The share of a kind's edges that join a gold pair; 0.0 where there are none."""
        return kind.joined / kind.edges if kind.edges else 0.0

    def times(self, kind: EdgeKind) -> float:
        """How many times as often an edge joins a gold pair as a pair by chance is one."""
        return self.precision(kind) / self.by_chance


def of_collection(workspace: Workspace, collection: str, triples: str | None) -> GraphWorth:
    """The graph of a collection, with one of its triple sets, and all its questions.

    Raises NotReady where the collection is in a cluster, Unknown for no set's name, BadInput where
    no question has two gold passages.
    """
    store = workspace.store
    row = store.collections.get(collection)
    check_all_here(row)
    set_ = store.collections.set_by_id(row.id, row.active_set_id)
    if triples:
        set_ = store.collections.find_set(row.id, triples)
        if set_ is None:
            there = [one.name for one in store.collections.sets(row.id)]
            raise Unknown("triple set", triples, there or ["none yet"])
    corpus = workspace.corpora.get(row, set_, row.revision, workspace.connection.report)
    return worth(corpus.index, store.questions.of(row.id), collection)


def worth(index: Index, questions: Sequence[Question], collection: str = "") -> GraphWorth:
    """The same for an index in memory. Raises BadInput where no question has two gold passages."""
    network = index.mention_network()
    gold = {one.id: _gold(one, [passage.key for passage in network.passages]) for one in questions}
    asked = [one for one in questions if len(gold[one.id]) > 1]
    if not asked:
        raise BadInput(
            f"No question of {collection!r} has two gold passages that are there, so there is no"
            " pair that an edge could join."
        )
    pairs = {tuple(sorted(pair)) for one in asked for pair in combinations(gold[one.id], 2)}
    edges = _edges(index)
    kinds = []
    for kind, matrix in edges.items():
        joined = sum(bool(matrix[pair]) for pair in pairs)
        kinds.append(EdgeKind(kind, matrix.nnz // 2, joined))
    away = _distances(index, asked, gold, edges[ANY])
    triples = EntityCounts.of(index.entities())
    near = _nearness(index, asked, gold)
    number = len(network.passages)
    return GraphWorth(number, len(asked), len(pairs), tuple(kinds), away, triples, near)


def _gold(question: Question, keys: Sequence[str]) -> list[int]:
    """The places of a question's gold passages; of a document that was cut, its first part."""
    found = (
        next((n for n, key in enumerate(keys) if stands_for(key, wanted)), None)
        for wanted in dict.fromkeys(question.supporting_keys)
    )
    return list(dict.fromkeys(place for place in found if place is not None))


def _edges(index: Index) -> dict[str, Sparse]:
    """(passages, passages) by kind, symmetric, without diagonal: True where an edge is."""
    from scipy import sparse

    network, entities = index.mention_network(), index.entities()
    size = len(network.passages)
    limit = HubLimit().of(size)
    place = {passage.id: n for n, passage in enumerate(network.passages)}
    titles = titles_of({passage.id: passage for passage in network.passages})
    linked = [
        (n, place[id_])
        for n, passage in enumerate(network.passages)
        for id_ in named_titles(passage.text, titles)
    ]
    in_sentences = np.stack(
        [network.sentence_passages[network.in_sentences[:, 0]], network.in_sentences[:, 1]], axis=1
    )
    held = np.concatenate([in_sentences, network.in_titles])
    mentioned = _rare(_incidence(held, (size, len(network.names))), limit)
    columns = [place[id_] for id_ in entities.passage_ids]
    counts = entities.counts.tocoo()
    where = (np.array(columns, np.int64)[counts.col], counts.row)
    named = sparse.csr_array((np.ones(counts.nnz), where), shape=(size, len(entities.names)))
    rare, near = _rare(named, limit), (entities.synonymy > 0).astype(np.float64)
    found = {
        TITLE: _joined(_incidence(np.array(linked, np.int64).reshape(-1, 2), (size, size))),
        MENTION: _joined(mentioned @ mentioned.T),
        TRIPLE: _joined(rare @ rare.T),
        SYNONYM: _joined(rare @ near @ rare.T),
    }
    total = found[TITLE] + found[MENTION] + found[TRIPLE] + found[SYNONYM]
    return {**found, ANY: _joined(total)}


def _incidence(pairs: np.ndarray, shape: tuple[int, int]) -> Sparse:
    from scipy import sparse

    return sparse.csr_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=shape)


def _rare(held: Sparse, limit: int) -> Sparse:
    """(passages, names): 1 where a passage has a name that no more than the limit have."""
    from scipy import sparse

    there = (held > 0).astype(np.float64)
    few = np.asarray(there.sum(axis=0)).ravel() <= limit
    return sparse.csr_array(there @ sparse.diags_array(few.astype(np.float64)))


def _joined(matrix: Sparse) -> Sparse:
    """True on both sides of the diagonal where there is something on either, and not on it."""
    found = ((matrix + matrix.T) > 0).tolil()
    found.setdiag(False)
    joined = found.tocsr()
    joined.eliminate_zeros()
    return joined


def _nearness(
    index: Index, asked: Sequence[Question], gold: Mapping[str, Sequence[int]]
) -> dict[str, Spread]:
    """By whose they are; without the others where every passage is gold."""
    ids = [passage.id for passage in index.mention_network().passages]
    own = [frozenset(ids[place] for place in gold[one.id]) for one in asked]
    pairs = list(zip(asked, own, strict=True))
    searches = [Search(one.question, len(of), "dense", among=of) for one, of in pairs]
    searches += [Search(one.question, len(of) + OTHERS, "dense") for one, of in pairs]
    rankings = index.search(searches).rankings
    found = {"gold passages": [hit.score for one in rankings[: len(asked)] for hit in one.hits]}
    found[f"the {OTHERS} nearest others"] = [
        hit.score
        for ranking, of in zip(rankings[len(asked) :], own, strict=True)
        for hit in [one for one in ranking.hits if one.id not in of][:OTHERS]
    ]
    return {whose: Spread.of(scores) for whose, scores in found.items() if scores}


def _distances(
    index: Index, asked: Sequence[Question], gold: Mapping[str, Sequence[int]], edges: Sparse
) -> Mapping[int, int]:
    """Of gold passages that hybrid search does not have among its first."""
    ids = [passage.id for passage in index.mention_network().passages]
    place = {id_: n for n, id_ in enumerate(ids)}
    found = Hybrid(index).search([BaseQuery(one.question, FIRST) for one in asked])
    away: Counter[int] = Counter()
    for question, first in zip(asked, found, strict=True):
        reached = np.zeros(len(ids), bool)
        reached[[place[id_] for id_ in first.ranking.ids]] = True
        missing = [one for one in gold[question.id] if not reached[one]]
        for step in range(1, FURTHEST + 1):
            reached = reached | (edges @ reached.astype(np.float64) > 0)
            away[step] += sum(bool(reached[one]) for one in missing)
            missing = [one for one in missing if not reached[one]]
        away[0] += len(missing)
    return dict(away)


def titles_of(passages: Mapping[int, Passage]) -> dict[str, int]:
    """The titles that make edges, each with the first passage that has it, by id."""
    titles: dict[str, int] = {}
    for id_ in sorted(passages):
        title = plain(passages[id_].title)
        if len(title) >= SHORTEST and len(title.split()) <= LONGEST:
            titles.setdefault(title, id_)
    return titles


def named_titles(text: str, titles: Mapping[str, int]) -> set[int]:
    """The passages whose titles stand in a text, by id."""
    words = plain(text).split()
    return {
        titles[title]
        for length in range(1, LONGEST + 1)
        for start in range(len(words) - length + 1)
        for title in [" ".join(words[start : start + length])]
        if title in titles
    }


def plain(text: str) -> str:
    """Letters of a to z, digits and single blanks: how titles and texts are compared."""
    return " ".join(_OTHER.sub(" ", text.lower()).split())
