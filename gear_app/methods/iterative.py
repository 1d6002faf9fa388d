"""Iterative methods over a single-step one: their loop, the pool of what their queries find, and
IRCoT, GCoT, ToG and IRGS, in which one thought an iteration becomes the next query.

Paper: BDTR §3.1 and App. A.3 (loop and pool); App. A.6, Fig. 10 to 13 for the four methods, which
it compares on one footing; their own papers differ in much else. Composes: the single-step method →
pool → thought → its words as the next query, at most `max_iterations` times, counting retrievals. A
thought is also asked for after the last retrieval: it may be the answer. Leaves out: demonstrations
in the prompts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple

from gear_app.core.config import ITERATIONS, MOST_K, BaseConfig, Config, SettingInfo, setting
from gear_app.core.errors import ModelFailed
from gear_app.core.text import tokenise
from gear_app.core.types import DualThoughts, Hit, Ranking, Style, Thinking
from gear_app.methods import lookup
from gear_app.methods.fuse import min_max
from gear_app.methods.method import (
    READER,
    SEARCH,
    Method,
    PromptCall,
    ask,
    declare_method,
    retrieved,
    stop_after,
)
from gear_app.models.reader.roles import THINK, Reader, ReaderRequest
from gear_app.trace.events import Emit, Pooled, ScorePart, Stopped, Thought, during
from gear_app.trace.events.iterative import GIVEN


class Pool(NamedTuple):
    """The first `size` passages of `ranking` are the pool; below it the first query's others.

    Those have score 0. `terms` are a passage's places in the queries' lists, by id: `source` "query
    2", `value` its normalised score there, times the query's weight, `score` the retriever's own. A
    passage below the pool has its place in the first query's list, value 0.
    """

    ranking: Ranking
    terms: Mapping[int, tuple[ScorePart, ...]]
    size: int

    @property
    def ids(self) -> tuple[int, ...]:
        """The pool's passages, best first."""
        return self.ranking.ids[: self.size]


def normalised(ranking: Ranking, *, by_rank: bool, power: float = 1.0) -> tuple[float, ...]:
    """The scores of one query's hits, from 0 to 1, so that they compare with another query's.

    `by_rank`: 1 / rank, since sums of reciprocal ranks say nothing about nearness. Otherwise
    min-max over the hits given, to the `power`; several that all score the same score 0 (ours).
    """
    if by_rank:
        return tuple(round(1 / rank, 6) for rank in range(1, len(ranking) + 1))
    return tuple(round(score**power, 6) for score in min_max(ranking))


def pooled(
    lists: Sequence[Ranking],
    k: int,
    *,
    by_rank: bool,
    weights: Sequence[float] | None = None,
    first_k: int = 0,
    power: float = 1.0,
    documents: Sequence[int] = (),
) -> Pool:
    """Pool the top k of every list, of the first at least `first_k`; a passage keeps its best
    normalised score (BDTR Eq. 4).

    Ours, and as in the paper without them: `weights`, one a list, multiply these scores, and the
    scores of all lists but the first are raised to the `power` unless they are by rank. Equal
    scores: the earlier query first, then the better rank in it. The rest of the first query's list
    follows below the pool, in its order (ours). `documents`, an agent's of the pool, stand on top
    in this order, the n-th with the score 1 + 1 / n (ours). No lists give an empty pool.
    """
    queries = len(lists)
    depths = [max(k, first_k), *[k] * (queries - 1)][:queries]
    powers = [1.0, *[power] * (queries - 1)][:queries]
    each = zip(lists, depths, powers, weights or [1.0] * queries, strict=True)
    places = [
        place
        for query, (ranking, depth, raised, weight) in enumerate(each, start=1)
        for place in _places(query, ranking.top(depth), by_rank, raised, weight)
    ]
    places += [
        (id_, ScorePart(GIVEN, n, round(1 + 1 / n, 6), formula=f"1 + 1/{n}"))
        for n, id_ in enumerate(documents, start=1)
    ]
    pool: dict[int, Hit] = {}
    terms: dict[int, tuple[ScorePart, ...]] = {}
    # a stable sort: equal values stay in the order of queries and ranks
    for id_, term in sorted(places, key=lambda place: -place[1].value):
        pool.setdefault(id_, Hit(id_, term.value))
    for id_, term in places:
        terms[id_] = (*terms.get(id_, ()), term)
    below = {
        hit.id: ScorePart("query 1", rank, 0.0, hit.score)
        for first in lists[:1]
        for rank, hit in enumerate(first.hits, start=1)
        if hit.id not in pool
    }
    terms |= {id_: (term,) for id_, term in below.items()}
    return Pool(Ranking((*pool.values(), *(Hit(id_, 0.0) for id_ in below))), terms, len(pool))


