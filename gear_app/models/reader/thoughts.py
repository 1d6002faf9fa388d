"""Thoughts of the local reader: the next bridge put into words, and what it leaves open; bridge
after bridge as a reasoning chain; and the passages that hold its facts.

Nothing here thinks. The bridge is the one that would be read into the gist memory (next_bridge.py);
the rest of a thought is the question with the names put in that the chain led to (gist_memory.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from gear_app.core.protocols import Embedder
from gear_app.core.text import normalise_entity
from gear_app.core.types import (
    DualThoughts,
    ProximalTriple,
    ReasoningChain,
    Substitution,
    Thinking,
    Verification,
)
from gear_app.language.english import looks_english
from gear_app.language.query import Query
from gear_app.language.words import content, words
from gear_app.models.reader.gist_memory import FactChain, follow, innermost_phrase
from gear_app.models.reader.next_bridge import (
    ENOUGH,
    UNSURE,
    fits,
    is_unasked,
    next_bridge,
)

if TYPE_CHECKING:
    from gear_app.models.reader.roles import ReaderRequest

STEPS = 6  # bridges that an answer or a reasoning chain may add to what is known
EVEN = 0.5  # where the best bridge is less sure the slow thought follows the next best
BRIEF = 100  # words of IRGS's reasoning (BDTR Fig. 13)
FINAL = "So the answer is:"
Facts = tuple[ProximalTriple, ...]


class ChainStep(NamedTuple):
    """What the next bridge adds to the facts that are known, the other bridges that are not too
    unsure, and the chain of it all.

    `answer` is the chain's, where its last fact is sure enough to be remembered and it says more
    than the question.
    """

    added: Facts
    alternatives: Facts
    chain: FactChain
    answer: str


def think(request: ReaderRequest[Thinking], embedder: Embedder) -> Thinking:
    """The next thought of a style (BDTR Fig. 10-13); its text is "" where nothing is left to ask.

    IRCoT: the fact and what it leaves open. GCoT: what is left open. ToG: that the fact does not
    suffice, and what is required. IRGS: the fact and what is left open, or the answer; it is never
    final. The others are, with an answer. A thought without one is not thought twice: where the
    best bridge leads to the same again the next best is taken. It is sure where its fact is.
    """
    question, thoughts, style = request.question, request.thoughts, request.style
    known_facts = tuple(fact for thought in thoughts for fact in thought.because)
    step = step_from(request, known_facts, embedder)
    if step.answer and style == "irgs":
        text = _brief(_together(_sentences(step.added), f"{FINAL} {step.answer}"))
        return Thinking(text, answer=step.answer, because=step.added)
    if step.answer:
        return Thinking(f"{FINAL} {step.answer}", True, step.answer, step.added)
    queries = [question, *(thought.text for thought in thoughts)]
    for added in (step.added, *((fact,) for fact in step.alternatives)):
        left = _left_open(follow((*known_facts, *added), question, fits(embedder)))
        text = _open_thought(_sentences(added), left, style)
        if is_unasked(text, queries):
            return Thinking(text, because=added, sure=_is_sure(added))
    return Thinking("")


def _open_thought(fact: str, left: str, style: str) -> str:
    """A fact, "" for none, and what it leaves open in the words of a style."""
    if style == "gcot":
        return left
    if style == "tog":
        return _together(fact, fact and "That does not suffice.", left and f"Required: {left}")
    return _brief(_together(fact, left)) if style == "irgs" else _together(fact, left)


def _brief(text: str) -> str:
    return " ".join(text.split()[:BRIEF])


def dual_thoughts(request: ReaderRequest[DualThoughts], embedder: Embedder) -> DualThoughts:
    """Fast: what the best bridge leaves open. Slow: the same after the bridge (BDTR Fig. 8).

    Where the best bridge is less sure than even, the slow thought follows the next best, so that
    the two complement each other. Without a bridge the slow thought is empty. With the answer
    nothing is missing: the fast one is empty, and the slow one says the fact that gives it. What
    the question or a thought before said already is empty, too.
    """
    question, thoughts = request.question, request.thoughts
    known_facts = tuple(fact for thought in thoughts for fact in thought.because)
    step = step_from(request, known_facts, embedder)
    if step.answer:
        return DualThoughts("", _sentences(step.added), step.added)
    left = _left_open(step.chain)
    slow = _together(_sentences(step.added), left) if step.added else ""
    if step.added and step.alternatives and _score(step.added[0]) < EVEN:
        other = step.alternatives[:1]
        left_by_other = _left_open(follow((*known_facts, *other), question, fits(embedder)))
        if left_by_other != left:
            slow = _together(_sentences(other), left_by_other)
    queries = [question, *(text for before in thoughts for text in (before.fast, before.slow))]
    left, slow = (text if is_unasked(text, queries) else "" for text in (left, slow))
    return DualThoughts(left, slow, step.added, _is_sure(step.added))


def step_from(request: ReaderRequest[Any], known_facts: Facts, embedder: Embedder) -> ChainStep:
    """The next bridge after what is known, of a comparison one a side; none after an answer."""
    question = request.question
    chain = follow(known_facts, question, fits(embedder))
    if answer := _answer(chain, known_facts, question):
        return ChainStep((), (), chain, answer)
    reading = next_bridge(request, chain, embedder, UNSURE, known_facts)
    alternatives = tuple(fact for fact in reading.passed_over if _score(fact) >= UNSURE)
    facts = (*known_facts, *reading.triples)
    chain = follow(facts, question, fits(embedder))
    return ChainStep(reading.triples, alternatives, chain, _answer(chain, facts, question))


def answer(request: ReaderRequest[str], embedder: Embedder) -> str:
    """The end of the chain of best bridges that closes the question; "" where none does, and for
    a question that is not English.
    """
    known_facts: Facts = ()
    for _ in range(STEPS if looks_english(request.question) else 0):
        step = step_from(request, known_facts, embedder)
        known_facts += step.added
        if step.answer or not step.added:
            return step.answer
    return ""


def reasoning_chain(request: ReaderRequest[ReasoningChain], embedder: Embedder) -> ReasoningChain:
    """The thoughts' facts that lead on from the question, and the bridges that follow, as nodes.

    A fact that another one replaced is not on the chain. A predicate that is followed from object
    to subject is marked "(inverse)". A comparison has one side after the other. No bridge, no
    nodes.
    """
    question, known_facts = request.question, tuple(request.memory)
    for _ in range(STEPS):
        added = step_from(request, known_facts, embedder).added
        known_facts += added
        if not added:
            break
    followed = follow(known_facts, question, fits(embedder)).last.substitutions
    by_text = {fact.text: fact for fact in reversed(known_facts)}
    facts = tuple(by_text[step.because] for step in followed)
    return ReasoningChain(tuple(_nodes(followed, facts)), facts)


def verification(request: ReaderRequest[Verification], _: Embedder) -> Verification:
    """The passages that hold facts of the chain: more facts first, then earlier ones, then rank.

    A fact is held by the passage it was selected from; one that names no stored triple by any that
    says the same words. That a passage is about a name on the chain is not enough: few such
    passages were right.
    """
    holders, chain = [], request.chain
    for index, passage in enumerate(request.passages, start=1):
        stored = [triple for triple in request.triples if triple.passage_id == passage.id]
        ids, texts = {triple.id for triple in stored}, {normalise_entity(t.text) for t in stored}
        positions = [
            position
            for position, fact in enumerate(chain.because)
            if fact.triple_id in ids
            or (fact.triple_id is None and normalise_entity(fact.text) in texts)
        ]
        if positions:
            facts = "; ".join(chain.because[position].text for position in positions)
            holders.append((-len(positions), positions[0], index, f"states: {facts}"))
    holders.sort()
    return Verification(
        tuple(index for _, _, index, _ in holders), tuple(reason for *_, reason in holders)
    )


def _left_open(chain: FactChain) -> str:
    """The query that the chain leaves; before any fact the question's innermost phrase."""
    if chain.last.substitutions:
        return chain.last.query
    return innermost_phrase(Query(chain.last.query, ()))


