"""The local reader's reasoning chain, bridge after bridge, and the passages that its facts were
read in.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gear_app.reader.chain import follow
from gear_app.reader.onward import Page, fits
from gear_app.reader.thinking import STEPS, step_from
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
    page: Page, question: str, because: Sequence[ProximalTriple], embedder: Embedder
) -> ReasoningChain:
    """The facts of the thoughts that lead on from the question, and what leads on from them, as
    nodes with arrows.

    A fact that another was tried instead of is not on the chain. A predicate that is followed from
    object to subject is marked "(inverse)". A comparison has one stretch after the other. No
    bridge, no nodes.
    """
    known = tuple(because)
    for _ in range(STEPS):
        added = step_from(page, question, known, embedder).added
        if not added:
            break
        known += added
    followed = follow(known, question, fits(embedder)).last.substitutions
    by_text = {fact.text: fact for fact in reversed(known)}
    facts = tuple(by_text[step.because] for step in followed)
    return ReasoningChain(tuple(_nodes(followed, facts)), facts)


def verified(
    passages: Sequence[Passage], triples: Sequence[Triple], chain: ReasoningChain
) -> Verification:
    """The passages that hold a fact of the chain: more facts first, then earlier ones, then the
    better rank.

    A fact is held by the passage it was selected from; one that names no stored triple by any that
    says the same words. That a passage is about a name on the chain is not enough: few such
    passages were right.
    """
    found = []
    for index, passage in enumerate(passages, start=1):
        own = [triple for triple in triples if triple.passage_id == passage.id]
        held = [
            i for i, fact in enumerate(chain.because) if any(_holds(triple, fact) for triple in own)
        ]
        if held:
            found.append((-len(held), held[0], index, held))
    found.sort()
    reasons = ["states: " + "; ".join(chain.because[i].text for i in held) for *_, held in found]
    return Verification(tuple(index for _, _, index, _ in found), tuple(reasons))


def _holds(triple: Triple, fact: ProximalTriple) -> bool:
    if fact.triple_id is not None:
        return triple.id == fact.triple_id
    return normalise_entity(triple.text) == normalise_entity(fact.text)


def _nodes(followed: Sequence[Substitution], facts: Sequence[ProximalTriple]) -> Iterator[str]:
    last = ""
    for step, fact in zip(followed, facts, strict=True):
        forward = step.inserted == fact.object
        known = fact.subject if forward else fact.object
        if known != last:
            yield known
        yield fact.predicate if forward else f"{fact.predicate} (inverse)"
        yield step.inserted
        last = step.inserted
