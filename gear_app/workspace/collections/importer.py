"""Imports: files are read in a process of their own, then stored batch by batch.

Each content is stored once, ids are unique, and every file has a report. What is new is decided by
what the collection has, so an interrupted import begins again and stores the rest; two may go into
one collection at once.
"""

from __future__ import annotations

import itertools
import threading
from collections import ChainMap, defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from pydantic import TypeAdapter

from gear_app.core.errors import NotReady
from gear_app.core.paths import private_folder
from gear_app.core.text import count
from gear_app.core.types import PASTED, ExtractedTriple, Extraction, Passage, Question
from gear_app.documents.files import Origin
from gear_app.documents.items import (
    Batch,
    FileReport,
    FileTally,
    Limits,
    NewPassage,
    NewTriple,
    derived_key,
)
from gear_app.documents.questions import HOTPOT, TWO_WIKI, find_gold, resolve_gold
from gear_app.documents.read import Batches, BatchFiles, is_light, read_apart, read_origin
from gear_app.language.sources import find_words
from gear_app.store import REFUSED, Store
from gear_app.store.rows import CollectionRow, JobInfo, Progress, text_hash
from gear_app.workspace.collections.service import missing_gold, missing_words

MOST_TRIPLES = 1_000  # of one passage in one set
AT_ONCE = 500  # passages whose triples are stored together
READ_S = 0.2  # of waiting for the reading process in a slice: a question may come in between
LOCAL = "local"  # the extractor that is asked for afterwards, and its triple set
LIMITS = Limits()
READERS = threading.BoundedSemaphore(2)  # processes that read at once; others wait their turn
ORIGIN, REPORTS = TypeAdapter(Origin), TypeAdapter(list[FileReport])


def import_slices(store: Store, job: JobInfo, folder: Path) -> Iterator[Progress]:
    """Read an origin, in `folder`, and store it in the job's collection. Raises BadInput and
    NotReady.
    """
    origin = ORIGIN.validate_python(job.request["origin"])
    if not origin.path and not folder.is_dir():
        raise NotReady(f"What was uploaded is gone from {folder}. Add the files again.")
    if is_light(origin):
        batches: Batches = (light := list(read_origin(origin, LIMITS)))
        total = sum(len(batch.passages) for batch in light)
    else:
        batches = files = yield from _read(origin, folder)
        total = files.passages
    collection = store.collections.find(job.collection_id)
    if collection is None:
        raise NotReady(f"The collection {job.collection!r} was deleted meanwhile.")
    importing = BatchImport(store, collection, batches, job.number)
    for done in importing.steps():
        yield Progress(done, total, f"Storing {job.request['name']}")
    with store.transaction():
        summary = _finish(store, job, collection, importing.reports())
    yield Progress(total, total, summary)


def _read(origin: Origin, folder: Path) -> Generator[Progress, None, BatchFiles]:
    while not READERS.acquire(timeout=READ_S / 4):
        yield Progress(0, 0, "Reading")
    try:
        private_folder(folder)
        for number, file in read_apart(origin, folder, LIMITS, READ_S):
            yield Progress(0, 0, f"Reading {file} (file {number})" if number else "Reading")
        return BatchFiles(folder)
    except OSError as error:
        raise NotReady(f"Nothing can be read now: {error.strerror}. Try again.") from error
    finally:
        READERS.release()


def _finish(
    store: Store, job: JobInfo, collection: CollectionRow, reports: Sequence[FileReport]
) -> str:
    """Store the reports, and ask for triples and vectors. Vectors of the passages do not wait for
    those of triples where a set has none yet.
    """
    store.tasks.show(job, report=REPORTS.dump_json(list(reports)).decode())
    if any(store.passages.counts(collection.id).values()):
        if job.request["extract"]:
            set_ = store.collections.ensure_set(collection.id, LOCAL, LOCAL)
            store.tasks.ensure(
                "extraction", collection.id, set_.id, extractor=LOCAL, owner=job.owner
            )
        sets = [row.id for row in store.collections.sets(collection.id)]
        first = [] if sets and all(map(store.triples.count, sets)) else [None]
        for set_id in [*first, *sets]:
            store.tasks.ensure("vectors", collection.id, set_id)
    accepted = sum(report.status == "accepted" for report in reports)
    new = count(sum(report.passages for report in reports), "new passage")
    return f"{accepted} of {count(len(reports), 'file')} taken: {new}."


