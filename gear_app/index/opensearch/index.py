"""Search over a collection in a cluster; what its calls promise is written at protocols.Index."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import NoReturn

import numpy as np

from gear_app.core.errors import ClusterFailed, NotReady
from gear_app.core.protocols import Embedder, Vectors, query_vectors
from gear_app.core.rows import (
    EncodedTriples,
    EntityPassages,
    HubLimit,
    MentionQuery,
    Over,
    PassageName,
    Rows,
    Search,
    SearchResults,
    SharedMentions,
    StoredTriple,
)
from gear_app.core.text import normalise_entity, terms
from gear_app.core.types import Passage, Ranking
from gear_app.index.bm25 import exact_cosines, top
from gear_app.index.opensearch import documents, schema
from gear_app.index.opensearch.cluster import Cluster
from gear_app.index.opensearch.documents import number_of, passage_of, triple_of, vectors_of
from gear_app.index.opensearch.schema import IndexFacts, Json

ROWS_AT_ONCE = 5_000  # hits of one answer, where all are wanted
SPARE = 20  # hits beyond k of a dense search: the server compares in float32, and rounds
MOST_TERMS = 65_536  # of one clause
EF_SEARCH = 500  # candidates of HNSW
NOTHING: Json = {"match_none": {}}
NO_GRAPH = (
    "This method works on the whole collection in memory, which an index in a cluster does not"
    " give. Choose another method, or search the collection in a workspace."
)


class StoredRows:
    """The rows of one index in a cluster. Rows that an answer brought are kept; a passage's name
    comes with the passage, and with each of its triples.
    """

    def __init__(self, cluster: Cluster, name: str) -> None:
        """`name` is the index's own, not the alias: a run goes on where another takes its place."""
        self.name, self._cluster = name, cluster
        self._passages: dict[int, Passage] = {}
        self._triples: dict[int, StoredTriple] = {}
        self._names: dict[int, PassageName] = {}

    def rows(self, passage_ids: Collection[int], triple_ids: Collection[int]) -> Rows:
        missing = [
            schema.document_id("passages", id_) for id_ in passage_ids if id_ not in self._passages
        ]
        missing += [
            schema.document_id("triples", id_) for id_ in triple_ids if id_ not in self._triples
        ]
        self._keep(self._cluster.documents(self.name, missing).values())
        return Rows(
            {id_: self._passages[id_] for id_ in passage_ids},
            {id_: self._triples[id_] for id_ in triple_ids},
        )

    def names(self, passage_ids: Collection[int]) -> Mapping[int, PassageName]:
        self.rows([id_ for id_ in passage_ids if id_ not in self._names], ())
        return self._names

    def passages(self, condition: Json, limit: int = schema.WINDOW) -> list[Passage]:
        """The first passages that match, by id."""
        (hits,) = self._cluster.searches(self.name, [by_id(condition, min(limit, schema.WINDOW))])
        return [passage_of(hit["_source"][schema.ROW]) for hit in hits]

    def all_hits(
        self, condition: Json, fields: Sequence[str] = (), *, rows: bool = True
    ) -> list[Json]:
        """All that match, by id, page by page: an index does not change, so no page misses any."""
        hits: list[Json] = []
        body = by_id(condition, ROWS_AT_ONCE, fields, rows=rows)
        while True:
            (page,) = self._cluster.searches(self.name, [body])
            hits += page
            if len(page) < ROWS_AT_ONCE:
                return hits
            body["search_after"] = page[-1]["sort"]

    def _keep(self, sources: Iterable[Json]) -> None:
        for row in (source[schema.ROW] for source in sources):
            if "passage" in row:
                passage = passage_of(row)
                self._passages[passage.id] = passage
                self._names[passage.id] = PassageName(passage.key, passage.title)
            else:
                stored = triple_of(row)
                self._triples[stored.triple.id] = stored
                self._names[stored.triple.passage_id] = stored.passage


