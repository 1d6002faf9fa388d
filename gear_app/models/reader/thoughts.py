"""Thoughts of the local reader: the next bridge put into words, and what it leaves open; bridge
after bridge as a reasoning chain; and the passages that hold its facts.

Nothing here thinks. The bridge is the one that would be read into the gist memory (next_bridge.py);
the rest of a thought is the question with the names put in that the chain led to (chain.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from itertools import chain as joined
from statistics import geometric_mean
from typing import NamedTuple

from gear_app.core.protocols import Embedder
from gear_app.core.text import normalise_entity
from gear_app.core.types import (
    DualThoughts,
    Passage,
    ProximalTriple,
    ReasoningChain,
    Style,
    Substitution,
    Thinking,
    Triple,
    Verification,
)
from gear_app.language.english import question_looks_english
from gear_app.language.query import Query
from gear_app.language.words import content, words
from gear_app.models.reader.gist_memory import FactChain, follow, innermost_phrase
from gear_app.models.reader.next_bridge import (
    ENOUGH,
    UNSURE,
    PassageTriples,
    fits,
    is_unasked,
    next_bridge,
)

STEPS = 6  # bridges that an answer or a reasoning chain may add to what is known
LOOKED_AT = 12  # chains that are looked at for an answer
OTHERS = 2  # bridges that an answer tries besides the best one
NEARLY = 0.6  # which must be nearly as sure: this share of its score
EVEN = 0.5  # where the best bridge is less sure the slow thought follows the next best
BRIEF = 100  # words of IRGS's reasoning (BDTR Fig. 13)
FINAL = "So the answer is:"


class ChainStep(NamedTuple):
    """What is known, what the next bridge adds, the best other bridges, and the chain of it all.

    `answer` is the chain's, where its last fact is sure enough to be remembered and it says more
    than the question.
    """

    known: tuple[ProximalTriple, ...]
    added: tuple[ProximalTriple, ...]
    passed_over: tuple[ProximalTriple, ...]
    chain: FactChain
    answer: str


def think(
    given: PassageTriples,
    question: str,
    thoughts: Sequence[Thinking],
    style: Style,
    embedder: Embedder,
) -> Thinking:
    """The next thought of a style (BDTR Fig. 10-13); its text is "" where nothing is left to ask.

    IRCoT: the fact and what it leaves open. GCoT: what is left open. ToG: that the fact does not
    suffice, and what is required. IRGS: the fact and what is left open, or the answer; it is never
    final. The others are, with an answer. A thought without one is not thought twice: where the
    best bridge leads to the same again the next best is taken. It is sure where its fact is.
    """
    facts = facts_of(thoughts)
    step = step_from(given, question, facts, embedder)
    if step.answer:
        return _answering(step, style)
    queries = [question, *(thought.text for thought in thoughts)]
    alternatives = [(fact,) for fact in step.passed_over if _score(fact) >= UNSURE]
    for added in (step.added, *alternatives):
        chain = follow((*facts, *added), question, fits(embedder))
        text = _open_thought(sentences(added), left_open(chain), style)
        if is_unasked(text, queries):
            return Thinking(text, because=added, sure=_is_sure(added))
    return Thinking("")


def _answering(step: ChainStep, style: Style) -> Thinking:
    final = f"{FINAL} {step.answer}"
    if style != "irgs":
        return Thinking(final, True, step.answer, step.added)
    text = _brief(_together(sentences(step.added), final))
    return Thinking(text, answer=step.answer, because=step.added)


def _open_thought(fact: str, left: str, style: Style) -> str:
    """A fact, "" for none, and what it leaves open in the words of a style."""
    if style == "gcot":
        return left
    if style == "tog":
        return _together(fact, fact and "That does not suffice.", left and f"Required: {left}")
    return _brief(_together(fact, left)) if style == "irgs" else _together(fact, left)


def _brief(text: str) -> str:
    return " ".join(text.split()[:BRIEF])


def dual_thoughts(
    given: PassageTriples, question: str, thoughts: Sequence[DualThoughts], embedder: Embedder
) -> DualThoughts:
    """Fast: what the best bridge leaves open. Slow: the same after the bridge (BDTR Fig. 8).

    Where the best bridge is less sure than even, the slow thought follows the next best, so that
    the two complement each other. Without a bridge the slow thought is empty. With the answer
    nothing is missing: the fast one is empty, and the slow one says the fact that gives it. What
    the question or a thought before said already is empty, too.
    """
    step = step_from(given, question, facts_of(thoughts), embedder)
    if step.answer:
        return DualThoughts("", sentences(step.added), step.added)
    left = left_open(step.chain)
    slow = _together(sentences(step.added), left) if step.added else ""
    if step.added and _score(step.added[0]) < EVEN:
        slow = _alternative(step, question, embedder) or slow
    queries = [question, *(text for before in thoughts for text in (before.fast, before.slow))]
    left, slow = (text if is_unasked(text, queries) else "" for text in (left, slow))
    return DualThoughts(left, slow, step.added, _is_sure(step.added))


def step_from(
    given: PassageTriples, question: str, known: tuple[ProximalTriple, ...], embedder: Embedder
) -> ChainStep:
    """What is known and the next bridge, of a comparison one a side; none after an answer."""
    chain = follow(known, question, fits(embedder))
    answer = _answer(chain, known, question)
    if answer:
        return ChainStep(known, (), (), chain, answer)
    reading = next_bridge(given.without(known), chain, embedder, UNSURE)
    facts = (*known, *reading.triples)
    chain = follow(facts, question, fits(embedder))
    return ChainStep(
        known, reading.triples, reading.passed_over, chain, _answer(chain, facts, question)
    )


def answer(given: PassageTriples, question: str, embedder: Embedder) -> str:
    """The end of the surest chain of bridges that closes the question; "" where none does, and for
    a question that is not English.

    Chains are followed best first, a chain being as sure as its bridges are on average; where a
    bridge leads nowhere the next best is taken.
    """
    if not question_looks_english(question):
        return ""
    waiting: list[tuple[float, int, tuple[ProximalTriple, ...]]] = [(0.0, 0, ())]
    for turn in range(1, LOOKED_AT):
        if not waiting:
            return ""
        chain = heappop(waiting)[-1]
        step = step_from(given, question, chain, embedder)
        if step.answer:
            return step.answer
        if len(chain) >= STEPS or not step.added:
            continue
        ways = [step.added]
        if len(step.added) == 1:
            least = max(UNSURE, NEARLY * _score(step.added[0]))
            ways += [(other,) for other in step.passed_over[:OTHERS] if _score(other) >= least]
        for i, way in enumerate(ways):
            facts = (*chain, *way)
            heappush(waiting, (-geometric_mean(map(_score, facts)), turn + i * LOOKED_AT, facts))
    return ""


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
        passage_triples = [triple for triple in triples if triple.passage_id == passage.id]
        positions = [
            position
            for position, fact in enumerate(chain.because)
            if any(_holds(triple, fact) for triple in passage_triples)
        ]
        if positions:
            holders.append((-len(positions), positions[0], index, positions))
    holders.sort()
    reasons = [
        "states: " + "; ".join(chain.because[position].text for position in positions)
        for *_, positions in holders
    ]
    return Verification(tuple(index for _, _, index, _ in holders), tuple(reasons))


def facts_of(thoughts: Sequence[Thinking] | Sequence[DualThoughts]) -> tuple[ProximalTriple, ...]:
    """What the thoughts put into words, in order."""
    return tuple(joined.from_iterable(thought.because for thought in thoughts))


def left_open(chain: FactChain) -> str:
    """The query that the chain leaves; before any fact the question's innermost phrase."""
    if chain.last.substitutions:
        return chain.last.query
    return innermost_phrase(Query(chain.last.query, ()))


def sentences(facts: Sequence[ProximalTriple]) -> str:
    """Facts as sentences: "Harbour Lights was directed by Ada Quill."."""
    return " ".join(f"{fact.text}." for fact in facts)


def _alternative(step: ChainStep, question: str, embedder: Embedder) -> str:
    """The next best bridge in words and what it would leave open; "" where it is no use."""
    other = tuple(fact for fact in step.passed_over[:1] if _score(fact) >= UNSURE)
    left = left_open(follow((*step.known, *other), question, fits(embedder)))
    return _together(sentences(other), left) if other and left != left_open(step.chain) else ""


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


def _holds(triple: Triple, fact: ProximalTriple) -> bool:
    if fact.triple_id is not None:
        return triple.id == fact.triple_id
    return normalise_entity(triple.text) == normalise_entity(fact.text)


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
