"""How large prompts are, roughly, before any is sent: their own words, and a collection's passages
on average.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from gear_app import prompts
from gear_app.llm.prices import estimated_tokens
from gear_app.retrievers.model_calls import PromptCall
from gear_app.store import Store
from gear_app.types import Passage

SAMPLED = 500  # passages
REPLY = 150  # tokens of a reply, where no reply of the model to the prompt is kept


class Sizes(NamedTuple):
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


def sampled(ids: Sequence[int]) -> list[int]:
    """At most SAMPLED of them, evenly from the first to the last."""
    count = min(len(ids), SAMPLED)
    return [ids[n * len(ids) // count] for n in range(count)]


def sizes(
    store: Store, collection_id: int, server: str, model: str, calls: Sequence[PromptCall]
) -> Sizes:
    """Of a collection's passages and this model's replies to the prompts of these calls."""
    ids = store.passages.ids(collection_id)
    passages = store.passages.some(sampled(ids))
    hashes = sorted({prompts.hash_of(call.prompt) for call in calls})
    mean = fmean(map(_tokens, passages)) if passages else 0.0
    return Sizes(len(ids), mean, store.totals.reply_tokens(server, model, hashes))


def _tokens(passage: Passage) -> int:
    return estimated_tokens(prompts.documents([(passage.title, passage.text)]))
