"""Mentions: what passages name, by sentence and place, found once by the rules of a version."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gear_app.core.types import Passage
from gear_app.language.mentions import VERSION, PassageMentions, sentence_text
from gear_app.store.database import LISTED, StoreTable
from gear_app.store.rows import LIVE, PASSAGE, text_hash

_AT = f"p.collection_id = :collection AND {LIVE.format('p')}"
_WORDS = (
    'p.title, p.text, s."start", s."end" FROM sentences s, passages p WHERE p.id = s.passage_id'
)


class MentionCounts(NamedTuple):
    """Counts over a collection's present passages; `pending`: their mentions are not known."""

    sentences: int
    mentions: int
    pending: int


class StoredSentence(NamedTuple):
    """A sentence by id, and the words of its vector."""

    id: int
    text: str


class Mentions(StoreTable):
    """A workspace's mentions."""

    def pending(self, collection_id: int, limit: int) -> list[Passage]:
        """Passages whose mentions are not known, or were found by other rules; retired ones too,
        since runs of earlier revisions may be replayed.
        """
        return self._db.values(
            Passage,
            f"SELECT {PASSAGE} FROM passages INDEXED BY passages_unread WHERE collection_id = ?"
            " AND mentions < ? ORDER BY mentions, id LIMIT ?",
            [collection_id, VERSION, limit],
        )

    def put(self, collection_id: int, read: Sequence[tuple[Passage, PassageMentions]]) -> None:
        """Keep what was read in passages, in the place of what other rules had found."""
        with self._db.transaction():
            ids = [(passage.id,) for passage, _ in read]
            self._db.many("DELETE FROM sentences WHERE passage_id = ?", ids)
            self._db.many("DELETE FROM passage_mentions WHERE passage_id = ?", ids)
            self._db.add(
                "sentences",
                'passage_id, number, "start", "end", text_hash',
                (
                    (
                        passage.id,
                        number,
                        *span,
                        text_hash(_text(passage.title, passage.text, *span)),
                    )
                    for passage, mentions in read
                    for number, span in enumerate(mentions.sentences, start=1)
                ),
            )
            names = sorted({mention.name for _, mentions in read for mention in mentions.mentions})
            rows = [(collection_id, name) for name in names]
            self._db.add("mentions", "collection_id, name", rows, "IGNORE")
            sql = f"SELECT name, id FROM mentions WHERE collection_id = ? AND name IN {LISTED}"
            number_of = dict(self._db.tuples(sql, [collection_id, names]))
            self._db.add(
                "passage_mentions",
                'passage_id, sentence, mention_id, "start", "end", lower',
                (
                    (passage.id, sentence, number_of[name], *span, lower)
                    for passage, mentions in read
                    for name, sentence, span, lower in mentions.mentions
                ),
                "IGNORE",
            )
            self._db.many(f"UPDATE passages SET mentions = {VERSION} WHERE id = ?", ids)

    def counts(self, collection_id: int) -> MentionCounts:
        """Counts over the present passages."""
        return self._db.values(
            MentionCounts,
            "SELECT (SELECT count(*) FROM sentences s JOIN passages p ON p.id = s.passage_id"
            " WHERE p.collection_id = :id AND p.retired IS NULL), (SELECT count(*) FROM"
            " mentions WHERE collection_id = :id), (SELECT count(*) FROM passages WHERE"
            " collection_id = :id AND retired IS NULL AND mentions < :version)",
            {"id": collection_id, "version": VERSION},
        )[0]

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
        return self._db.values(
            _text, f"SELECT {_WORDS} AND s.id IN {LISTED} ORDER BY s.id", [[*ids]]
        )


def _text(title: str, text: str, start: int, end: int) -> str:
    """The words of a sentence's vector."""
    return sentence_text(title, text[start:end])