def _sentences(facts: Sequence[ProximalTriple]) -> str:
    return " ".join(f"{fact.text}." for fact in facts)


def _answer(chain: FactChain, facts: Sequence[ProximalTriple], question: str) -> str:
    asked_words = {word.text for word in words(question)}
    chosen = bool(chain.last.values)  # one of two compared names, or yes or no
    new = chosen or any(word.text not in asked_words for word in content(chain.last.answer))
    sure = all(_score(fact) >= ENOUGH for fact in facts[-1:])
    return chain.last.answer if new and sure else ""


def _is_sure(facts: Sequence[ProximalTriple]) -> bool:
    return any(_score(fact) >= ENOUGH for fact in facts)


def _score(fact: ProximalTriple) -> float:
    return 1.0 if fact.score is None else fact.score


def _together(*parts: str) -> str:
    return " ".join(part for part in parts if part)


def _nodes(followed: Sequence[Substitution], facts: Sequence[ProximalTriple]) -> Iterator[str]:
    last = ""
    for step, fact in zip(followed, facts, strict=True):
        forward = fact.object.endswith(step.inserted)  # its last part may have been put in
        known_side = fact.subject if forward else fact.object
        if known_side != last:
            yield known_side
        yield fact.predicate if forward else f"{fact.predicate} (inverse)"
        yield step.inserted
        last = step.inserted