class OpenSearchIndex(StoredRows):
    """One index in a cluster. A run has one of its own: it keeps the rows, vectors and triples of
    passages that it was given, and counts its round trips.

    A call takes one round trip, whatever is in its batch; `joins` two, the synonyms and the
    passages; `triples_of` and `vectors` one for each five thousand triples. What is there takes
    none. BM25 is the server's, with the statistics of all shards.
    """

    links = True

    def __init__(self, cluster: Cluster, name: str, facts: IndexFacts, embedder: Embedder) -> None:
        """`embedder` encodes queries, each alone: a query's vector must not depend on others."""
        super().__init__(cluster, name)
        self.facts, self._embedder = facts, embedder
        self._vectors: dict[int, Vectors] = {}
        self._of_passage: dict[int, list[StoredTriple]] = {}

    def for_run(self) -> OpenSearchIndex:
        """Copy of the index without rows, whose round trips are counted from 0."""
        cluster = Cluster(self._cluster.client, self._cluster.address, self._cluster.version)
        return OpenSearchIndex(cluster, self.name, self.facts, self._embedder)

    @property
    def record(self) -> dict[str, str]:
        """Place and scorer of a run's searches, and their round trips."""
        cluster = self._cluster
        graph = "; triples by HNSW" if self.facts.hnsw else ""
        return {
            "index": f"OpenSearch {cluster.version}, {self.name} at {cluster.address}",
            "scorer": f"OpenSearch's BM25; exact cosine{graph}",
            "round trips": f"{cluster.trips} in {cluster.waited_ms:,.0f} ms",
        }

    def search(self, searches: Sequence[Search]) -> SearchResults:
        bodies = [self._body(search) for search in searches]
        answers = self._cluster.searches(self.name, bodies, dfs=True)
        self._keep(hit["_source"] for hit in chain.from_iterable(answers))
        rankings = [self._ranking(*pair) for pair in zip(searches, answers, strict=True)]
        return SearchResults(rankings, Rows(self._passages, self._triples))

    def _body(self, search: Search) -> Json:
        size = min(search.k, schema.WINDOW)
        condition = every(search.over)
        if search.among is not None:
            ids = sorted(search.among)
            condition = {"bool": {"filter": [condition, {"terms": {schema.ID: ids}}]}}
        if search.by == "bm25":
            return best(of_words(search.over, terms(search.query), condition), size)
        (vector,) = query_vectors(self._embedder, [search.query])
        # Passages are few, and what is filtered is fewer: HNSW is for all triples alone.
        if self.facts.hnsw and search.over == "triples" and search.among is None and vector.any():
            options = {"k": size, "method_parameters": {"ef_search": max(EF_SEARCH, size)}}
            nearest = {"vector": vector.astype(float).tolist(), **options}
            query: Json = {"knn": {schema.VECTOR_OF[search.over]: nearest}}
        else:
            query = near(search.over, vector, condition)
        return best(query, min(size + SPARE, schema.WINDOW), (schema.BYTES,))

    def _ranking(self, search: Search, hits: Sequence[Json]) -> Ranking:
        """Hits by the server's BM25, or by their vectors' cosines in float64."""
        if search.by == "bm25":
            scores = np.array([hit["sort"][0] for hit in hits], np.float64)
        else:
            (query,) = query_vectors(self._embedder, [search.query])
            scores = exact_cosines(vectors_of(hits, len(query)), query)
        return top(scores, search.k, np.array([*map(number_of, hits)], np.int64))

    def triples_of(self, passage_ids: Sequence[int]) -> list[StoredTriple]:
        missing = [id_ for id_ in dict.fromkeys(passage_ids) if id_ not in self._of_passage]
        hits = self.all_hits({"terms": {schema.PASSAGE: missing}}) if missing else []
        self._keep(hit["_source"] for hit in hits)
        self._of_passage |= {id_: [] for id_ in missing}
        for row in (self._triples[number_of(hit)] for hit in hits):
            self._of_passage[row.triple.passage_id].append(row)
        return [row for id_ in dict.fromkeys(passage_ids) for row in self._of_passage[id_]]

    def nearest(self, triple_ids: Sequence[int], query: Vectors, k: int) -> list[EncodedTriples]:
        bodies = []
        for id_ in triple_ids:
            triple = schema.document_id("triples", id_)
            ends = {
                "index": self.name,
                "id": triple,
                "path": "row.ends",
            }  # the server looks them up
            joined = {"filter": [{"terms": {schema.ENDS: ends}}], "must_not": [with_ids([triple])]}
            closest = near("triples", query, {"bool": joined})
            bodies.append(best(closest, min(k, schema.WINDOW), (schema.BYTES,)))
        return [self._encoded(hits) for hits in self._cluster.searches(self.name, bodies)]

    def _encoded(self, hits: Sequence[Json]) -> EncodedTriples:
        """Triples by id, with their vectors."""
        ordered = sorted(hits, key=number_of)
        self._keep(hit["_source"] for hit in ordered)
        rows = [self._triples[number_of(hit)] for hit in ordered]
        triples = EncodedTriples(rows, vectors_of(ordered, self.facts.dimension))
        self._vectors.update(zip(triples.ids, triples.vectors, strict=True))
        return triples

    def vectors(self, triple_ids: Sequence[int]) -> Vectors:
        missing = [
            schema.document_id("triples", id_) for id_ in triple_ids if id_ not in self._vectors
        ]
        hits = self.all_hits(with_ids(missing), (schema.BYTES,), rows=False) if missing else []
        vectors = vectors_of(hits, self.facts.dimension)
        self._vectors.update(zip(map(number_of, hits), vectors, strict=True))
        rows = [self._vectors[id_] for id_ in triple_ids]
        return np.array(rows, np.float32).reshape(-1, self.facts.dimension)

    def joins(self, names: Collection[str], threshold: float | None) -> dict[str, EntityPassages]:
        ids = {name: schema.entity_id(name) for name in names}
        entities = self._cluster.documents(self.name, list(filter(None, ids.values())))
        least = math.inf if threshold is None else threshold
        synonyms = {
            name: [other for other in entities[id_][schema.ROW]["synonyms"] if other[2] >= least]
            for name, id_ in ids.items()
            if id_ in entities
        }
        bodies = [
            passages_naming([normalise_entity(name), *(normal for normal, _, _ in similar)])
            for name, similar in synonyms.items()
        ]
        answers = self._cluster.answers(self.name, bodies)
        joined = dict.fromkeys(names, EntityPassages(frozenset(), ()))
        for (name, similar), answer in zip(synonyms.items(), answers, strict=True):
            passages = answer["aggregations"]["passages"]
            if passages["sum_other_doc_count"]:
                raise ClusterFailed(
                    f"More than {MOST_TERMS - 1:,} passages name {name!r} or a synonym, more than a"
                    " cluster gives at once. Choose another method for this question."
                )
            joined[name] = EntityPassages(
                frozenset(bucket["key"] for bucket in passages["buckets"]),
                tuple((written, cosine) for _, written, cosine in similar),
            )
        return joined

    def shared_mentions(
        self, queries: Sequence[MentionQuery], limit: HubLimit
    ) -> list[SharedMentions]:
        most = limit.holders(self.facts.passages)
        if most > self.facts.holders:
            raise NotReady(
                f"This index links passages by mentions that at most {self.facts.holders} of them"
                f" hold; the run asks for {most}. Set most_holders={self.facts.holders} or less."
            )
        bodies = []
        for query in queries:
            ids = [schema.document_id("passages", id_) for id_ in query.passage_ids]
            bodies.append(by_id(with_ids(ids), schema.WINDOW, (schema.SENTENCES,)))
            bodies.append(by_id(sharing(self.name, ids), schema.WINDOW, (schema.SENTENCES,)))
            filters = {
                str(n): {"term": {schema.MENTIONS: name}} for n, name in enumerate(query.names)
            }
            filters["passages"] = every("passages")  # a server wants at least one
            counts = {"counts": {"filters": {"filters": filters}}}
            bodies.append({"size": 0, "aggs": counts})
        answers = self._cluster.answers(self.name, bodies)
        self._keep(hit["_source"] for answer in answers for hit in answer["hits"]["hits"])
        parts = iter(answers)
        return [
            documents.shared_mentions(query, self.facts, limit, *three)
            for query, *three in zip(queries, parts, parts, parts, strict=True)
        ]

    def _refuse(self) -> NoReturn:
        raise NotReady(NO_GRAPH)

    entities = mention_network = collection = _refuse


