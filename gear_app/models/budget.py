"""What calls cost: prices, and a hard cap in tokens for a run, an extraction job or an evaluation.

Before a call the most it can take is reserved, afterwards what the server counted is spent; so the
sum stays below the cap however many calls are under way. Stored replies reserve and take nothing.
"""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple

from gear_app.models.errors import BudgetReached, Fault
from gear_app.models.messages import estimated_tokens
from gear_app.trace.events import Called

_DATED = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{4})$")  # gpt-4o-mini-2024-07-18
LEAST_RATIO = 1.25  # of counted to estimated input
# Tokens that a server may put around a prompt: marks of roles, a system prompt of its own.
OVERHEAD = 64
CHECK_S = 0.05  # between two checks whether a call fits


class Price(NamedTuple):
    """Dollars for a million tokens."""

    input: float
    output: float


def cost(
    table: Mapping[str, Price], model: str, input_tokens: float, output_tokens: float
) -> float | None:
    """Dollars; None where the table does not know the model, with or without a date at its end."""
    price = table.get(model) or table.get(_DATED.sub("", model))
    if price is None:
        return None
    return (price.input * input_tokens + price.output * output_tokens) / 1_000_000


class Budget:
    """The tokens that may be spent, those spent, and those reserved for calls under way.

    Used on the event loop of the calls alone. Once a call did not fit none is let through: a
    method must not go on with its small calls and without large ones.
    """

    def __init__(self, cap: int, spent: int = 0) -> None:
        """`spent`: tokens spent before, where a job goes on that was begun already."""
        self.cap, self.spent = cap, spent
        self.reached = ""  # the sentence, once a call did not fit
        self.refused = 0  # calls
        self.reserved = 0  # tokens, for calls under way
        self._ratio = 0.0  # of counted to estimated input, the worst seen; 0: nothing was counted
        self._longest = 0  # reply: a server may not keep to the limit

    def largest(self, prompt: str, limit: int) -> int:
        """The most that a call with this prompt and this limit of the reply can take.

        Before anything was counted a prompt counts as many tokens as it has bytes; no tokenizer
        makes more of it.
        """
        input_tokens = len(prompt.encode("utf-8", "replace")) + OVERHEAD
        if self._ratio:
            input_tokens = math.ceil(
                (estimated_tokens(prompt) + OVERHEAD) * max(LEAST_RATIO, self._ratio)
            )
        return input_tokens + max(limit, self._longest)

    def reserve(self, prompt: str, limit: int) -> int | None:
        """Reserve the tokens a call can take; None where it may fit once one under way has ended.

        The first call goes alone: how its server counts corrects what is reserved for the others.
        Raises BudgetReached where it cannot fit.
        """
        tokens = self.largest(prompt, limit)
        if (
            not self.reached
            and self.spent + self.reserved + tokens <= self.cap
            and (self._ratio or not self.reserved)
        ):
            self.reserved += tokens
            return tokens
        if self.reserved and not self.reached:
            return None
        self.reached = self.reached or (
            f"The budget of {self.cap:,} tokens does not allow another call: {self.spent:,} were"
            f" spent and the next may take {tokens:,}. Set a higher one to go on; replies that came"
            " so far are kept and cost nothing."
        )
        self.refused += 1
        raise BudgetReached(self.reached)

    async def spend(self, prompt: str, limit: int, call: Callable[[], Awaitable[Called]]) -> Called:
        """The reply to the call, which waits until it fits beside the calls under way.

        Raises BudgetReached, and Fault as the call does.
        """
        while (reserved := self.reserve(prompt, limit)) is None:
            await asyncio.sleep(CHECK_S)
        spent = reserved  # a call that is cancelled, or breaks off, may be charged for
        try:
            reply = await call()
            spent = reply.input_tokens + reply.output_tokens
            self._ratio = max(
                self._ratio, reply.input_tokens / (estimated_tokens(prompt) + OVERHEAD)
            )
            self._longest = max(self._longest, reply.output_tokens)
            return reply
        except Fault as fault:
            spent = 0 if fault.status is not None else reserved
            raise
        finally:
            self.reserved -= reserved
            self.spent += spent
