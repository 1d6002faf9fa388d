"""Mentions: what passages name, by sentence and place, found once by the rules of a version."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from gear_app.language.mentions import VERSION, PassageMentions, sentence_text
from gear_app.store.database import Database
from gear_app.store.rows import text_hash
from gear_app.types import Passage

_AT = (
    "p.collection_id = :collection AND p.added <= :revision"
    " AND (p.retired IS NULL OR p.retired > :revision)"
)
_WORDS = (
    'p.title, p.text, s."start", s."end" FROM sentences s, passages p WHERE p.id = s.passage_id'
)
_PASSAGE = 'id, key, title, text, document_id, "start", "end"'


class MentionCounts(NamedTuple):
    """What a collection's passages have now; `unread` are those whose mentions are not known."""

    sentences: int
    mentions: int
    unread: int


class StoredSentence(NamedTuple):
    """A sentence by id, and the words of its vector."""

    id: int
    text: str


class Mentions:
    """A workspace's mentions."""

    def __init__(self, db: Database) -> None:
        """Work on this connection."""
        self._db = db

    def unread(self, collection_id: int, limit: int) -> list[Passage]:
        """Passages whose mentions are not known, or were found by other rules; retired ones too,
        since runs of earlier revisions may be replayed.
        """
        rows = self._db.tuples(
            f"SELECT {_PASSAGE} FROM passages INDEXED BY passages_unread WHERE collection_id = ?"
            " AND mentions < ? ORDER BY mentions, id LIMIT ?",
            [collection_id, VERSION, limit],
        )
        return [Passage(*row) for row in rows]

    def put(self, collection_id: int, read: Sequence[tuple[Passage, PassageMentions]]) -> None:
        """Keep what was read in passages, in the place of what other rules had found."""
        with self._db.transaction():
            ids = [(passage.id,) for passage, _ in read]
            self._db.many("DELETE FROM sentences WHERE passage_id = ?", ids)
            self._db.many("DELETE FROM passage_mentions WHERE passage_id = ?", ids)
            self._db.many(
                'INSERT INTO sentences (passage_id, number, "start", "end", text_hash)'
                " VALUES (?, ?, ?, ?, ?)",
                (
                    (
                        passage.id,
                        number,
                        *span,
                        text_hash(_text(passage.title, passage.text, *span)),
                    )
                    for passage, found in read
                    for number, span in enumerate(found.sentences, start=1)
                ),
            )
            number_of = self._numbers(
                collection_id, {mention.name for _, found in read for mention in found.mentions}
            )
            self._db.many(
                "INSERT OR IGNORE INTO passage_mentions (passage_id, sentence, mention_id,"
                ' "start", "end", lower) VALUES (?, ?, ?, ?, ?, ?)',
                (
                    (passage.id, sentence, number_of[name], *span, lower)
                    for passage, found in read
                    for name, sentence, span, lower in found.mentions
                ),
            )
            self._db.many(f"UPDATE passages SET mentions = {VERSION} WHERE id = ?", ids)

    def counts(self, collection_id: int) -> MentionCounts:
        """Of the passages there are now."""
        row = next(
            self._db.tuples(
                "SELECT (SELECT count(*) FROM sentences s JOIN passages p ON p.id = s.passage_id"
                " WHERE p.collection_id = :id AND p.retired IS NULL), (SELECT count(*) FROM"
                " mentions WHERE collection_id = :id), (SELECT count(*) FROM passages WHERE"
                " collection_id = :id AND retired IS NULL AND mentions < :version)",
                {"id": collection_id, "version": VERSION},
            )
        )
        return MentionCounts(*row)

    def sentences(self, collection_id: int, revision: int) -> Iterator[tuple[int, int, int]]:
        """Passage id, start and end of a revision's sentences, in order."""
        return self._db.tuples(
            'SELECT s.passage_id, s."start", s."end" FROM passages p JOIN sentences s ON'
            f" s.passage_id = p.id WHERE {_AT} ORDER BY p.id, s.number",
            {"collection": collection_id, "revision": revision},
        )

    def places(self, collection_id: int, revision: int) -> Iterator[tuple[int, int, str, bool]]:
        """Passage id, sentence from 1 or 0 for the title, name, and whether it is in lower case, of
        a revision's mentions.
        """
        return self._db.tuples(
            "SELECT x.passage_id, x.sentence, m.name, x.lower FROM passages p JOIN"
            " passage_mentions x ON x.passage_id = p.id JOIN mentions m ON m.id = x.mention_id"
            f" WHERE {_AT}",
            {"collection": collection_id, "revision": revision},
        )

    def after(self, collection_id: int, sentence_id: int, limit: int) -> list[StoredSentence]:
        """The next sentences of the passages there are now whose id is greater."""
        rows = self._db.tuples(
            f"SELECT s.id, {_WORDS} AND p.collection_id = ? AND p.retired IS NULL AND s.id > ?"
            " ORDER BY s.id LIMIT ?",
            [collection_id, sentence_id, limit],
        )
        return [StoredSentence(id_, _text(*words)) for id_, *words in rows]

    def texts(self, ids: Sequence[int]) -> list[str]:
        """The words of the vectors of a few hundred sentences, by id."""
        rows = self._db.tuples(
            f"SELECT {_WORDS} AND s.id IN ({', '.join('?' * len(ids))}) ORDER BY s.id", ids
        )
        return [_text(*words) for words in rows]

    def _numbers(self, collection_id: int, names: Iterable[str]) -> dict[str, int]:
        """The numbers of these names; an unknown one gets the next."""
        ordered = sorted(names)
        self._db.many(
            "INSERT OR IGNORE INTO mentions (collection_id, name) VALUES (?, ?)",
            ((collection_id, name) for name in ordered),
        )
        found: dict[str, int] = {}
        for start in range(0, len(ordered), 500):
            some = ordered[start : start + 500]
            found.update(
                self._db.tuples(
                    "SELECT name, id FROM mentions WHERE collection_id = ? AND name IN"
                    f" ({', '.join('?' * len(some))})",
                    [collection_id, *some],
                )
            )
        return found


def _text(title: str, text: str, start: int, end: int) -> str:
    """The words of a sentence's vector."""
    return sentence_text(title, text[start:end])
