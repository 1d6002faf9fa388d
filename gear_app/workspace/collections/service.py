"""What is in a workspace: collections with documents, passages, triples, entities and questions."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Collection, Container, Iterator, Sequence
from typing import TYPE_CHECKING

from gear_app.core.bounds import question_words
from gear_app.core.config import MOST_ITERATIONS
from gear_app.core.errors import BadInput, Unknown
from gear_app.core.text import normalise_entity
from gear_app.core.types import Document, Passage, Question, Triple
from gear_app.store import Store
from gear_app.store.collections import check_all_here
from gear_app.store.entities import EntityCount
from gear_app.store.passages import DocumentRow
from gear_app.store.rows import CollectionInfo, CollectionRow, RunInfo, SetRow
from gear_app.workspace.collections.overview import MissingGold, missing_gold, overview
from gear_app.workspace.connection import Connection, Service
from gear_app.workspace.corpus.neighbourhood import (
    EntityPath,
    Neighbourhood,
    entity_path,
    neighbourhood,
)

if TYPE_CHECKING:
    from gear_app.workspace.collections.suggestions import Suggestion
    from gear_app.workspace.corpus.remote import RemoteIndices

PASSAGES_AT_ONCE = 1_000  # in memory
OWN = "q_"  # ids of questions written here begin so
SUGGESTED_FROM = 20_000  # triples at most that questions are suggested from
ENTRIES_FROM = 2_000  # passages at most whose forms and tables they are suggested from


class CollectionService(Service):
    """A workspace's collections."""

    def __init__(self, connection: Connection, in_cluster: Callable[[], RemoteIndices]) -> None:
        super().__init__(connection)
        self._in_cluster = in_cluster

    def all(self) -> list[CollectionInfo]:
        """All collections, by name, with what is in them."""
        return [overview(self._store, row) for row in self._store.collections.all()]

    def get(self, name: str) -> CollectionInfo:
        """One collection. Raises Unknown."""
        return overview(self._store, self._store.collections.get(name))

    def create(self, name: str) -> None:
        """Make a new, empty one. Raises BadInput where the name is taken or empty."""
        self._store.collections.create(name)

    def rename(self, old: str, new: str) -> None:
        """Give it another name."""
        self._store.collections.rename(old, new)

    def delete(self, name: str) -> None:
        """Remove it with everything in it. Its runs stay readable; they cannot be replayed."""
        self._store.collections.delete(name)

    def activate(self, collection: str, triples: str) -> None:
        """Choose the triple set that runs use unless told otherwise."""
        row = self._store.collections.get(collection)
        self._store.collections.activate(row.id, self._set(row, triples).id)

    def set_max_iterations(self, collection: str, limit: int | None) -> None:
        """The limit of multi-step methods on this collection; None leaves it to the method."""
        if limit is not None and not 1 <= limit <= MOST_ITERATIONS:
            raise BadInput(
                f"max_iterations must be at least 1 and at most {MOST_ITERATIONS}, not {limit}"
            )
        self._store.collections.set_max_iterations(
            self._store.collections.get(collection).id, limit
        )

    def documents(self, collection: str) -> list[DocumentRow]:
        """A collection's documents, oldest first."""
        return self._store.documents.of(self._store.collections.get(collection).id)

    def document(self, document_id: int) -> Document:
        """A document, also a deleted one. Raises Unknown."""
        document = self._store.documents.get(document_id)
        if document is None:
            raise Unknown("document", str(document_id))
        return document

    def delete_document(self, collection: str, document_id: int) -> None:
        """Retire a document with its passages and triples; runs made before can still be replayed.
        Raises Unknown.

        A passage that another document states in the same words is that document's from now on.
        """
        row = self._store.collections.get(collection)
        ids = [document.id for document in self._store.documents.of(row.id)]
        if document_id not in ids:
            raise Unknown("document", str(document_id), ids)
        delete_document(self._store, row.id, document_id)

    def passages(
        self, collection: str, search: str = "", limit: int = 100, offset: int = 0
    ) -> list[Passage]:
        """Passages whose key, title or text contains `search`; of one in a cluster the first that
        have words with these beginnings.
        """
        row = self._store.collections.get(collection)
        if row.cluster:
            return [] if offset else self._in_cluster().passages_with(row, search, limit)
        return self._store.passages.search(row.id, search, limit, offset)

    def every_passage(self, collection: str) -> Iterator[Passage]:
        """All passages of a collection, oldest first, read some at a time. Raises Unknown."""
        row, last = self._store.collections.get(collection), 0
        check_all_here(row)
        while group := self._store.passages.after(row.id, last, PASSAGES_AT_ONCE):
            yield from group
            last = group[-1].id

    def passages_with(self, collection: str, words: str, limit: int = 20) -> list[Passage]:
        """Passages that have all of the words, in any order, those with all in the title first;
        none without a word.
        """
        row = self._store.collections.get(collection)
        several = words.split()
        if row.cluster:
            return self._in_cluster().passages_with(row, words, limit) if several else []
        return self._store.passages.with_words(row.id, several, limit) if several else []

    def passage(self, passage_id: int) -> Passage:
        """A passage, also a retired one, or one in a cluster, which is asked for it.

        Raises Unknown and ClusterFailed.
        """
        passage = self._store.passages.get(passage_id) or self._in_cluster().passage(passage_id)
        if passage is None:
            raise Unknown("passage", str(passage_id))
        return passage

    def passages_by_id(self, ids: Sequence[int]) -> dict[int, Passage]:
        """Passages by id, also retired ones; those that are gone are left out."""
        return {passage.id: passage for passage in self._store.passages.with_ids(ids)}

    def passage_by_key(self, collection: str, key: str) -> Passage:
        """The passage with this key, or with another id under which its content was handed in.
        Raises Unknown.
        """
        row = self._store.collections.get(collection)
        key = self._store.passages.aliases(row.id, [key]).get(key, key)
        passages = self._by_key(row, [key])
        if key not in passages:
            raise Unknown("passage", key)
        return passages[key]

    def labels(self, passage_ids: Sequence[int]) -> dict[int, str]:
        """Labels of passages that share their title with others of their document, by id:
        "Title · 2 of 3".
        """
        return self._store.passages.labels(passage_ids)

    def label(self, passage: Passage) -> str:
        """Label of a passage: its title, with its place among others of it; else its key."""
        return self.labels([passage.id]).get(passage.id) or passage.name

    def triples(
        self, collection: str, triples: str, search: str = "", limit: int = 100, offset: int = 0
    ) -> list[Triple]:
        """Triples of a set whose words contain `search`."""
        return self._store.triples.search(
            self._set_of(collection, triples).id, search, limit, offset
        )

    def triples_of(self, collection: str, triples: str, passage_ids: Sequence[int]) -> list[Triple]:
        """The triples of some passages."""
        return self._store.triples.of_passages(self._set_of(collection, triples).id, passage_ids)

    def entities(
        self, collection: str, triples: str, search: str = "", limit: int = 100
    ) -> list[EntityCount]:
        """Entities of a set whose name contains `search`, with their number of passages, the most
        frequent first.
        """
        return self._store.entities.search(self._set_of(collection, triples).id, search, limit)

    def neighbourhood(
        self, collection: str, triples: str, entity: str, depth: int = 1, cap: int = 100
    ) -> Neighbourhood:
        """The entities within `depth` triples of one, at most `cap`, and the triples between them.
        Raises Unknown.
        """
        return neighbourhood(self._store, self._set_of(collection, triples), entity, depth, cap)

    def path(
        self,
        collection: str,
        triples: str,
        starts: Collection[str],
        goals: Collection[str],
        most: int = 6,
    ) -> EntityPath | None:
        """The shortest way of at most so many triples from one of the entities to one of the goals;
        None where there is none. Raises Unknown where none of either is an entity.
        """
        set_ = self._set_of(collection, triples)
        ends = []
        for names in (starts, goals):
            ids = {self._store.entities.find(set_.collection_id, name) for name in names}
            ends.append({id_ for id_ in ids if id_ is not None})
            if not ends[-1]:
                raise Unknown("entity", next(iter(names), ""))
        return entity_path(self._store, set_, ends[0], ends[1], most)

    def questions(self, collection: str) -> list[Question]:
        """A collection's questions, in the order they came."""
        return self._store.questions.of(self._store.collections.get(collection).id)

    def question(self, collection: str, text: str) -> Question | None:
        """The question with these words, whatever their case and punctuation."""
        return self._store.questions.find(self._store.collections.get(collection).id, text)

    def passages_themselves(self, collection: str) -> set[str]:
        """The ids of the questions that are passages of the collection, as in ArguAna; of one in a
        cluster none is known.
        """
        return self._store.questions.passages_themselves(self._store.collections.get(collection).id)

    def missing_gold(self, collection: str, questions: Container[str]) -> MissingGold:
        """Missing gold of these questions, by their ids."""
        return missing_gold(self._store, self._store.collections.get(collection), questions)

    def add_question(self, collection: str, text: str) -> Question:
        """Keep a question of one's own; the one with these words if there is one already."""
        row, words = self._store.collections.get(collection), _question_words(text)
        stored = self._store.questions.find(row.id, words)
        if stored is not None:
            return stored
        question = Question(_question_id(words), words)
        self._store.questions.save(row.id, [question])
        return question

    def save_question(self, collection: str, question: Question) -> Question:
        """Keep a question as it is given; one with its id is replaced, one without gets one.

        Runs of the earlier words keep them; those of its words have its gold now, but for gold that
        came with a question (is_markable). Raises BadInput where there are no words, or another
        question has the same, and Unknown where a gold passage is not there.
        """
        row, words = self._store.collections.get(collection), _question_words(question.question)
        duplicate = self._store.questions.find(row.id, words)
        if duplicate is not None and duplicate.id != question.id:
            raise BadInput(f"There is a question with these words already: “{duplicate.question}”.")
        before = self._store.questions.with_key(row.id, question.id)
        # imported gold may be of no passage here
        gold_before = before.supporting_keys if before else ()
        self._check_keys(row, [key for key in question.supporting_keys if key not in gold_before])
        saved = dataclasses.replace(question, id=question.id or _question_id(words), question=words)
        self._store.questions.save(row.id, [saved])
        if gold_before or saved.supporting_keys:
            self._mark_runs(row, saved)
        return saved

    def delete_question(self, collection: str, question_id: str) -> Question:
        """Take a question out; the question, to be saved again by whoever wants it back. Raises
        Unknown.
        """
        row = self._store.collections.get(collection)
        stored = self._store.questions.with_key(row.id, question_id)
        if stored is None:
            raise Unknown("question", question_id)
        self._store.questions.delete(row.id, question_id)
        return stored

    def suggestions(self, collection: str, limit: int = 10) -> list[Suggestion]:
        """Questions made of the triples of the active set, if there is one, and of the passages'
        forms and tables, the best first; of a large collection, of its first triples and passages.
        Where no two passages make one, those that a single passage answers.
        """
        from gear_app.workspace.collections.suggestions import suggest

        row = self._store.collections.get(collection)
        passages = self._store.passages.after(row.id, 0, ENTRIES_FROM)
        if row.active_set_id is None:
            return suggest([], passages, limit)
        triples = self._store.triples.after(row.active_set_id, 0, SUGGESTED_FROM)
        sampled = {passage.id for passage in passages}
        further = {triple.passage_id for triple in triples} - sampled
        return suggest(triples, passages + self._store.passages.with_ids(sorted(further)), limit)

    def set_gold(self, collection: str, text: str, keys: Sequence[str]) -> Question:
        """Mark passages, by key, as the gold of a question and of its runs, but for gold that came
        with a question (is_markable); the question is kept if it was not. Raises Unknown.
        """
        row = self._store.collections.get(collection)
        self._check_keys(row, keys)
        question = self.add_question(collection, text)
        grades = {key: question.grades.get(key, 1) for key in keys}
        self._store.questions.set_gold(row.id, question.id, grades)
        stored = self._store.questions.with_key(row.id, question.id) or question
        self._mark_runs(row, stored)
        return stored

    def _mark_runs(self, row: CollectionRow, question: Question) -> None:
        """Give its gold to every run of a question that had none, or had it marked by hand."""
        gold = question.supporting_keys
        with self._store.transaction():  # all of them or none
            for run in self._store.runs.of_question(row.id, question.question):
                if is_markable(run, question) and tuple(run.gold) != gold:
                    self._store.runs.mark_gold(run.id, gold)

    def _check_keys(self, row: CollectionRow, keys: Sequence[str]) -> None:
        present = self._by_key(row, keys)
        missing = next((key for key in keys if key not in present), None)
        if missing is not None:
            raise Unknown("passage", missing)

    def _by_key(self, row: CollectionRow, keys: Sequence[str]) -> dict[str, Passage]:
        """The passages that are there now, by key, wherever the collection is."""
        if row.cluster:
            return self._in_cluster().passages_with_keys(row, keys)
        return self._store.passages.by_key(row.id, keys)

    def _set(self, row: CollectionRow, name: str) -> SetRow:
        set_ = self._store.collections.find_set(row.id, name)
        if set_ is None:
            raise Unknown(
                "triple set", name, [set_.name for set_ in self._store.collections.sets(row.id)]
            )
        return set_

    def _set_of(self, collection: str, name: str) -> SetRow:
        """A set whose triples are in this file. Raises Unknown and NotReady."""
        row = self._store.collections.get(collection)
        check_all_here(row)
        return self._set(row, name)


