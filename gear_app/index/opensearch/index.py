"""Search over a collection in a cluster; what its calls promise is written at protocols.Index."""

from __future__ import annotations

import copy
import math
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from gear_app.core.errors import ClusterFailed, NotReady
from gear_app.core.protocols import Embedder, EntityNetwork, Vectors, query_vectors
from gear_app.core.rows import (
    EncodedTriples,
    EntityPassages,
    HubLimit,
    MentionNetwork,
    MentionQuery,
    Named,
    Over,
    Rows,
    Search,
    SearchResults,
    SharedMentions,
    StoredTriple,
    WholeCollection,
)
from gear_app.core.text import normalise_entity, terms
from gear_app.core.types import Passage, Ranking
from gear_app.index.opensearch import queries, schema
from gear_app.index.opensearch.cluster import Cluster
from gear_app.index.opensearch.documents import (
    PassageName,
    Row,
    assembled,
    number_of,
    passage_of,
    row_of,
    triple_of,
    vectors_of,
)
from gear_app.index.opensearch.schema import IndexFacts, Json
from gear_app.index.text_index import exact_cosines, top

ROWS_AT_ONCE = 5_000  # hits of one answer, where all are wanted
SPARE = 20  # hits beyond k of a dense search: the server compares in float32, and rounds
NO_GRAPH = (
    "This method works on the whole collection in memory, which an index in a cluster does not"
    " give. Choose another method, or search the collection in a workspace."
)


