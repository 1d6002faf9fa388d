"""Documents and passages: texts as they were handed in, and what of them is searched; added and
retired, never changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from gear_app.core.text import part_label
from gear_app.core.types import Document, Passage
from gear_app.store.database import HASHES, LISTED, Parameters, StoreTable, contains
from gear_app.store.rows import LIVE, PASSAGE, now, text_hash

_AT = f"p.collection_id = :collection AND {LIVE.format('p')}"  # passages p of a revision
# Passages p beside keys, in the order of these. "$" comes right after "#".
_LISTED = "(SELECT key AS place, value FROM json_each(:keys)) CROSS JOIN passages p ON"


class DocumentRow(NamedTuple):
    """A stored document, without its text."""

    id: int
    title: str
    source: str
    created: str
    characters: int
    passages: int


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
                "pages": document.pages,
                "text_hash": text_hash(document.text),
                "added": revision,
                "created": now(),
            },
        )

    def of(self, collection_id: int | None, **columns: object) -> list[DocumentRow]:
        """The documents a collection has now, with these columns, oldest first."""
        conditions = [f"d.{column} = ?" for column in ("collection_id", *columns)]
        return self._select(" AND ".join(conditions), collection_id, *columns.values())

    def added_by(self, task: int) -> list[int]:
        """Ids of the documents that a job brought and that are present."""
        return self._db.values(
            int,
            "SELECT d.id FROM documents d JOIN revisions v ON v.collection_id = d.collection_id AND"
            " v.revision = d.added WHERE v.task = ? AND d.retired IS NULL ORDER BY d.id",
            [task],
        )

    def get(self, document_id: int) -> Document | None:
        """A document, also a retired one."""
        rows = self._db.rows(
            "SELECT title, text, source, pages FROM documents WHERE id = ?", [document_id]
        )
        return next((Document(**{**row, "pages": tuple(row["pages"])}) for row in rows), None)

    def retire(self, document_id: int, revision: int) -> None:
        """Retire a document with its passages and their triples. A passage that another document
        with this title states too, in the same words, is from now on a passage of that one.
        """
        self._db.execute(
            "UPDATE passages SET document_id = d.id, start = instr(d.text, passages.text) - 1, end"
            " = instr(d.text, passages.text) - 1 + length(passages.text) FROM documents d WHERE"
            " passages.document_id = ? AND passages.retired IS NULL AND d.id <>"
            " passages.document_id AND d.collection_id = passages.collection_id AND d.title ="
            " passages.title AND d.retired IS NULL AND instr(d.text, passages.text)",
            [document_id],
        )
        passages = "SELECT id FROM passages WHERE document_id = ? AND retired IS NULL"
        for table, condition in (
            ("triples", f"retired IS NULL AND passage_id IN ({passages})"),
            ("passages", "retired IS NULL AND document_id = ?"),
            ("documents", "id = ?"),
        ):
            sql = f"UPDATE {table} SET retired = ? WHERE {condition}"
            self._db.execute(sql, [revision, document_id])

    def _select(self, condition: str, *values: object) -> list[DocumentRow]:
        return self._db.values(
            DocumentRow,
            "SELECT d.id, d.title, d.source, d.created, length(d.text), count(p.id) FROM"
            " documents d LEFT JOIN passages p ON p.document_id = d.id AND p.retired IS NULL WHERE"
            f" {condition} AND d.retired IS NULL GROUP BY d.id ORDER BY d.id",
            values,
        )


class Passages(StoreTable):
    """A workspace's passages. Those of a collection are the present ones unless it says more."""

    def counts(self, collection_id: int) -> dict[str, Any]:
        """Numbers of a collection's `documents`, `passages` and `questions` now."""
        return self._db.rows(
            "SELECT (SELECT count(*) FROM documents WHERE collection_id = :id AND retired IS"
            " NULL) AS documents, (SELECT count(*) FROM passages WHERE collection_id = :id AND"
            " retired IS NULL) AS passages, (SELECT count(*) FROM questions WHERE collection_id ="
            " :id) AS questions",
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
                    *(p.document_id, p.key, p.title, p.text, p.start, p.end),
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
        last = self._db.value(
            "UPDATE sqlite_sequence SET seq = ? + (SELECT max(seq) FROM sqlite_sequence WHERE name"
            " IN ('passages', 'triples')) WHERE name IN ('passages', 'triples') RETURNING seq",
            [number],
        )
        return int(last) - number + 1

    def add_recorded(self, collection_id: int, passages: Iterable[Passage]) -> None:
        """Store the passages of imported runs under reserved ids. Of several with the same key or
        content, as runs before and after a change have them, the last is the collection's.
        """
        newest = sorted(passages, key=lambda passage: -passage.id)
        for retired in (None, 1):  # those that have no place among the present ones are retired
            self._db.add(
                "passages",
                "collection_id, id, key, title, text, text_hash, retired",
                [
                    (collection_id, p.id, p.key, p.title, p.text, text_hash(p.indexed), retired)
                    for p in newest
                ],
                "IGNORE",
            )

    def hashes_of(self, collection_id: int, keys: Sequence[str]) -> dict[str, bytes]:
        """The content hashes of the passages that have these keys or aliases."""
        rows = self._db.tuples(
            "SELECT a.alias, p.text_hash FROM passage_aliases a JOIN passages p USING"
            " (collection_id, key) WHERE p.retired IS NULL AND a.collection_id = :collection AND"
            f" a.alias IN {LISTED.replace('?', ':keys')} UNION ALL SELECT key,"
            " text_hash FROM passages WHERE collection_id = :collection AND retired IS NULL AND key"
            f" IN {LISTED.replace('?', ':keys')}",
            {"collection": collection_id, "keys": [*keys]},
        )
        return dict(rows)

    def keys_of(self, collection_id: int, hashes: Sequence[bytes]) -> dict[bytes, str]:
        """The keys of the passages that have these content hashes."""
        sql = (
            "SELECT text_hash, key FROM passages WHERE collection_id = ? AND retired IS NULL AND"
            f" text_hash IN {HASHES}"
        )
        return dict(self._db.tuples(sql, [collection_id, [*hashes]]))

    def add_aliases(self, collection_id: int, aliases: Iterable[tuple[str, str]]) -> None:
        """Remember other ids (alias, key) of stored passages."""
        rows = [(collection_id, alias, key) for alias, key in aliases]
        self._db.add("passage_aliases", "collection_id, alias, key", rows, "REPLACE")

    def aliases(self, collection_id: int, ids: Sequence[str]) -> dict[str, str]:
        """Keys of present passages by those of these ids that are aliases."""
        sql = (
            "SELECT a.alias, a.key FROM passage_aliases a JOIN passages p ON p.collection_id ="
            " a.collection_id AND p.key = a.key AND p.retired IS NULL WHERE a.collection_id = ? AND"
            f" a.alias IN {LISTED}"
        )
        return dict(self._db.tuples(sql, [collection_id, [*ids]]))

    def hashes(self, collection_id: int, revision: int) -> Iterator[tuple[int, bytes]]:
        """Ids and content hashes of a revision's passages, by id."""
        sql = f"SELECT id, text_hash FROM passages p WHERE {_AT} ORDER BY id"
        return self._db.tuples(sql, {"collection": collection_id, "revision": revision})

    def search(self, collection_id: int, words: str, limit: int) -> list[Passage]:
        """Passages that have all of the words, or the beginnings of longer ones, in key, title or
        text: the one that has them for its key, those with all in the title, then by id.

        Reads every passage: 150,000 take some 0.2 s, less than an index of words would with
        beginnings that are common.
        """
        parts = {f"w{number}": word for number, word in enumerate(words.split())}
        if not parts:
            return self.after(collection_id, 0, limit)
        everything = "key || char(10) || title || char(10) || text"
        present, in_title = (
            " AND ".join(contains(text, name, word) for name, word in parts.items())
            for text in (everything, "title")
        )
        return self._select(
            f"collection_id = :collection AND retired IS NULL AND {present} ORDER BY"
            f" key = :words DESC, {in_title} DESC, id LIMIT :limit",
            {"collection": collection_id, "words": words, "limit": limit, **parts},
        )

    def each(self, collection_id: int) -> Iterator[Passage]:
        """All passages, oldest first, read one by one."""
        rows = self._db.tuples(
            f"SELECT {PASSAGE} FROM passages WHERE collection_id = ? AND retired IS NULL ORDER BY"
            " id",
            [collection_id],
        )
        return (Passage(*row) for row in rows)

    def after(self, collection_id: int, passage_id: int, limit: int) -> list[Passage]:
        """The next passages whose id is greater."""
        return self._select(
            "collection_id = ? AND id > ? AND retired IS NULL ORDER BY id LIMIT ?",
            [collection_id, passage_id, limit],
        )

    def ids(self, collection_id: int) -> list[int]:
        """The ids of the passages."""
        sql = "SELECT id FROM passages WHERE collection_id = ? AND retired IS NULL ORDER BY id"
        return self._db.values(int, sql, [collection_id])

    def with_ids(self, ids: Iterable[int]) -> dict[int, Passage]:
        """The passages with these ids, also retired ones, by id."""
        passages = self._select(f"id IN {LISTED} ORDER BY id", [[*ids]])
        return {passage.id: passage for passage in passages}

    def by_key(self, collection_id: int, keys: Sequence[str]) -> dict[str, Passage]:
        """The passages with these keys, by key, in the order of the keys."""
        passages = self._db.values(
            Passage,
            f"SELECT {PASSAGE} FROM {_LISTED} p.key = value WHERE p.collection_id = :collection"
            " AND p.retired IS NULL ORDER BY place",
            {"collection": collection_id, "keys": [*keys]},
        )
        return {passage.key: passage for passage in passages}

    def named(self, collection_id: int, revision: int, keys: Iterable[str]) -> list[Passage]:
        """The passages of a revision that gold keys name, in the order of the keys.

        Where there is no passage of that key, those of the document that was cut: "key#1", "key#2",
        …, by id.
        """
        return self._db.values(
            Passage,
            f"SELECT {PASSAGE} FROM {_LISTED} (p.key = value OR p.key > value || '#' AND p.key <"
            " value || '$' AND NOT EXISTS (SELECT 1 FROM passages q WHERE q.collection_id ="
            f" :collection AND q.key = value AND {LIVE.format('q')})) WHERE {_AT} ORDER BY place,"
            " id",
            {"collection": collection_id, "revision": revision, "keys": [*dict.fromkeys(keys)]},
        )

    def labels(self, ids: Iterable[int]) -> dict[int, str]:
        """Labels, by id, of those passages that share document and title with others: the title,
        with the place in the order of the text. Passages that were retired together are counted
        together.
        """
        rows = self._db.tuples(
            'SELECT p.id, p.title, sum((q."start", q.id) <= (p."start", p.id)), count(*) FROM'
            " passages p JOIN passages q ON q.document_id = p.document_id AND q.title = p.title AND"
            f" q.retired IS p.retired WHERE p.id IN {LISTED} AND p.title <> '' GROUP BY p.id"
            " HAVING count(*) > 1",
            [[*ids]],
        )
        return {id_: part_label(*part) for id_, *part in rows}

    def _select(self, condition: str, parameters: Parameters) -> list[Passage]:
        sql = f"SELECT {PASSAGE} FROM passages p WHERE {condition}"
        return self._db.values(Passage, sql, parameters)