def _question_words(text: str) -> str:
    words = question_words(text)
    if not normalise_entity(words):
        raise BadInput("There is no question. Type one.")
    return words


def _question_id(words: str) -> str:
    return OWN + hashlib.blake2b(words.encode(), digest_size=6).hexdigest()


def is_own(question: Question) -> bool:
    """Whether it was written here, not imported: its gold can be marked anywhere."""
    return question.id.startswith(OWN)


def is_markable(run: RunInfo, question: Question | None) -> bool:
    """Whether the gold of a run can be marked by hand: not where it came with the collection's
    question. None: there is no such question, or no collection; the run's own can be marked.
    """
    if not run.gold or run.gold_marked is not None:
        return True
    return question is None or is_own(question) or not (question.answers or question.type)


def delete_document(store: Store, collection_id: int, document_id: int) -> None:
    """Retire a document, its passages and their triples; passages stated by another document too
    move there.
    """
    with store.transaction():
        revision = store.collections.raise_revision(collection_id, passages=True)
        passages = store.passages.of_document(document_id)
        store.documents.retire(document_id, revision)
        for passage in passages:
            _move(store, collection_id, passage, revision)


def _move(store: Store, collection_id: int, passage: Passage, revision: int) -> None:
    """Give a retired passage to a document that has its words: a new row with copies of its
    triples.
    """
    home = store.documents.containing(collection_id, passage.title, passage.text)
    if home is None:
        return
    document_id, start = home
    moved = dataclasses.replace(
        passage, document_id=document_id, start=start, end=start + len(passage.text)
    )
    store.passages.add(collection_id, [moved], revision)
    (added,) = store.passages.by_key(collection_id, [passage.key]).values()
    store.triples.copy(passage.id, added.id, revision)
