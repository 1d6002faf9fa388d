"""What was found, measured: of the pairs that are told, how many are two gold passages, by the share
that was said of them, and how many of these are joined by a name that answers a step of the
question; how often one of the three pairs is, and so joined; how often an answer stands in the excerpts; how many gold passages that
are not among the first five are listed as more to read.

    python -m tests.bench.bench_evidence [PACK ...]    # folders with corpus and questions

Without a pack the genres beside this file. Prints tables, for `chain` and for hybrid search.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from gear_app.core.config import ChainConfig
from gear_app.core.text import normalise_entity, tokenise
from gear_app.core.types import Question
from gear_app.language.words import LIGHT_WORDS
from gear_app.methods import evidence
from gear_app.methods.base import Base, BaseQuery, Hybrid
from gear_app.methods.chain import Chain
from gear_app.trace.events import EvidenceFound
from gear_app.trace.metrics import Gold
from tests.bench.results.chain_weights import Pack, load
from tests.small import parts_over

BINS = (0.1, 0.2, 0.3, 0.4, 0.5, 1.0)


class Told(NamedTuple):
    """What was found for a question, in how many milliseconds."""

    question: Question
    found: EvidenceFound
    ms: float


def told(pack: Pack, method: Base) -> Iterator[Told]:
    """The evidence of every question of a pack."""
    for question in pack.questions:
        (result,) = method.search([BaseQuery(question.question, 20)])
        began = time.perf_counter()
        found = evidence.gather(pack.index, pack.embedder, question.question, result.ranking)
        yield Told(question, found, (time.perf_counter() - began) * 1000)


def counted(one: Told) -> Iterator[str]:
    """What is counted of a question, by name."""
    gold, found = Gold(one.question.supporting_keys), one.found
    keys = {passage.id: passage.key for passage in found.passages}
    there = [key in gold for key in keys.values()]
    right = [all(keys[end] in gold for end in link.ends) for link in found.links]
    steps = [tokenise(hop.answer) for hop in one.question.decomposition[:-1]]
    named = [
        fits and any(set(tokenise(link.mention)) & set(step) - LIGHT_WORDS for step in steps)
        for fits, link in zip(right, found.links, strict=True)
    ]
    yield "questions"
    if found.links:
        told = next(most for most in BINS if found.links[0].share <= most)
        yield f"share < {told}: pairs"
        yield from [f"share < {told}: right"] * right[0]
    if sum(there) > 1:
        yield "two gold among the five"
        yield from ["two gold, pair right"] * any(right[:1])
        yield from ["two gold, pair right and named"] * any(named[:1])
        yield from ["two gold, a pair of three right"] * any(right)
        yield from ["two gold, a pair of three right and named"] * any(named)
        words = normalise_entity(" ".join(passage.excerpt for passage in found.passages))
        if any(normalise_entity(answer) in words for answer in one.question.answers if answer):
            yield "answer in the excerpts of these"
    shown = {passage.key for passage in found.passages}
    listed = {lead.key for lead in found.leads}
    for key in gold:
        if key not in shown:
            yield "gold not among the five"
            yield from ["listed as more to read"] * (key in listed)


def main() -> None:
    """Measure and print."""
    named = [Path(name) for name in sys.argv[1:]]
    folders = named or sorted(
        one for one in (Path(__file__).parent / "genres").iterdir() if one.is_dir()
    )
    counts = {"chain": Counter[str](), "hybrid": Counter[str]()}
    times: list[float] = []
    with tempfile.TemporaryDirectory() as made:
        for folder in folders:
            pack = load(folder, folder.name, Path(made), lambda _: None)
            chain = Chain(parts_over(pack.index, pack.embedder), ChainConfig())
            for name, method in (("chain", chain), ("hybrid", Hybrid(parts_over(pack.index)))):
                for one in told(pack, method):
                    counts[name].update(counted(one))
                    times.append(one.ms)
    for name, count in counts.items():
        lines = [name, *(f"{count[what]:6} {what}" for what in sorted(count))]
        sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.write(f"median {sorted(times)[len(times) // 2]:.0f} ms\n")


if __name__ == "__main__":
    main()
