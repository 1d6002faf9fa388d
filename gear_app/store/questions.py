"""Questions and their gold passages."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from gear_app.core.text import normalise_entity
from gear_app.core.types import Hop, Question
from gear_app.store.database import LISTED, StoreTable

_QUESTION = "id, key, question, answers, type, hops, decomposition"


class Questions(StoreTable):
    """A workspace's questions. Gold is kept by passage key, also of passages that are not there
    (yet).
    """

    def of(self, collection_id: int) -> list[Question]:
        """A collection's questions, in the order they came."""
        return self._select("collection_id = ?", collection_id)

    def with_ids(self, collection_id: int, ids: Sequence[str]) -> dict[str, Question]:
        """The questions with these ids, by id."""
        condition = f"collection_id = ? AND key IN {LISTED}"
        return {q.id: q for q in self._select(condition, collection_id, [*ids])}

    def words(self, collection_id: int, ids: Sequence[str]) -> dict[str, str]:
        """Words of the questions with these ids, by id."""
        sql = f"SELECT key, question FROM questions WHERE collection_id = ? AND key IN {LISTED}"
        return dict(self._db.tuples(sql, [collection_id, [*ids]]))

    def find(self, collection_id: int | None, text: str) -> Question | None:
        """The question with these words, whatever their case and punctuation; the first of
        several.
        """
        condition, words = "collection_id = ? AND normal = ?", normalise_entity(text)
        return next(iter(self._select(condition, collection_id, words)), None)

    def save(
        self, collection_id: int, questions: Iterable[Question], task: int | None = None
    ) -> None:
        """Add questions; one whose id is there already takes its place. `task`: the import that
        brings them.
        """
        with self._db.transaction():
            for question in questions:
                self._db.execute(
                    "INSERT INTO questions (collection_id, key, question, normal, answers, type,"
                    " hops, decomposition, task) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT"
                    " (collection_id, key) DO UPDATE SET question = excluded.question, normal ="
                    " excluded.normal, answers = excluded.answers, type = excluded.type, hops ="
                    " excluded.hops, decomposition = excluded.decomposition",
                    [
                        *(collection_id, question.id, question.question),
                        normalise_entity(question.question),
                        *(question.answers, question.type, question.hops),
                        [dataclasses.asdict(hop) for hop in question.decomposition],
                        task,
                    ],
                )
                self.set_gold(collection_id, question.id, question.grades)

    def delete(self, collection_id: int, key: str) -> bool:
        """Take a question out, with its gold; runs keep their own words and gold. False where it is
        not there.
        """
        return self._db.delete("questions", collection_id=collection_id, key=key) > 0

    def gold_counts(self, collection_id: int) -> Iterator[tuple[str, int, int]]:
        """Id of every question with gold, its number of gold passages, and how many of these
        are not in its collection now, neither whole nor in parts.
        """
        return self._db.tuples(
            f"SELECT q.key, count(*), sum(NOT {_is_there('g.key')}) FROM questions q JOIN gold g ON"
            " g.question_id = q.id WHERE q.collection_id = ? AND g.grade > 0 GROUP BY q.id",
            [collection_id],
        )

    def passages_themselves(self, collection_id: int) -> set[str]:
        """The ids of the questions that are passages of the collection, whole or in parts, and not
        their own gold.
        """
        return set(
            self._db.values(
                str,
                f"SELECT q.key FROM questions q WHERE q.collection_id = ? AND {_is_there('q.key')}"
                " AND NOT EXISTS (SELECT 1 FROM gold g WHERE g.question_id = q.id AND g.key ="
                " q.key)",
                [collection_id],
            )
        )

    def set_gold(self, collection_id: int, key: str, gold: Mapping[str, int]) -> None:
        """Mark these passages, by key and each with its grade, as the question's gold."""
        values = {"collection": collection_id, "key": key, "gold": {**gold}}
        question = "SELECT id FROM questions WHERE collection_id = :collection AND key = :key"
        with self._db.transaction():
            self._db.execute(f"DELETE FROM gold WHERE question_id = ({question})", values)
            self._db.execute(
                f"INSERT INTO gold SELECT q.id, row_number() OVER (ORDER BY g.id) - 1, g.key,"
                f" g.value FROM ({question}) q, json_each(:gold) g",
                values,
            )

    def _select(self, condition: str, *values: object) -> list[Question]:
        gold: dict[int, dict[str, int]] = {}
        rows = self._db.tuples(
            "SELECT question_id, key, grade FROM gold WHERE question_id IN (SELECT id FROM"
            f" questions WHERE {condition}) ORDER BY question_id, position",
            values,
        )
        for question_id, key, grade in rows:
            gold.setdefault(question_id, {})[key] = grade
        questions = self._db.rows(
            f"SELECT {_QUESTION} FROM questions WHERE {condition} ORDER BY id", values
        )
        return [_question(row, gold.get(row["id"], {})) for row in questions]


def _is_there(key: str) -> str:
    """Whether a passage with this key, or a part of a document with it, is in the collection of the
    question q.
    """
    return (
        "EXISTS (SELECT 1 FROM passages p WHERE p.collection_id = q.collection_id AND p.retired IS"
        # "$" comes right after "#"
        f" NULL AND (p.key = {key} OR p.key > {key} || '#' AND p.key < {key} || '$'))"
    )


def question_hash(question: Question) -> bytes:
    """Hash of a question with its gold, in which no passage stands twice."""
    row = dataclasses.astuple(question.with_gold(question.grades))
    return hashlib.blake2b(repr(row).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _question(row: dict[str, Any], gold: Mapping[str, int]) -> Question:
    question = Question(
        id=row["key"],
        question=row["question"],
        answers=tuple(row["answers"]),
        type=row["type"],
        hops=row["hops"],
        decomposition=tuple(Hop(**hop) for hop in row["decomposition"]),
    )
    return question.with_gold(gold)
