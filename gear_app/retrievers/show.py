"""Ids to the words an event carries: ranked passages with their terms, triples with their
sentences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gear_app.events import Part, RankedPassage, ShownTriple
from gear_app.seams import Index
from gear_app.steps.fuse import Term
from gear_app.types import Ranking

DEPTH = 200  # how deep rankings are stored


def ranked(
    index: Index,
    ranking: Ranking,
    terms: Mapping[int, Sequence[Term]] | None = None,
    *,
    depth: int = DEPTH,
) -> tuple[RankedPassage, ...]:
    """The first `depth` passages of a ranking, in order, with the terms of their scores."""
    hits = ranking.hits[:depth]
    passages = index.passages([hit.id for hit in hits])
    return tuple(
        RankedPassage(p.id, p.key, p.title, hit.score, parts((terms or {}).get(p.id, ())))
        for hit, p in zip(hits, passages, strict=True)
    )


def parts(terms: Sequence[Term]) -> tuple[Part, ...]:
    """The terms of a fused score as an event carries them."""
    return tuple(Part(term.source, term.rank, term.value, term.score) for term in terms)


def shown(index: Index, ids: Sequence[int]) -> dict[int, ShownTriple]:
    """The triples by id, each with its passage's name and its source sentence."""
    triples = index.triples(list(dict.fromkeys(ids)))
    passages = {p.id: p for p in index.passages(list(dict.fromkeys(t.passage_id for t in triples)))}
    return {
        t.id: ShownTriple(
            t.id,
            t.subject,
            t.predicate,
            t.object,
            p.id,
            p.key,
            p.title,
            p.text[t.span.start : t.span.end] if t.span else "",
            t.span,
            t.closest,
        )
        for t in triples
        for p in [passages[t.passage_id]]
    }
