"""Whose turn it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def fair(queued: Sequence[tuple[str, int]], last: Mapping[str, float]) -> list[int]:
    """Put (owner, number) pairs in turns: owners in order of their last turn, one run each, again
    and again.

    >>> fair([("a", 1), ("a", 2), ("b", 3), ("a", 4)], {"a": 9.0, "b": 5.0})
    [3, 1, 2, 4]
    """
    waiting: dict[str, list[int]] = {}
    for owner, number in queued:
        waiting.setdefault(owner, []).append(number)
    owners = sorted(waiting, key=lambda owner: (last.get(owner, 0.0), waiting[owner][0]))
    turns = max((len(numbers) for numbers in waiting.values()), default=0)
    return [
        waiting[owner][turn]
        for turn in range(turns)
        for owner in owners
        if turn < len(waiting[owner])
    ]