class BatchImport:
    """Batches on their way into a collection: the passages of all, then what names them. A
    transaction is at most a batch, of which one is in memory at a time.
    """

    def __init__(
        self, store: Store, collection: CollectionRow, batches: Batches, job: int | None = None
    ) -> None:
        self._store, self._collection, self._batches, self._job = store, collection, batches, job
        self._tallies: list[FileTally] = []  # of the files, by the number of the batch
        self._sources = {PASTED}  # of documents that were stored
        self._earlier = {*store.documents.added_by(job or 0)}  # of this import, before it broke off
        # Keys that ids mean, by the place: a file, its folder, or "" for all of this import.
        self._keys = defaultdict[str, dict[str, str]](dict)

    def steps(self) -> Iterator[int]:
        """Store a part at each step; yields the number of passages so far."""
        done, parts = 0, defaultdict[str, list[int]](list)
        for number in range(len(self._batches)):
            batch = self._batches[number]
            first = FileTally(batch.name, batch.status, batch.read_as)
            self._tallies.append(first if batch.part < 2 else self._tallies[-1])
            self._tallies[-1].add(batch)
            for part in ("questions", "gold", "triples", "entities"):
                parts[part] += [number] if getattr(batch, part) else []
            with self._store.transaction():
                self._keep_passages(batch, self._tallies[-1])
            done += len(batch.passages)
            yield done
        ids = set[str]()
        for part, keep in (("questions", self._keep_questions), ("gold", self._keep_gold)):
            for number in parts[part]:
                ids |= keep(self._batches[number], self._tallies[number])
                yield done
        for number in parts["questions"][-1:] or parts["gold"][-1:]:
            missing = missing_gold(self._store, self._collection, ids)
            self._tallies[number].notes.add_sentence(missing_words(*missing))
        for number in sorted({*parts["triples"], *parts["entities"]}):
            for _ in self._keep_triples(self._batches[number], self._tallies[number]):
                yield done

    def reports(self) -> list[FileReport]:
        """Result of each file, once all steps are done."""
        return [tally.report() for tally in {id(tally): tally for tally in self._tallies}.values()]

    def _keep_passages(self, batch: Batch, tally: FileTally) -> None:
        collection, passages = self._collection.id, self._store.passages
        duplicates = set[int | None]()
        for number, document in enumerate(batch.documents):
            for stored in self._store.documents.of(collection, text_hash=text_hash(document.text)):
                duplicates.add(number)
                if stored.id not in self._earlier:
                    tally.notes.add_sentence(f"the same text is there already, as {stored.title!r}")
        hashes = [text_hash(Passage(0, "", p.title, p.text).indexed) for p in batch.passages]
        keys = passages.keys_of(collection, hashes)
        ids = [p.key or derived_key(p.title, p.text) for p in batch.passages]
        taken = passages.hashes_of(collection, ids)
        fresh, key_of_id = list[tuple[NewPassage, str]](), dict[str, str]()
        for passage, id_, hash_ in zip(batch.passages, ids, hashes, strict=True):
            if hash_ not in keys and passage.document not in duplicates:
                keys[hash_] = _own_id(
                    id_, hash_, taken, lambda ids: passages.hashes_of(collection, ids)
                )
                fresh.append((passage, keys[hash_]))
                if passage.key and keys[hash_] != id_:
                    _note_id(tally, "passage", keys[hash_])
            if passage.key and hash_ in keys:
                key_of_id.setdefault(id_, keys[hash_])
        if fresh:
            self._add_passages(batch, tally, fresh)
        passages.add_aliases(
            collection,
            [(id_, key) for id_, key in key_of_id.items() if id_ != key and id_ not in taken],
        )
        for place in _places(batch.name):
            self._keys[place] = key_of_id | self._keys[place]

    def _add_passages(
        self, batch: Batch, tally: FileTally, fresh: Sequence[tuple[NewPassage, str]]
    ) -> None:
        collection, documents = self._collection.id, self._store.documents
        revision = self._store.collections.raise_revision(collection, passages=True, task=self._job)
        ids: dict[int | None, int] = {}
        for number in dict.fromkeys(p.document for p, _ in fresh if p.document is not None):
            document = batch.documents[number]
            new = document.source not in self._sources
            if new and not self._earlier.issuperset(
                row.id for row in documents.of(collection, source=document.source)
            ):
                tally.notes.add_sentence(
                    "an older text of this name is there: delete it under Documents, or keep both"
                )
            self._sources.add(document.source)
            ids[number] = documents.add(collection, document, revision)
        rows = [
            Passage(0, key, p.title, p.text, ids.get(p.document), p.start, p.end)
            for p, key in fresh
        ]
        self._store.passages.add(collection, rows, revision)
        tally.new.count("document", "", len(ids))
        tally.new.count("passage", "", len(fresh))

    def _resolved(self, ids: Iterable[str], file: str) -> dict[str, str]:
        """The key that each of these ids of a file means: what it is in the file, in the folder,
        in this import, in the collection; itself where it is nowhere.
        """
        unique = list(dict.fromkeys(ids))
        stored = self._store.passages.aliases(self._collection.id, unique)
        keys = ChainMap(*(self._keys[place] for place in _places(file)), stored)
        return {id_: keys.get(id_, id_) for id_ in unique}

    def _keep_questions(self, batch: Batch, tally: FileTally) -> set[str]:
        """Store the questions with their gold; one whose id belongs to another question gets
        another. Their ids.
        """
        collection, stored = self._collection.id, self._store.questions
        gold = itertools.chain.from_iterable(
            (*q.grades, *(hop.supporting_key for hop in q.decomposition)) for q in batch.questions
        )
        resolved = self._resolved(gold, batch.name)
        keys = {id_: (key,) for id_, key in resolved.items()} | self._find_gold(batch)
        ids = [question.id for question in batch.questions]

        def find(ids: Sequence[str]) -> dict[str, bytes]:
            present = stored.with_ids(collection, ids)
            return {id_: text_hash(question.question) for id_, question in present.items()}

        with self._store.transaction():
            taken = find(ids)
            questions: dict[str, Question] = {}
            for question in batch.questions:
                id_ = _own_id(question.id, text_hash(question.question), taken, find)
                questions.setdefault(id_, replace(resolve_gold(question, keys), id=id_))
            new = questions.keys() - stored.with_ids(collection, list(questions)).keys()
            for id_ in sorted(new.difference(ids)):
                _note_id(tally, "question", id_)
            tally.new.count("question", "", len(new))
            self._limit_iterations(batch)
            stored.save(collection, questions.values(), self._job)
        return set(questions)

    # Two iterations, as in the papers, where all questions are of the two-hop sets.
    def _limit_iterations(self, batch: Batch) -> None:
        collections, id_ = self._store.collections, self._collection.id
        limit = 2 if batch.datasets and batch.datasets <= {HOTPOT, TWO_WIKI} else None
        row = collections.find(id_)
        if self._store.passages.counts(id_)["questions"] and row and row.max_iterations != limit:
            limit = None
        collections.change(id_, max_iterations=limit)

    def _find_gold(self, batch: Batch) -> dict[str, tuple[str, ...]]:
        present = self._store.passages.hashes_of(self._collection.id, list(batch.clues))
        clues = {name: clue for name, clue in batch.clues.items() if name not in present}
        passages = self._store.passages.each(self._collection.id) if clues else ()
        return find_gold(clues, ((p.key, p.title, p.text) for p in passages))

    def _keep_gold(self, batch: Batch, tally: FileTally) -> set[str]:
        gold, questions = batch.gold, self._store.questions
        keys = self._resolved(itertools.chain.from_iterable(gold.values()), batch.name)
        with self._store.transaction():
            stored = questions.with_ids(self._collection.id, list(gold))
            judged = {id_: {keys[key]: n for key, n in gold[id_].items()} for id_ in stored}
            rows = [q.with_gold(q.grades | judged[id_]) for id_, q in stored.items()]
            questions.save(self._collection.id, rows)
        tally.notes.count(
            "question",
            "with gold not there: import the questions, too",
            len(gold) - len(stored),
        )
        return set(gold)

    def _keep_triples(self, batch: Batch, tally: FileTally) -> Iterator[None]:
        collection, store = self._collection.id, self._store
        for name in dict.fromkeys([*batch.triples, *batch.entities]):
            triples, entities = batch.triples.get(name, []), batch.entities.get(name, {})
            keys = self._resolved([*(t.passage_key for t in triples), *entities], batch.name)
            names = {keys[id_]: words for id_, words in entities.items()}
            by_key: dict[str, list[NewTriple]] = {key: [] for key in names}
            for triple in triples:
                by_key.setdefault(keys[triple.passage_key], []).append(triple)
            set_id = store.collections.ensure_set(collection, name, "import", self._job).id
            passages = list(store.passages.by_key(collection, list(by_key)).values())
            tally.notes.count(
                "passage", "with triples not in the collection", len(by_key) - len(passages)
            )
            for start in range(0, len(passages), AT_ONCE):
                extractions = [
                    (p, _extraction(p, by_key[p.key][:MOST_TRIPLES], names.get(p.key, ())))
                    for p in passages[start : start + AT_ONCE]
                ]
                refused = store.add_extractions(
                    collection, set_id, extractions, "import", {}, self._job
                )
                tally.notes.count("triple", REFUSED, refused)
                yield


def _extraction(passage: Passage, triples: Sequence[NewTriple], names: Sequence[str]) -> Extraction:
    words = ((*t.words, find_words(passage.text, t.sentence)) for t in triples)
    return Extraction(tuple(names), tuple(ExtractedTriple(*each) for each in words))


def _places(file: str) -> tuple[str, ...]:
    return f"file {file}", str(PurePosixPath(file).parent), ""


def _own_id(
    id_: str, hash_: bytes, taken: dict[str, bytes], find: Callable[[list[str]], dict[str, bytes]]
) -> str:
    """An id; where it is that of other content, with a hash behind it; where that one is, too, with
    -2, -3 behind that. Then it is taken. `find`: the hashes that the collection has by these ids.
    """
    own, numbers = id_, itertools.count(1)
    while taken.setdefault(own, hash_) != hash_:
        own = f"{id_}-{hash_.hex()[:12]}-{next(numbers)}".removesuffix("-1")
        taken |= find([own])
    return own


def _note_id(tally: FileTally, noun: str, id_: str) -> None:
    tally.notes.count(
        noun,
        "with the id of another, kept under an id of its own",
        example=f"the first is {id_!r}",
    )
