"""What is in a workspace's collections: passages, here or in a cluster, questions with their gold,
and a collection at a glance: its counts, what is ready of its triple sets, the method it is asked
by, and the gold passages that it lacks.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING

from gear_app.core.errors import BadInput, Unknown
from gear_app.core.text import count, normalise_entity, question_words
from gear_app.core.types import Passage, Question, Triple
from gear_app.store import Store
from gear_app.store.collections import check_all_here
from gear_app.store.rows import (
    CollectionInfo,
    CollectionRow,
    JobInfo,
    RunInfo,
    SetRow,
    TripleSetInfo,
)
from gear_app.workspace.collections.curation import Curation
from gear_app.workspace.connection import Connection, Service

if TYPE_CHECKING:
    from gear_app.models.suggestions import Suggestion
    from gear_app.workspace.corpus.remote import RemoteIndices

USUAL, LINKS = "gear", "chain"
IMPORT = "import"  # the maker of triples that came with their passages: of as many as they are of
TYPED = "q_"  # ids of questions written here begin so
MOST_TRIPLES, MOST_PASSAGES = 20_000, 2_000  # that questions are suggested from


class CollectionService(Service):
    """A workspace's collections, each by its name: `workspace.collections["demo"]`."""

    def __init__(self, connection: Connection, in_cluster: Callable[[], RemoteIndices]) -> None:
        super().__init__(connection)
        self._in_cluster = in_cluster

    def __getitem__(self, name: str) -> Collection:
        """One collection. Raises Unknown."""
        return Collection(self.connection, self._store.collections.get(name), self._in_cluster)

    def all(self) -> list[CollectionInfo]:
        """All collections, by name, with what is in them."""
        return [overview(self._store, row) for row in self._store.collections.all()]

    def get(self, name: str) -> CollectionInfo:
        """One collection with what is in it. Raises Unknown."""
        return overview(self._store, self._store.collections.get(name))

    def passage(self, passage_id: int) -> Passage:
        """A passage, also a retired one, or one in a cluster, which is asked for it.

        Raises Unknown and ClusterFailed.
        """
        passage = self._store.passages.with_ids([passage_id]).get(passage_id)
        passage = passage or self._in_cluster().passage(passage_id)
        if passage is None:
            raise Unknown("passage", str(passage_id))
        return passage

    def label(self, passage: Passage) -> str:
        """Label of a passage: its title, with its place among others of it; else its key."""
        return self._store.passages.labels([passage.id]).get(passage.id) or passage.name


