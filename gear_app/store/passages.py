"""Passages: added and retired, never changed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from gear_app.store.database import Database, in_groups
from gear_app.store.rows import text_hash
from gear_app.text import part_label
from gear_app.types import Passage

_PASSAGE = 'id, key, title, text, document_id, "start", "end"'
_LIVE = "added <= :revision AND (retired IS NULL OR retired > :revision)"


class Counts(NamedTuple):
    """What a collection holds now."""

    documents: int
    passages: int
    questions: int


class Passages:
    """A workspace's passages."""

    def __init__(self, db: Database) -> None:
        """Work on this connection."""
        self._db = db

    def counts(self, collection_id: int) -> Counts:
        """What the collection holds now."""
        row = next(
            self._db.tuples(
                "SELECT (SELECT count(*) FROM documents WHERE collection_id = :id AND retired IS"
                " NULL), (SELECT count(*) FROM passages WHERE collection_id = :id AND retired IS"
                " NULL), (SELECT count(*) FROM questions WHERE collection_id = :id)",
                {"id": collection_id},
            )
        )
        return Counts(*row)

    def add(self, collection_id: int, passages: Iterable[Passage], revision: int) -> None:
        """Store passages; their ids are given here, whatever they say. Keys and contents must be
        new.
        """
        self._db.many(
            "INSERT INTO passages (collection_id, document_id, key, title, text, start, end,"
            " text_hash, added) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
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

    def known(self, collection_id: int) -> tuple[dict[str, bytes], dict[bytes, str]]:
        """Of the passages there are now: content hash by key and by alias, and key by content
        hash.
        """
        rows = list(
            self._db.tuples(
                "SELECT key, text_hash FROM passages WHERE collection_id = ? AND retired IS NULL",
                [collection_id],
            )
        )
        hashes = dict(rows)
        for alias, key in self.aliases(collection_id).items():
            hashes.setdefault(alias, hashes[key])
        return hashes, {hash_: key for key, hash_ in rows}

    def add_aliases(self, collection_id: int, aliases: Iterable[tuple[str, str]]) -> None:
        """Remember other ids (alias, key) of stored passages."""
        self._db.many(
            "INSERT OR REPLACE INTO passage_aliases (collection_id, alias, key) VALUES (?, ?, ?)",
            [(collection_id, alias, key) for alias, key in aliases],
        )

    def aliases(self, collection_id: int) -> dict[str, str]:
        """Key by alias, of the passages there are now."""
        rows: Iterator[tuple[str, str]] = self._db.tuples(
            "SELECT a.alias, a.key FROM passage_aliases a JOIN passages p ON p.collection_id ="
            " a.collection_id AND p.key = a.key AND p.retired IS NULL WHERE a.collection_id = ?",
            [collection_id],
        )
        return dict(rows)

    def at(self, collection_id: int, revision: int) -> list[Passage]:
        """The passages of a revision, by id."""
        found = self._db.tuples(
            f"SELECT {_PASSAGE} FROM passages WHERE collection_id = :collection AND {_LIVE} ORDER"
            " BY id",
            {"collection": collection_id, "revision": revision},
        )
        return [Passage(*row) for row in found]

    def hashes(self, collection_id: int, revision: int) -> list[bytes]:
        """The content hashes of a revision's passages, by id."""
        found = self._db.tuples(
            f"SELECT text_hash FROM passages WHERE collection_id = :collection AND {_LIVE} ORDER"
            " BY id",
            {"collection": collection_id, "revision": revision},
        )
        return [hash_ for (hash_,) in found]

    def search(self, collection_id: int, words: str, limit: int, offset: int) -> list[Passage]:
        """Passages whose key, title or text contains the words: first the one that has them for its
        key, then by id.
        """
        first = "key = :words DESC, " if words else ""  # without it no row beyond the page is read
        found = self._db.tuples(
            f"SELECT {_PASSAGE} FROM passages WHERE collection_id = :collection AND retired IS NULL"
            " AND (:words = '' OR instr(lower(key || char(10) || title || char(10) || text),"
            f" lower(:words))) ORDER BY {first}id LIMIT :limit OFFSET :offset",
            {"collection": collection_id, "words": words, "limit": limit, "offset": offset},
        )
        return [Passage(*row) for row in found]

    def with_words(self, collection_id: int, words: Sequence[str], limit: int) -> list[Passage]:
        """Passages whose title or text has all of the words, or the beginnings of longer ones;
        those with all in the title first, then by id.

        Reads every passage: 150,000 take some 0.2 s, less than an index of words would with
        beginnings that are common.
        """
        patterns = {f"w{n}": f"%{_escaped(word)}%" for n, word in enumerate(words)}
        everywhere = " AND ".join(
            f"(title LIKE :{name} ESCAPE '!' OR text LIKE :{name} ESCAPE '!')" for name in patterns
        )
        in_title = " AND ".join(f"title LIKE :{name} ESCAPE '!'" for name in patterns)
        found = self._db.tuples(
            f"SELECT {_PASSAGE} FROM passages WHERE collection_id = :collection AND retired IS NULL"
            f" AND {everywhere or 1} ORDER BY {in_title or 1} DESC, id LIMIT :limit",
            {"collection": collection_id, "limit": limit, **patterns},
        )
        return [Passage(*row) for row in found]

    def after(self, collection_id: int, passage_id: int, limit: int) -> list[Passage]:
        """The next passages there are now whose id is greater."""
        found = self._db.tuples(
            f"SELECT {_PASSAGE} FROM passages WHERE collection_id = ? AND id > ? AND retired IS"
            " NULL ORDER BY id LIMIT ?",
            [collection_id, passage_id, limit],
        )
        return [Passage(*row) for row in found]

    def ids(self, collection_id: int) -> list[int]:
        """The ids of the passages there are now."""
        found = self._db.tuples(
            "SELECT id FROM passages WHERE collection_id = ? AND retired IS NULL ORDER BY id",
            [collection_id],
        )
        return [id_ for (id_,) in found]

    def some(self, ids: Sequence[int]) -> list[Passage]:
        """The passages with these ids, a few hundred at most, by id."""
        found = self._db.tuples(
            f"SELECT {_PASSAGE} FROM passages WHERE id IN ({', '.join('?' * len(ids))}) ORDER"
            " BY id",
            ids,
        )
        return [Passage(*row) for row in found]

    def there(self, ids: Sequence[int]) -> set[int]:
        """Those of these ids, a few hundred at most, whose passage is there now."""
        found = self._db.tuples(
            f"SELECT id FROM passages WHERE id IN ({', '.join('?' * len(ids))}) AND retired IS"
            " NULL",
            ids,
        )
        return {id_ for (id_,) in found}

    def get(self, passage_id: int) -> Passage | None:
        """A passage, also a retired one."""
        found = self._db.tuples(f"SELECT {_PASSAGE} FROM passages WHERE id = ?", [passage_id])
        return next((Passage(*row) for row in found), None)

    def by_key(self, collection_id: int, keys: Sequence[str]) -> dict[str, Passage]:
        """The passages there are now, by key."""
        found: dict[str, Passage] = {}
        for key in keys:
            rows = self._db.tuples(
                f"SELECT {_PASSAGE} FROM passages WHERE collection_id = ? AND key = ? AND retired"
                " IS NULL",
                [collection_id, key],
            )
            found.update((key, Passage(*row)) for row in rows)
        return found

    def named(self, collection_id: int, revision: int, keys: Sequence[str]) -> list[Passage]:
        """The passages of a revision that gold keys name, in the order of the keys.

        Where there is no passage of that key, those of the document that was cut: "key#1", "key#2",
        …, by id.
        """
        one = f"SELECT {_PASSAGE} FROM passages WHERE collection_id = :collection AND {_LIVE}"
        found = []
        for key in dict.fromkeys(keys):
            values = {"collection": collection_id, "revision": revision, "key": key}
            own = list(self._db.tuples(f"{one} AND key = :key", values))
            # "$" comes right after "#"
            cut = f"{one} AND key > :key || '#' AND key < :key || '$' ORDER BY id"
            found += own or list(self._db.tuples(cut, values))
        return [Passage(*row) for row in found]

    def parts(self, ids: Sequence[int]) -> dict[int, tuple[str, int, int]]:
        """Of these passages those that share document and title with others: by id the title, which
        of them they are in the order of the text, from 1, and how many there are.

        Passages that were retired together are counted together.
        """
        found: dict[int, tuple[str, int, int]] = {}
        for some in in_groups(ids):
            rows = self._db.tuples(
                'SELECT p.id, p.title, sum((q."start", q.id) <= (p."start", p.id)), count(*) FROM'
                " passages p JOIN passages q ON q.document_id = p.document_id AND q.title = p.title"
                f" AND q.retired IS p.retired WHERE p.id IN ({', '.join('?' * len(some))}) AND"
                " p.title <> '' GROUP BY p.id HAVING count(*) > 1",
                some,
            )
            found |= {id_: (title, number, of) for id_, title, number, of in rows}
        return found

    def labels(self, ids: Sequence[int]) -> dict[int, str]:
        """What these passages are called, those that share document and title with others."""
        return {id_: part_label(*part) for id_, part in self.parts(ids).items()}

    def of_document(self, document_id: int) -> list[Passage]:
        """The passages a document has now, by id."""
        found = self._db.tuples(
            f"SELECT {_PASSAGE} FROM passages WHERE document_id = ? AND retired IS NULL ORDER"
            " BY id",
            [document_id],
        )
        return [Passage(*row) for row in found]


def _escaped(word: str) -> str:
    """The word as a part of a pattern of LIKE."""
    return re.sub(r"([!%_])", r"!\1", word)
