"""A single-step method whose lists were decided beforehand, and a reader that remembers what it was
shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gear_app.errors import ModelFailed
from gear_app.events import Emit, Retrieved
from gear_app.reader.scripted import ScriptedReader
from gear_app.retrievers import lookup
from gear_app.retrievers.base import SingleStep
from gear_app.types import Hit, Passage, Ranking, Triple
from tests.small import SmallWorld


class Canned:
    """Gives each query its list of keys with scores 1, 1/2, 1/3, …; fails at queries that it has no
    list for.
    """

    def __init__(self, world: SmallWorld, lists: dict[str, str]) -> None:
        self._index = world.index
        self._lists = {
            query: [world.passage(key).id for key in keys.split()] for query, keys in lists.items()
        }
        self.asked: list[tuple[str, int]] = []

    def retrieve(self, query: str, k: int, emit: Emit) -> Ranking:
        self.asked.append((query, k))
        if query not in self._lists:
            raise ModelFailed(f"nothing is known about {query!r}")
        ranking = Ranking(
            tuple(Hit(id_, round(1 / n, 6)) for n, id_ in enumerate(self._lists[query], start=1))
        )
        emit(Retrieved(query, "canned", lookup.ranked_passages(self._index, ranking, depth=k)))
        return ranking

    @property
    def step(self) -> SingleStep:
        return SingleStep(self, "canned", by_rank=True)


class Watched(ScriptedReader):
    """As ScriptedReader; `shown` are the passages' ids and the triples' passages' ids of every
    call.
    """

    def __init__(self, replies: Sequence[Any]) -> None:
        super().__init__(replies)
        self.shown: list[tuple[str, tuple[int, ...], tuple[int, ...]]] = []

    def think(self, passages: Sequence[Passage], triples: Sequence[Triple], *rest: Any) -> Any:
        self._show("think", passages, triples)
        return super().think(passages, triples, *rest)

    def dual_thoughts(
        self, passages: Sequence[Passage], triples: Sequence[Triple], *rest: Any
    ) -> Any:
        self._show("dual_thoughts", passages, triples)
        return super().dual_thoughts(passages, triples, *rest)

    def chain(self, passages: Sequence[Passage], triples: Sequence[Triple], *rest: Any) -> Any:
        self._show("chain", passages, triples)
        return super().chain(passages, triples, *rest)

    def verify(self, passages: Sequence[Passage], triples: Sequence[Triple], *rest: Any) -> Any:
        self._show("verify", passages, triples)
        return super().verify(passages, triples, *rest)

    def _show(self, role: str, passages: Sequence[Passage], triples: Sequence[Triple]) -> None:
        self.shown.append(
            (
                role,
                tuple(p.id for p in passages),
                tuple(dict.fromkeys(t.passage_id for t in triples)),
            )
        )


def keys(lines: Sequence[Any]) -> str:
    """The keys of ranked passages, in one line."""
    return " ".join(line.key for line in lines)
