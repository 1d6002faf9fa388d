"""Storing what was read: each content once, ids unique, and a report for every file."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import PurePosixPath
from typing import TypeVar

from gear_app.core.types import PASTED, Passage, Question, Span
from gear_app.documents.gold import GoldSearch, resolve_gold
from gear_app.documents.items import (
    Batch,
    FileReport,
    FileTally,
    NewPassage,
    NewTriple,
    derived_key,
    fallback_ids,
)
from gear_app.documents.process import Batches
from gear_app.documents.questions import HOTPOT, TWO_WIKI
from gear_app.store import Store
from gear_app.store.database import in_groups
from gear_app.store.rows import CollectionRow, text_hash
from gear_app.workspace.collections.overview import missing_gold
from gear_app.workspace.corpus.provenance import extraction, refused_words, store_triples

PASSAGES_AT_ONCE = 2000  # a transaction: others wait for it, and a kill loses no more
MOST_TRIPLES = 1_000  # of one passage in one set
K = TypeVar("K")
V = TypeVar("V")


class LookUp(dict[K, V | None]):
    """Values of a store by key, None for a missing one: read at once for `keys`, and one by one for
    others. Values that were put here since come first.
    """

    def __init__(self, read: Callable[[Sequence[K]], Mapping[K, V]], keys: Iterable[K]) -> None:
        unique = list(dict.fromkeys(keys))
        super().__init__({**dict.fromkeys(unique), **read(unique)})
        self._read = read

    def __missing__(self, key: K) -> V | None:
        self[key] = self._read([key]).get(key)
        return self[key]


class BatchImport:
    """Batches on their way into a collection, chunk by chunk, each in a transaction of its own: the
    passages of all, then what names them. One batch is in memory at a time, and nothing that grows
    with the collection.

    It may be repeated, and two may go into one collection at once: the content of the collection is
    looked up inside the transaction that stores the rest. What an earlier attempt of the same job
    stored is of this import too.
    """

    def __init__(
        self,
        store: Store,
        collection: CollectionRow,
        batches: Batches,
        job: int | None = None,
    ) -> None:
        self._store, self._collection, self._batches = store, collection, batches
        self._job = job
        self._revisions = set(store.tasks.revisions(job)) if job is not None else set[int]()
        self._tally_of: list[FileTally] = []  # by the number of the batch
        self._batch, self._at = Batch(), -1
        # Keys that ids mean, where those are others and no alias says so: by the place, which is a
        # file, a folder, or "" for all of this import, and the id.
        self._key_of: dict[str, str] = {}
        self._limits: set[int | None] = set()
        self.has_content = False  # anything that a collection stores

    def steps(self) -> Iterator[int]:
        """Store a chunk at each step; the number of passages so far."""
        done = 0
        with_questions, with_gold, with_triples = list[int](), list[int](), list[int]()
        for number in range(len(self._batches)):
            batch = self._enter(number)
            with_questions += [number] if batch.questions else []
            with_gold += [number] if batch.gold else []
            with_triples += [number] if batch.triples or batch.entities else []
            self.has_content |= bool(batch.passages)
            for chunk in self._by_document():
                with self._store.transaction():
                    self._keep_passages(chunk)
                done += len(chunk)
                yield done
        self.has_content |= bool(with_questions or with_gold or with_triples)
        self._keep_questions_and_gold(with_questions, with_gold)
        for number in with_triples:
            batch = self._enter(number)
            for name in dict.fromkeys([*batch.triples, *batch.entities]):
                for _ in self._keep_triples(name):
                    yield done

    def reports(self) -> list[FileReport]:
        """Result of each file, once all steps are done."""
        tallies = {id(tally): tally for tally in self._tally_of}
        return [tally.report() for tally in tallies.values()]

    def _enter(self, number: int) -> Batch:
        if number != self._at:
            self._batch = Batch()  # the one before is not in memory at the same time
            self._batch, self._at = self._batches[number], number
        batch = self._batch
        if number == len(self._tally_of):
            first = FileTally(batch.name, batch.status, batch.read_as)
            self._tally_of.append(first if batch.part < 2 else self._tally_of[-1])
            self._tally.add(batch)
        return batch

    @property
    def _tally(self) -> FileTally:
        return self._tally_of[self._at]

    def _places(self) -> list[str]:
        """Places whose ids the file means, the nearest first."""
        name = self._batch.name
        return [f"file {name}", str(PurePosixPath(name).parent), ""]

    def _by_document(self) -> Iterator[list[NewPassage]]:
        """About as many passages as go into a transaction; no document is parted, so that a kill
        leaves none half-stored.
        """
        chunk: list[NewPassage] = []
        for passage in self._batch.passages:
            document = passage.document
            continues = document is not None and chunk and document == chunk[-1].document
            if len(chunk) >= PASSAGES_AT_ONCE and not continues:
                yield chunk
                chunk = []
            chunk.append(passage)
        if chunk:
            yield chunk

    def _keep_passages(self, chunk: Sequence[NewPassage]) -> None:
        """Store the passages that the collection does not have, inside a transaction."""
        stored, name = self._known_documents(chunk), self._batch.name
        collection_id, passages = self._collection.id, self._store.passages
        hashes = [text_hash(Passage(0, "", p.title, p.text).indexed) for p in chunk]
        hash_of_key = LookUp(partial(passages.hashes_of, collection_id), map(_key_of, chunk))
        key_of_hash = LookUp(partial(passages.keys_of, collection_id), hashes)
        fresh: list[tuple[NewPassage, str]] = []
        keys_meant: dict[str, str] = {}
        for passage, hash_ in zip(chunk, hashes, strict=True):
            if passage.document in stored:
                key = stored[passage.document].get(Span(passage.start, passage.end))
            else:
                key = key_of_hash[hash_]
            if key is None and passage.document not in stored:
                key = next(key for key in _candidates(passage, name) if hash_of_key[key] is None)
                hash_of_key[key], key_of_hash[hash_] = hash_, key
                fresh.append((passage, key))
                if passage.key not in ("", None, key):
                    self._note_id("passage", key)
            if passage.key and key:
                keys_meant[passage.key] = key
        self._keep_meanings(keys_meant, hash_of_key)
        if fresh:
            self._add_passages(fresh)

    def _note_id(self, noun: str, id_: str) -> None:
        text = "with the id of another, kept under an id of the file"
        self._tally.notes.count(noun, text, example=f"the first is {id_!r}")

    def _keep_meanings(
        self, keys_meant: Mapping[str, str], hash_of_key: LookUp[str, bytes]
    ) -> None:
        """Let ids of the batch mean the passages with these keys; where they are free in the
        collection, for later imports, too.
        """
        changed = {id_: key for id_, key in keys_meant.items() if id_ != key}
        free: dict[str, str] = {}
        for id_, key in changed.items():
            if hash_of_key[key] is not None and hash_of_key[id_] is None:
                free[id_], hash_of_key[id_] = key, hash_of_key[key]
        self._store.passages.add_aliases(self._collection.id, free.items())
        file, folder, everywhere = self._places()
        for id_, key in keys_meant.items() if len(self._batches) > 1 else ():
            self._key_of.setdefault(f"{folder}\n{id_}", key)
        for id_ in changed.keys() - free.keys():
            self._key_of[f"{file}\n{id_}"] = changed[id_]
            if not self._came_with_this(id_):
                self._key_of.setdefault(f"{everywhere}\n{id_}", changed[id_])

    def _came_with_this(self, id_: str) -> bool:
        """Whether the passage that has the id in the collection is one of this import."""
        return self._store.passages.added(self._collection.id, id_) in self._revisions

    def _resolved(self, ids: Iterable[str]) -> dict[str, str]:
        """The keys that these ids of the batch mean, of those that mean others."""
        unique = list(dict.fromkeys(ids))
        keys = self._store.passages.aliases(self._collection.id, unique)
        for id_ in unique:
            found_keys = (self._key_of.get(f"{place}\n{id_}") for place in self._places())
            key = next(filter(None, found_keys), None)
            if key:
                keys[id_] = key
        return keys

    def _known_documents(self, chunk: Sequence[NewPassage]) -> dict[int | None, dict[Span, str]]:
        """Documents whose text the collection has, under whatever name: of each the keys of its
        passages by their place in it.
        """
        stored: dict[int | None, dict[Span, str]] = {}
        for number in dict.fromkeys(passage.document for passage in chunk):
            if number is None:
                continue
            source = self._batch.documents[number].source
            duplicate = self._store.documents.duplicate(
                self._collection.id, self._batch.documents[number]
            )
            if duplicate is not None:
                passages = self._store.passages.of_document(duplicate.id)
                stored[number] = {
                    Span(passage.start, passage.end): passage.key for passage in passages
                }
                if duplicate.added not in self._revisions or duplicate.source != source:
                    self._tally.notes.add_sentence(
                        f"the same text is there already, as {duplicate.title!r}"
                    )
        return stored

    def _add_passages(self, fresh: Sequence[tuple[NewPassage, str]]) -> None:
        collection_id = self._collection.id
        revision = self._store.collections.raise_revision(
            collection_id, passages=True, task=self._job
        )
        self._revisions.add(revision)
        ids: dict[int | None, int] = {}
        for number in dict.fromkeys(passage.document for passage, _ in fresh):
            if number is not None:
                document = self._batch.documents[number]
                self._remark_on_older(document.source, revision)
                ids[number] = self._store.documents.add(collection_id, document, revision)
        rows = [
            Passage(0, key, p.title, p.text, ids.get(p.document), p.start, p.end)
            for p, key in fresh
        ]
        self._store.passages.add(collection_id, rows, revision)
        self._tally.new["document"] += len(ids)
        self._tally.new["passage"] += len(fresh)

    def _remark_on_older(self, source: str, revision: int) -> None:
        if source == PASTED:
            return
        older = self._store.documents.added_from(self._collection.id, source)
        if len(older) == 1 and older[0].added not in {revision, *self._revisions}:
            self._tally.notes.add_sentence(
                "an older text of this name is there: delete it under Documents, or keep both"
            )

    def _keep_questions_and_gold(
        self, with_questions: Sequence[int], with_gold: Sequence[int]
    ) -> None:
        """Keep the questions of the batches with these numbers, then judgements of others, and say
        which gold is not in the collection.
        """
        named: set[str] = set()
        stored = self._store.passages.counts(self._collection.id).questions
        if stored > self._store.questions.number_of(self._collection.id, self._job):
            self._limits.add(self._collection.max_iterations)
        for number in with_questions:
            self._enter(number)
            gold = self._find_gold()
            with self._store.transaction():
                named.update(question.id for question in self._keep_questions(gold))
        for number in with_gold:
            named.update(self._enter(number).gold)
            with self._store.transaction():
                self._keep_gold()
        if named and (missing := missing_gold(self._store, self._collection, named)).passages:
            self._tally.notes.add_sentence(missing.words)

    def _find_gold(self) -> dict[str, tuple[str, ...]]:
        collection_id, names = self._collection.id, list(self._batch.clues)
        by_id = self._store.passages.hashes_of(collection_id, names)
        clues = {name: self._batch.clues[name] for name in names if name not in by_id}
        if not clues:
            return {}
        search = GoldSearch(clues)
        last = 0
        while chunk := self._store.passages.after(collection_id, last, PASSAGES_AT_ONCE):
            for passage in chunk:
                search.look(passage.key, passage.title, passage.text)
            last = chunk[-1].id
        return search.result()

    def _keep_questions(self, gold: Mapping[str, tuple[str, ...]]) -> list[Question]:
        """Keep the questions of the batch, with their gold; one whose id belongs to another
        question gets another id.
        """
        collection_id = self._collection.id
        questions = [resolve_gold(question, gold) for question in self._batch.questions]
        words = LookUp(
            partial(self._store.questions.words, collection_id), [q.id for q in questions]
        )
        named = [(*q.grades, *(hop.supporting_key for hop in q.decomposition)) for q in questions]
        keys_meant = self._resolved(itertools.chain.from_iterable(named))
        keys = {old: (key,) for old, key in keys_meant.items()}
        stored: dict[str, Question] = {}
        for question in questions:
            candidates = itertools.chain([question.id], fallback_ids(question.id, self._batch.name))
            id_ = next(id_ for id_ in candidates if words[id_] in (None, question.question))
            words[id_] = question.question
            if id_ != question.id and not self._store.questions.words(collection_id, [id_]):
                self._note_id("question", id_)
            stored.setdefault(id_, dataclasses.replace(resolve_gold(question, keys), id=id_))
        before = self._store.questions.words(collection_id, list(stored))
        self._store.questions.save(collection_id, list(stored.values()), self._job)
        datasets = self._batch.datasets
        self._limits.add(2 if datasets and datasets <= {HOTPOT, TWO_WIKI} else None)
        limit = next(iter(self._limits)) if len(self._limits) == 1 else None
        self._store.collections.change(collection_id, max_iterations=limit)
        self._tally.new["question"] += len(stored.keys() - before.keys())
        return list(stored.values())

    def _keep_gold(self) -> None:
        gold = self._batch.gold
        stored = self._store.questions.with_ids(self._collection.id, list(gold))
        keys_meant = self._resolved(key for grades in gold.values() for key in grades)
        for id_, question in stored.items():
            judged = {keys_meant.get(key, key): grade for key, grade in gold[id_].items()}
            grades = question.with_gold(question.grades | judged).grades
            self._store.questions.set_gold(self._collection.id, id_, grades)
        missing = len(gold) - len(stored)
        text = "with gold not there: import the questions, too"
        self._tally.notes.count("question", text, missing)

    def _keep_triples(self, name: str) -> Iterator[None]:
        """Store a set's triples and entities, some passages' at each step."""
        triples = self._batch.triples.get(name, ())
        entities = self._batch.entities.get(name, {})
        keys_meant = self._resolved([*(triple.passage_key for triple in triples), *entities])
        names = {keys_meant.get(key, key): words for key, words in entities.items()}
        by_passage: dict[str, dict[NewTriple, None]] = {key: {} for key in names}
        for triple in triples:
            by_passage.setdefault(keys_meant.get(triple.passage_key, triple.passage_key), {})[
                triple
            ] = None
        notes, distinct = self._tally.notes, sum(map(len, by_passage.values()))
        again = "occurring again in a passage, dropped"
        notes.count("triple", again, len(triples) - distinct)
        if triples:
            self._tally.attached.count("triple", f"in the set {name!r}", distinct - len(triples))
        collection = self._collection.id
        set_id = self._store.collections.ensure_set(collection, name, "import", self._job).id
        passages = self._store.passages.by_key(self._collection.id, list(by_passage))
        missing = "with triples not in the collection"
        notes.count("passage", missing, len(by_passage) - len(passages))
        guessed = not any(triple.sentence for triple in triples)
        refused = 0
        for chunk in in_groups(list(passages.values())):
            extractions = [
                (
                    p.id,
                    extraction(
                        p, list(by_passage[p.key])[:MOST_TRIPLES], names.get(p.key, ()), guessed
                    ),
                )
                for p in chunk
            ]
            with self._store.transaction():
                refused += store_triples(
                    self._store,
                    self._collection.id,
                    set_id,
                    extractions,
                    "import",
                    closest=guessed,
                    task=self._job,
                )
            yield
        notes.add_sentence(refused_words(refused) if refused else "")


def _key_of(passage: NewPassage) -> str:
    return passage.key or derived_key(passage.title, passage.text)


def _candidates(passage: NewPassage, file: str) -> Iterator[str]:
    key = _key_of(passage)
    yield key
    yield from (
        fallback_ids(key, file)
        if passage.key
        else (f"{key}-{number}" for number in itertools.count(2))
    )
