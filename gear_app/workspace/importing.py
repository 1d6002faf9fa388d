"""Keeping what was read: each content once, ids kept and unique, and per file what became of it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from gear_app import ingest
from gear_app.ingest import Batch, FileReport, NewPassage, NewTriple
from gear_app.store import Store
from gear_app.store.rows import CollectionRow, text_hash
from gear_app.types import Passage, Question
from gear_app.workspace.sources import extraction

PASSAGES_AT_ONCE = 2000  # a transaction: others wait for it, and a kill loses no more
T = TypeVar("T")


@dataclass
class Importing:
    """One batch on its way into a collection. `run` may be repeated: what is there already is not stored twice."""

    store: Store
    collection: CollectionRow
    batch: Batch
    key_of: dict[str, str] = field(default_factory=dict)
    notes: dict[int, list[str]] = field(default_factory=dict)
    stored: dict[int, int] = field(default_factory=dict)
    documents: dict[int, int] = field(default_factory=dict)

    def run(self) -> list[FileReport]:
        """Store everything; the reports of the batch, with what turned out to be there already."""
        self._passages()
        self._questions()
        for name in dict.fromkeys([*self.batch.triple_sets, *self.batch.entities]):
            self._triple_set(name)
        return [self._report(place, report) for place, report in enumerate(self.batch.reports)]

    # Passages and documents

    def _passages(self) -> None:
        keys, hashes = self.store.passages.known(self.collection.id)
        self.key_of = self.store.passages.aliases(self.collection.id) | {key: key for key in keys}
        files = self._files()
        known = self._known_documents(files)
        fresh: list[tuple[int, NewPassage, str]] = []
        aliases: dict[str, str] = {}
        for place, passage in enumerate(self.batch.passages):
            if passage.document in known:
                continue
            words = Passage(0, "", passage.title, passage.text).indexed
            hash_ = text_hash(words)
            if hash_ in hashes:
                if passage.key and passage.key not in keys:
                    aliases[passage.key] = hashes[hash_]
                continue
            key = passage.key or _free(ingest.derived_key(passage.title, passage.text), keys)
            if key in keys:
                self._note(files[place], f"id {key!r} is in use for another content: not stored")
                continue
            keys[key], hashes[hash_] = hash_, key
            fresh.append((place, passage, key))
        self.store.passages.add_aliases(self.collection.id, aliases.items())
        self.key_of |= aliases | {key: key for _, _, key in fresh}
        self._store_passages(fresh, files)

    def _known_documents(self, files: Sequence[int]) -> set[int | None]:
        known: set[int | None] = set()
        first = {p.document: files[place] for place, p in reversed(list(enumerate(self.batch.passages)))}
        for place, document in enumerate(self.batch.documents):
            title = self.store.passages.same_document(self.collection.id, document.text)
            if title is not None:
                known.add(place)
                self._note(first.get(place, 0), f"the same text is there already, as {title!r}")
        return known

    def _store_passages(self, fresh: Sequence[tuple[int, NewPassage, str]], files: Sequence[int]) -> None:
        ids: dict[int, int] = {}
        for some in _by_document(fresh, PASSAGES_AT_ONCE):
            with self.store.transaction():
                revision = self.store.collections.raise_revision(self.collection.id, passages=True)
                for document in dict.fromkeys(p.document for _, p, _ in some if p.document is not None):
                    if document not in ids:
                        ids[document] = self.store.passages.add_document(
                            self.collection.id, self.batch.documents[document], revision
                        )
                self.store.passages.add(
                    self.collection.id,
                    [
                        Passage(
                            0, key, p.title, p.text, None if p.document is None else ids[p.document], p.start, p.end
                        )
                        for _, p, key in some
                    ],
                    revision,
                )
        seen: set[int] = set()
        for place, passage, _ in fresh:
            file = files[place]
            self.stored[file] = self.stored.get(file, 0) + 1
            if passage.document is not None and passage.document not in seen:
                seen.add(passage.document)
                self.documents[file] = self.documents.get(file, 0) + 1

    def _files(self) -> list[int]:
        """For every passage of the batch the place of its file's report: passages come in the files' order."""
        counts = [report.passages for report in self.batch.reports]
        files = [place for place, count in enumerate(counts) for _ in range(count)]
        return (files + [max(0, len(counts) - 1)] * len(self.batch.passages))[: len(self.batch.passages)]

    # Questions

    def _questions(self) -> None:
        if not self.batch.questions:
            return
        before = {q.id: q for q in self.store.questions.of(self.collection.id)}
        kept = [self._with_stored_keys(q) for q in self.batch.questions if not self._clashes(q, before)]
        self.store.questions.save(self.collection.id, kept)
        limits = {self.batch.max_iterations} | ({self.collection.max_iterations} if before else set())
        limit = limits.pop() if len(limits) == 1 else None
        self.store.collections.set_max_iterations(self.collection.id, limit)

    def _clashes(self, question: Question, before: dict[str, Question]) -> bool:
        there = before.get(question.id)
        if there is None or there.question == question.question:
            return False
        self._note(None, f"question id {question.id!r} is in use for another question: not stored")
        return True

    def _with_stored_keys(self, question: Question) -> Question:
        hops = tuple(
            hop.__class__(hop.question, hop.answer, self._key(hop.supporting_key)) for hop in question.decomposition
        )
        gold = tuple(dict.fromkeys(self._key(key) for key in question.supporting_keys))
        return Question(question.id, question.question, question.answers, gold, question.type, question.hops, hops)

    def _key(self, key: str) -> str:
        return self.key_of.get(key, key)

    # Triples

    def _triple_set(self, name: str) -> None:
        triples = self.batch.triple_sets.get(name, ())
        named = {self._key(found.passage_key): found.names for found in self.batch.entities.get(name, ())}
        of: dict[str, list[NewTriple]] = {self._key(key): [] for key in named}
        for triple in triples:
            of.setdefault(self._key(triple.passage_key), []).append(triple)
        row = self.store.collections.ensure_set(self.collection.id, name, "import")
        passages = self.store.passages.by_key(self.collection.id, list(of))
        if len(passages) < len(of):
            self._note(None, f"{len(of) - len(passages)} of {len(of)} passages with triples are not in the collection")
        guessed = not any(triple.sentence for triple in triples)
        for keys in _chunks(list(passages), PASSAGES_AT_ONCE):
            found = [
                (passages[key].id, extraction(passages[key], of[key], named.get(key, ()), guessed)) for key in keys
            ]
            with self.store.transaction():
                revision = self.store.collections.raise_revision(self.collection.id, set_id=row.id)
                counts = self.store.triples.add(self.collection.id, row.id, found, revision, closest=guessed)
                self.store.extractions.extracted(row.id, counts, "import")

    # Reports

    def _note(self, file: int | None, text: str) -> None:
        accepted = [place for place, report in enumerate(self.batch.reports) if report.status == "accepted"]
        place = file if file is not None else (accepted[-1] if accepted else 0)
        self.notes.setdefault(place, []).append(text)

    def _report(self, place: int, report: FileReport) -> FileReport:
        notes = self.notes.get(place, [])
        if report.status != "accepted":
            return report
        stored = self.stored.get(place, 0)
        if report.passages and not stored and not notes:
            notes = ["everything in it is there already"]
        shown = [*notes[:3], f"and {len(notes) - 3} more"] if len(notes) > 3 else notes
        message = "; ".join(filter(None, [report.message, *shown]))
        status = _status(report.passages, stored, notes)
        return report._replace(
            status=status,
            message=message,
            passages=stored,
            documents=min(report.documents, self.documents.get(place, 0)),
        )


def _status(offered: int, stored: int, notes: Sequence[str]) -> Literal["accepted", "skipped", "failed"]:
    if not offered or stored:
        return "accepted"
    return "failed" if any("in use" in note for note in notes) else "skipped"


def _free(key: str, taken: dict[str, bytes]) -> str:
    """The key, or the key with the first number that makes it new."""
    return next(k for k in itertools.chain([key], (f"{key}-{n}" for n in itertools.count(2))) if k not in taken)


def _by_document(
    passages: Sequence[tuple[int, NewPassage, str]], size: int
) -> Iterator[Sequence[tuple[int, NewPassage, str]]]:
    """Chunks of at least `size` passages that part no document: a kill leaves no half-stored document."""
    some: list[tuple[int, NewPassage, str]] = []
    for item in passages:
        document = item[1].document
        if len(some) >= size and (document is None or document != some[-1][1].document):
            yield some
            some = []
        some.append(item)
    if some:
        yield some


def _chunks(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
