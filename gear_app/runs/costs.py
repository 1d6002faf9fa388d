"""Prices, what language models took, and what an extraction or an evaluation will take, estimated
before it starts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

from gear_app import prompts, retrievers
from gear_app.connection import Connection, Service
from gear_app.events import Called
from gear_app.extract import LLM_EXTRACTOR, LLM_TWO_STEPS
from gear_app.llm.budget import Budget
from gear_app.llm.chat_model import reply_key
from gear_app.llm.errors import Unusable
from gear_app.llm.prices import Price, cost, estimated_tokens
from gear_app.llm.recorded_replies import RecordedReplies
from gear_app.llm.server import Secret, Server, Spec
from gear_app.models import Models, spec_for
from gear_app.overrides import overridden
from gear_app.reader import LLM_READER
from gear_app.retrievers.bdtr import BdtrConfig
from gear_app.retrievers.method import PromptCall
from gear_app.runs.answers import MOST_GOLD, TOP
from gear_app.runs.request import ALL_RIGHTS, Options, RunRequest, Settings, new_run
from gear_app.store import Store
from gear_app.store.spending import CacheSize, EarlierRun, Spending
from gear_app.text import count
from gear_app.types import Passage, Question

if TYPE_CHECKING:
    from gear_app.extract.llm import LlmExtractor


LEAST_CAP = 20_000  # tokens
# Tokens of a reply for each of its passage, where no reply of the model is stored.
WORDY = 2.5
SAMPLED = 500  # passages
REPLY = 150  # tokens of a reply, where no reply of the model to the prompt is kept


@dataclass(frozen=True, slots=True)
class Estimate:
    """Calls, of which `kept` are replied to by what is kept and take nothing; tokens of the others;
    dollars (None: the price is not known). `basis` says what it rests on, in a clause.
    `largest_call` is the most that one call may take, as a budget counts it before the first.
    """

    calls: int
    kept: int
    input_tokens: int
    output_tokens: int
    dollars: float | None
    basis: str
    largest_call: int = 0

    @property
    def tokens(self) -> int:
        """In and out."""
        return self.input_tokens + self.output_tokens

    @property
    def cap(self) -> int:
        """The budget that is proposed: twice the tokens, not too few, and enough for the largest
        call to come last.
        """
        return max(LEAST_CAP, 2 * self.tokens, self.tokens + self.largest_call)


class _Sum(NamedTuple):
    """Calls and tokens of several, scaled; and the most that one may take."""

    calls: float = 0.0
    kept: float = 0.0
    input_tokens: float = 0.0
    output_tokens: float = 0.0
    largest: int = 0

    def plus(self, other: _Sum, times: float = 1.0) -> _Sum:
        calls, kept, given, got = (
            mine + times * its for mine, its in zip(self[:-1], other[:-1], strict=True)
        )
        return _Sum(calls, kept, given, got, max(self.largest, other.largest))


class CostService(Service):
    """What language models cost in a workspace: prices, what was spent, what is kept, and estimates
    before anything is asked.
    """

    def __init__(self, connection: Connection, models: Models) -> None:
        super().__init__(connection)
        self._models = models

    def prices(self) -> dict[str, Price]:
        """The table of prices, by the model's name as its server calls it. Empty as it comes."""
        return self._store.prices.all()

    def set_price(self, model: str, input_: float, output: float) -> None:
        """Write down what a million tokens in and out cost, in dollars; calls from now on have a
        cost. Raises BadInput.

        What was asked before keeps the cost it had.
        """
        self._store.prices.put(model, Price(input_, output))

    def forget_price(self, model: str) -> None:
        """Take a price off the table: what the model costs is unknown again. Raises Unknown."""
        self._store.prices.forget(model)

    def spending(self) -> list[Spending]:
        """What each model took in all runs and extraction jobs, by server and model."""
        return self._store.totals.by_model()

    def kept_replies(self) -> CacheSize:
        """How many there are and how large; each saves a call."""
        return self._store.replies.size()

    def forget_replies(self) -> int:
        """Forget them all, so that everything is asked anew; how many there were. Runs keep theirs
        in their events.
        """
        return self._store.replies.forget()

    def estimate_extraction(
        self,
        collection: str,
        triples: str | None = None,
        model: Spec | None = None,
        extractor: str = LLM_EXTRACTOR,
    ) -> Estimate:
        """Of the passages that wait for a set (by default the extractor's), from at most 500 of
        them.

        Raises Unknown, and NotReady where no model is configured.
        """
        row, spec = self._store.collections.get(collection), spec_for(model)
        set_ = self._store.collections.find_set(row.id, triples or extractor)
        waiting = self._store.extractions.waiting(row.id, set_.id if set_ else None)
        passages = self._store.passages.some(sample(waiting))
        asks = self._extractor(spec, extractor)
        names = ("entities", "triples") if extractor == LLM_TWO_STEPS else ("extraction",)
        known = self._store.totals.reply_tokens(
            spec.base_url, spec.model, [prompts.hash_of(name) for name in names]
        )
        total = _Sum()
        for passage in passages:
            total = total.plus(
                _conversation(asks, passage, known, spec.max_tokens), len(waiting) / len(passages)
            )
        rest = (
            "" if len(passages) == len(waiting) else f", {len(passages):,} of which were looked at"
        )
        basis = f"{count(len(waiting), 'passage')} to read{rest}; replies as long as " + (
            "this model's earlier ones" if known else f"{WORDY:g} times the passage"
        )
        return self._estimate(total, spec, basis)

    def estimate_evaluation(
        self,
        collection: str,
        methods: Sequence[tuple[str, Settings]],
        limit: int | None = None,
        model: Spec | None = None,
        *,
        triples: str | None = None,
        k: int = 15,
        options: Options | None = None,
    ) -> Estimate:
        """Of asking the first `limit` questions that have gold with every method (its name, and
        settings).

        Raises what a wrong name or setting raises, and NotReady where no model is configured.
        """
        spec = spec_for(model)
        stored = self._store.questions.of(self._store.collections.get(collection).id)
        questions = [question.question for question in stored if question.supporting_keys][:limit]
        gold = self._most_gold(collection, stored) if options and options.answer else 0
        total, runs, bound = _Sum(), 0, 0
        for name, changes in methods if questions else ():
            like = RunRequest(
                questions[0],
                collection,
                name,
                triples,
                changes,
                k,
                LLM_READER,
                model=spec,
                options=options or Options(),
                rights=ALL_RIGHTS,  # nothing is asked for an estimate
            )
            took, earlier = self._method(like, questions, gold)
            total, runs, bound = (
                total.plus(took),
                runs + earlier,
                bound + (not earlier and took.calls > 0),
            )
        parts = [count(len(questions), "question")]
        parts += [f"what {count(runs, 'earlier run')} took"] if runs else []
        others = f", for {count(bound, 'method')} without earlier runs" if runs else ""
        most = "the most calls a run can make, each with the most passages"
        parts += [f"{most}{others}"] if bound else []
        return self._estimate(total, spec, "; ".join(parts))

    def _most_gold(self, collection: str, questions: Iterable[Question]) -> int:
        """The gold passages of the question that has the most of them, as far as they are read."""
        row, passages = self._store.collections.get(collection), self._store.passages
        of_each = (
            passages.named(row.id, row.revision, question.supporting_keys) for question in questions
        )
        return min(MOST_GOLD, max(map(len, of_each), default=0))

    def _method(self, like: RunRequest, questions: Sequence[str], gold: int) -> tuple[_Sum, int]:
        """One method on all questions, of which one has so much `gold`, and from how many earlier
        runs: from the most calls there can be where none.
        """
        new = new_run(self._store, like)
        earlier = self._store.totals.earlier(new)
        most, once = self._most(like, new.collection.id, new.config, gold)
        if once.calls:  # they are in the first of earlier runs alone
            made = any(took.current for took in earlier)
            return (_Sum() if made else once).plus(most, len(questions)), 0
        one = _mean(earlier)._replace(largest=most.largest) if earlier else most
        asked = _current_runs(earlier, questions)
        assert like.model is not None
        again = _repeat(self._store, asked, Server.of(like.model, Secret()))
        return again.plus(one, len(questions) - len(asked)), len(earlier)

    def _most(
        self, like: RunRequest, collection_id: int, config: Mapping[str, Any], gold: int
    ) -> tuple[_Sum, _Sum]:
        """A run that makes as many calls as it can, each with as many passages as it can have; and
        of the calls that are made once for all runs, as many as there can be.
        """
        assert like.model is not None
        whole = overridden(retrievers.config_for(like.method), config)
        calls = retrievers.most_calls(like.method, whole, like.k) + (
            answering(whole, gold) if like.options.answer else []
        )
        sizes = _sizes(self._store, collection_id, like.model.base_url, like.model.model, calls)
        total, once = _Sum(), _Sum()
        for call in calls:
            given = sizes.input_tokens(call) + estimated_tokens(like.question)
            largest = Budget(0).largest("word " * round(given), like.model.max_tokens).tokens
            one = _Sum(1, 0, given, sizes.output_tokens(call), largest)
            if not call.once:
                total = total.plus(one)
            elif once.calls < sizes.passages // 2:
                once = once.plus(one)
        return total, once

    def _extractor(self, spec: Spec, name: str) -> LlmExtractor:
        """One that knows which replies are kept, and can ask nobody."""
        from gear_app.extract.llm import LlmExtractor
        from gear_app.llm.chat_model import ChatModel

        model = ChatModel(RecordedReplies(Server.of(spec, Secret()), ()), self._models.replies)
        return LlmExtractor(model, "two" if name == LLM_TWO_STEPS else "joint")

    def _estimate(self, total: _Sum, spec: Spec, basis: str) -> Estimate:
        calls, kept, given, got = (math.ceil(round(value, 6)) for value in total[:-1])
        dollars = cost(self._store.prices.all(), spec.model, given, got)
        return Estimate(calls, kept, given, got, dollars, basis, total.largest)


