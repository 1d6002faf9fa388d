"""Thoughts of the local reader: the bridge that carries the chain on, put into words, and what it leaves open.

Nothing here thinks: a stored triple is selected as for the gist memory and written down as a sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain as joined

from gear_app.reader.chain import Chain, follow, unasked
from gear_app.reader.mentions import Query
from gear_app.reader.onward import Page, fits, onward
from gear_app.seams import Embedder
from gear_app.types import DualThoughts, ProximalTriple, Style, Thinking

FINAL = "So the answer is:"


def think(page: Page, question: str, thoughts: Sequence[Thinking], style: Style, embedder: Embedder) -> Thinking:
    """The next thought of a style; an empty text where the page offers nothing to go on with."""
    memory = _facts(thoughts)
    taken = onward(page, follow(memory, question, fits(embedder)), embedder).triples
    chain = follow((*memory, *taken), question, fits(embedder))
    said = sentences(taken)
    if style == "irgs":
        answer = f"{FINAL} {chain.last.answer}." if chain.last.answer else ""
        return Thinking(" ".join(filter(None, (said, answer))), False, chain.last.answer, taken)
    if chain.last.answer:
        return Thinking(f"{FINAL} {chain.last.answer}", True, chain.last.answer, taken)
    left = left_open(chain)
    if style == "gcot":
        return Thinking(left, because=taken)
    if style == "tog":
        return Thinking(f"Required: {left}" if left else "", because=taken)
    return Thinking(" ".join(filter(None, (said, left))), because=taken)


def dual_thoughts(page: Page, question: str, thoughts: Sequence[DualThoughts], embedder: Embedder) -> DualThoughts:
    """Fast: what is left to ask. Slow: the same after the bridge in words."""
    memory = _facts(thoughts)
    taken = onward(page, follow(memory, question, fits(embedder)), embedder).triples
    chain = follow((*memory, *taken), question, fits(embedder))
    left = left_open(chain)
    said = sentences(taken)
    return DualThoughts(left, f"{said} {left}" if said else "", taken)


def left_open(chain: Chain) -> str:
    """The query that the chain leaves; before any fact the question's innermost phrase, "" where it has none."""
    return chain.last.query if chain.last.substitutions else unasked(Query(chain.last.query, ()))


def sentences(triples: Sequence[ProximalTriple]) -> str:
    """Triples as sentences: "Harbour Lights was directed by Ada Quill."."""
    return " ".join(f"{triple.text}." for triple in triples)


def _facts(thoughts: Sequence[Thinking] | Sequence[DualThoughts]) -> tuple[ProximalTriple, ...]:
    return tuple(joined.from_iterable(thought.because for thought in thoughts))
