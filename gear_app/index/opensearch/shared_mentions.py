"""What passages share (rows.SharedMentions), from their documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from gear_app.core.errors import ClusterFailed
from gear_app.core.rows import MentionQuery, SharedMentions
from gear_app.index.opensearch import schema
from gear_app.index.opensearch.documents import number_of, passage_of, vectors_of
from gear_app.index.opensearch.schema import IndexFacts, Json


def assembled(
    query: MentionQuery, facts: IndexFacts, most: int, answers: Sequence[Json]
) -> SharedMentions:
    """The answers to three searches as arrays: the query's passages, the others that hold a mention
    of one of them, and how many passages hold each of the query's names.

    `most` passages may hold a mention that links them; `answers` may have others as well. Raises
    KeyError for a passage that is not there, and ClusterFailed where they are more than an answer.
    """
    query_hits, other_hits = (answer["hits"]["hits"] for answer in answers[:2])
    if len(other_hits) >= schema.WINDOW:
        raise ClusterFailed(
            f"At least {schema.WINDOW:,} passages share a mention with these, more than a cluster"
            " gives at once. Set starts or most_holders lower."
        )
    by_id = {number_of(hit): hit for hit in query_hits}
    starts = [by_id[id_] for id_ in query.passage_ids]
    names_of = {hit["_id"]: _held(hit["_source"]) for hit in (*query_hits, *other_hits)}
    holders = Counter(chain.from_iterable(names_of.values()))
    linking = sorted(
        name
        for name in {name for hit in query_hits for name in hit["_source"][schema.ROW]["links"]}
        if 2 <= holders[name] <= most
    )
    place = {name: number for number, name in enumerate(linking)}
    hits = [
        *starts,
        *(hit for hit in other_hits if not place.keys().isdisjoint(names_of[hit["_id"]])),
    ]
    rows = [hit["_source"][schema.ROW] for hit in hits]
    sentences = [
        (number, start, end, names)
        for number, row in enumerate(rows)
        for start, end, names in row["sentences"]
    ]
    common = {name for hit in query_hits for name in hit["_source"][schema.ROW]["common"]}
    query_names = list(query.names)
    return SharedMentions(
        size=facts.passages,
        passages=[passage_of(number_of(hit), row) for hit, row in zip(hits, rows, strict=True)],
        names=linking,
        holders=np.array([holders[name] for name in linking], np.int64),
        common=np.array([name in common for name in linking], np.bool_),
        held=_pairs(
            [
                (number, place[name])
                for number, hit in enumerate(hits)
                for name in place.keys() & names_of[hit["_id"]]
            ]
        ),
        sentence_passages=np.array([number for number, *_ in sentences], np.int64),
        spans=np.array([span for _, *span, _ in sentences], np.int64).reshape(-1, 2),
        vectors=vectors_of(
            [hit for hit in hits if schema.SENTENCES in hit["fields"]],
            facts.dimension,
            schema.SENTENCES,
        ),
        named=_pairs(
            [
                (number, place[name])
                for number, (*_, names) in enumerate(sentences)
                for name in names
                if name in place
            ]
        ),
        asked_holders=_counts(query_names, answers[2]),
        asked_in_sentences=_table([names for *_, names in sentences], query_names),
        asked_in_titles=_table([row["titled"] for row in rows], query_names),
    )


def _held(source: Json) -> set[str]:
    row = source[schema.ROW]
    return {*row["titled"]}.union(*(names for *_, names in row["sentences"]))


def _pairs(pairs: list[tuple[int, int]]) -> NDArray[np.int64]:
    return np.array(sorted(set(pairs)), np.int64).reshape(-1, 2)


def _counts(names: Sequence[str], answer: Json) -> NDArray[np.int64]:
    if not names:
        return np.zeros(0, np.int64)
    buckets = answer["aggregations"]["counts"]["buckets"]
    return np.array([buckets[str(number)]["doc_count"] for number in range(len(names))], np.int64)


def _table(held_names: Sequence[Collection[str]], names: Sequence[str]) -> NDArray[np.bool_]:
    """(rows, names) whether the row holds the name."""
    table = [name in row_names for row_names in held_names for name in names]
    return np.array(table, np.bool_).reshape(len(held_names), len(names))