def answering(config: object, gold: int) -> list[PromptCall]:
    """The answer of a method of this configuration, and its two bounds (runs.answers)."""
    cut = config.pool_size if isinstance(config, BdtrConfig) and config.calibrate else 0
    kept, alone = PromptCall("answer", max(TOP, cut)), PromptCall("answer_alone")
    return [kept, PromptCall("answer", gold), alone]


def _conversation(
    extractor: LlmExtractor, passage: Passage, known: Mapping[str, float], limit: int
) -> _Sum:
    """What will be asked about one passage; a reply that is not there is taken to name nothing."""
    total, conversation = _Sum(), extractor.conversation(passage)
    value: Any = None
    while True:
        try:
            request = conversation.send(value)
        except StopIteration:
            return total
        cached = extractor.model.cached(request)
        value = ()
        if cached is not None:
            total = total.plus(_Sum(1, 1))
            value = () if isinstance(cached.parsed, Unusable) else cached.parsed.value
        else:
            prompt = request.prompt
            long = known.get(prompt.hash, WORDY * estimated_tokens(passage.indexed))
            largest = Budget(0).largest(prompt.text, limit).tokens
            total = total.plus(_Sum(1, 0, estimated_tokens(prompt.text), min(long, limit), largest))


def _mean(earlier: Sequence[EarlierRun]) -> _Sum:
    total = _Sum()
    for took in earlier:
        total = total.plus(
            _Sum(took.calls, 0, took.input_tokens, took.output_tokens), 1 / len(earlier)
        )
    return total


