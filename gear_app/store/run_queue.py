"""The queue of runs: whose turn is next, and how many places there are. It is fair among those who
ask. Which runs wait stands in the table of runs (`queue` and `claim_next` of store.runs).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from gear_app.store.evaluations import OWNER

# Runs that may be under way at once. They compute in turns, so that more than one are there only
# while some wait for a server.
AT_ONCE = 32  # of those that ask a language model, and as many of the others
OF_ONE = 4  # of one person's that ask a language model
# Runs of one evaluation: they share a budget, and none is to be slower because of another.
OF_EVALUATION = 1


class FreePlaces:
    """The places that are left beside the runs that are under way."""

    def __init__(self, under_way: Iterable[tuple[str, bool]]) -> None:
        """Runs are told by their owner, and whether they ask a language model."""
        self._taken = Counter(under_way)

    def take(self, owner: str, asks: bool) -> bool:
        """Give a run one; False where there is none for it."""
        most = OF_EVALUATION if owner.startswith(OWNER) else OF_ONE if asks else AT_ONCE
        of_kind = sum(taken for (_, other), taken in self._taken.items() if other == asks)
        if of_kind >= AT_ONCE or self._taken[owner, asks] >= most:
            return False
        self._taken[owner, asks] += 1
        return True


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
