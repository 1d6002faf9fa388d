"""Search over a collection in a cluster (seams.Index): nothing of it is held here but how many
texts each word is in.

What its calls promise is written at seams.Index.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from gear_app.errors import ClusterFailed, NotReady
from gear_app.opensearch import queries, schema
from gear_app.opensearch.cluster import Cluster
from gear_app.opensearch.documents import PassageName, passage_of, triple_of
from gear_app.opensearch.ranked_search import (
    FIRST,
    SPARE,
    RankedSearch,
    Row,
    VectorScores,
    WordScores,
    number_of,
    vectors_of,
)
from gear_app.opensearch.schema import IndexFacts, Json
from gear_app.opensearch.shared_mentions import assembled
from gear_app.opensearch.words import Bm25Query, WordCounts
from gear_app.rows import (
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
from gear_app.seams import Embedder, EntityNetwork, Vectors, query_vectors
from gear_app.text import normalise_entity, terms
from gear_app.types import Passage, Ranking

ROWS_AT_ONCE = 5_000  # hits of one answer, where all are wanted
NO_GRAPH = (
    "This method works on the whole collection in memory, which an index in a cluster does not"
    " give. Choose another method, or search the collection in a workspace."
)


class OpenSearchIndex:
    """One index in a cluster, whole and checked."""

    links = True

    def __init__(self, cluster: Cluster, name: str, facts: IndexFacts, embedder: Embedder) -> None:
        """`name` is the index's own, not the alias: a run goes on where another takes its place.
        `embedder` encodes queries.
        """
        self.name, self.facts = name, facts
        self._cluster, self._embedder = cluster, embedder
        self._counts: dict[Over, WordCounts] = {}

    def counted(self) -> OpenSearchIndex:
        """The same index with a tally of its own, for one run."""
        other = copy.copy(self)
        other._cluster = self._cluster.counted()
        return other

    @property
    def record(self) -> dict[str, str]:
        """What a run is told of where it searched, and of what that took."""
        tally, ef = self._cluster.tally, self._cluster.address.ef
        approximate = f"; {tally.approximate} by HNSW, ef_search {ef}" if tally.approximate else ""
        return {
            "index": f"OpenSearch {self._cluster.version}, {self.name} at {self._cluster.address}",
            "scorer": "BM25 and cosine, fetched by the server's scores and counted again here",
            "proved": f"{tally.proved} of {tally.rankings} rankings{approximate}",
            "round trips": f"{tally.trips} in {tally.waited_ms:,.0f} ms",
        }

    @property
    def trips(self) -> int:
        """How often the cluster was asked so far."""
        return self._cluster.tally.trips

    def search(self, searches: Sequence[Search]) -> SearchResults:
        """One round trip, and one more as long as any ranking is not proved."""
        if not searches:
            return SearchResults((), Rows({}, {}))
        self._load_counts(searches)
        encoded: dict[str, Vectors] = {}
        asked = [self._ranked(search, encoded) for search in searches]
        self._prove([one for one in asked if one is not None])
        rows: dict[Over, dict[int, Row]] = {"passages": {}, "triples": {}}
        rankings: list[Ranking] = []
        for search, ranked in zip(searches, asked, strict=True):
            ranking = ranked.ranking if ranked else Ranking()
            rankings.append(ranking)
            if ranked:
                rows[search.over].update((id_, ranked.rows[id_]) for id_ in ranking.ids)
            self._tell(ranked)
        lucene = frozenset(place for place, one in enumerate(asked) if one and one.lucene)
        return SearchResults(rankings, Rows(rows["passages"], rows["triples"]), lucene)  # type: ignore[arg-type]

    def rows(self, passage_ids: Collection[int], triple_ids: Collection[int]) -> Rows:
        """One round trip for a thousand."""
        wanted = [*map(schema.passage_id, passage_ids), *map(schema.triple_id, triple_ids)]
        found = self._cluster.documents(self.name, wanted)
        return Rows(
            {id_: passage_of(id_, _row(found, schema.passage_id(id_))) for id_ in passage_ids},
            {id_: triple_of(id_, _row(found, schema.triple_id(id_))) for id_ in triple_ids},
        )

    def names(self, passage_ids: Collection[int]) -> Mapping[int, Named]:
        """One round trip for a thousand."""
        found = self._cluster.documents(self.name, list(map(schema.passage_id, passage_ids)))
        rows = {id_: _row(found, schema.passage_id(id_)) for id_ in passage_ids}
        return {id_: PassageName(row["key"], row["title"]) for id_, row in rows.items()}

    def triples_of(self, passage_ids: Sequence[int]) -> list[StoredTriple]:
        """One round trip for five thousand triples."""
        ordered = list(dict.fromkeys(passage_ids))
        if not ordered:
            return []
        where = {"bool": {"filter": [{"terms": {schema.PASSAGE: ordered}}]}}
        of_passage: dict[int, list[StoredTriple]] = {id_: [] for id_ in ordered}
        for hit in everything(self._cluster, self.name, where):
            row = triple_of(number_of(hit), hit["_source"][schema.ROW])
            of_passage[row.triple.passage_id].append(row)
        return [row for id_ in ordered for row in of_passage[id_]]

    def nearest(self, triple_ids: Sequence[int], query: Vectors, k: int) -> list[EncodedTriples]:
        """One round trip, and one more as long as any of the first k are not proved."""
        if not triple_ids:
            return []
        ids = list(dict.fromkeys(triple_ids))
        asked = {
            id_: RankedSearch(
                "triples",
                VectorScores(
                    "triples", query, queries.neighbours(self.name, schema.triple_id(id_))
                ),
                k,
                k + SPARE,
            )
            for id_ in ids
        }
        all_ids = queries.with_ids(list(map(schema.triple_id, ids)))
        known = queries.by_id(all_ids, len(ids), rows=False)
        (there,) = self._prove(list(asked.values()), [known])
        _check_known(ids, there)
        for one in asked.values():
            self._tell(one)
        return [self._encoded(asked[id_]) for id_ in triple_ids]

    def vectors(self, triple_ids: Sequence[int]) -> Vectors:
        """One round trip for five thousand."""
        found: dict[int, Json] = {}
        ids = list(dict.fromkeys(triple_ids))
        for start in range(0, len(ids), ROWS_AT_ONCE):
            some = list(map(schema.triple_id, ids[start : start + ROWS_AT_ONCE]))
            body = queries.by_id(queries.with_ids(some), len(some), (schema.BYTES,), rows=False)
            (answer,) = self._cluster.searches(self.name, [body])
            found.update((number_of(hit), hit) for hit in answer["hits"]["hits"])
        return vectors_of([found[id_] for id_ in triple_ids], self.facts.dimension)

    def joins(self, names: Collection[str], threshold: float | None) -> dict[str, EntityPassages]:
        """Two round trips: the synonyms of the names, and the passages that name either."""
        if not names:
            return {}
        ids = {name: schema.entity_id(name) for name in names}
        found = self._cluster.documents(self.name, list(filter(None, ids.values())))
        synonyms = {
            name: _synonyms(found[id_][schema.ROW], threshold)
            for name, id_ in ids.items()
            if id_ in found
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
        most = limit.of(self.facts.passages.size)
        if most > self.facts.holders:
            raise NotReady(
                f"This index links passages by mentions that at most {self.facts.holders} of them"
                f" hold; the run asks for {most}. Set most_holders={self.facts.holders} or less."
            )
        bodies = [body for query in asked for body in self._mention_searches(query)]
        answers = self._cluster.searches(self.name, bodies) if bodies else []
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

    def _prove(
        self, waiting: Sequence[RankedSearch], others: Sequence[Json] = ()
    ) -> Sequence[Json]:
        """Fetch for each ranking until it is proved; the answers to other searches, which are asked
        in the first round trip.
        """
        along = [(body, False) for body in others]
        answers: list[Json] = []
        while waiting:
            every = [*along, *((one.body, one.dfs) for one in waiting)]
            came = self._cluster.mixed_searches(self.name, every)
            answers += came[: len(along)]
            for one, answer in zip(waiting, came[len(along) :], strict=True):
                one.take(answer)
            waiting, along = [one for one in waiting if not one.done], []
        return answers

    def _ranked(self, search: Search, encoded: dict[str, Vectors]) -> RankedSearch | None:
        """A search that is ready to be asked; None where nothing can be found. `encoded` are the
        vectors of queries that were needed so far: each is encoded alone.
        """
        among = None if search.among is None else list(search.among)
        if search.k <= 0 or among == [] or not self.facts.statistics(search.over).size:
            return None
        first = max(FIRST[search.over], 2 * search.k)
        if search.by == "bm25":
            scores = WordScores(search.over, self._words(search), among)
            return None if scores.empty else RankedSearch(search.over, scores, search.k, first)
        if search.query not in encoded:
            encoded[search.query] = query_vectors(self._embedder, [search.query])[0]
        where = queries.every(search.over, among)
        # Passages are few, and what is filtered is fewer: HNSW is for all triples alone.
        graph = self.facts.hnsw and search.over == "triples" and among is None
        ef = self._cluster.address.ef if graph else None
        vector = VectorScores(search.over, encoded[search.query], where, ef)
        return RankedSearch(search.over, vector, search.k, search.k + SPARE)

    def _words(self, search: Search) -> Bm25Query:
        """The words of a search; by Lucene's idf where no text scores above 0 otherwise. Where
        only the texts can say, as in a collection of a few, the cluster is asked.
        """
        over = search.over
        statistics, counts = self.facts.statistics(over), self._counts[over]
        words = Bm25Query(search.query, statistics, counts)
        ranks = words.ranks
        if ranks is None:
            best = RankedSearch(over, WordScores(over, words, None), 1, FIRST[over])
            self._prove([best])
            ranks = bool(best.ranking.hits)
        return words if ranks else Bm25Query(search.query, statistics, counts, lucene=True)

    def _tell(self, one: RankedSearch | None) -> None:
        """Count a ranking; one that is empty of itself is proved."""
        tally = self._cluster.tally
        tally.rankings += 1
        tally.proved += one is None or one.proved
        tally.approximate += one is not None and one.approximate

    def _encoded(self, one: RankedSearch) -> EncodedTriples:
        ids = sorted(one.ranking.ids)
        rows: list[Any] = [one.rows[id_] for id_ in ids]
        hits = [one.hits[id_] for id_ in ids]
        return EncodedTriples(rows, vectors_of(hits, self.facts.dimension))

    def _load_counts(self, searches: Sequence[Search]) -> None:
        """In how many texts each word is: once in a process, where words are first searched."""
        if self._counts or all(search.by != "bm25" for search in searches):
            return
        where = {"term": {schema.KIND: "words"}}
        hits = everything(self._cluster, self.name, where, at_once=20)
        rows = [hit["_source"][schema.ROW] for hit in hits]
        self._counts.update(
            {
                over: WordCounts.of([row for row in rows if row["over"] == over])
                for over in schema.KIND_OF
            }
        )

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
        found = {}
        for name, answer in zip(entities, self._cluster.searches(self.name, bodies), strict=True):
            passages = answer["aggregations"]["passages"]
            if passages["sum_other_doc_count"]:
                raise ClusterFailed(
                    f"More than {most:,} passages name {name!r} or a synonym, more than a cluster"
                    " gives at once. Choose another method for this question."
                )
            found[name] = frozenset(int(bucket["key"]) for bucket in passages["buckets"])
        return found

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


def everything(
    cluster: Cluster, index: str, where: Json, at_once: int = ROWS_AT_ONCE
) -> list[Json]:
    """All that match, by id, page by page: an index does not change, so no page misses any."""
    found: list[Json] = []
    more: Json = {}
    while True:
        body = queries.by_id(where, at_once) | more
        (answer,) = cluster.searches(index, [body])
        hits: list[Json] = answer["hits"]["hits"]
        found += hits
        if len(hits) < at_once:
            return found
        more = {"search_after": hits[-1]["sort"]}


def passage_ids(cluster: Cluster, index: str, keys: Sequence[str]) -> list[int]:
    """The ids of the passages with these outward names, by id. One round trip."""
    body = queries.by_id({"terms": {schema.KEY: list(keys)}}, schema.WINDOW, rows=False)
    (answer,) = cluster.searches(index, [body])
    return [number_of(hit) for hit in answer["hits"]["hits"]]


def ids_with_words(cluster: Cluster, index: str, words: str, limit: int) -> list[int]:
    """The ids of the first passages that have, for each of these words, one that begins so."""
    beginnings = [{"prefix": {schema.TOKENS_OF["passages"]: word}} for word in terms(words)]
    where = {"bool": {"filter": [queries.every("passages"), *beginnings]}}
    (answer,) = cluster.searches(
        index, [queries.by_id(where, min(limit, schema.WINDOW), rows=False)]
    )
    return [number_of(hit) for hit in answer["hits"]["hits"]]


def passages(cluster: Cluster, index: str, ids: Sequence[int]) -> list[Passage]:
    """The passages with these ids that are there, in order."""
    found = cluster.documents(index, list(map(schema.passage_id, ids)))
    there = [id_ for id_ in ids if schema.passage_id(id_) in found]
    return [passage_of(id_, found[schema.passage_id(id_)][schema.ROW]) for id_ in there]


def _row(found: Mapping[str, Json], id_: str) -> Json:
    """Raises KeyError where there is no such document."""
    if id_ not in found:
        raise KeyError(int(id_[1:]))
    row: Json = found[id_][schema.ROW]
    return row


def _check_known(ids: Sequence[int], answer: Json) -> None:
    there = {number_of(hit) for hit in answer["hits"]["hits"]}
    for id_ in ids:
        if id_ not in there:
            raise KeyError(id_)


def _synonyms(row: Json, threshold: float | None) -> list[tuple[str, str, float]]:
    """Normal form, name as written and cosine of those near enough, nearest first."""
    least = math.inf if threshold is None else threshold
    return [
        (normal, written, round(cosine, 6))
        for normal, written, cosine in row["synonyms"]
        if round(cosine, 6) >= least
    ]