# Searches as the server reads them.


def best(query: Json, size: int, fields: Sequence[str] = ()) -> Json:
    """The best by the server's score, equal ones by smaller id; `fields` are given as they are
    stored.
    """
    return by_id(query, size, fields) | {"sort": [{"_score": "desc"}, {"id": "asc"}]}


def by_id(query: Json, size: int, fields: Sequence[str] = (), *, rows: bool = True) -> Json:
    """All that the query matches, by id; with their rows, or without. Rows come whole: what a
    server leaves out of one it has to read and write anew, which takes longer than sending it.
    """
    return {
        "query": query,
        "size": size,
        "sort": [{"id": "asc"}],
        "track_total_hits": False,
        "_source": rows,
        "docvalue_fields": [schema.ID, *fields],
    }


def passages_naming(entities: Sequence[str]) -> Json:
    """The passages with a triple that names one of these entities."""
    return {
        "size": 0,
        "query": {"bool": {"filter": [{"terms": {schema.ENDS: list(entities)}}]}},
        "aggs": {"passages": {"terms": {"field": schema.PASSAGE, "size": MOST_TERMS - 1}}},
    }


def of_words(over: Over, words: Sequence[str], condition: Json) -> Json:
    """Texts with any of these words that meet the condition, by the server's BM25; a word that
    occurs twice counts twice.
    """
    should = [
        {"term": {schema.TOKENS_OF[over]: {"value": word, "boost": times}}}
        for word, times in Counter(words).items()
    ]
    if not should:
        return NOTHING
    return {"bool": {"should": should, "minimum_should_match": 1, "filter": [condition]}}


