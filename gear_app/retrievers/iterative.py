"""Iterative methods over a single-step one: their loop, the pool of what their queries find, and
IRCoT, GCoT, ToG and IRGS, in which one thought an iteration becomes the next query.

Paper: BDTR §3.1 and App. A.3 (loop and pool); App. A.6, Fig. 10 to 13 for the four methods, which
it compares on one footing; their own papers differ in much else. Composes: the single-step method →
pool → thought → its words as the next query, at most `max_iterations` times, counting retrievals. A
thought is also asked for after the last retrieval: it may be the answer. Leaves out: demonstrations
in the prompts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from gear_app.config import BdtrConfig, ThoughtConfig
from gear_app.errors import ModelFailed
from gear_app.events import Emit, Pooled, Stopped, Thought, during
from gear_app.llm.errors import BudgetReached
from gear_app.reader.roles import Reader, ThinkRequest
from gear_app.retrievers import lookup
from gear_app.retrievers.base import SingleStep
from gear_app.retrievers.model_calls import SEARCH, PromptCall, stop_after
from gear_app.seams import Index
from gear_app.steps.pool import Pool, pooled
from gear_app.text import tokenise
from gear_app.types import DualThoughts, Ranking, Style, Thinking

NOTHING_NEW = Stopped("nothing to rewrite", "The reader has nothing left to ask for.")
REPEATED = Stopped("query repeated", "The next query was asked before and would find the same.")


class Next(NamedTuple):
    """What the loop does next: ask these queries, which count so much in the pool, or stop."""

    queries: tuple[str, ...] = ()
    stopped: Stopped | None = None
    weight: float = 1.0


class Searches:
    """A run's queries, their lists, and the pool of these."""

    def __init__(
        self,
        index: Index,
        step: SingleStep,
        config: ThoughtConfig | BdtrConfig,
        question: str,
        shown_k: int = 0,
    ) -> None:
        """An agent is given the first `shown_k` passages of each query."""
        self.shown_k = shown_k
        self.index, self.step, self.config, self.question = index, step, config, question
        self.queries: list[str] = []
        self.pool = Pool(Ranking(), {}, 0)
        self._lists: list[Ranking] = []
        self._weights: list[float] = []
        self._pooled = 0

    def search(self, query: str, emit: Emit, weight: float = 1.0) -> None:
        """Ask the single-step method; each query brings `pool_k` passages, the first `first_k` if
        that is more, whatever the run's k is, whose scores in the pool are multiplied by its
        weight.
        """
        try:
            self._add(query, self.step.retriever.retrieve(query, self.config.pool_k, emit), weight)
        except BudgetReached as error:
            if error.ranking is not None:
                self._add(query, error.ranking, weight)
            raise

    def given(self, since: int = 0) -> tuple[int, ...]:
        """What an agent is given of the queries since one, in this order."""
        lists = self._lists[since:]
        return tuple(dict.fromkeys(id_ for one in lists for id_ in one.top(self.shown_k).ids))

    def weight_of(self, thought: Thinking | DualThoughts) -> float:
        """How much a thought's queries count: less where it rests on no sure fact (ours)."""
        return 1.0 if thought.sure else self.config.unsure_weight

    def _add(self, query: str, ranking: Ranking, weight: float) -> None:
        self._lists.append(ranking)
        self._weights.append(weight)
        self.queries.append(query)

    def refill(self, emit: Emit) -> None:
        """Pool the lists of all queries so far (Eq. 3 and 4), unless nothing was asked since."""
        if self._pooled == len(self._lists):
            return
        before, by_rank = set(self.pool.ids), self.step.by_rank
        self._pooled = len(self._lists)
        power = 1.0 if by_rank else self.config.later_power
        self.pool = pool = pooled(
            self._lists,
            self.config.pool_k,
            by_rank=by_rank,
            weights=self._weights,
            first_k=self.config.first_k,
            power=power,
            given=self.given(),
        )
        shown = lookup.ranked_passages(self.index, pool.ranking, pool.terms)
        entered = tuple(id_ for id_ in pool.ids if id_ not in before)
        scale: Literal["min-max", "reciprocal rank"] = "reciprocal rank" if by_rank else "min-max"
        below, weights = max(0, len(shown) - pool.size), tuple(self._weights)
        emit(Pooled(tuple(self.queries), scale, shown, entered, below, weights, power))

    def repetition(self, query: str, also: Sequence[str] = ()) -> Stopped | None:
        """Why a query need not be asked: it has no words, or the same ones as one asked before or
        `also` asked.
        """
        if not tokenise(query):
            return NOTHING_NEW
        return (
            REPEATED
            if tokenise(query) in [tokenise(other) for other in (*self.queries, *also)]
            else None
        )

    def top(self, k: int) -> lookup.Material:
        """The first k passages of the pool, with their stored triples."""
        return lookup.material(self.index, self.pool.ids[:k])

    def failed(self, step: str, error: ModelFailed, emit: Emit) -> None:
        """Tell why the run ends here. Raises the error where not even the first query was
        answered.
        """
        if not self._lists:
            raise error
        stopped = stop_after(step, error, emit)
        self.refill(emit)
        emit(stopped)


