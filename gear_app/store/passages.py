"""Documents and passages: texts as they were handed in, and what of them is searched; added and
retired, never changed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gear_app.core.text import part_label
from gear_app.core.types import PASTED, Document, Passage
from gear_app.store.database import LISTED, Parameters, StoreTable, contains, in_groups, listed
from gear_app.store.rows import PASSAGE, now, text_hash

_LIVE = "added <= :revision AND (retired IS NULL OR retired > :revision)"


class DocumentRow(NamedTuple):
    """A stored document, without its text."""

    id: int
    collection_id: int
    title: str
    source: str
    characters: int
    passages: int
    created: str


class SameDocument(NamedTuple):
    """A stored document with the content of another, and the revision that added it."""

    id: int
    title: str
    source: str
    added: int


class Documents(StoreTable):
    """A workspace's documents."""

    def add(self, collection_id: int, document: Document, revision: int) -> int:
        """Store a text; return its id."""
        return self._db.insert(
            "documents",
            {
                "collection_id": collection_id,
                "title": document.title,
                "text": document.text,
                "source": document.source,
                "pages": json.dumps(document.pages),
                "text_hash": text_hash(document.text),
                "titles_hash": _titles_hash(document),
                "added": revision,
                "created": now(),
            },
        )

    def same(self, collection_id: int, document: Document) -> SameDocument | None:
        """The document with this very content, if there is one."""
        return self._db.first(
            SameDocument,
            "SELECT id, title, source, added FROM documents WHERE collection_id = ? AND text_hash"
            " = ? AND titles_hash = ? AND retired IS NULL",
            [collection_id, text_hash(document.text), _titles_hash(document)],
        )

    def of(self, collection_id: int) -> list[DocumentRow]:
        """The documents a collection has now, oldest first."""
        return self._db.values(
            DocumentRow,
            "SELECT d.id, d.collection_id, d.title, d.source, length(d.text), count(p.id),"
            " d.created FROM documents d LEFT JOIN passages p ON p.document_id = d.id AND p.retired"
            " IS NULL WHERE d.collection_id = ? AND d.retired IS NULL GROUP BY d.id ORDER BY d.id",
            [collection_id],
        )

    def added_from(self, collection_id: int, source: str) -> list[int]:
        """The revisions that added the documents of a file of this name, of three at most."""
        return self._db.column(
            "SELECT added FROM documents WHERE collection_id = ? AND source = ? AND retired IS NULL"
            " LIMIT 3",
            [collection_id, source],
        )

    def added_at(self, collection_id: int, revisions: Sequence[int]) -> list[int]:
        """The documents that came at one of these revisions and are present now."""
        return self._db.column(
            "SELECT id FROM documents WHERE collection_id = ? AND retired IS NULL AND added IN"
            f" {LISTED} ORDER BY id",
            [collection_id, listed(revisions)],
        )

    def older(self, collection_id: int, revisions: Sequence[int]) -> list[int]:
        """Documents there are now of which one of these revisions brought another text of the same
        name, where there are no others of it: of a table or corpus nobody knows which took the
        place of which.
        """
        return self._db.column(
            "WITH own(added) AS (SELECT value FROM json_each(:own)) SELECT min(id) FROM documents"
            " WHERE collection_id = :id AND retired IS NULL AND source <> :pasted GROUP BY source"
            " HAVING count(*) = 2 AND sum(added IN own) = 1 AND max(id * (added IN own)) = max(id)",
            {"id": collection_id, "own": json.dumps(list(revisions)), "pasted": PASTED},
        )

    def get(self, document_id: int) -> Document | None:
        """A document, also a retired one."""
        row = self._db.row(
            "SELECT title, text, source, pages FROM documents WHERE id = ?", [document_id]
        )
        return (
            None if row is None else Document(**{**row, "pages": tuple(json.loads(row["pages"]))})
        )

    def containing(self, collection_id: int, title: str, text: str) -> tuple[int, int] | None:
        """A document there is now with this title and these words in it, and where they begin; the
        oldest.
        """
        rows = self._db.tuples(
            "SELECT id, instr(text, :text) - 1 FROM documents WHERE collection_id = :collection AND"
            " title = :title AND retired IS NULL AND instr(text, :text) ORDER BY id LIMIT 1",
            {"collection": collection_id, "title": title, "text": text},
        )
        return next(((int(id_), int(start)) for id_, start in rows), None)

    def retire(self, document_id: int, revision: int) -> None:
        """Retire a document with its passages and their triples."""
        self._db.execute(
            "UPDATE triples SET retired = ? WHERE retired IS NULL AND passage_id IN"
            " (SELECT id FROM passages WHERE document_id = ? AND retired IS NULL)",
            [revision, document_id],
        )
        self._db.execute(
            "UPDATE passages SET retired = ? WHERE document_id = ? AND retired IS NULL",
            [revision, document_id],
        )
        self._db.update("documents", {"retired": revision}, id=document_id)


