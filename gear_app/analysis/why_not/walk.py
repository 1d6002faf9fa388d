"""HippoRAG: the question's entities, the walk from them, and the passages' sums."""

from __future__ import annotations

from gear_app.analysis.metrics import stands_for
from gear_app.analysis.rankings import QuerySearch
from gear_app.analysis.why_not.case import LossCase
from gear_app.analysis.why_not.model import (
    AddedTerm,
    Cause,
    Change,
    ListPlace,
    Loss,
    Margin,
    Seeds,
    StepOutcome,
)
from gear_app.events import Recognised, Walked
from gear_app.text import normalise_entity

SHOWN_DEEP = 200  # a walk that reaches fewer passages lists all of them
TERMS = 4  # of a sum of probabilities: the greatest


def loss(case: LossCase, search: QuerySearch, cut: int) -> Loss:
    """No triple, no seed reaches it, or what reaches it is less than for others."""
    named = case.of(search, Recognised)[0]
    walks = case.of(search, Walked)
    seeds = Seeds(tuple((one.text, one.node or one.title) for one in named.entities))
    extract = case.extract()
    if extract.outcome is StepOutcome.LOST:
        return Loss(Cause.NO_TRIPLE, (extract,))
    if not walks:
        step = case.lost("recognise", named, seeds)
        return Loss(Cause.NO_SEED, (extract, step))
    walk = walks[0]
    recognise = case.passed("recognise", named, seeds)
    reached = walk.ranking[: len(walk.ranking) - walk.below]  # after these hybrid's follow, with 0
    if case.rank(reached) is None and not _touched(case, walk, len(reached)):
        step = case.lost("walk", walk, ListPlace("the walk", None, cut))
        return Loss(Cause.NO_SEED, (extract, recognise, step), (), _changes(case))
    margin = case.margin("the walk", walk.ranking, cut)
    if margin and not walk.ensembled:
        holder = walk.ranking[min(cut, len(walk.ranking)) - 1]
        margin = margin._replace(
            terms=_terms(walk, case.key), holder_terms=_terms(walk, holder.key)
        )
    evidence: Margin | ListPlace = margin or ListPlace("the walk", None, cut)
    step = case.lost("walk", walk, evidence)
    trail = (extract, recognise, step)
    return Loss(Cause.PROBABILITY_BELOW, trail, case.needs(margin), _changes(case))


def _touched(case: LossCase, walk: Walked, listed: int) -> bool:
    """Whether a passage that is not among those `listed` has a node that was reached, so far as the
    event tells; a walk that listed all it reached did not reach it.
    """
    if listed < SHOWN_DEEP:
        return False
    reached = {normalise_entity(node.name) for node in walk.nodes if node.probability > 0}
    return not case.facts.entities.isdisjoint(reached)


def _terms(walk: Walked, key: str) -> tuple[AddedTerm, ...]:
    """The greatest terms of a passage's sum: probability × triples that name the entity."""
    passage = next((one for one in walk.passages if stands_for(one.key, key)), None)
    if passage is None:
        return ()
    terms = [
        AddedTerm(
            f"{walk.nodes[node].name} × {count}", round(walk.nodes[node].probability * count, 6)
        )
        for node, count in passage.terms
    ]
    terms.sort(key=lambda term: -term.value)
    rest = round(passage.score - sum(term.value for term in terms[:TERMS]), 6)
    left = (AddedTerm(f"{len(terms) - TERMS} others", rest),) if len(terms) > TERMS else ()
    return (*terms[:TERMS], *left)


def _changes(case: LossCase) -> tuple[Change, ...]:
    """The settings that spread the walk in another way; nothing is known without a run."""
    return (
        *case.others("restart", (0.4, 0.3, 0.2, 0.1)),
        *case.others("threshold", (0.85, 0.9, 0.95)),
        *case.others("specificity", ("False", "True")),
        *case.others("ensemble", ("uncertainty",)),
    )
