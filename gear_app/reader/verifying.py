"""The reasoning chain of the local reader and the passages that state it: facts that were selected, in their order."""

from __future__ import annotations

from collections.abc import Sequence

from gear_app.reader.chain import follow
from gear_app.reader.onward import Page, fits, onward
from gear_app.seams import Embedder
from gear_app.text import normalise_entity
from gear_app.types import Passage, ProximalTriple, ReasoningChain, Triple, Verification

STEPS = 4  # bridges a chain can have


def reasoning_chain(page: Page, question: str, because: Sequence[ProximalTriple], embedder: Embedder) -> ReasoningChain:
    """The facts thought of and what carries them on, as far as bridges are sure enough."""
    memory = tuple(because)
    for _ in range(STEPS):
        chain = follow(memory, question, fits(embedder))
        more = () if chain.last.answer else onward(page, chain, embedder).triples
        if not more:
            break
        memory += more
    last = follow(memory, question, fits(embedder)).last
    followed = {step.because for step in last.substitutions}
    facts = tuple({t.text: t for t in memory if t.text in followed}.values())
    nodes: list[str] = []
    for step, fact in zip(last.substitutions, facts, strict=False):
        forward = step.inserted == fact.object
        known = fact.subject if forward else fact.object
        nodes += [known] * (known not in nodes[-1:])
        nodes += [fact.predicate if forward else f"{fact.predicate} (inverse)", step.inserted]
    return ReasoningChain(tuple(nodes), facts)


def verified(passages: Sequence[Passage], triples: Sequence[Triple], chain: ReasoningChain) -> Verification:
    """The passages that state facts of the chain, those of more facts first, then those of earlier ones."""
    found = []
    for i, passage in enumerate(passages, start=1):
        own = {normalise_entity(t.text) for t in triples if t.passage_id == passage.id}
        ids = {t.id for t in triples if t.passage_id == passage.id}
        stated = [
            n for n, fact in enumerate(chain.because) if fact.triple_id in ids or normalise_entity(fact.text) in own
        ]
        if stated:
            found.append((-len(stated), stated[0], i, "; ".join(chain.because[n].text for n in stated)))
    found.sort()
    return Verification(tuple(i for _, _, i, _ in found), tuple(f"states: {text}" for *_, text in found))