@dataclass(eq=False)
class Collection(Service):
    """A collection as it was when it was looked up."""

    row: CollectionRow
    in_cluster: Callable[[], RemoteIndices]

    def curation(self, triples: str | None = None) -> Curation:
        """The corrections by hand of a triple set, by default of the active one. Raises Unknown,
        and BadInput where there is none.
        """
        row, collections = self.row, self._store.collections
        if not collections.sets(row.id):
            raise BadInput(
                f"“{row.name}” has no triples yet. Extract or import some; they can be corrected"
                " then."
            )
        set_ = collections.find_set(row.id, triples or row.active_set_id)
        set_ = set_ or collections.get_set(row.id, triples or "")
        return Curation(self.connection, set_)

    def activate(self, triples: str) -> None:
        """Choose the triple set that runs use unless told otherwise."""
        set_id = self._store.collections.get_set(self.row.id, triples).id
        self._store.collections.change(self.row.id, active_set_id=set_id)

    def delete_document(self, document_id: int) -> None:
        """Retire a document with its passages and triples; runs made before can still be replayed.
        A passage that another document states in the same words is that document's from now on.
        Raises Unknown.
        """
        if document_id not in [document.id for document in self._store.documents.of(self.row.id)]:
            raise Unknown("document", str(document_id))
        with self._store.transaction():
            revision = self._store.collections.raise_revision(self.row.id, passages=True)
            self._store.documents.retire(document_id, revision)

    def passages(self, words: str = "", limit: int = 100) -> list[Passage]:
        """Passages that have all of the words in key, title or text, in any order: the one with
        this key first, then those with all in the title. In a cluster, words with these beginnings.
        """
        if self.row.cluster:
            return self.in_cluster().passages_with(self.row, words, limit)
        return self._store.passages.search(self.row.id, words, limit)

    def every_passage(self) -> Iterator[Passage]:
        """All passages of a collection, oldest first, read one by one. Raises Unknown."""
        check_all_here(self.row)
        return self._store.passages.each(self.row.id)

    def passage_by_key(self, key: str) -> Passage:
        """The passage with this key, or with another id under which its content was handed in.
        Raises Unknown.
        """
        key = self._store.passages.aliases(self.row.id, [key]).get(key, key)
        return self._by_key([key])[key]

    def triples(self, triples: str, words: str = "", limit: int = 100) -> list[Triple]:
        """Triples of a set whose words contain these. Raises Unknown and NotReady."""
        check_all_here(self.row)
        set_ = self._store.collections.get_set(self.row.id, triples)
        return self._store.triples.search(set_.id, words, limit)

    def questions(self) -> list[Question]:
        """A collection's questions, in the order they came."""
        return self._store.questions.of(self.row.id)

    def save_question(self, question: Question) -> Question:
        """Keep a question as it is given; one with its id is replaced, one without gets one.

        Runs of the earlier words keep them; those of its words have its gold now, but for gold that
        came with a question (is_markable). Raises BadInput where there are no words, or another
        question has the same, and Unknown where a gold passage is not there.
        """
        words = question_words(question.question)
        if not normalise_entity(words):
            raise BadInput("There is no question. Type one.")
        duplicate = self._store.questions.find(self.row.id, words)
        if duplicate is not None and duplicate.id != question.id:
            raise BadInput(f"There is a question with these words already: “{duplicate.question}”.")
        before = self._store.questions.with_ids(self.row.id, [question.id]).get(question.id)
        # imported gold may be of no passage here
        gold_before = before.supporting_keys if before else ()
        self._by_key([key for key in question.supporting_keys if key not in gold_before])
        id_ = question.id or TYPED + hashlib.blake2b(words.encode(), digest_size=6).hexdigest()
        saved = replace(question, id=id_, question=words)
        gold = saved.supporting_keys
        with self._store.transaction():
            self._store.questions.save(self.row.id, [saved])
            marked = [words] if gold_before or gold else []
            for run in self._store.runs.of_questions(self.row.id, marked):
                if is_markable(run, saved) and tuple(run.gold) != gold:
                    self._store.runs.mark_gold(run.id, gold)
        return saved

    def delete_question(self, question_id: str) -> None:
        """Take a question out. Raises Unknown."""
        if not self._store.questions.delete(self.row.id, question_id):
            raise Unknown("question", question_id)

    def set_gold(self, text: str, keys: Sequence[str]) -> Question:
        """Mark passages, by key, as the gold of a question and of its runs, but for gold that came
        with a question (is_markable); the question is kept if it was not. Raises Unknown.
        """
        question = self._store.questions.find(self.row.id, text) or Question("", text)
        grades = {key: question.grades.get(key, 1) for key in keys}
        return self.save_question(question.with_gold(grades))

    def suggestions(self, limit: int = 10) -> list[Suggestion]:
        """Questions that templates make of `suggestion_sources`, the best first."""
        from gear_app.models.suggestions import suggest

        return suggest(*self.suggestion_sources(), limit)

    def suggestion_sources(self) -> tuple[list[Triple], list[Passage]]:
        """What questions are suggested from: the triples of the active set, if there is one, and
        the passages; of a large collection the first, and those of the triples. Raises NotReady for
        a collection in a cluster.
        """
        check_all_here(self.row)
        triples = self._store.triples.after(self.row.active_set_id or 0, 0, MOST_TRIPLES)
        stating = self._store.passages.with_ids([triple.passage_id for triple in triples])
        first = self._store.passages.after(self.row.id, 0, MOST_PASSAGES)
        return triples, list(dict.fromkeys([*first, *stating.values()]))

    def _by_key(self, keys: Sequence[str]) -> dict[str, Passage]:
        if self.row.cluster:
            passages = self.in_cluster().passages_with_keys(self.row, keys)
        else:
            passages = self._store.passages.by_key(self.row.id, keys)
        if missing := [key for key in keys if key not in passages]:
            raise Unknown("passage", missing[0])
        return passages


def is_markable(run: RunInfo, question: Question | None) -> bool:
    """Whether the gold of a run can be marked by hand: not where it came with the collection's
    question. None: there is no such question, or no collection; the run's own can be marked.
    """
    if not run.gold or run.gold_marked is not None or question is None:
        return True
    return question.id.startswith(TYPED) or not (question.answers or question.type)


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
    counts = store.passages.counts(row.id)
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
    imported = set_.maker == IMPORT
    kinds = {job.kind for job in jobs if job.going and job.set_id == set_.id}
    ready = "searchable; vectors and synonyms follow" if "vectors" in kinds else "ready"
    if collection.cluster:
        states["passages_done"], triples = passages, set_.triples_there
        ready = f"ready, in the cluster {collection.cluster}"
    elif imported:
        states["passages_without"] += passages - states["passages_done"]
    done = states["passages_done"]
    if "extraction" in kinds:
        ready = f"extracting: {done:,} of {passages:,} passages searchable"
    elif not imported and done + states["passages_failed"] < passages:
        ready = f"unfinished: {done:,} of {passages:,} passages extracted"
    return TripleSetInfo(
        **asdict(set_),
        **states,
        triples=triples,
        active=set_.id == collection.active_set_id,
        ready=ready,
        models=tuple(store.tasks.models(set_.id)),
    )


def missing_gold(
    store: Store, collection: CollectionRow, questions: Container[str]
) -> tuple[int, int, float]:
    """Numbers of gold passages of these questions, by their ids, that are not in the collection,
    and of all; and what mean recall can be at most. Of a collection in a cluster it is not known,
    and none is missing.
    """
    counts = [] if collection.cluster else store.questions.gold_counts(collection.id)
    gold = [(number, missing) for id_, number, missing in counts if id_ in questions]
    shares = [1 - missing / number for number, missing in gold]  # that can be found
    missing = sum(missing for _, missing in gold)
    return missing, sum(number for number, _ in gold), fmean(shares or [1.0])


def missing_words(missing: int, gold: int, cap: float) -> str:
    """Sentence on missing gold (`missing_gold`); "" where nothing is missing."""
    are = f"{count(gold, 'gold passage')} {'is' if missing == 1 else 'are'}"
    sentence = f"{missing:,} of {are} not in the collection: recall cannot exceed {100 * cap:.1f} %"
    return sentence if missing else ""
