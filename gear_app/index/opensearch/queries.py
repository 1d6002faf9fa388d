"""The searches of an index in a cluster, as the server reads them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from gear_app.core.protocols import Vectors
from gear_app.core.rows import Over
from gear_app.index.opensearch import schema
from gear_app.index.opensearch.schema import Json

MOST_TERMS = 65_536  # of one clause
EF_SEARCH = 500  # candidates of HNSW


def best(query: Json, size: int, fields: Sequence[str] = ()) -> Json:
    """The best by the server's score, equal ones by smaller id; `fields` are given as they are
    stored.
    """
    return _search(query, size, fields, [{"_score": "desc"}, {"id": "asc"}])


def by_id(query: Json, size: int, fields: Sequence[str] = (), *, rows: bool = True) -> Json:
    """All that the query matches, by id; with their rows, or without."""
    return _search(query, size, fields, [{"id": "asc"}], rows=rows)


def counted(filters: dict[str, Json]) -> Json:
    """How many documents match each filter; the filters by a name."""
    return {"size": 0, "aggs": {"counts": {"filters": {"filters": filters}}}}


def of_words(over: Over, words: Sequence[str], among: Collection[int] | None) -> Json:
    """Texts with any of these words, by the server's BM25; a word that occurs twice counts twice.
    Only those with these ids where `among` is given.
    """
    should = [
        {"term": {schema.TOKENS_OF[over]: {"value": word, "boost": times}}}
        for word, times in Counter(words).items()
    ]
    clauses: Json = {"should": should, "minimum_should_match": 1}
    if among is not None:
        clauses["filter"] = [{"terms": {schema.ID: sorted(among)}}]
    return {"bool": clauses}


def near(over: Over, vector: Vectors, where: Json) -> Json:
    """Query for all that `where` matches, with a score of 1 + its cosine with the vector."""
    if not vector.any():  # has no direction: the server refuses to compare it
        return {"constant_score": {"filter": where}}
    params = {
        "field": schema.VECTOR_OF[over],
        "query_value": vector.astype(float).tolist(),
        "space_type": "cosinesimil",
    }
    script = {"source": "knn_score", "lang": "knn", "params": params}
    return {"script_score": {"query": {"bool": {"filter": [where]}}, "script": script}}


def graph_near(over: Over, vector: Vectors, k: int) -> Json:
    """The k nearest as HNSW finds them, not all of them perhaps."""
    parameters = {
        "vector": vector.astype(float).tolist(),
        "k": k,
        "method_parameters": {"ef_search": max(EF_SEARCH, k)},
    }
    return {"knn": {schema.VECTOR_OF[over]: parameters}}


def every(over: Over, among: Collection[int] | None = None) -> Json:
    """All passages or triples, or those with these ids."""
    kind: Json = {"term": {schema.KIND: schema.KIND_OF[over]}}
    if among is None:
        return kind
    return {"bool": {"filter": [kind, {"terms": {schema.ID: sorted(among)}}]}}


def with_ids(ids: Sequence[str]) -> Json:
    """The documents with these ids."""
    return {"ids": {"values": list(ids)}}


def neighbours(index: str, triple: str) -> Json:
    """Other triples at either end of this one: the server looks its ends up."""
    ends = {"index": index, "id": triple, "path": "row.ends"}
    return {"bool": {"filter": [{"terms": {schema.ENDS: ends}}], "must_not": [with_ids([triple])]}}


def sharing(index: str, passages: Sequence[str]) -> Json:
    """Other passages that hold a linking mention of one of these: the server looks these up."""
    shared = [
        {"terms": {schema.MENTIONS: {"index": index, "id": id_, "path": "row.links"}}}
        for id_ in passages
    ]
    return {"bool": {"filter": [{"bool": {"should": shared}}], "must_not": [with_ids(passages)]}}


def _search(
    query: Json, size: int, fields: Sequence[str], order: Sequence[Json], *, rows: bool = True
) -> Json:
    """Rows come whole: what a server leaves out of one it has to read and write anew, which takes
    longer than sending it.
    """
    return {
        "query": query,
        "size": size,
        "sort": list(order),
        "track_total_hits": False,
        "_source": rows,
        "docvalue_fields": [schema.ID, *fields],
    }