def _places(
    query: int, ranking: Ranking, by_rank: bool, power: float, weight: float
) -> Iterator[tuple[int, ScorePart]]:
    scores = normalised(ranking, by_rank=by_rank, power=power)
    values = [round(weight * value, 6) for value in scores]
    for rank, (hit, value) in enumerate(zip(ranking.hits, values, strict=True), start=1):
        yield hit.id, ScorePart(f"query {query}", rank, value, hit.score)


NOTHING_NEW = Stopped("nothing to rewrite", "The reader has nothing left to ask for.")
REPEATED = Stopped("query repeated", "The next query was asked before and would find the same.")


class Next(NamedTuple):
    """The loop's next step: search for these queries, with their weight in the pool, or stop."""

    queries: tuple[str, ...] = ()
    stopped: Stopped | None = None
    weight: float = 1.0


POOL_K = SettingInfo("Passages a query", "So many of each query's enter the pool", (1, MOST_K))
FIRST_K = SettingInfo(
    "Passages of the question",
    "So many it brings itself, if more than a query does",
    (0, MOST_K),
)
LATER_POWER = SettingInfo(
    "Power of later queries",
    "Their scores from 0 to 1 are raised to it: above 1 only their first hits count",
    (0.1, 10.0),
)
PROMPT_K = SettingInfo("Passages read", "So many of the pool the reader sees", (1, MOST_K))
UNSURE_WEIGHT = SettingInfo(
    "An unsure query counts",
    "It rests on no sure fact. 1: whole, as in the paper",
    (0.0, 1.0),
)


@dataclass(frozen=True, slots=True)
class ThoughtConfig(Config):
    """IRCoT, GCoT, ToG and IRGS over a single-step method (bdtr.txt App. A.6)."""

    # as GEAR's, BDTR §4.1 has 2; counting retrievals
    max_iterations: int = setting(4, *ITERATIONS, paper=2)
    pool_k: int = setting(10, *POOL_K)  # ours: passages that each query brings into the pool
    first_k: int = setting(0, *FIRST_K, paper=0)
    later_power: float = setting(1.0, *LATER_POWER, paper=1.0)
    prompt_k: int = setting(10, *PROMPT_K)  # ours: passages of the pool that the reader sees
    unsure_weight: float = setting(0.5, *UNSURE_WEIGHT, paper=1.0)
    base: Any = field(default_factory=BaseConfig)


