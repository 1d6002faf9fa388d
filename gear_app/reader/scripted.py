"""A reader that replies from queues, for lessons and tests."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Sequence
from typing import Any, TypeVar

from gear_app.errors import ModelFailed
from gear_app.events import Emit
from gear_app.types import (
    DualThoughts,
    Passage,
    ProximalTriple,
    Reading,
    ReasoningChain,
    Rewriting,
    Style,
    Thinking,
    Triple,
    Verdict,
    Verification,
)

ScriptedReply = (
    Reading
    | Verdict
    | Rewriting
    | tuple[str, ...]
    | Thinking
    | DualThoughts
    | ReasoningChain
    | Verification
    | str
)
Reply = TypeVar("Reply")


class ScriptedReader:
    """Gives each role's replies in order; raises ModelFailed when none is left.

    `asked` lists the calls as (role, question or query, memory), for rewrite with the reason last.
    """

    name = "scripted reader"

    def __init__(self, replies: Iterable[ScriptedReply]) -> None:
        """Replies of all roles, told apart by their types: entities are a tuple, answers text."""
        self._replies: dict[type, deque[Any]] = {}
        for reply in replies:
            self._replies.setdefault(type(reply), deque()).append(reply)
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
        return self._next(("read", query, memory), Reading)

    def reason(
        self,
        memory: Sequence[ProximalTriple],
        question: str,
        emit: Emit,
        *,
        passed_over: Sequence[ProximalTriple] = (),
    ) -> Verdict:
        """The next verdict. Raises ModelFailed when none is left."""
        return self._next(("reason", question, memory), Verdict)

    def rewrite(
        self,
        memory: Sequence[ProximalTriple],
        question: str,
        reason: str,
        emit: Emit,
        *,
        passed_over: Sequence[ProximalTriple] = (),
        asked: Sequence[str] = (),
    ) -> Rewriting:
        """The next rewriting. Raises ModelFailed when none is left."""
        return self._next(("rewrite", question, memory, reason), Rewriting)

    def named_entities(self, question: str, known: Collection[str], emit: Emit) -> tuple[str, ...]:
        """The next entities. Raises ModelFailed when none are left."""
        return self._next(("named_entities", question), tuple)

    def think(
        self,
        passages: Sequence[Passage],
        triples: Sequence[Triple],
        question: str,
        thoughts: Sequence[Thinking],
        style: Style,
        emit: Emit,
    ) -> Thinking:
        """The next thought, whatever the style. Raises ModelFailed when none is left."""
        return self._next(("think", question, tuple(thoughts), style), Thinking)

    def dual_thoughts(
        self,
        passages: Sequence[Passage],
        triples: Sequence[Triple],
        question: str,
        thoughts: Sequence[DualThoughts],
        emit: Emit,
    ) -> DualThoughts:
        """The next two thoughts. Raises ModelFailed when none are left."""
        return self._next(("dual_thoughts", question, tuple(thoughts)), DualThoughts)

    def chain(
        self,
        passages: Sequence[Passage],
        triples: Sequence[Triple],
        question: str,
        because: Sequence[ProximalTriple],
        emit: Emit,
    ) -> ReasoningChain:
        """The next chain. Raises ModelFailed when none is left."""
        return self._next(("chain", question, tuple(because)), ReasoningChain)

    def verify(
        self,
        passages: Sequence[Passage],
        triples: Sequence[Triple],
        question: str,
        chain: ReasoningChain,
        emit: Emit,
    ) -> Verification:
        """The next verification. Raises ModelFailed when none is left."""
        return self._next(("verify", question, chain, tuple(p.id for p in passages)), Verification)

    def answer(
        self, passages: Sequence[Passage], triples: Sequence[Triple], question: str, emit: Emit
    ) -> str:
        """The next answer. Raises ModelFailed when none is left."""
        return self._next(("answer", question, tuple(p.id for p in passages)), str)

    def _next(self, asked: tuple[object, ...], kind: type[Reply]) -> Reply:
        self.asked.append(asked)
        replies: deque[Reply] = self._replies.get(kind, deque())
        if not replies:
            raise ModelFailed(
                f"The script has no reply left for '{asked[0]}'. It was asked: {asked[1]}"
            )
        return replies.popleft()
