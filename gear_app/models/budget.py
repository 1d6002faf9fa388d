"""A hard cap in tokens for a run, an extraction job or an evaluation.

Before a call the most it can take is reserved, afterwards what the server counted is taken; so the
sum stays below the cap however many calls are under way. Stored replies reserve and take nothing.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, NamedTuple

from gear_app.models.errors import BudgetReached, Fault
from gear_app.models.prices import estimated_tokens
from gear_app.models.reply import Reply

if TYPE_CHECKING:
    import asyncio

LEAST_RATIO = 1.25  # of counted to estimated input
# Tokens that a server may put around a prompt: marks of roles, a system prompt of its own.
OVERHEAD = 64


class Reservation(NamedTuple):
    """The estimated tokens of a call's prompt, and all tokens that are reserved for the call."""

    prompt: int
    tokens: int


class Budget:
    """The tokens that may be taken, those taken, and those reserved for calls under way.

    Used on the event loop of the calls alone. Once a call did not fit none is let through: a
    method must not go on with its small calls and without large ones.
    """

    def __init__(self, cap: int, taken: int = 0) -> None:
        """`taken`: tokens taken before, where a job goes on that was begun already."""
        self.cap, self.taken = cap, taken
        self.reached = ""  # the sentence, once a call did not fit
        self.refused = 0  # calls
        self._reserved = 0
        self._ratio = 0.0  # the worst seen; 0: nothing was counted yet
        self._longest = 0  # reply: a server may not keep to the limit
        self._ending: asyncio.Event | None = None  # set when a call has ended that others wait for

    @property
    def left(self) -> int:
        """Tokens that are neither taken nor reserved."""
        return max(0, self.cap - self.taken - self._reserved)

    def largest(self, prompt: str, limit: int) -> Reservation:
        """The most that a call with this prompt and this limit of the reply can take.

        Before anything was counted a prompt is taken to have as many tokens as bytes; no tokenizer
        makes more of it.
        """
        estimated = estimated_tokens(prompt) + OVERHEAD
        input_tokens = len(prompt.encode("utf-8", "replace")) + OVERHEAD
        if self._ratio:
            input_tokens = math.ceil(estimated * max(LEAST_RATIO, self._ratio))
        return Reservation(estimated, input_tokens + max(limit, self._longest))

    def reserve(self, prompt: str, limit: int) -> Reservation | None:
        """Reserve what a call can take; None where it may fit once a call under way has ended.

        The first call goes alone: how its server counts corrects what is reserved for the others.
        Raises BudgetReached where it cannot fit.
        """
        reservation = self.largest(prompt, limit)
        fits = not self.reached and reservation.tokens <= self.left
        if fits and (self._ratio or not self._reserved):
            self._reserved += reservation.tokens
            return reservation
        if self._reserved and not self.reached:
            return None
        self.reached = self.reached or self._sentence(reservation.tokens)
        self.refused += 1
        raise BudgetReached(self.reached)

    async def spend(self, prompt: str, limit: int, call: Callable[[], Awaitable[Reply]]) -> Reply:
        """The reply to the call, which waits until it fits beside the calls under way.

        Raises BudgetReached, and Fault as the call does.
        """
        from asyncio import Event

        while (reservation := self.reserve(prompt, limit)) is None:
            self._ending = self._ending or Event()
            await self._ending.wait()
        outcome: Reply | Fault | None = None
        try:
            outcome = await call()
            return outcome
        except Fault as fault:
            outcome = fault
            raise
        finally:
            self.charge(reservation, outcome)

    def charge(self, reservation: Reservation, outcome: Reply | Fault | None) -> None:
        """Take what the call took; where it may have been charged for, all that was reserved.

        `outcome` None: the call was cancelled.
        """
        self._reserved -= reservation.tokens
        if isinstance(outcome, Reply):
            self.taken += outcome.input_tokens + outcome.output_tokens
            self._ratio = max(self._ratio, outcome.input_tokens / reservation.prompt)
            self._longest = max(self._longest, outcome.output_tokens)
        elif outcome is None or outcome.status is None:
            self.taken += reservation.tokens
        if self._ending:
            self._ending.set()
            self._ending = None

    def _sentence(self, needed: int) -> str:
        if not self.taken:
            return (
                f"A budget of {self.cap:,} tokens is too small for a single call, which may take"
                f" {needed:,}. Set {needed:,} or more."
            )
        return (
            f"The budget of {self.cap:,} tokens does not allow another call: {self.taken:,} were"
            f" taken and the next may take {needed:,}. Set a higher one to go on; replies that came"
            " so far are kept and cost nothing."
        )