class Searches:
    """A run's queries, their lists, and the pool of these."""

    def __init__(self, method: Method, question: str, config: Any, shown_k: int = 0) -> None:  # noqa: ANN401
        """`config` says what of each query enters the pool; an agent is given the first `shown_k`
        passages of each query.
        """
        self.index, self.under, self.question = method.index, method.under, question
        self.config, self.shown_k = config, shown_k
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
        ranking, error = retrieved(self.under, query, self.config.pool_k, emit)
        self._lists.append(ranking)
        self._weights.append(weight)
        self.queries.append(query)
        if error:
            raise error

    def documents(self, since: int = 0) -> tuple[int, ...]:
        """The passages that an agent is given of the queries since one, in this order."""
        lists = self._lists[since:]
        return tuple(dict.fromkeys(id_ for list_ in lists for id_ in list_.top(self.shown_k).ids))

    def weight_of(self, thought: Thinking | DualThoughts) -> float:
        """How much a thought's queries count: less where it rests on no sure fact (ours)."""
        return 1.0 if thought.sure else self.config.unsure_weight

    def refill(self, emit: Emit) -> None:
        """Pool the lists of all queries so far (Eq. 3 and 4), unless nothing was asked since."""
        if self._pooled == len(self._lists):
            return
        before, by_rank = set(self.pool.ids), self.under.by_rank
        self._pooled = len(self._lists)
        self.pool = pool = pooled(
            self._lists,
            self.config.pool_k,
            by_rank=by_rank,
            weights=self._weights,
            first_k=self.config.first_k,
            power=1.0 if by_rank else self.config.later_power,
            documents=self.documents(),
        )
        lines = lookup.ranked_passages(self.index, pool.ranking, pool.terms)
        entered = tuple(id_ for id_ in pool.ids if id_ not in before)
        scale: Literal["min-max", "reciprocal rank"] = "reciprocal rank" if by_rank else "min-max"
        below, weights = max(0, len(lines) - pool.size), tuple(self._weights)
        emit(Pooled(tuple(self.queries), scale, lines, entered, below, weights))

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

    def failed(self, error: ModelFailed, emit: Emit) -> None:
        """Tell why the run ends here. Raises the error where not even the first query was
        answered.
        """
        if not self._lists:
            raise error
        stopped = stop_after(error, emit)
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
            searches.failed(error, now)
            return n, None
        if following.stopped:
            break
    return n, following.stopped


ANSWERED = Stopped("answerable", "The thought begins with “So the answer is:”.")


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
        request = ReaderRequest(
            THINK, searches.question, *material, thoughts=before, style=self.style
        )
        thought = ask(self.reader, request, "think", emit)
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
        searched, reason = ("", stopped.sentence) if stopped else (query, "")
        emit(
            Thought(
                self.style,
                thought.text,
                searched,
                thought.final,
                thought.answer,
                thought.because,
                reason,
            )
        )
        if stopped:
            return Next(stopped=stopped)
        return Next((query,), weight=searches.weight_of(thought))


@declare_method(
    defaults=ThoughtConfig(),
    over="step",
    version=4,
    made_of=(READER,),
)
class Thoughts(Method):
    """A single-step method in a loop with thoughts of one style."""

    style: ClassVar[Style]

    def retrieve(self, query: str, k: int, emit: Emit) -> Ranking:
        """Rank passages for the question: the pool, then what else the first query found; k is not
        used.
        """
        searches, limit = Searches(self, query, self.config), self.config.max_iterations
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

    @classmethod
    def most_calls(cls, config: ThoughtConfig, k: int) -> Sequence[PromptCall]:
        """A search and a thought in each iteration."""
        calls: list[PromptCall] = []
        for n in range(config.max_iterations):
            calls += [
                PromptCall(SEARCH, config.pool_k),
                PromptCall(cls.style, config.prompt_k, 0 if cls.style == "irgs" else n),
            ]
        return calls


@declare_method(
    name="ircot",
    label="IRCoT",
    summary="one thought after another, each searched for",
    order=20,
    compared="with triples",
)
class IRCoT(Thoughts):
    """BDTR Fig. 10."""

    style = "ircot"


@declare_method(
    name="gcot",
    label="GCoT",
    summary="what is still missing, searched for",
    order=24,
)
class GCoT(Thoughts):
    """BDTR Fig. 11."""

    style = "gcot"


@declare_method(
    name="tog",
    label="ToG",
    summary="whether the passages suffice, and if not, what they lack is searched for",
    order=25,
)
class ToG(Thoughts):
    """BDTR Fig. 12."""

    style = "tog"


@declare_method(
    name="irgs",
    label="IRGS",
    summary="the question searched for again together with the reasoning so far",
    order=26,
)
class IRGS(Thoughts):
    """BDTR Fig. 13."""

    style = "irgs"
