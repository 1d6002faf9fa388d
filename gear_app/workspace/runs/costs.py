"""Upper bounds of what an extraction or an evaluation will take from a language model: the most
calls, each with passages and replies of mean length.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from gear_app import methods as retrievers
from gear_app.core.overrides import overridden
from gear_app.core.text import count
from gear_app.core.types import Question
from gear_app.methods.bdtr import BdtrConfig
from gear_app.methods.method import PromptCall
from gear_app.models import prompts
from gear_app.models.budget import Budget, cost
from gear_app.models.extractor import LLM_EXTRACTOR, LLM_TWO_STEPS
from gear_app.models.messages import estimated_tokens
from gear_app.models.server import Spec
from gear_app.workspace.connection import Service
from gear_app.workspace.models import spec_for
from gear_app.workspace.runs.request import RunRequest, new_run
from gear_app.workspace.runs.runner import MOST_GOLD, TOP

LEAST_CAP = 20_000  # tokens
SAMPLED = 500  # passages
EXTRACTION = {LLM_EXTRACTOR: ("extraction",), LLM_TWO_STEPS: ("entities", "triples")}  # prompts
# Tokens of a reply where none of the model to the prompt is stored: of an extraction for each token
# of its passage, of any other prompt in all.
WORDY, REPLY = 2.5, 150


@dataclass(frozen=True, slots=True)
class Estimate:
    """Calls and tokens that a job will take at most; stored replies will take nothing."""

    calls: int
    input_tokens: int
    output_tokens: int
    dollars: float | None  # None: the price is not known
    basis: str  # in a clause
    # The budget that is proposed: twice the tokens, not too few, and enough for the largest call,
    # as a budget counts it before the first, to come last.
    cap: int


class CostService(Service):
    """Estimates of what language models will take in a workspace."""

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
        row = self._store.collections.get(collection)
        set_ = self._store.collections.find_set(row.id, triples or extractor)
        passages = self._store.passages.ids(row.id)
        waiting = self._store.extractions.waiting(set_.id if set_ else None, passages)
        calls = [(PromptCall(name, 1), len(waiting)) for name in EXTRACTION[extractor]]
        basis = (
            f"{count(len(waiting), 'passage')} to read; replies as long as this model's earlier"
            f" ones, else {WORDY:g} times the passage"
        )
        return self._estimate(calls, waiting, spec_for(model), basis)

    def estimate_runs(
        self, requests: Sequence[RunRequest], questions: Sequence[Question]
    ) -> Estimate:
        """Estimate for questions under every method, by a request for each method: the most calls
        that a run can make. Raises what a wrong name or setting raises, and NotReady where no model
        is configured.
        """
        first, named = requests[0], self._store.passages.named
        row, answer = self._store.collections.get(first.collection), first.options.answer
        sizes = (len(named(row.id, row.revision, q.supporting_keys)) for q in questions)
        gold = min(MOST_GOLD, max(sizes)) if answer else 0
        passages, calls = self._store.passages.ids(row.id), list[tuple[PromptCall, int]]()
        for request in requests:
            run = new_run(self._store, request)
            config = overridden(retrievers.config_for(run.method), run.config)
            most = retrievers.most_calls(run.method, config, run.k)
            most += answering(config, gold) if answer else []
            calls += [(call, len(questions)) for call in most if not call.once]
            calls += [(call, 1) for call in most if call.once][: len(passages) // 2]
        basis = (
            f"{count(len(questions), 'question')}; the most calls a run can make, each with the"
            " most passages"
        )
        texts = [question.question for question in questions]
        return self._estimate(calls, passages, spec_for(first.model), basis, texts)

    def _estimate(
        self,
        calls: Sequence[tuple[PromptCall, int]],  # each with how often it is made
        ids: Sequence[int],  # of the passages that the prompts have
        spec: Spec,
        basis: str,
        questions: Sequence[str] = (),
    ) -> Estimate:
        sample = self._store.passages.with_ids(ids[:: 1 + len(ids) // SAMPLED])
        texts = (prompts.documents([(passage.title, passage.text)]) for passage in sample.values())
        passage = fmean(map(estimated_tokens, texts)) if sample else 0.0
        hashes = sorted({prompts.hash_of(call.prompt) for call, _ in calls})
        replies = self._store.replies.tokens(spec.base_url, spec.model, hashes)
        repeated = fmean(replies.values()) if replies else REPLY
        question = max(map(estimated_tokens, questions), default=0)
        input_tokens, output_tokens, largest = 0.0, 0.0, 0
        usual = REPLY if questions else WORDY * passage
        for call, times in calls:
            material = min(call.passages, len(ids)) * passage + call.repeats * repeated
            prompt = estimated_tokens(prompts.text(call.prompt)) + question + material
            reply = replies.get(prompts.hash_of(call.prompt), usual)
            input_tokens += times * prompt
            output_tokens += times * min(reply, spec.max_tokens)
            most = Budget(0).largest("word " * round(prompt), spec.max_tokens)
            largest = max(largest, most)
        tokens = math.ceil(round(input_tokens, 6)), math.ceil(round(output_tokens, 6))
        dollars = cost(self._store.prices.all(), spec.model, *tokens)
        cap = max(LEAST_CAP, 2 * sum(tokens), sum(tokens) + largest)
        return Estimate(sum(times for _, times in calls), *tokens, dollars, basis, cap)


def answering(config: object, gold: int) -> list[PromptCall]:
    """Calls for the answer of a method of this configuration, and for its two bounds."""
    cut = config.pool_size if isinstance(config, BdtrConfig) and config.calibrate else 0
    sizes = max(TOP, cut), gold
    return [*(PromptCall("answer", size) for size in sizes), PromptCall("answer_alone")]
