"""What passages share (rows.SharedMentions), from their documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from gear_app.errors import ClusterFailed
from gear_app.opensearch import schema
from gear_app.opensearch.documents import number_of, passage_of, vectors_of
from gear_app.opensearch.schema import IndexFacts, Json
from gear_app.rows import MentionQuery, SharedMentions


def assembled(
    query: MentionQuery, facts: IndexFacts, most: int, answers: Sequence[Json]
) -> SharedMentions:
    """The answers to three searches as arrays: the query's passages, the others that hold a mention
    of one of them, and how many passages hold each of the query's names.

    `most` passages may hold a mention that links them; `answers` may have others as well. Raises
    KeyError for a passage that is not there, and ClusterFailed where they are more than an answer.
    """
    own, others = (answer["hits"]["hits"] for answer in answers[:2])
    if len(others) >= schema.WINDOW:
        raise ClusterFailed(
            f"At least {schema.WINDOW:,} passages share a mention with these, more than a cluster"
            " gives at once. Set starts or most_holders lower."
        )
    by_id = {number_of(hit): hit for hit in own}
    starts = [by_id[id_] for id_ in query.passage_ids]
    held = {hit["_id"]: _held(hit["_source"]) for hit in (*own, *others)}
    holders = Counter(chain.from_iterable(held.values()))
    linking = sorted(
        name
        for name in {name for hit in own for name in hit["_source"][schema.ROW]["links"]}
        if 2 <= holders[name] <= most
    )
    place = {name: number for number, name in enumerate(linking)}
    hits = [*starts, *(hit for hit in others if not place.keys().isdisjoint(held[hit["_id"]]))]
    rows = [hit["_source"][schema.ROW] for hit in hits]
    sentences = [
        (number, start, end, names)
        for number, row in enumerate(rows)
        for start, end, names in row["sentences"]
    ]
    common = {name for hit in own for name in hit["_source"][schema.ROW]["common"]}
    asked = list(query.names)
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
                for name in place.keys() & held[hit["_id"]]
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
        asked_holders=_counts(asked, answers[2]),
        asked_in_sentences=_table([names for *_, names in sentences], asked),
        asked_in_titles=_table([row["titled"] for row in rows], asked),
    )


def _held(source: Json) -> set[str]:
    row = source[schema.ROW]
    return {*row["titled"]}.union(*(names for *_, names in row["sentences"]))


def _pairs(pairs: list[tuple[int, int]]) -> NDArray[np.int64]:
    return np.array(sorted(set(pairs)), np.int64).reshape(-1, 2)


def _counts(asked: Sequence[str], answer: Json) -> NDArray[np.int64]:
    if not asked:
        return np.zeros(0, np.int64)
    buckets = answer["aggregations"]["counts"]["buckets"]
    return np.array([buckets[str(number)]["doc_count"] for number in range(len(asked))], np.int64)


def _table(held: Sequence[Collection[str]], asked: Sequence[str]) -> NDArray[np.bool_]:
    """(rows, asked) whether the row holds the name."""
    table = [name in names for names in held for name in asked]
    return np.array(table, np.bool_).reshape(len(held), len(asked))