class OpenSearchIndex:
    """One index in a cluster."""

    links = True

    def __init__(self, cluster: Cluster, name: str, facts: IndexFacts, embedder: Embedder) -> None:
        """`name` is the index's own, not the alias: a run goes on where another takes its place.
        `embedder` encodes queries.
        """
        self.name, self.facts = name, facts
        self._cluster, self._embedder = cluster, embedder

    def counted(self) -> OpenSearchIndex:
        """A copy of the index whose round trips are counted from 0, for one run."""
        other = copy.copy(self)
        other._cluster = self._cluster.counted()
        return other

    @property
    def trips(self) -> int:
        """Round trips so far."""
        return self._cluster.trips

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
        """One round trip. BM25 is the server's, with the statistics of all shards."""
        vectors = self._query_vectors(searches)
        bodies = {place: self._body(search, vectors) for place, search in enumerate(searches)}
        sent = {place: body for place, body in bodies.items() if body}
        dfs = {at for at, place in enumerate(sent) if searches[place].by == "bm25"}
        answers = self._cluster.searches(self.name, list(sent.values()), dfs) if sent else []
        hits = dict(zip(sent, answers, strict=True))
        rows: dict[Over, dict[int, Row]] = {"passages": {}, "triples": {}}
        rankings = []
        for place, search in enumerate(searches):
            of_search = hits.get(place, [])
            rankings.append(self._ranking(search, of_search, vectors))
            rows[search.over].update(
                {number_of(hit): row_of(search.over, hit) for hit in of_search}
            )
        return SearchResults(rankings, Rows(rows["passages"], rows["triples"]))  # type: ignore[arg-type]

    def rows(self, passage_ids: Collection[int], triple_ids: Collection[int]) -> Rows:
        """One round trip for a thousand."""
        document_ids = [*map(schema.passage_id, passage_ids), *map(schema.triple_id, triple_ids)]
        documents = self._cluster.documents(self.name, document_ids)
        return Rows(
            {id_: passage_of(id_, _row(documents, schema.passage_id(id_))) for id_ in passage_ids},
            {id_: triple_of(id_, _row(documents, schema.triple_id(id_))) for id_ in triple_ids},
        )

    def names(self, passage_ids: Collection[int]) -> Mapping[int, Named]:
        """One round trip for a thousand."""
        documents = self._cluster.documents(self.name, list(map(schema.passage_id, passage_ids)))
        rows = {id_: _row(documents, schema.passage_id(id_)) for id_ in passage_ids}
        return {id_: PassageName(row["key"], row["title"]) for id_, row in rows.items()}

    def triples_of(self, passage_ids: Sequence[int]) -> list[StoredTriple]:
        """One round trip for five thousand triples."""
        ordered = list(dict.fromkeys(passage_ids))
        if not ordered:
            return []
        condition = {"bool": {"filter": [{"terms": {schema.PASSAGE: ordered}}]}}
        of_passage: dict[int, list[StoredTriple]] = {id_: [] for id_ in ordered}
        for hit in everything(self._cluster, self.name, condition):
            row = triple_of(number_of(hit), hit["_source"][schema.ROW])
            of_passage[row.triple.passage_id].append(row)
        return [row for id_ in ordered for row in of_passage[id_]]

    def nearest(self, triple_ids: Sequence[int], query: Vectors, k: int) -> list[EncodedTriples]:
        """One round trip."""
        if not triple_ids:
            return []
        ids = list(dict.fromkeys(triple_ids))
        selection = queries.with_ids(list(map(schema.triple_id, ids)))
        bodies = [queries.by_id(selection, len(ids), rows=False)]
        for id_ in ids:
            around = queries.neighbours(self.name, schema.triple_id(id_))
            near = queries.near("triples", query, around)
            bodies.append(queries.best(near, min(k, schema.WINDOW), (schema.BYTES,)))
        existing, *neighbours = self._cluster.searches(self.name, bodies)
        for missing in set(ids).difference(map(number_of, existing)):
            raise KeyError(missing)
        triples_by_id = {
            id_: self._encoded(hits) for id_, hits in zip(ids, neighbours, strict=True)
        }
        return [triples_by_id[id_] for id_ in triple_ids]

    def vectors(self, triple_ids: Sequence[int]) -> Vectors:
        """One round trip for five thousand."""
        hits_by_id: dict[int, Json] = {}
        ids = list(dict.fromkeys(triple_ids))
        for start in range(0, len(ids), ROWS_AT_ONCE):
            batch = list(map(schema.triple_id, ids[start : start + ROWS_AT_ONCE]))
            body = queries.by_id(queries.with_ids(batch), len(batch), (schema.BYTES,), rows=False)
            (hits,) = self._cluster.searches(self.name, [body])
            hits_by_id.update((number_of(hit), hit) for hit in hits)
        return vectors_of([hits_by_id[id_] for id_ in triple_ids], self.facts.dimension)

    def joins(self, names: Collection[str], threshold: float | None) -> dict[str, EntityPassages]:
        """Two round trips: the synonyms of the names, and the passages that name either."""
        if not names:
            return {}
        ids = {name: schema.entity_id(name) for name in names}
        documents = self._cluster.documents(self.name, list(filter(None, ids.values())))
        synonyms = {
            name: _synonyms(documents[id_][schema.ROW], threshold)
            for name, id_ in ids.items()
            if id_ in documents
        }
        passages = self._naming(
            {
                name: [normalise_entity(name), *(normal for normal, _, _ in near)]
                for name, near in synonyms.items()
            }
        )
        return {
            name: EntityPassages(
                passages.get(name, frozenset()),
                tuple((written, cosine) for _, written, cosine in synonyms.get(name, ())),
            )
            for name in names
        }

    def shared_mentions(
        self, asked: Sequence[MentionQuery], limit: HubLimit
    ) -> list[SharedMentions]:
        """One round trip for all queries."""
        most = limit.of(self.facts.passages)
        if most > self.facts.holders:
            raise NotReady(
                f"This index links passages by mentions that at most {self.facts.holders} of them"
                f" hold; the run asks for {most}. Set most_holders={self.facts.holders} or less."
            )
        bodies = [body for query in asked for body in self._mention_searches(query)]
        answers = self._cluster.answers(self.name, bodies) if bodies else []
        return [
            assembled(query, self.facts, most, answers[3 * number : 3 * number + 3])
            for number, query in enumerate(asked)
        ]

    def entities(self) -> EntityNetwork:
        """Raises NotReady."""
        raise NotReady(NO_GRAPH)

    def mention_network(self) -> MentionNetwork:
        """Raises NotReady."""
        raise NotReady(NO_GRAPH)

    def whole(self) -> WholeCollection:
        """Raises NotReady."""
        raise NotReady(NO_GRAPH)

    def _query_vectors(self, searches: Sequence[Search]) -> dict[str, Vectors]:
        """The vectors of the queries of dense searches, each encoded alone."""
        texts = dict.fromkeys(search.query for search in searches if search.by == "dense")
        return {text: query_vectors(self._embedder, [text])[0] for text in texts}

    def _body(self, search: Search, vectors: Mapping[str, Vectors]) -> Json | None:
        """A search as the server reads it; None where nothing can match."""
        among, size = search.among, min(search.k, schema.WINDOW)
        if size <= 0 or (among is not None and not among):
            return None
        if search.by == "bm25":
            words = terms(search.query)
            query = queries.of_words(search.over, words, among)
            return queries.best(query, size) if words else None
        vector = vectors[search.query]
        # Passages are few, and what is filtered is fewer: HNSW is for all triples alone.
        if self.facts.hnsw and search.over == "triples" and among is None and vector.any():
            query = queries.graph_near(search.over, vector, size)
        else:
            query = queries.near(search.over, vector, queries.every(search.over, among))
        return queries.best(query, min(size + SPARE, schema.WINDOW), (schema.BYTES,))

    def _ranking(
        self, search: Search, hits: Sequence[Json], vectors: Mapping[str, Vectors]
    ) -> Ranking:
        """Hits by the server's BM25, or by their vectors' cosines in float64."""
        if search.by == "bm25":
            scores = np.array([hit["sort"][0] for hit in hits], np.float64)
        else:
            query = vectors[search.query]
            scores = exact_cosines(vectors_of(hits, len(query)), query)
        return top(scores, search.k, np.array([*map(number_of, hits)], np.int64))

    def _encoded(self, hits: Sequence[Json]) -> EncodedTriples:
        """Triples by id, with their vectors."""
        ordered = sorted(hits, key=number_of)
        rows = [triple_of(number_of(hit), hit["_source"][schema.ROW]) for hit in ordered]
        return EncodedTriples(rows, vectors_of(ordered, self.facts.dimension))

    def _naming(self, entities: Mapping[str, Sequence[str]]) -> dict[str, frozenset[int]]:
        """The passages with a triple that names any of these, for each group of names."""
        if not entities:
            return {}
        most = queries.MOST_TERMS - 1
        bodies = [
            {
                "size": 0,
                "query": {"bool": {"filter": [{"terms": {schema.ENDS: list(names)}}]}},
                "aggs": {"passages": {"terms": {"field": schema.PASSAGE, "size": most}}},
            }
            for names in entities.values()
        ]
        passages_by_name = {}
        for name, answer in zip(entities, self._cluster.answers(self.name, bodies), strict=True):
            passages = answer["aggregations"]["passages"]
            if passages["sum_other_doc_count"]:
                raise ClusterFailed(
                    f"More than {most:,} passages name {name!r} or a synonym, more than a cluster"
                    " gives at once. Choose another method for this question."
                )
            passages_by_name[name] = frozenset(int(bucket["key"]) for bucket in passages["buckets"])
        return passages_by_name

    def _mention_searches(self, query: MentionQuery) -> list[Json]:
        """Three: the passages themselves, those that share a mention, and how many hold a name."""
        ids = list(map(schema.passage_id, query.passage_ids))
        sentences = (schema.SENTENCES,)
        names = {
            str(number): {"term": {schema.MENTIONS: name}}
            for number, name in enumerate(query.names)
        }
        nothing = {"size": 0, "query": {"match_none": {}}}
        return [
            queries.by_id(queries.with_ids(ids), schema.WINDOW, sentences) if ids else nothing,
            queries.by_id(queries.sharing(self.name, ids), schema.WINDOW, sentences)
            if ids
            else nothing,
            queries.counted(names) if names else nothing,
        ]