def iterate(
    searches: Searches,
    retrievals: int,
    think: Callable[[bool, Emit], Next],
    emit: Emit,
    first: Next | None = None,
) -> tuple[int, Stopped | None]:
    """Search, pool and think. Returns the last iteration and why it ended; None where a reply could
    not be used.

    `think` is told whether this iteration is the last; it gives the next queries, or why there are
    none, which at the last it must. `first` is what is searched first, if not the question.
    """
    following = first or Next((searches.question,))
    for n in range(1, retrievals + 1):
        now = during(emit, n)
        try:
            for query in following.queries:
                searches.search(query, now, following.weight)
            searches.refill(now)
            following = think(n == retrievals, now)
        except ModelFailed as error:
            searches.failed("iteration", error, now)
            return n, None
        if following.stopped:
            break
    return n, following.stopped


ANSWERED = Stopped("answerable", "The thought begins with “So the answer is:”.")


@dataclass(frozen=True, slots=True)
class Thoughts:
    """A single-step method in a loop with thoughts of one style."""

    index: Index
    step: SingleStep
    reader: Reader
    style: Style
    config: ThoughtConfig = field(default_factory=ThoughtConfig)

    def retrieve(self, query: str, k: int, emit: Emit) -> Ranking:
        """Rank passages for the question: the pool, then what else the first query found; k is not
        used.
        """
        searches, limit = (
            Searches(self.index, self.step, self.config, query),
            self.config.max_iterations,
        )
        thinker = Thinker(self.reader, self.style)
        reached = Stopped(
            "iteration limit", f"That was iteration {limit}, the limit set for this run."
        )
        n, stopped = iterate(
            searches,
            limit,
            lambda last, now: thinker.think(searches, now, reached if last else None),
            emit,
        )
        if stopped:
            during(emit, n)(stopped)
        return searches.pool.ranking


def most_calls(config: ThoughtConfig, style: Style) -> list[PromptCall]:
    """The calls of a run that goes to its limit: a search and a thought an iteration."""
    calls: list[PromptCall] = []
    for n in range(config.max_iterations):
        calls += [
            PromptCall(SEARCH, config.pool_k),
            PromptCall(style, config.prompt_k, 0 if style == "irgs" else n),
        ]
    return calls


@dataclass(slots=True)
class Thinker:
    """Asks a reader for one thought after another."""

    reader: Reader
    style: Style
    thoughts: list[Thinking] = field(default_factory=list)

    def think(self, searches: Searches, emit: Emit, reached: Stopped | None = None) -> Next:
        """The next thought as the next query, or why it is none; `reached`: nothing can be asked
        any more.

        IRGS never says that it is done, and its query is the question followed by the reasoning
        (ours).
        """
        material, before = searches.top(searches.config.prompt_k), tuple(self.thoughts)
        request = ThinkRequest(*material, searches.question, before, self.style)
        thought = self.reader.ask(request, emit)
        self.thoughts.append(thought)
        query = (
            f"{searches.question} {thought.text}"
            if self.style == "irgs" and tokenise(thought.text)
            else thought.text
        )
        stopped = (
            ANSWERED
            if thought.final and self.style != "irgs"
            else reached or searches.repetition(query)
        )
        asked, why = ("", stopped.sentence) if stopped else (query, "")
        emit(
            Thought(
                self.style, thought.text, asked, thought.final, thought.answer, thought.because, why
            )
        )
        if stopped:
            return Next(stopped=stopped)
        return Next((query,), weight=searches.weight_of(thought))