def _titles_hash(document: Document) -> bytes:
    return text_hash("\n".join(document.titles)) if document.titles else b""


class Counts(NamedTuple):
    """Numbers of documents, passages and questions of a collection now."""

    documents: int
    passages: int
    questions: int


class Passages(StoreTable):
    """A workspace's passages."""

    def counts(self, collection_id: int) -> Counts:
        """Numbers of its documents, passages and questions now."""
        return self._db.values(
            Counts,
            "SELECT (SELECT count(*) FROM documents WHERE collection_id = :id AND retired IS"
            " NULL), (SELECT count(*) FROM passages WHERE collection_id = :id AND retired IS"
            " NULL), (SELECT count(*) FROM questions WHERE collection_id = :id)",
            {"id": collection_id},
        )[0]

    def add(self, collection_id: int, passages: Iterable[Passage], revision: int) -> None:
        """Store passages; their ids are given here, whatever they say. Keys and contents must be
        new.
        """
        self._db.add(
            "passages",
            "collection_id, document_id, key, title, text, start, end, text_hash, added",
            (
                (
                    collection_id,
                    p.document_id,
                    p.key,
                    p.title,
                    p.text,
                    p.start,
                    p.end,
                    text_hash(p.indexed),
                    revision,
                )
                for p in passages
            ),
        )

    def reserve_ids(self, number: int) -> int:
        """Reserve so many ids, inside a transaction, that no passage and no triple will have; the
        first of them.
        """
        last = self._db.count(
            "SELECT max(seq) FROM sqlite_sequence WHERE name IN ('passages', 'triples')"
        )
        for table in ("passages", "triples"):
            self._db.delete("sqlite_sequence", name=table)
            self._db.insert("sqlite_sequence", {"name": table, "seq": last + number})
        return last + 1

    def add_recorded(self, collection_id: int, passages: Sequence[Passage]) -> None:
        """Store the passages of imported runs under reserved ids. Of several with the same key or
        content, as runs before and after a change have them, the last is the collection's.
        """
        rows, identities = [], set[object]()
        for p in sorted(passages, key=lambda passage: passage.id, reverse=True):
            identity = {p.key, text_hash(p.indexed)}
            retired = None if identities.isdisjoint(identity) else 1
            rows.append(
                (
                    p.id,
                    collection_id,
                    p.key,
                    p.title,
                    p.text,
                    0,
                    0,
                    text_hash(p.indexed),
                    1,
                    retired,
                )
            )
            identities |= identity
        self._db.add(
            "passages",
            "id, collection_id, key, title, text, start, end, text_hash, added, retired",
            rows,
        )

    def hashes_of(self, collection_id: int, keys: Sequence[str]) -> dict[str, bytes]:
        """The content hashes of the passages there are now that have these keys or aliases."""
        hashes: dict[str, bytes] = {}
        aliases = self.aliases(collection_id, keys)
        for group in in_groups([*keys, *aliases.values()]):
            hashes.update(
                self._db.tuples(
                    "SELECT key, text_hash FROM passages WHERE collection_id = ? AND retired IS"
                    f" NULL AND key IN ({_places(group)})",
                    [collection_id, *group],
                )
            )
        for alias, key in aliases.items():
            hashes.setdefault(alias, hashes[key])
        return hashes

    def keys_of(self, collection_id: int, hashes: Sequence[bytes]) -> dict[bytes, str]:
        """The keys of the passages there are now that have these content hashes."""
        keys: dict[bytes, str] = {}
        for group in in_groups(hashes):
            keys.update(
                self._db.tuples(
                    "SELECT text_hash, key FROM passages WHERE collection_id = ? AND retired IS"
                    f" NULL AND text_hash IN ({_places(group)})",
                    [collection_id, *group],
                )
            )
        return keys

    def add_aliases(self, collection_id: int, aliases: Iterable[tuple[str, str]]) -> None:
        """Remember other ids (alias, key) of stored passages."""
        self._db.add(
            "passage_aliases",
            "collection_id, alias, key",
            [(collection_id, alias, key) for alias, key in aliases],
            "REPLACE",
        )

    def aliases(self, collection_id: int, ids: Sequence[str]) -> dict[str, str]:
        """Keys of present passages by those of these ids that are aliases."""
        keys: dict[str, str] = {}
        for group in in_groups(ids):
            keys.update(
                self._db.tuples(
                    "SELECT a.alias, a.key FROM passage_aliases a JOIN passages p ON"
                    " p.collection_id = a.collection_id AND p.key = a.key AND p.retired IS NULL"
                    f" WHERE a.collection_id = ? AND a.alias IN ({_places(group)})",
                    [collection_id, *group],
                )
            )
        return keys

    def added(self, collection_id: int, id_: str) -> int | None:
        """The revision that added the passage there is now with this key or alias, or None."""
        key = self.aliases(collection_id, [id_]).get(id_, id_)
        return self._db.number(
            "SELECT added FROM passages WHERE collection_id = ? AND key = ? AND retired IS NULL",
            [collection_id, key],
        )

    def at(self, collection_id: int, revision: int) -> list[Passage]:
        """The passages of a revision, by id."""
        return self._where(
            f"collection_id = :collection AND {_LIVE} ORDER BY id",
            {"collection": collection_id, "revision": revision},
        )

    def hashes(self, collection_id: int, revision: int) -> list[bytes]:
        """The content hashes of a revision's passages, by id."""
        return self._db.column(
            f"SELECT text_hash FROM passages WHERE collection_id = :collection AND {_LIVE} ORDER"
            " BY id",
            {"collection": collection_id, "revision": revision},
        )

    def search(self, collection_id: int, words: str, limit: int, offset: int) -> list[Passage]:
        """Passages whose key, title or text contains the words: first the one that has them for its
        key, then by id.
        """
        first = "key = :words DESC, " if words else ""  # without it no row beyond the page is read
        present = contains("key || char(10) || title || char(10) || text", "words", words)
        return self._where(
            f"collection_id = :collection AND retired IS NULL AND (:words = '' OR {present})"
            f" ORDER BY {first}id LIMIT :limit OFFSET :offset",
            {"collection": collection_id, "words": words, "limit": limit, "offset": offset},
        )

    def with_words(self, collection_id: int, words: Sequence[str], limit: int) -> list[Passage]:
        """Passages whose title or text has all of the words, or the beginnings of longer ones;
        those with all in the title first, then by id.

        Reads every passage: 150,000 take some 0.2 s, less than an index of words would with
        beginnings that are common.
        """
        parts = {f"w{n}": word for n, word in enumerate(words)}
        title = {name: contains("title", name, word) for name, word in parts.items()}
        everywhere = " AND ".join(
            f"({title[name]} OR {contains('text', name, word)})" for name, word in parts.items()
        )
        in_title = " AND ".join(title.values())
        return self._where(
            f"collection_id = :collection AND retired IS NULL"
            f" AND {everywhere or 1} ORDER BY {in_title or 1} DESC, id LIMIT :limit",
            {"collection": collection_id, "limit": limit, **parts},
        )

    def after(self, collection_id: int, passage_id: int, limit: int) -> list[Passage]:
        """The next passages there are now whose id is greater."""
        return self._where(
            "collection_id = ? AND id > ? AND retired IS NULL ORDER BY id LIMIT ?",
            [collection_id, passage_id, limit],
        )

    def last(self, collection_id: int) -> int:
        """The highest id of a passage there is or was; 0 where none was."""
        return int(
            self._db.value(
                "SELECT COALESCE(MAX(id), 0) FROM passages WHERE collection_id = ?", [collection_id]
            )
        )

    def ids(self, collection_id: int) -> list[int]:
        """The ids of the passages there are now."""
        return self._db.column(
            "SELECT id FROM passages WHERE collection_id = ? AND retired IS NULL ORDER BY id",
            [collection_id],
        )

    def with_ids(self, ids: Sequence[int]) -> list[Passage]:
        """The passages with these ids, also retired ones, by id."""
        return self._where(f"id IN {LISTED} ORDER BY id", [listed(ids)])

    def get(self, passage_id: int) -> Passage | None:
        """A passage, also a retired one."""
        return self._db.first(Passage, f"SELECT {PASSAGE} FROM passages WHERE id = ?", [passage_id])

    def by_key(self, collection_id: int, keys: Sequence[str]) -> dict[str, Passage]:
        """The passages there are now, by key."""
        by_key: dict[str, Passage] = {}
        for group in in_groups(keys):
            passages = self._where(
                f"collection_id = ? AND key IN ({_places(group)}) AND retired IS NULL",
                [collection_id, *group],
            )
            by_key |= {passage.key: passage for passage in passages}
        return {key: by_key[key] for key in keys if key in by_key}

    def named(self, collection_id: int, revision: int, keys: Sequence[str]) -> list[Passage]:
        """The passages of a revision that gold keys name, in the order of the keys.

        Where there is no passage of that key, those of the document that was cut: "key#1", "key#2",
        …, by id.
        """
        live = f"collection_id = :collection AND {_LIVE}"
        passages = []
        for key in dict.fromkeys(keys):
            values = {"collection": collection_id, "revision": revision, "key": key}
            # "$" comes right after "#"
            cut = f"{live} AND key > :key || '#' AND key < :key || '$' ORDER BY id"
            passages += self._where(f"{live} AND key = :key", values) or self._where(cut, values)
        return passages

    def parts(self, ids: Sequence[int]) -> dict[int, tuple[str, int, int]]:
        """Passages among these that share document and title with others: by id the title, the
        place in the order of the text, from 1, and the number of parts.

        Passages that were retired together are counted together.
        """
        rows = self._db.tuples(
            'SELECT p.id, p.title, sum((q."start", q.id) <= (p."start", p.id)), count(*) FROM'
            " passages p JOIN passages q ON q.document_id = p.document_id AND q.title = p.title AND"
            f" q.retired IS p.retired WHERE p.id IN {LISTED} AND p.title <> '' GROUP BY p.id"
            " HAVING count(*) > 1",
            [listed(ids)],
        )
        return {id_: (title, number, total) for id_, title, number, total in rows}

    def labels(self, ids: Sequence[int]) -> dict[int, str]:
        """Labels, by id, of those passages that share document and title with others."""
        return {id_: part_label(*part) for id_, part in self.parts(ids).items()}

    def of_document(self, document_id: int) -> list[Passage]:
        """The passages a document has now, by id."""
        return self._where(
            "document_id = ? AND retired IS NULL ORDER BY id",
            [document_id],
        )

    def _where(self, condition: str, parameters: Parameters) -> list[Passage]:
        return self._db.values(
            Passage, f"SELECT {PASSAGE} FROM passages WHERE {condition}", parameters
        )


def _places(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))
