"""Thoughts of the local reader: a stored fact that carries the chain on, put into words, and what
it leaves open.

Nothing here thinks. The fact is the bridge that would be read into the gist memory (onward.py); the
rest of a thought is the question with the names that were found put in (chain.py).
docs/decisions/0012-what-the-local-reader-thinks.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain as joined
from typing import NamedTuple

from gear_app.english.clauses import side_by_side
from gear_app.english.mentions import Query
from gear_app.english.slots import asked, suits
from gear_app.english.words import content, words
from gear_app.reader.chain import Chain, follow, unasked
from gear_app.reader.onward import ENOUGH, Page, fits, onward
from gear_app.seams import Embedder
from gear_app.types import DualThoughts, ProximalTriple, Style, Thinking

STEPS = 4  # bridges that an answer or a reasoning chain may add to what is known
# a bridge that is less sure is not thought of; a wrong thought costs one query, a wrong gist all of
# them
UNSURE = 0.1
EVEN = 0.5  # where the best bridge is less sure the slow thought follows the next best
BRIEF = 100  # words of IRGS's reasoning (BDTR Fig. 13)
FINAL = "So the answer is:"


class Step(NamedTuple):
    """What was known, what one more bridge adds, the best of what it was chosen from, and where all
    that leads.

    `answer` is the chain's, where its last fact is sure enough to be remembered and it says more
    than the question.
    """

    known: tuple[ProximalTriple, ...]
    added: tuple[ProximalTriple, ...]
    passed_over: tuple[ProximalTriple, ...]
    chain: Chain
    answer: str


def think(
    page: Page, question: str, thoughts: Sequence[Thinking], style: Style, embedder: Embedder
) -> Thinking:
    """The next thought of a style (BDTR Fig. 10 to 13); an empty text where there is nothing to ask
    for.

    IRCoT: the fact and what it leaves open. GCoT: what is left open. ToG: that the fact does not
    suffice, and what is required. IRGS: the fact and what is left open, or the answer; it is never
    final. The others are, with an answer.
    """
    step = step_from(page, question, facts_of(thoughts), embedder)
    said, left = sentences(step.added), left_open(step.chain)
    if style == "irgs":
        text = _together(said, f"{FINAL} {step.answer}" if step.answer else left)
        return Thinking(" ".join(text.split()[:BRIEF]), answer=step.answer, because=step.added)
    if step.answer:
        return Thinking(f"{FINAL} {step.answer}", True, step.answer, step.added)
    if style == "gcot":
        return Thinking(left, because=step.added)
    if style == "tog":
        text = _together(said, said and "That does not suffice.", left and f"Required: {left}")
        return Thinking(text, because=step.added)
    return Thinking(_together(said, left), because=step.added)


def dual_thoughts(
    page: Page, question: str, thoughts: Sequence[DualThoughts], embedder: Embedder
) -> DualThoughts:
    """Fast: what the best bridge leaves open. Slow: the same after the bridge in words (BDTR Fig.
    8).

    Where the best bridge is less sure than even, the slow thought follows the next best, so that
    the two complement each other. Without a bridge the slow thought is empty. With the answer
    nothing is missing: the fast one is empty, and the slow one says the fact that gives it.
    """
    step = step_from(page, question, facts_of(thoughts), embedder)
    if step.answer:
        return DualThoughts("", sentences(step.added), step.added)
    left = left_open(step.chain)
    slow = _together(sentences(step.added), left) if step.added else ""
    if step.added and _score(step.added[0]) < EVEN:
        slow = _aside(step, question, embedder) or slow
    return DualThoughts(left, slow, step.added)


def step_from(
    page: Page, question: str, known: tuple[ProximalTriple, ...], embedder: Embedder
) -> Step:
    """One bridge further than what is known, of a comparison one from each side; none where that is
    the answer.
    """
    chain = follow(known, question, fits(embedder))
    answer = _answer(chain, known, question)
    if answer:
        return Step(known, (), (), chain, answer)
    reading = onward(page.without(known), chain, embedder, UNSURE)
    facts = (*known, *reading.triples)
    chain = follow(facts, question, fits(embedder))
    return Step(known, reading.triples, reading.passed_over, chain, _answer(chain, facts, question))


def answer(page: Page, question: str, embedder: Embedder) -> str:
    """What a chain of bridges through the page comes to, "" where it comes to nothing of the kind
    that is asked for.

    A chain that closes the question gives its answer; of another the open slot of its last fact is
    a guess. Nothing is guessed of a comparison, which a single fact cannot decide.
    """
    known: tuple[ProximalTriple, ...] = ()
    for _ in range(STEPS):
        step = step_from(page, question, known, embedder)
        if step.answer or not step.added:
            break
        known += step.added
    return step.answer or _guess(page.query(question), step.chain)


def facts_of(thoughts: Sequence[Thinking] | Sequence[DualThoughts]) -> tuple[ProximalTriple, ...]:
    """What the thoughts put into words, in order."""
    return tuple(joined.from_iterable(thought.because for thought in thoughts))


def left_open(chain: Chain) -> str:
    """The query that the chain leaves; before any fact the question's innermost phrase, "" where it
    has none.
    """
    return chain.last.query if chain.last.substitutions else unasked(Query(chain.last.query, ()))


def sentences(facts: Sequence[ProximalTriple]) -> str:
    """Facts as sentences: "Harbour Lights was directed by Ada Quill."."""
    return " ".join(f"{fact.text}." for fact in facts)


def _aside(step: Step, question: str, embedder: Embedder) -> str:
    """The next best bridge in words and what it would leave open; "" where it is not sure enough or
    leads nowhere.
    """
    other = tuple(fact for fact in step.passed_over[:1] if _score(fact) >= UNSURE)
    left = left_open(follow((*step.known, *other), question, fits(embedder)))
    return _together(sentences(other), left) if other and left != left_open(step.chain) else ""


def _answer(chain: Chain, facts: Sequence[ProximalTriple], question: str) -> str:
    said = {word.text for word in words(question)}
    new = any(word.text not in said for word in content(chain.last.answer))
    return chain.last.answer if new and all(_score(fact) >= ENOUGH for fact in facts[-1:]) else ""


def _guess(question: Query, chain: Chain) -> str:
    reached = [] if side_by_side(question) else chain.last.substitutions[-1:]
    return next(
        (step.inserted for step in reached if suits(asked(chain.last.query), step.inserted)), ""
    )


def _score(fact: ProximalTriple) -> float:
    return 1.0 if fact.score is None else fact.score


def _together(*parts: str) -> str:
    return " ".join(part for part in parts if part)
