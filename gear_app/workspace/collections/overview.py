"""A collection at a glance: counts, triple sets with what is ready of them, unfinished imports, the
method it is asked by, and the gold passages that it lacks. Those no method can find, and they count
all the same, so that a question never gets easier by what is missing.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import asdict
from statistics import fmean
from typing import NamedTuple

from gear_app.core.text import count
from gear_app.store import Store
from gear_app.store.extractions import PassageCounts
from gear_app.store.rows import CollectionInfo, CollectionRow, JobInfo, SetRow, TripleSetInfo

USUAL, LINKS = "gear", "chain"
IMPORT = "import"  # the maker of triples that came with their passages: of as many as they are of


def first_method(collection: CollectionInfo | None) -> str:
    """The method that a collection is asked by where nobody chose one, on the page and on the
    command line: one that ranks passages by what they name until there are triples and their
    extraction has ended, and where the triples are the local extractor's, which finds few in
    everyday text. The usual one for a collection that is not there.
    """
    if collection is None:
        return USUAL
    sets = [
        set_
        for set_ in collection.triple_sets
        if set_.triples
        and (
            set_.maker == IMPORT or set_.passages_done + set_.passages_failed >= collection.passages
        )
    ]
    local = any(set_.active and set_.maker == "local" for set_ in sets)
    return LINKS if local or not sets else USUAL


def overview(store: Store, row: CollectionRow) -> CollectionInfo:
    """A collection with its triple sets."""
    counts = store.passages.counts(row.id)._asdict()
    if row.cluster:
        counts["passages"] = row.passages_there
    jobs = store.tasks.jobs(row.id)[::-1]
    sets = [
        _set(store, row, set_, counts["passages"], jobs) for set_ in store.collections.sets(row.id)
    ]
    imports = [
        job for job in jobs if job.kind == "import" and job.state != "done" and not job.undone
    ]
    return CollectionInfo(**asdict(row), **counts, triple_sets=sets, unfinished_imports=imports)


def _set(
    store: Store, collection: CollectionRow, set_: SetRow, passages: int, jobs: list[JobInfo]
) -> TripleSetInfo:
    states, triples = store.extractions.counts(set_.id), store.triples.count(set_.id)
    without = states.empty
    if collection.cluster:
        states, triples = states._replace(done=passages), set_.triples_there
    elif set_.maker == IMPORT:
        without += passages - states.done
    kinds = {job.kind for job in jobs if job.going and job.set_id == set_.id}
    return TripleSetInfo(
        **asdict(set_),
        triples=triples,
        passages_done=states.done,
        passages_without=without,
        passages_failed=states.failed,
        active=set_.id == collection.active_set_id,
        ready=_ready(collection, set_, states, passages, kinds),
        passages_short=states.short,
        parts_dropped=states.dropped,
        models=tuple(store.tasks.models(set_.id)),
    )


def _ready(
    collection: CollectionRow, set_: SetRow, states: PassageCounts, passages: int, kinds: set[str]
) -> str:
    """Readiness of a set whose jobs of these kinds are unfinished, in words."""
    if collection.cluster:
        return f"ready, in the cluster {collection.cluster}"
    if "extraction" in kinds:
        return f"extracting: {states.done:,} of {passages:,} passages searchable"
    if set_.maker != IMPORT and states.done + states.failed < passages:
        return f"unfinished: {states.done:,} of {passages:,} passages extracted"
    return "searchable; vectors and synonyms follow" if "vectors" in kinds else "ready"


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
    counts = [] if collection.cluster else store.questions.gold_counts(collection.id)
    gold = [(number, missing) for id_, number, missing in counts if id_ in questions]
    if not gold:
        return MissingGold()
    cap = fmean(1 - missing / number for number, missing in gold)  # the share that can be found
    return MissingGold(sum(missing for _, missing in gold), sum(n for n, _ in gold), cap)
