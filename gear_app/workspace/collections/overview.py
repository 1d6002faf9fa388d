"""A collection at a glance: counts, triple sets with what is ready of them, unfinished imports, and
the gold passages that it lacks. Those no method can find, and they count all the same, so that a
question never gets easier by what is missing.
"""

from __future__ import annotations

from collections.abc import Container
from statistics import fmean
from typing import NamedTuple

from gear_app.core.text import count
from gear_app.store import Store
from gear_app.store.extractions import PassageCounts
from gear_app.store.rows import (
    CollectionInfo,
    CollectionRow,
    JobInfo,
    SetRow,
    TripleSetInfo,
)


def overview(store: Store, row: CollectionRow) -> CollectionInfo:
    """A collection with its triple sets."""
    counts = store.passages.counts(row.id)
    if row.cluster:
        counts = counts._replace(passages=row.passages_there)
    jobs = store.tasks.unfinished(row.id)
    sets = [
        _set(store, row, set_, counts.passages, jobs) for set_ in store.collections.sets(row.id)
    ]
    return CollectionInfo(
        name=row.name,
        documents=counts.documents,
        passages=counts.passages,
        questions=counts.questions,
        triple_sets=sets,
        revision=row.revision,
        max_iterations=row.max_iterations,
        created=row.created,
        unfinished_imports=store.tasks.imports(row.id),
        cluster=row.cluster,
        recorded=bool(row.recorded),
    )


def _set(
    store: Store, collection: CollectionRow, set_: SetRow, passages: int, jobs: list[JobInfo]
) -> TripleSetInfo:
    if collection.cluster:
        return TripleSetInfo(
            name=set_.name,
            triples=set_.triples_there,
            passages_done=passages,
            passages_without=0,
            passages_failed=0,
            active=set_.id == collection.active_set_id,
            maker=set_.maker,
            ready=f"ready, in the cluster {collection.cluster}",
        )
    states = store.extractions.counts(set_.id)
    done = states.done
    imported = set_.maker == "import"
    return TripleSetInfo(
        name=set_.name,
        triples=store.triples.count(set_.id),
        passages_done=done,
        passages_without=passages - done + states.empty if imported else states.empty,
        passages_failed=states.failed,
        active=set_.id == collection.active_set_id,
        maker=set_.maker,
        ready=_ready(states, passages, imported, [job for job in jobs if job.set_id == set_.id]),
        passages_short=states.short,
        parts_dropped=states.dropped,
        models=tuple(store.tasks.models(set_.id)),
    )


def _ready(states: PassageCounts, passages: int, imported: bool, jobs: list[JobInfo]) -> str:
    extracting = [job for job in jobs if job.kind == "extraction"]
    encoding = [job for job in jobs if job.kind == "vectors"]
    done = states.done
    if extracting:
        return f"extracting: {done:,} of {passages:,} passages searchable"
    if not imported and done + states.failed < passages:
        return f"unfinished: {done:,} of {passages:,} passages extracted"
    if encoding:
        return "searchable; vectors and synonyms follow"
    return "ready"


class MissingGold(NamedTuple):
    """Number of `passages` among the `gold` of some questions that are not in the collection. `cap`
    is what mean recall can be at most.
    """

    passages: int = 0
    gold: int = 0
    cap: float = 1.0

    @property
    def words(self) -> str:
        """Sentence on missing gold; "" where nothing is missing."""
        if not self.passages:
            return ""
        are = "is" if self.passages == 1 else "are"
        return (
            f"{self.passages:,} of {count(self.gold, 'gold passage')} {are} not in the collection:"
            f" recall cannot exceed {100 * self.cap:.1f} %"
        )


def missing_gold(store: Store, collection: CollectionRow, questions: Container[str]) -> MissingGold:
    """Missing gold of these questions, by their ids. Of a collection in a cluster it
    is not known, and nothing is said.
    """
    if collection.cluster:
        return MissingGold()
    passages = gold = 0
    shares: list[float] = []  # that can be found, of each question
    for id_, number, missing in store.questions.gold_counts(collection.id):
        if id_ in questions:
            passages, gold = passages + missing, gold + number
            shares.append(1 - missing / number)
    return MissingGold(passages, gold, fmean(shares)) if shares else MissingGold()
