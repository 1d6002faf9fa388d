"""A hard cap in tokens for a run, an extraction job or an evaluation.

Before a request the most it can take is held, afterwards what the server counted is taken; so the
sum stays below the cap however many calls are under way. Replies that were kept from before hold
and take nothing.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from gear_app.llm.failures import BudgetReached
from gear_app.llm.prices import estimated_tokens
from gear_app.llm.response import Fault, Reply

LEAST_RATIO = 1.25  # of counted to estimated input
AROUND = (
    64  # tokens that a server may put around a prompt: marks of roles, a system prompt of its own
)


class Hold(NamedTuple):
    """What one attempt may take: its prompt's tokens, estimated, and all that is held for it."""

    prompt: int
    tokens: int


class Budget:
    """What may be taken, what was, and what calls under way may take. Used on the event loop of the
    calls alone.

    Once a call did not fit none is let through: a method must not go on with its small calls and
    without large ones.
    """

    def __init__(self, cap: int, taken: int = 0) -> None:
        """`taken`: tokens taken before, where a job goes on that was begun already."""
        self.cap, self.taken = cap, taken
        self.unsure = (
            0  # of what was taken: held for calls that broke off, which may have been charged for
        )
        self.reached = ""  # the sentence, once a call did not fit
        self.refused = 0  # calls
        self._broke = ""  # why the last call that may have been charged for broke off
        self._held = 0
        self._ratio = 0.0  # the worst seen; 0: nothing was counted yet
        self._longest = 0  # reply: a server may not keep to the limit
        self._waiting: list[asyncio.Future[None]] = []

    @property
    def left(self) -> int:
        """Tokens that are neither taken nor held."""
        return max(0, self.cap - self.taken - self._held)

    def most(self, prompt: str, limit: int) -> Hold:
        """The most that a call with this prompt and this limit of the reply can take.

        Before anything was counted a prompt is taken to have as many tokens as bytes; no tokenizer
        makes more of it.
        """
        estimated = estimated_tokens(prompt) + AROUND
        bytes_ = len(prompt.encode("utf-8", "replace")) + AROUND
        counted = math.ceil(estimated * max(LEAST_RATIO, self._ratio)) if self._ratio else bytes_
        return Hold(estimated, counted + max(limit, self._longest))

    def reserve(self, prompt: str, limit: int) -> Hold | None:
        """Hold what a call can take; None where it may fit once a call under way has ended. Raises
        BudgetReached.

        The first call goes alone: how its server counts corrects what is held for the others.
        """
        if self.reached:
            raise self._refusal()
        hold = self.most(prompt, limit)
        fits = self.taken + self._held + hold.tokens <= self.cap
        if fits and (self._ratio or not self._held):
            self._held += hold.tokens
            return hold
        if self._held:
            return None
        self.reached = self._sentence(hold.tokens)
        raise self._refusal()

    async def spend(
        self, prompt: str, limit: int, call: Callable[[], Awaitable[Reply | Fault]]
    ) -> Reply | Fault | BudgetReached:
        """What comes of the call, which is made once it fits; until then calls under way are waited
        for.
        """
        try:
            while (hold := self.reserve(prompt, limit)) is None:
                ended = asyncio.get_running_loop().create_future()
                self._waiting.append(ended)
                await ended
        except BudgetReached as error:
            return error
        outcome = None
        try:
            outcome = await call()
            return outcome
        finally:
            self.settle(hold, outcome)

    def settle(self, hold: Hold, outcome: Reply | Fault | None) -> None:
        """What came of the call. What may have been charged for is taken as it was held; None: it
        was cancelled.
        """
        self._held -= hold.tokens
        if isinstance(outcome, Reply):
            self.taken += outcome.input_tokens + outcome.output_tokens
            self._ratio = max(self._ratio, outcome.input_tokens / hold.prompt)
            self._longest = max(self._longest, outcome.output_tokens)
        elif outcome is None or not outcome.free:
            self.taken += hold.tokens
            self.unsure += hold.tokens
            self._broke = outcome.words.rstrip(".") if outcome else self._broke
        waiting, self._waiting = self._waiting, []
        for ended in waiting:
            if not ended.done():
                ended.set_result(None)

    def _refusal(self) -> BudgetReached:
        """With the server's fault where calls broke off and not one was replied to."""
        self.refused += 1
        error = BudgetReached(self.reached)
        if self._broke and not self._ratio:
            error.fault = (
                f"{self._broke}. Calls that broke off may have been paid for and took the budget of"
                f" {self.cap:,} tokens"
            )
        return error

    def _sentence(self, needed: int) -> str:
        if not self.taken:
            return too_small(self.cap, needed)
        unsure = f", {self.unsure:,} of them for calls that broke off," if self.unsure else ""
        why = f" The last one broke off since the server {self._broke}." if self._broke else ""
        return (
            f"The budget of {self.cap:,} tokens does not allow another call: {self.taken:,} were"
            f" taken{unsure} and the next may take {needed:,}.{why} Set a higher one to go on;"
            " replies that came so far are kept and cost nothing."
        )


def too_small(cap: int, needed: int) -> str:
    """What is said of a cap that allows no call at all."""
    return (
        f"A budget of {cap:,} tokens is too small for a single call, which may take {needed:,}. Set"
        f" {needed:,} or more."
    )
