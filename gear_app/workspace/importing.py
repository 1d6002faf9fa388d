"""Keeping what was read: each content once, ids kept and unique, and per file what became of it."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeVar

from gear_app import ingest
from gear_app.ingest import Batch, FileReport, NewPassage, NewTriple
from gear_app.store import Store
from gear_app.store.rows import CollectionRow, text_hash
from gear_app.types import Passage, Question
from gear_app.workspace.keeping import keep_triples
from gear_app.workspace.reports import IN_USE, Reports
from gear_app.workspace.sources import extraction

PASSAGES_AT_ONCE = 2000  # a transaction: others wait for it, and a kill loses no more
T = TypeVar("T")


class _Fresh(NamedTuple):
    """A passage that is not in the collection yet, with the key it gets and its file's place."""

    passage: NewPassage
    key: str
    file: int


class Importing:
    """One batch on its way into a collection. It may be repeated: what is there already is not
    stored twice.
    """

    def __init__(self, store: Store, collection: CollectionRow, batch: Batch) -> None:
        """Store nothing yet."""
        self._store, self._collection, self._batch = store, collection, batch
        self._reports = Reports(batch)
        self._key_of: dict[str, str] = {}  # of other ids under which stored content was handed in

    def run(self) -> list[FileReport]:
        """Store everything; the reports of the batch, with what turned out to be there already."""
        self._key_of = self._store.passages.aliases(self._collection.id)
        self._keep_passages(self._fresh_passages())
        self._keep_questions()
        for name in dict.fromkeys([*self._batch.triple_sets, *self._batch.entities]):
            self._keep_triples(name)
        return self._reports.finished()

    def _fresh_passages(self) -> list[_Fresh]:
        keys, hashes = self._store.passages.known(self._collection.id)
        known, aliases, fresh = self._known_documents(), dict[str, str](), list[_Fresh]()
        for passage, file in zip(self._batch.passages, self._reports.file_of, strict=True):
            if passage.document in known:
                continue
            hash_ = text_hash(Passage(0, "", passage.title, passage.text).indexed)
            key = passage.key or _free(ingest.derived_key(passage.title, passage.text), keys)
            if hash_ in hashes:
                if passage.key and passage.key not in keys:
                    aliases[passage.key] = hashes[hash_]
            elif key in keys:
                self._reports.remark(f"id {key!r} {IN_USE} another content: not stored", file)
            else:
                keys[key], hashes[hash_] = hash_, key
                fresh.append(_Fresh(passage, key, file))
        self._store.passages.add_aliases(self._collection.id, aliases.items())
        self._key_of |= aliases
        return fresh

    def _known_documents(self) -> set[int | None]:
        """Places of the documents whose text the collection has, under whatever name."""
        known: set[int | None] = set()
        for place, file in self._files_of_documents().items():
            text = self._batch.documents[place].text
            title = self._store.documents.same(self._collection.id, text)
            if title is not None:
                known.add(place)
                self._reports.remark(f"the same text is there already, as {title!r}", file)
        return known

    def _files_of_documents(self) -> dict[int, int]:
        """The file of every document that has passages, both by place, each document once: looking
        one up reads it whole.
        """
        files: dict[int, int] = {}
        for passage, file in zip(self._batch.passages, self._reports.file_of, strict=True):
            if passage.document is not None:
                files.setdefault(passage.document, file)
        return files

    def _keep_passages(self, fresh: Sequence[_Fresh]) -> None:
        for some in _by_document(fresh, PASSAGES_AT_ONCE):
            with self._store.transaction():
                revision = self._store.collections.raise_revision(
                    self._collection.id, passages=True
                )
                ids = self._keep_documents(some, revision)
                self._store.passages.add(
                    self._collection.id,
                    [
                        Passage(0, key, p.title, p.text, ids.get(p.document), p.start, p.end)
                        for p, key, _ in some
                    ],
                    revision,
                )
            for _, _, file in some:
                self._reports.stored(file)

    def _keep_documents(self, some: Sequence[_Fresh], revision: int) -> dict[int | None, int]:
        ids: dict[int | None, int] = {}
        for passage, _, file in some:
            place = passage.document
            if place is not None and place not in ids:
                ids[place] = self._store.documents.add(
                    self._collection.id, self._batch.documents[place], revision
                )
                self._reports.stored(file, document=True)
        return ids

    def _keep_questions(self) -> None:
        if not self._batch.questions:
            return
        before = {
            question.id: question for question in self._store.questions.of(self._collection.id)
        }
        kept = [
            self._renamed(q)
            for q in self._batch.questions
            if not self._clashes(q, before.get(q.id))
        ]
        self._store.questions.save(self._collection.id, kept)
        limits = {self._batch.max_iterations} | (
            {self._collection.max_iterations} if before else set()
        )
        self._store.collections.set_max_iterations(
            self._collection.id, limits.pop() if len(limits) == 1 else None
        )

    def _clashes(self, question: Question, there: Question | None) -> bool:
        if there is None or there.question == question.question:
            return False
        self._reports.remark(f"question id {question.id!r} {IN_USE} another question: not stored")
        return True

    def _renamed(self, question: Question) -> Question:
        """The question with the keys of its gold passages as they are stored."""
        return dataclasses.replace(
            question,
            supporting_keys=tuple(
                dict.fromkeys(self._key(key) for key in question.supporting_keys)
            ),
            decomposition=tuple(
                dataclasses.replace(hop, supporting_key=self._key(hop.supporting_key))
                for hop in question.decomposition
            ),
        )

    def _keep_triples(self, name: str) -> None:
        triples = self._batch.triple_sets.get(name, ())
        names = {
            self._key(found.passage_key): found.names
            for found in self._batch.entities.get(name, ())
        }
        of: dict[str, list[NewTriple]] = {key: [] for key in names}
        for triple in triples:
            of.setdefault(self._key(triple.passage_key), []).append(triple)
        set_ = self._store.collections.ensure_set(self._collection.id, name, "import")
        passages = self._store.passages.by_key(self._collection.id, list(of))
        if len(passages) < len(of):
            missing = f"{len(of) - len(passages)} of {len(of)}"
            self._reports.remark(f"{missing} passages with triples are not in the collection")
        guessed = not any(triple.sentence for triple in triples)
        for some in _chunks(list(passages.values()), PASSAGES_AT_ONCE):
            found = [(p.id, extraction(p, of[p.key], names.get(p.key, ()), guessed)) for p in some]
            keep_triples(
                self._store, self._collection.id, set_.id, found, "import", closest=guessed
            )

    def _key(self, key: str) -> str:
        return self._key_of.get(key, key)


def _free(key: str, taken: dict[str, bytes]) -> str:
    """The key, or the key with the first number that makes it new."""
    return next(
        k
        for k in itertools.chain([key], (f"{key}-{n}" for n in itertools.count(2)))
        if k not in taken
    )


def _by_document(passages: Sequence[_Fresh], size: int) -> Iterator[Sequence[_Fresh]]:
    """Chunks of about `size` passages that part no document: a kill leaves no half-stored
    document.
    """
    some: list[_Fresh] = []
    for item in passages:
        document = item.passage.document
        if len(some) >= size and (document is None or document != some[-1].passage.document):
            yield some
            some = []
        some.append(item)
    if some:
        yield some


def _chunks(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
