"""Ids to words: what an event carries of ranked passages and of triples, and what a reader is given
of passages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from gear_app.core.protocols import Index
from gear_app.core.rows import StoredTriple
from gear_app.core.types import Hit, Passage, Ranking, Reading, Triple
from gear_app.trace.events import RankedPassage, Read, ReadPassage, ScorePart, ShownTriple

DEPTH = 200  # how deep rankings are stored


class Material(NamedTuple):
    """Passages and their stored triples."""

    passages: Sequence[Passage]
    triples: Sequence[Triple]


def ranked_passages(
    index: Index,
    ranking: Ranking,
    terms: Mapping[int, Sequence[ScorePart]] | None = None,
    *,
    depth: int = DEPTH,
) -> tuple[RankedPassage, ...]:
    """The first `depth` passages of a ranking, in order, with the terms of their scores."""
    hits, parts = ranking.hits[:depth], terms or {}
    names = index.names([hit.id for hit in hits])
    return tuple(
        RankedPassage(id_, *names[id_], score, tuple(parts.get(id_, ()))) for id_, score in hits
    )


def followed_by(ranking: Ranking, candidates: Sequence[int], depth: int = DEPTH) -> Ranking:
    """A ranking, and after it, with score 0, what else is among these: `depth` passages in all."""
    ranked = set(ranking.ids)
    rest = [id_ for id_ in candidates if id_ not in ranked][: max(0, depth - len(ranking))]
    return Ranking((*ranking.hits, *(Hit(id_, 0.0) for id_ in rest)))


def shown_triples(index: Index, ids: Sequence[int]) -> dict[int, ShownTriple]:
    """The triples by id, each with its passage's name and its source sentence."""
    stored = index.rows((), ids).triples
    return {id_: _shown_triple(stored[id_]) for id_ in dict.fromkeys(ids)}


def material(index: Index, passage_ids: Sequence[int]) -> Material:
    """Material of a reader: these passages, in order, and their stored triples,
    passages in order, triples by id.
    """
    triples = [row.triple for row in index.triples_of(passage_ids)]
    passages = index.rows(passage_ids, ()).passages
    return Material([passages[id_] for id_ in passage_ids], triples)


def read_event(
    index: Index,
    purpose: Literal["sync", "gist"],
    query: str,
    sources: Material,
    reading: Reading,
) -> Read:
    """The triples that a reader selected and rejected, with its passages and the sentences of the
    stored triples among them.
    """
    considered = (*reading.triples, *reading.passed_over)
    ids = [triple.triple_id for triple in considered if triple.triple_id is not None]
    return Read(
        purpose,
        query,
        reading.triples,
        reading.passed_over,
        reading.sums,
        tuple(ReadPassage(passage.id, passage.key, passage.title) for passage in sources.passages),
        tuple(shown_triples(index, ids).values()),
    )


def _shown_triple(row: StoredTriple) -> ShownTriple:
    t, name = row.triple, row.passage
    return ShownTriple(
        t.id,
        t.subject,
        t.predicate,
        t.object,
        t.passage_id,
        name.key,
        name.title,
        row.sentence,
        t.span,
        t.closest,
    )
