"""What was read in passages: which of them a triple set has been made for, and what became of each,
from where extraction resumes; and what they name, by sentence and place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from gear_app.core.types import Passage
from gear_app.language.mentions import VERSION, PassageMentions, sentence_text
from gear_app.store.database import LISTED, StoreTable
from gear_app.store.rows import LIVE, PASSAGE, now, text_hash


class Failure(NamedTuple):
    """A passage that could not be extracted, or of whose reply not everything could be used: why,
    and the reply.

    One that was extracted has a number of `triples`, 0 where the model found none.
    """

    passage_id: int
    passage_key: str
    title: str
    error: str
    reply: str
    triples: int | None = None
    dropped: int = 0


class Shortfall(NamedTuple):
    """How the reply about a passage fell short although it was understood: what was dropped, and
    what is to be said.
    """

    reply: str
    dropped: int = 0
    note: str = ""


_WHOLE = Shortfall("")
_FAILED = "x.state = 'failed'"
_EMPTY = "x.state <> 'failed' AND x.triples = 0"
_SHORT = "x.state <> 'failed' AND x.reply <> '' AND (x.dropped > 0 OR x.error <> '')"
_TRIPLES = (  # of extractions x
    "(SELECT count(*) FROM triples t WHERE t.set_id = x.set_id AND t.passage_id = x.passage_id AND"
    " t.retired IS NULL)"
)
_PASSAGES = (  # x: their extractions in a set
    " FROM extractions x JOIN passages p ON p.id = x.passage_id AND p.retired IS NULL WHERE"
    " x.set_id = ?"
)


class Extractions(StoreTable):
    """The state of every passage in every triple set."""

    def mark_extracted(
        self,
        set_id: int,
        passage_ids: Sequence[int],
        fingerprint: str,
        short: Mapping[int, Shortfall],
    ) -> None:
        """Mark passages as extracted, by what made them, and count their triples; `short`: whose
        reply fell short. One that has the same number as before stays as it is.
        """
        self._db.many(
            "INSERT INTO extractions (set_id, passage_id, state, triples, reply, dropped, error,"
            f" fingerprint, at) SELECT set_id, passage_id, 'done', {_TRIPLES}, ?, ?, ?, ?, ? FROM"
            " (SELECT ? AS set_id, ? AS passage_id) x WHERE true ON CONFLICT DO UPDATE SET"
            " state = 'done', error = excluded.error, reply = excluded.reply, dropped ="
            " excluded.dropped, triples = excluded.triples, fingerprint = excluded.fingerprint, at"
            " = excluded.at WHERE triples <> excluded.triples OR state = 'failed'",
            [(*short.get(id_, _WHOLE), fingerprint, now(), set_id, id_) for id_ in passage_ids],
        )

    def mark_failed(
        self, set_id: int, passage_id: int, fingerprint: str, error: str, reply: str = ""
    ) -> None:
        """Mark a passage as not extracted, and keep why."""
        row = {"set_id": set_id, "passage_id": passage_id, "fingerprint": fingerprint}
        reason = {"state": "failed", "error": error, "reply": reply, "at": now()}
        self._db.insert("extractions", row | reason, "REPLACE")

    def recount(self, set_id: int, revision: int) -> None:
        """Count the triples of the passages again in which somebody changed some at a revision."""
        self._db.execute(
            f"UPDATE extractions AS x SET triples = {_TRIPLES} WHERE set_id = :set AND state <>"
            " 'failed' AND passage_id IN (SELECT passage_id FROM triples WHERE set_id = :set AND"
            " (added = :revision OR retired = :revision))",
            {"set": set_id, "revision": revision},
        )

    def retry(self, set_id: int, *, empty: bool = False) -> int:
        """Forget the passages that failed, or those that gave no triples, so that the next job
        tries them again; return how many.
        """
        condition = _EMPTY if empty else _FAILED
        sql = f"DELETE FROM extractions AS x WHERE set_id = ? AND {condition}"
        return self._db.execute(sql, [set_id])

    def shortfalls(self, set_id: int, limit: int = 100) -> list[Failure]:
        """The passages that failed, then those that gave no triples, then those whose reply was
        used in part, by id.
        """
        return self._db.values(
            Failure,
            f"SELECT p.id, p.key, p.title, x.error, x.reply, iif({_FAILED}, NULL, x.triples),"
            f" x.dropped {_PASSAGES} AND ({_FAILED} OR {_EMPTY} OR {_SHORT}) ORDER BY NOT"
            f" {_FAILED}, NOT ({_EMPTY}), p.id LIMIT ?",
            [set_id, limit],
        )

    def pending(self, collection_id: int, set_id: int, last: int, limit: int) -> list[Passage]:
        """The passages after this id that the set has not been made for, by id."""
        return self._db.values(
            Passage,
            'SELECT p.id, p.key, p.title, p.text, p.document_id, p."start", p."end" FROM passages p'
            " LEFT JOIN extractions x ON x.set_id = ? AND x.passage_id = p.id WHERE p.collection_id"
            " = ? AND p.id > ? AND p.retired IS NULL AND x.passage_id IS NULL ORDER BY p.id LIMIT"
            " ?",
            [set_id, collection_id, last, limit],
        )

    def waiting(self, set_id: int | None, passage_ids: Iterable[int]) -> list[int]:
        """Passages among these, not retired, that the set has not been made for or that failed; by
        id. None is a set that is not there yet.
        """
        sql = (
            f"SELECT id FROM passages WHERE id IN {LISTED} AND retired IS NULL AND id NOT IN"
            " (SELECT passage_id FROM extractions WHERE set_id = ? AND state <> 'failed') ORDER BY"
            " id"
        )
        return self._db.values(int, sql, [[*passage_ids], set_id])

    def noted(self, set_id: int, note: str) -> list[str]:
        """The documents with passages that were extracted with this note, by their file's name or
        else their title, each once, in order.
        """
        return self._db.values(
            str,
            "SELECT DISTINCT coalesce(nullif(d.source, ''), nullif(d.title, ''), p.title) AS name"
            " FROM extractions x JOIN passages p ON p.id = x.passage_id AND p.retired IS NULL LEFT"
            " JOIN documents d ON d.id = p.document_id WHERE x.set_id = ? AND x.state <> 'failed'"
            " AND x.error = ? ORDER BY name",
            [set_id, note],
        )

    def counts(self, set_id: int) -> dict[str, Any]:
        """Numbers of the passages of a set now, by state: `passages_done`, `passages_failed`,
        `passages_without` triples although done, and `passages_short`, of whose replies
        `parts_dropped` could not be used, or the end is missing.
        """
        states = {
            "passages_done": "x.state = 'done'",
            "passages_failed": _FAILED,
            "passages_without": _EMPTY,
            "passages_short": _SHORT,
            "parts_dropped": "x.dropped",
        }
        sums = (f"coalesce(sum({state}), 0) AS {name}" for name, state in states.items())
        return self._db.rows(f"SELECT {', '.join(sums)} {_PASSAGES}", [set_id])[0]


_AT = f"p.collection_id = :collection AND {LIVE.format('p')}"
_WORDS = (
    'p.title, p.text, s."start", s."end" FROM sentences s, passages p WHERE p.id = s.passage_id'
)


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

    def counts(self, collection_id: int) -> tuple[int, int]:
        """The sentences of the present passages, and the passages whose mentions are not known."""
        ((sentences, pending),) = self._db.tuples(
            "SELECT (SELECT count(*) FROM sentences s JOIN passages p ON p.id = s.passage_id"
            " WHERE p.collection_id = :id AND p.retired IS NULL), (SELECT count(*) FROM passages"
            " WHERE collection_id = :id AND retired IS NULL AND mentions < :version)",
            {"id": collection_id, "version": VERSION},
        )
        return sentences, pending

    def sentences(self, collection_id: int, revision: int) -> Iterator[tuple[int, int, int]]:
        """Passage id, start and end of a revision's sentences, in order."""
        return self._db.tuples(
            'SELECT s.passage_id, s."start", s."end" FROM passages p JOIN sentences s ON'
            f" s.passage_id = p.id WHERE {_AT} ORDER BY p.id, s.number",
            {"collection": collection_id, "revision": revision},
        )

    def places(self, collection_id: int, revision: int) -> Iterator[tuple[int, int, str, bool]]:
        """Passage id, sentence from 1 or 0 for the title, name, and whether it is in lower case, of
        a revision's mentions, by passage.
        """
        return self._db.tuples(
            "SELECT x.passage_id, x.sentence, m.name, x.lower FROM passages p JOIN"
            " passage_mentions x ON x.passage_id = p.id JOIN mentions m ON m.id = x.mention_id"
            f" WHERE {_AT} ORDER BY p.id",
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
