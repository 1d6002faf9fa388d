"""Gold passages that are not in their collection: no method can find them, and they count all the
same, so that a question never gets easier by what is missing.
"""

from __future__ import annotations

from collections.abc import Container
from statistics import fmean
from typing import NamedTuple

from gear_app.store import Store
from gear_app.store.rows import CollectionRow
from gear_app.text import count


class MissingGold(NamedTuple):
    """Of the `gold` passages of some questions so many `passages` are not in the collection. `cap`
    is what mean recall can be at most.
    """

    passages: int = 0
    gold: int = 0
    cap: float = 1.0

    @property
    def words(self) -> str:
        """What is said of it; "" where nothing is missing."""
        if not self.passages:
            return ""
        are = "is" if self.passages == 1 else "are"
        return (
            f"{self.passages:,} of {count(self.gold, 'gold passage')} {are} not in the collection:"
            f" recall cannot exceed {100 * self.cap:.1f} %"
        )


def missing_gold(store: Store, collection: CollectionRow, questions: Container[str]) -> MissingGold:
    """What is missing of the gold of these questions, by their ids. Of a collection in a cluster it
    is not known, and nothing is said.
    """
    if collection.cluster:
        return MissingGold()
    gold = {
        one.id: len(one.grades)
        for one in store.questions.of(collection.id)
        if one.id in questions and one.supporting_keys
    }
    missing = store.questions.gold_not_there(collection.id)
    if not gold:
        return MissingGold()
    return MissingGold(
        sum(missing.get(id_, 0) for id_ in gold),
        sum(gold.values()),
        fmean(1 - missing.get(id_, 0) / number for id_, number in gold.items()),
    )