class _Sizes(NamedTuple):
    """How many passages there are, what one adds to a prompt on average, and the replies to prompts
    by their hash: all in tokens, estimated.
    """

    passages: int  # that there are
    passage: float
    replies: Mapping[str, float]

    def input_tokens(self, call: PromptCall) -> float:
        """Of a call's prompt, without the question."""
        own = estimated_tokens(prompts.text(call.prompt))
        repeated = fmean(self.replies.values()) if self.replies else REPLY
        return own + min(call.passages, self.passages) * self.passage + call.repeats * repeated

    def output_tokens(self, call: PromptCall) -> float:
        """Of its reply."""
        return self.replies.get(prompts.hash_of(call.prompt), REPLY)


def sample(ids: Sequence[int]) -> list[int]:
    """At most SAMPLED of them, evenly from the first to the last."""
    count = min(len(ids), SAMPLED)
    return [ids[n * len(ids) // count] for n in range(count)]


def _sizes(
    store: Store, collection_id: int, server: str, model: str, calls: Sequence[PromptCall]
) -> _Sizes:
    """Of a collection's passages and this model's replies to the prompts of these calls."""
    ids = store.passages.ids(collection_id)
    passages = store.passages.some(sample(ids))
    hashes = sorted({prompts.hash_of(call.prompt) for call in calls})
    tokens = [estimated_tokens(prompts.documents([(p.title, p.text)])) for p in passages]
    mean = fmean(tokens) if tokens else 0.0
    return _Sizes(len(ids), mean, store.totals.reply_tokens(server, model, hashes))


def _current_runs(earlier: Sequence[EarlierRun], questions: Sequence[str]) -> list[int]:
    """The newest run of each of these questions that was asked of what is there now, in today's
    words.
    """
    now = prompts.hashes()
    runs = {took.question: took.run for took in earlier if took.current and took.prompts == now}
    words = (" ".join(question.split()) for question in questions)
    return [runs[question] for question in words if question in runs]


def _repeat(store: Store, runs: Sequence[int], server: Server) -> _Sum:
    """Making these runs again, by their numbers, all of which asked this server: nothing for
    replies that are stored, for others what they took then.
    """
    total = _Sum()
    for call in (event for run in runs for event in store.events.every(run, Called)):
        assert isinstance(call, Called)
        if store.replies.has(reply_key(server, call.prompt)):
            total = total.plus(_Sum(1, 1))
        else:
            total = total.plus(_Sum(1, 0, call.input_tokens, call.output_tokens))
    return total
