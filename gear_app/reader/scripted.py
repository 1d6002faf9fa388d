"""A reader that answers from queues, for lessons and tests: what it says was decided beforehand."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import TypeVar

from gear_app.errors import ModelFailed
from gear_app.events import Emit
from gear_app.types import Passage, ProximalTriple, Reading, Rewriting, Triple, Verdict

Reply = TypeVar("Reply", Reading, Verdict, Rewriting)


class ScriptedReader:
    """Gives each role's replies in order and complains when none is left.

    `asked` remembers what it was asked, as (role, question or query, memory), for rewrite with the reason at the end.
    """

    name = "scripted reader"

    def __init__(self, replies: Iterable[Reading | Verdict | Rewriting]) -> None:
        """Replies of all roles in one list; each goes to its role's queue."""
        given = list(replies)
        self._readings = deque(reply for reply in given if isinstance(reply, Reading))
        self._verdicts = deque(reply for reply in given if isinstance(reply, Verdict))
        self._rewritings = deque(reply for reply in given if isinstance(reply, Rewriting))
        self.asked: list[tuple[object, ...]] = []

    def read(
        self,
        passages: Sequence[Passage],
        triples: Sequence[Triple],
        query: str,
        memory: Sequence[ProximalTriple] | None,
        emit: Emit,
    ) -> Reading:
        """The next reading, whatever is read. Raises ModelFailed when none is left."""
        return self._next(("read", query, memory), self._readings)

    def reason(self, memory: Sequence[ProximalTriple], question: str, emit: Emit) -> Verdict:
        """The next verdict. Raises ModelFailed when none is left."""
        return self._next(("reason", question, memory), self._verdicts)

    def rewrite(self, memory: Sequence[ProximalTriple], question: str, reason: str, emit: Emit) -> Rewriting:
        """The next rewriting. Raises ModelFailed when none is left."""
        return self._next(("rewrite", question, memory, reason), self._rewritings)

    def _next(self, asked: tuple[object, ...], replies: deque[Reply]) -> Reply:
        self.asked.append(asked)
        if not replies:
            raise ModelFailed(f"The script has no reply left for '{asked[0]}'. It was asked: {asked[1]}")
        return replies.popleft()
