"""Prices, what language models took, and what an extraction or an evaluation will take, estimated
before it starts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from gear_app import methods as retrievers
from gear_app.core.overrides import overridden
from gear_app.core.text import count
from gear_app.core.types import Question
from gear_app.methods.bdtr import BdtrConfig
from gear_app.methods.method import PromptCall
from gear_app.models import prompts
from gear_app.models.budget import Budget
from gear_app.models.extractor import LLM_EXTRACTOR, LLM_TWO_STEPS
from gear_app.models.prices import Price, cost, estimated_tokens
from gear_app.models.reader import LLM_READER
from gear_app.models.server import Spec
from gear_app.store.rows import CollectionRow
from gear_app.store.spending import CacheSize, Spending
from gear_app.workspace.connection import Service
from gear_app.workspace.models import spec_for
from gear_app.workspace.runs.answers import MOST_GOLD, TOP
from gear_app.workspace.runs.request import ALL_RIGHTS, Options, RunRequest, Settings, new_run

LEAST_CAP = 20_000  # tokens
WORDY = 2.5  # tokens of a reply for each of its passage, where no reply of the model is stored
SAMPLED = 500  # passages
REPLY = 150  # tokens of any other reply, where no reply of the model to the prompt is stored
EXTRACTION = {LLM_EXTRACTOR: ("extraction",), LLM_TWO_STEPS: ("entities", "triples")}  # prompts


@dataclass(frozen=True, slots=True)
class Estimate:
    """Calls and tokens that a job will take at most; stored replies will take nothing."""

    calls: int
    input_tokens: int
    output_tokens: int
    dollars: float | None  # None: the price is not known
    basis: str  # in a clause
    largest_call: int = 0  # tokens that one call may take, as a budget counts it before the first

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


class _Call(NamedTuple):
    """Tokens of a call, and the most that it may take as a budget counts it."""

    input_tokens: float
    output_tokens: float
    largest: int


@dataclass(frozen=True)
class _Sizes:
    """Mean sizes of a collection's passages and of a model's replies, in estimated tokens."""

    passages: int  # their number
    passage: float  # one passage in a prompt
    replies: Mapping[str, float]  # by hash of the prompt
    limit: int  # of a reply

    def call(self, call: PromptCall, question: int = 0, unknown: float = REPLY) -> _Call:
        """One call with its prompt, passages and question; `unknown` is the length of a reply where
        the model gave none to this prompt before.
        """
        repeated = fmean(self.replies.values()) if self.replies else REPLY
        passages = min(call.passages, self.passages) * self.passage
        prompt = estimated_tokens(prompts.text(call.prompt)) + question
        input_tokens = prompt + passages + call.repeats * repeated
        reply = self.replies.get(prompts.hash_of(call.prompt), unknown)
        largest = Budget(0).largest("word " * round(input_tokens), self.limit).tokens
        return _Call(input_tokens, min(reply, self.limit), largest)


class CostService(Service):
    """Costs of language models in a workspace: prices, spending, stored replies and estimates."""

    def prices(self) -> dict[str, Price]:
        """Prices by the model's name as its server calls it; none at first."""
        return self._store.prices.all()

    def set_price(self, model: str, input_: float, output: float) -> None:
        """Store the price of a million tokens in and out, in dollars, for calls from now on. Raises
        BadInput.
        """
        self._store.prices.put(model, Price(input_, output))

    def forget_price(self, model: str) -> None:
        """Delete a price. Raises Unknown."""
        self._store.prices.forget(model)

    def spending(self) -> list[Spending]:
        """Spending of all runs and extraction jobs, by server and model."""
        return self._store.totals.by_model()

    def kept_replies(self) -> CacheSize:
        """Number and size of stored replies; each saves a call."""
        return self._store.replies.size()

    def forget_replies(self) -> int:
        """Delete all stored replies; their number. Runs have theirs in their events."""
        return self._store.replies.forget()

    def estimate_extraction(
        self,
        collection: str,
        triples: str | None = None,
        model: Spec | None = None,
        extractor: str = LLM_EXTRACTOR,
    ) -> Estimate:
        """Estimate for the passages that wait for a set (by default the extractor's). Raises
        Unknown, and NotReady where no model is configured.
        """
        row, spec = self._store.collections.get(collection), spec_for(model)
        set_ = self._store.collections.find_set(row.id, triples or extractor)
        waiting = self._store.extractions.waiting(row.id, set_.id if set_ else None)
        prompt_calls = [PromptCall(name, 1) for name in EXTRACTION[extractor]]
        sizes = self._sizes(waiting, spec, prompt_calls)
        unknown = WORDY * sizes.passage
        calls = [(sizes.call(call, unknown=unknown), len(waiting)) for call in prompt_calls]
        replies = "this model's earlier ones" if sizes.replies else f"{WORDY:g} times the passage"
        basis = f"{count(len(waiting), 'passage')} to read; replies as long as {replies}"
        return self._estimate(calls, spec, basis)

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
        """Estimate for the first `limit` questions that have gold and every method, by name and
        settings: the most calls that a run can make.

        Raises what a wrong name or setting raises, and NotReady where no model is configured.
        """
        spec, row = spec_for(model), self._store.collections.get(collection)
        stored = self._store.questions.of(row.id)
        questions = [question.question for question in stored if question.supporting_keys][:limit]
        options = options or Options()
        gold = self._most_gold(row, stored) if options.answer else 0
        passages = self._store.passages.ids(row.id)
        calls: list[tuple[_Call, int]] = []
        for name, changes in methods if questions else ():
            request = RunRequest(
                questions[0],
                collection,
                name,
                triples,
                changes,
                k,
                LLM_READER,
                model=spec,
                options=options,
                rights=ALL_RIGHTS,  # nothing is asked for an estimate
            )
            config = overridden(retrievers.config_for(name), new_run(self._store, request).config)
            prompt_calls = retrievers.most_calls(name, config, k)
            prompt_calls += answering(config, gold) if options.answer else []
            sizes = self._sizes(passages, spec, prompt_calls)
            question = max(map(estimated_tokens, questions))
            for once, times in ((False, len(questions)), (True, 1)):
                kind = [call for call in prompt_calls if call.once is once]
                most = len(passages) // 2 if once else None
                calls += [(sizes.call(call, question), times) for call in kind[:most]]
        basis = "the most calls a run can make, each with the most passages"
        return self._estimate(calls, spec, f"{count(len(questions), 'question')}; {basis}")

    def _most_gold(self, row: CollectionRow, questions: Iterable[Question]) -> int:
        """Gold passages of the question that has the most of them, as far as they are read."""
        named = self._store.passages.named
        counts = (
            len(named(row.id, row.revision, question.supporting_keys)) for question in questions
        )
        return min(MOST_GOLD, max(counts, default=0))

    def _sizes(self, ids: Sequence[int], spec: Spec, calls: Sequence[PromptCall]) -> _Sizes:
        """Sizes over at most SAMPLED of some passages, and of replies to the prompts of calls."""
        number = min(len(ids), SAMPLED)
        sample = self._store.passages.with_ids([ids[n * len(ids) // number] for n in range(number)])
        tokens = [estimated_tokens(prompts.documents([(p.title, p.text)])) for p in sample]
        hashes = sorted({prompts.hash_of(call.prompt) for call in calls})
        replies = self._store.totals.reply_tokens(spec.base_url, spec.model, hashes)
        return _Sizes(len(ids), fmean(tokens) if tokens else 0.0, replies, spec.max_tokens)

    def _estimate(self, calls: Sequence[tuple[_Call, int]], spec: Spec, basis: str) -> Estimate:
        input_tokens = math.ceil(round(sum(times * call.input_tokens for call, times in calls), 6))
        output_tokens = math.ceil(
            round(sum(times * call.output_tokens for call, times in calls), 6)
        )
        return Estimate(
            sum(times for _, times in calls),
            input_tokens,
            output_tokens,
            cost(self._store.prices.all(), spec.model, input_tokens, output_tokens),
            basis,
            max((call.largest for call, _ in calls), default=0),
        )


def answering(config: object, gold: int) -> list[PromptCall]:
    """Calls for the answer of a method of this configuration, and for its two bounds."""
    cut = config.pool_size if isinstance(config, BdtrConfig) and config.calibrate else 0
    sizes = max(TOP, cut), gold
    return [*(PromptCall("answer", size) for size in sizes), PromptCall("answer_alone")]