def near(over: Over, vector: Vectors, condition: Json) -> Json:
    """Query for all that meets the condition, with a score of 1 + its cosine with the vector."""
    if not vector.any():  # has no direction: the server refuses to compare it
        return {"constant_score": {"filter": condition}}
    params = {
        "field": schema.VECTOR_OF[over],
        "query_value": vector.astype(float).tolist(),
        "space_type": "cosinesimil",
    }
    script = {"source": "knn_score", "lang": "knn", "params": params}
    return {"script_score": {"query": {"bool": {"filter": [condition]}}, "script": script}}


def every(over: Over) -> Json:
    """All passages, or all triples."""
    return {"term": {schema.KIND: schema.KIND_OF[over]}}


def with_ids(ids: Iterable[str]) -> Json:
    """The documents with these ids."""
    return {"ids": {"values": list(ids)}}


def with_words(words: str) -> Json:
    """Passages that have, for each of these words, one that begins so."""
    beginnings = [{"prefix": {schema.TOKENS_OF["passages"]: word}} for word in terms(words)]
    return {"bool": {"filter": [every("passages"), *beginnings]}}


def sharing(index: str, passages: Sequence[str]) -> Json:
    """Other passages that hold a linking mention of one of these: the server looks these up."""
    shared = [
        {"terms": {schema.MENTIONS: {"index": index, "id": id_, "path": "row.links"}}}
        for id_ in passages
    ]
    condition = {"bool": {"should": shared}} if shared else NOTHING
    return {"bool": {"filter": [condition], "must_not": [with_ids(passages)]}}
