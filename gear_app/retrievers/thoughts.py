"""IRCoT, GCoT, ToG and IRGS over a single-step method: one thought an iteration becomes the next
query.

Paper: BDTR App. A.6, Fig. 10 to 13, which compares them on one footing; their own papers differ in
much else. Composes: the single-step method → pool → thought → its words as the next query, at most
`max_iterations` times, counting retrievals. A thought is also asked for after the last retrieval:
it may be the answer. Leaves out: demonstrations in the prompts.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gear_app.config import ThoughtConfig
from gear_app.events import Emit, Stopped, Thought, during
from gear_app.retrievers.base import Step
from gear_app.retrievers.calls import SEARCH, Call
from gear_app.retrievers.gathering import Gathered, Next, gather
from gear_app.seams import Index, Reader
from gear_app.text import tokenise
from gear_app.types import Ranking, Style, Thinking

ANSWERED = Stopped("answerable", "The thought begins with “So the answer is:”.")


@dataclass(frozen=True, slots=True)
class Thoughts:
    """A single-step method in a loop with thoughts of one style."""

    index: Index
    step: Step
    reader: Reader
    style: Style
    config: ThoughtConfig = field(default_factory=ThoughtConfig)

    def retrieve(self, query: str, k: int, emit: Emit) -> Ranking:
        """Rank passages for the question: the pool, then what else the first query found; k is not
        used.
        """
        found, limit = (
            Gathered(self.index, self.step, self.config, query),
            self.config.max_iterations,
        )
        thinker = Thinker(self.reader, self.style)
        reached = Stopped(
            "iteration limit", f"That was iteration {limit}, the limit set for this run."
        )
        n, stopped = gather(
            found,
            limit,
            lambda last, now: thinker.think(found, now, reached if last else None),
            emit,
        )
        if stopped:
            during(emit, n)(stopped)
        return found.pool.ranking


def most_calls(config: ThoughtConfig, style: Style) -> list[Call]:
    """Of a run that goes to its limit: a search and a thought an iteration."""
    calls: list[Call] = []
    for n in range(config.max_iterations):
        calls += [
            Call(SEARCH, config.pool_k),
            Call(style, config.prompt_k, 0 if style == "irgs" else n),
        ]
    return calls


@dataclass(slots=True)
class Thinker:
    """Asks a reader for one thought after another."""

    reader: Reader
    style: Style
    thoughts: list[Thinking] = field(default_factory=list)

    def think(self, found: Gathered, emit: Emit, reached: Stopped | None = None) -> Next:
        """The next thought as the next query, or why it is none; `reached`: nothing can be asked
        any more.

        IRGS never says that it is done, and its query is the question followed by the reasoning
        (ours).
        """
        passages, triples = found.top(found.config.prompt_k)
        thought = self.reader.think(
            passages, triples, found.question, tuple(self.thoughts), self.style, emit
        )
        self.thoughts.append(thought)
        query = (
            f"{found.question} {thought.text}"
            if self.style == "irgs" and tokenise(thought.text)
            else thought.text
        )
        stopped = (
            ANSWERED if thought.final and self.style != "irgs" else reached or found.unasked(query)
        )
        asked, why = ("", stopped.sentence) if stopped else (query, "")
        emit(
            Thought(
                self.style, thought.text, asked, thought.final, thought.answer, thought.because, why
            )
        )
        return Next(stopped=stopped) if stopped else Next((query,))
