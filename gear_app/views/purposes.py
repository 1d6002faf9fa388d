"""What a step is for, in one sentence that is true of the method whose step it is."""

from __future__ import annotations

from collections.abc import Sequence

from gear_app.events import (
    Event,
    Fused,
    Matched,
    Pooled,
    Promoted,
    Recognised,
    Remembered,
    Retrieved,
    Split,
    Thought,
    Walked,
)
from gear_app.views.searches import searches
from gear_app.views.timeline import Step

PURPOSE = {
    "retrieve": "Base retrieval ranks passages by the words and the meaning of the query.",
    "read": (
        "The reader takes proximal triples from the passages found: facts that touch the query."
    ),
    "extract": (
        "Triples are made of passages that have none yet; they are there for the next question too."
    ),
    "link": (
        "Each proximal triple is linked to its nearest stored triple; these start the beam search."
    ),
    "expand": "The diverse beam search follows shared entities from triple to triple.",
    "fuse": "The base ranking and the beams' passages become one ranking by reciprocal rank.",
    "remember": "The reader adds to the gist memory what the question needs.",
    "reason": "The reader decides whether the gist memory answers the question.",
    "rewrite": "What was found is put into the next query.",
    "recognise": (
        "The reader names the question's entities; each is linked to its nearest in the graph of"
        " entities."
    ),
    "walk": (
        "A walk over facts restarts at the question's entities; passages that name what it visits"
        " rank high."
    ),
    "think": (
        "The reader says what the passages found so far make of the question; that is the next"
        " query."
    ),
    "pool": "The passages of all queries so far in one pool; each keeps its best score.",
    "chain": "The reader puts what was found into one chain from the question to its answer.",
    "verify": "The reader picks the passages of the pool that support the chain.",
    "promote": (
        "The passages picked move to the top; a cut by mean and deviation says what answering is"
        " given."
    ),
    "split": (
        "The question is cut at its relative clauses, so that the innermost can be answered first."
    ),
    "match": "Triples that the query half states: the side it does not name is what it asks for.",
    "answer": (
        "The reader answers from what was retrieved, and as bounds from the gold passages and from"
        " none."
    ),
    "rank": "The final ranking: the retrieval's own, nothing was added to it.",
}
BY_BASE = {
    "bm25": (
        "Base retrieval ranks passages by the words they share with the query, rare words more."
    ),
    "dense": "Base retrieval ranks passages by nearness in meaning to the query.",
    "composed": (
        "The passages that share words with the query, ordered by nearness in meaning to it."
    ),
}
BY_SPREAD = {
    "seeds": "No walk: only the question's entities themselves have a probability (an ablation).",
    "neighbours": (
        "No walk: the question's entities and their direct neighbours have a probability (an"
        " ablation)."
    ),
}
BY_STYLE = {
    "ircot": "The reader adds one thought to those before; the thought is the next query.",
    "gcot": "The reader says what is still missing; that is the next query.",
    "tog": "The reader judges whether what was found suffices, and if not, what to look for next.",
    "irgs": (
        "The reader reasons towards an answer; the question and this reasoning are the next query."
    ),
    "fast": (
        "Two queries of different kinds: the fast thought asks directly, the slow one asks for the"
        " bridge."
    ),
    "slow": (
        "Two queries of different kinds: the fast thought asks directly, the slow one asks for the"
        " bridge."
    ),
}
FALLBACK = (
    "None of the question's entities is in the graph, so dense retrieval ranks by meaning instead."
)
ONE_FUSION = "The rankings of all iterations so far become one by reciprocal rank."


def purpose(step: Step, events: Sequence[Event]) -> str:
    """What a step is for, in one sentence."""
    if step.verb == "rank":
        return _rank(events)
    if step.verb == "retrieve" and _falls_back(step, events):
        return FALLBACK
    for event in step.events:
        match event:
            case Retrieved():
                return _within(BY_BASE.get(event.base, PURPOSE["retrieve"]), step, events)
            case Walked():
                return BY_SPREAD.get(event.spread, PURPOSE["walk"])
            case Thought():
                return BY_STYLE[event.style]
            case Fused() if event.purpose == "final":
                return ONE_FUSION
    return PURPOSE.get(step.verb, "")


def _falls_back(step: Step, events: Sequence[Event]) -> bool:
    """Whether a search began with entities and goes on with a retrieval in place of a walk."""
    asked = next(
        (
            search
            for search in searches(events)
            if any(events[search.stop - 1] is event for event in step.events)
        ),
        None,
    )
    return asked is not None and isinstance(events[asked.start], Recognised)


def _within(sentence: str, step: Step, events: Sequence[Event]) -> str:
    """GRIEVER searches from its second iteration on only where the entities found before are
    named.
    """
    joins = next(
        (
            event.joins
            for event in events
            if isinstance(event, Matched) and event.iteration == step.iteration - 1
        ),
        (),
    )
    names = " or ".join(found.entity for found in joins)
    return f"{sentence} Only passages that name {names} are considered." if joins else sentence


def _rank(events: Sequence[Event]) -> str:
    kinds = {type(event) for event in events}
    if Remembered in kinds:
        return (
            "The final ranking: every iteration's ranking and the passages the gist links to,"
            " fused."
        )
    if Promoted in kinds:
        return "The final ranking: the pool with the verified passages on top."
    if Pooled in kinds:
        return "The final ranking: the pool of all queries, each passage by its best score."
    if Split in kinds or Matched in kinds:
        return "The final ranking: the rankings of all iterations, fused."
    if Walked in kinds:
        return "The final ranking: the walk's own, nothing was added to it."
    if Fused in kinds:
        return "The final ranking: base retrieval and the beams' passages, fused."
    return PURPOSE["rank"]
