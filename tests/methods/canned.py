"""A single-step method whose lists were decided beforehand, and what a scripted reader was asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gear_app.core.errors import ModelFailed
from gear_app.core.types import Hit, Ranking
from gear_app.methods import lookup
from gear_app.models.reader.roles import (
    ANALYSE,
    ANSWER,
    CHAIN,
    DUAL_THOUGHTS,
    READ,
    READ_GIST,
    THINK,
    VERIFY,
)
from gear_app.trace.events import Emit, Retrieved
from tests.scripted import ScriptedReader
from tests.small import SmallWorld


class Canned:
    """Gives each query its list of keys with scores 1, 1/2, 1/3, …; fails at queries that it has no
    list for.
    """

    name = full_name = "canned"
    by_rank = True

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


def asked(reader: ScriptedReader) -> list[tuple[Any, ...]]:
    """What a reader was asked: the role, the question, and what it is given besides passages."""
    return [
        (request.role, request.question, *(getattr(request, name) for name in _GIVEN[request.role]))
        for request in reader.requests
    ]


_GIVEN = {
    "read": ("memory",),
    "reason": ("memory",),
    "rewrite": ("memory", "reason"),
    "named_entities": (),
    "think": ("thoughts", "style"),
    "dual_thoughts": ("thoughts",),
    "chain": ("memory",),
    "verify": ("chain",),
}

_READING = (READ, READ_GIST, THINK, DUAL_THOUGHTS, CHAIN, VERIFY, ANALYSE, ANSWER)


def shown(reader: ScriptedReader) -> list[tuple[str, tuple[int, ...], tuple[int, ...]]]:
    """The passages' ids, and the triples' passages' ids, of everything a reader was asked."""
    return [
        (
            request.role,
            tuple(passage.id for passage in request.passages),
            tuple(dict.fromkeys(triple.passage_id for triple in request.triples)),
        )
        for request in reader.requests
        if request.asks in _READING
    ]


def keys(lines: Sequence[Any]) -> str:
    """The keys of ranked passages, in one line."""
    return " ".join(line.key for line in lines)