def everything(cluster: Cluster, index: str, where: Json) -> list[Json]:
    """All that match, by id, page by page: an index does not change, so no page misses any."""
    hits_so_far: list[Json] = []
    more: Json = {}
    while True:
        body = queries.by_id(where, ROWS_AT_ONCE) | more
        (hits,) = cluster.searches(index, [body])
        hits_so_far += hits
        if len(hits) < ROWS_AT_ONCE:
            return hits_so_far
        more = {"search_after": hits[-1]["sort"]}


def passage_ids(cluster: Cluster, index: str, keys: Sequence[str]) -> list[int]:
    """The ids of the passages with these outward names, by id. One round trip."""
    body = queries.by_id({"terms": {schema.KEY: list(keys)}}, schema.WINDOW, rows=False)
    (hits,) = cluster.searches(index, [body])
    return [number_of(hit) for hit in hits]


def ids_with_words(cluster: Cluster, index: str, words: str, limit: int) -> list[int]:
    """The ids of the first passages that have, for each of these words, one that begins so."""
    beginnings = [{"prefix": {schema.TOKENS_OF["passages"]: word}} for word in terms(words)]
    condition = {"bool": {"filter": [queries.every("passages"), *beginnings]}}
    body = queries.by_id(condition, min(limit, schema.WINDOW), rows=False)
    (hits,) = cluster.searches(index, [body])
    return [number_of(hit) for hit in hits]


def passages(cluster: Cluster, index: str, ids: Sequence[int]) -> list[Passage]:
    """The passages with these ids that are there, in order."""
    documents = cluster.documents(index, list(map(schema.passage_id, ids)))
    existing = [id_ for id_ in ids if schema.passage_id(id_) in documents]
    return [passage_of(id_, documents[schema.passage_id(id_)][schema.ROW]) for id_ in existing]


def _row(documents: Mapping[str, Json], id_: str) -> Json:
    """Raises KeyError where there is no such document."""
    if id_ not in documents:
        raise KeyError(int(id_[1:]))
    row: Json = documents[id_][schema.ROW]
    return row


def _synonyms(row: Json, threshold: float | None) -> list[tuple[str, str, float]]:
    """Normal form, name as written and cosine of those near enough, nearest first."""
    least = math.inf if threshold is None else threshold
    return [
        (normal, written, round(cosine, 6))
        for normal, written, cosine in row["synonyms"]
        if round(cosine, 6) >= least
    ]
