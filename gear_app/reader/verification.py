"""The local reader's reasoning chain, bridge after bridge, and the passages that hold its facts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gear_app.reader.gist_memory import follow
from gear_app.reader.next_bridge import PassageTriples, fits
from gear_app.reader.thoughts import STEPS, step_from
from gear_app.seams import Embedder
from gear_app.text import normalise_entity
from gear_app.types import (
    Passage,
    ProximalTriple,
    ReasoningChain,
    Substitution,
    Triple,
    Verification,
)


def reasoning_chain(
    given: PassageTriples, question: str, because: Sequence[ProximalTriple], embedder: Embedder
) -> ReasoningChain:
    """The thoughts' facts that lead on from the question, and the bridges that follow, as nodes.

    A fact that another one replaced is not on the chain. A predicate that is followed from object
    to subject is marked "(inverse)". A comparison has one side after the other. No bridge, no
    nodes.
    """
    known = tuple(because)
    for _ in range(STEPS):
        added = step_from(given, question, known, embedder).added
        if not added:
            break
        known += added
    followed = follow(known, question, fits(embedder)).last.substitutions
    by_text = {fact.text: fact for fact in reversed(known)}
    facts = tuple(by_text[step.because] for step in followed)
    return ReasoningChain(tuple(_nodes(followed, facts)), facts)


def verification(
    passages: Sequence[Passage], triples: Sequence[Triple], chain: ReasoningChain
) -> Verification:
    """The passages that hold facts of the chain: more facts first, then earlier ones, then rank.

    A fact is held by the passage it was selected from; one that names no stored triple by any that
    says the same words. That a passage is about a name on the chain is not enough: few such
    passages were right.
    """
    holders = []
    for index, passage in enumerate(passages, start=1):
        own = [triple for triple in triples if triple.passage_id == passage.id]
        held = [
            position
            for position, fact in enumerate(chain.because)
            if any(_holds(triple, fact) for triple in own)
        ]
        if held:
            holders.append((-len(held), held[0], index, held))
    holders.sort()
    reasons = [
        "states: " + "; ".join(chain.because[position].text for position in held)
        for *_, held in holders
    ]
    return Verification(tuple(index for _, _, index, _ in holders), tuple(reasons))


def _holds(triple: Triple, fact: ProximalTriple) -> bool:
    if fact.triple_id is not None:
        return triple.id == fact.triple_id
    return normalise_entity(triple.text) == normalise_entity(fact.text)


def _nodes(followed: Sequence[Substitution], facts: Sequence[ProximalTriple]) -> Iterator[str]:
    last = ""
    for step, fact in zip(followed, facts, strict=True):
        forward = fact.object.endswith(step.inserted)  # its last part may have been put in
        known = fact.subject if forward else fact.object
        if known != last:
            yield known
        yield fact.predicate if forward else f"{fact.predicate} (inverse)"
        yield step.inserted
        last = step.inserted
