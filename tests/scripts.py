"""A reader that answers from a list and remembers what it was asked. It complains when the list is empty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from gear_app.events import Emit
from gear_app.types import Passage, ProximalTriple, Reading, Rewriting, Triple, Verdict


@dataclass
class Script:
    """Answers in the order they will be asked for, one list a role; an exception in a list is raised."""

    readings: list[Reading] = field(default_factory=list)
    verdicts: list[Verdict | Exception] = field(default_factory=list)
    rewritings: list[Rewriting] = field(default_factory=list)
    asked: list[tuple[object, ...]] = field(default_factory=list)
    name: str = "script"

    def read(
        self,
        passages: Sequence[Passage],
        triples: Sequence[Triple],
        query: str,
        memory: Sequence[ProximalTriple] | None,
        emit: Emit,
    ) -> Reading:
        self.asked.append(("read", [p.key for p in passages], [t.id for t in triples], query, memory))
        return self.readings.pop(0)

    def reason(self, memory: Sequence[ProximalTriple], question: str, emit: Emit) -> Verdict:
        self.asked.append(("reason", list(memory), question))
        verdict = self.verdicts.pop(0)
        if isinstance(verdict, Exception):
            raise verdict
        return verdict

    def rewrite(self, memory: Sequence[ProximalTriple], question: str, reason: str, emit: Emit) -> Rewriting:
        self.asked.append(("rewrite", list(memory), question, reason))
        return self.rewritings.pop(0)
