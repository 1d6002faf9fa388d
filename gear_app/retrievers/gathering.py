"""What every iterative method shares: the queries asked of a single-step method, the pool they
fill, and the loop.

Method and pool: BDTR §3.1 and App. A.3. Ours: docs/decisions/0011-iterative-methods.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from gear_app.config import BdtrConfig, ThoughtConfig
from gear_app.errors import ModelFailed
from gear_app.events import Emit, Pooled, Stopped, during
from gear_app.llm.errors import BudgetReached
from gear_app.retrievers import show
from gear_app.retrievers.base import Step
from gear_app.retrievers.ending import ending
from gear_app.seams import Index
from gear_app.steps.pool import Pool, pooled
from gear_app.text import tokenise
from gear_app.types import Ranking

NOTHING_NEW = Stopped("nothing to rewrite", "The reader has nothing left to ask for.")
REPEATED = Stopped("query repeated", "The next query was asked before and would find the same.")


class Next(NamedTuple):
    """What the loop does next: ask these queries, or stop."""

    queries: tuple[str, ...] = ()
    stopped: Stopped | None = None


class Gathered:
    """A run's queries, their lists, and the pool of these."""

    def __init__(
        self, index: Index, step: Step, config: ThoughtConfig | BdtrConfig, question: str
    ) -> None:
        """Nothing is asked yet."""
        self.index, self.step, self.config, self.question = index, step, config, question
        self.queries: list[str] = []
        self.pool = Pool(Ranking(), {}, 0)
        self._lists: list[Ranking] = []
        self._pooled = 0

    def search(self, query: str, emit: Emit) -> None:
        """Ask the single-step method; each query brings `pool_k` passages, whatever the run's k
        is.
        """
        try:
            self._found(query, self.step.retriever.retrieve(query, self.config.pool_k, emit))
        except BudgetReached as error:
            if error.ranking is not None:
                self._found(query, error.ranking)
            raise

    def _found(self, query: str, ranking: Ranking) -> None:
        self._lists.append(ranking)
        self.queries.append(query)

    def refill(self, emit: Emit) -> None:
        """Pool the lists of all queries so far (Eq. 3 and 4), unless nothing was asked since."""
        if self._pooled == len(self._lists):
            return
        before, by_rank = set(self.pool.ids), self.step.by_rank
        self._pooled = len(self._lists)
        self.pool = pool = pooled(self._lists, self.config.pool_k, by_rank=by_rank)
        shown = show.ranked(self.index, pool.ranking, pool.terms)
        entered = tuple(id_ for id_ in pool.ids if id_ not in before)
        scale: Literal["min-max", "reciprocal rank"] = "reciprocal rank" if by_rank else "min-max"
        emit(Pooled(tuple(self.queries), scale, shown, entered, max(0, len(shown) - pool.size)))

    def unasked(self, query: str, also: Sequence[str] = ()) -> Stopped | None:
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

    def top(self, k: int) -> show.Material:
        """The first k passages of the pool, with their stored triples."""
        return show.material(self.index, self.pool.ids[:k])

    def failed(self, step: str, error: ModelFailed, emit: Emit) -> None:
        """Tell why the run ends here. Raises the error where not even the first query was
        answered.
        """
        if not self._lists:
            raise error
        stopped = ending(step, error, emit)
        self.refill(emit)
        emit(stopped)


def gather(
    found: Gathered, retrievals: int, think: Callable[[bool, Emit], Next], emit: Emit
) -> tuple[int, Stopped | None]:
    """Search, pool and think. Returns the last iteration and why it ended; None where a reply could
    not be used.

    `think` is told whether this iteration is the last; it gives the next queries, or why there are
    none, which at the last it must.
    """
    following = Next((found.question,))
    for n in range(1, retrievals + 1):
        now = during(emit, n)
        try:
            for query in following.queries:
                found.search(query, now)
            found.refill(now)
            following = think(n == retrievals, now)
        except ModelFailed as error:
            found.failed("iteration", error, now)
            return n, None
        if following.stopped:
            break
    return n, following.stopped
