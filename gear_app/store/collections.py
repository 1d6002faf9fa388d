"""Collections, their revisions, their triple sets and their questions."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence

from gear_app.core.errors import BadInput, NotReady, Unknown
from gear_app.core.text import name_words, normalise_entity
from gear_app.core.types import Hop, Question
from gear_app.store.database import LISTED, StoreTable
from gear_app.store.rows import CollectionRow, SetRow, from_row, now


class Collections(StoreTable):
    """A workspace's collections."""

    def all(self) -> list[CollectionRow]:
        """By name."""
        return self._select("true")

    def find(self, name: str | int | None) -> CollectionRow | None:
        """The collection with this name or id, or None."""
        column = "name" if isinstance(name, str) else "id"
        return next(iter(self._select(f"{column} = ?", name)), None)

    def get(self, name: str) -> CollectionRow:
        """The collection called so. Raises Unknown with those that exist."""
        for collection in self._select("name = ?", name):
            return collection
        names = [row.name for row in self.all()]
        raise Unknown("collection", name, names or ["none yet; import something"])

    def create(self, name: str, **columns: object) -> CollectionRow:
        """A new, empty one. Raises BadInput where the name is taken or empty."""
        with self._db.transaction():
            name = self._free_name(name)
            self._db.insert("collections", {"name": name, "created": now(), **columns})
            return self.get(name)

    def rename(self, old: str, new: str) -> None:
        """Give it another name, also in its runs and jobs. Raises Unknown or BadInput."""
        with self._db.transaction():
            row = self.get(old)
            if new.strip() != old:
                name = self._free_name(new)
                self.change(row.id, name=name)
                self._db.update("tasks", {"collection": name}, collection_id=row.id)

    def delete(self, name: str) -> None:
        """Remove it with its content, questions and jobs. Its runs stay readable: events carry
        their words. Imported runs go with their collection.
        """
        with self._db.transaction():
            row = self.get(name)
            condition = "collection_id = ? AND (kind <> 'run' OR ?)"
            self._db.execute(f"DELETE FROM tasks WHERE {condition}", [row.id, row.recorded])
            self._db.delete("collections", id=row.id)

    def change(self, collection_id: int, **columns: object) -> None:
        """Give columns of a collection other values."""
        self._db.update("collections", columns, id=collection_id)

    def raise_revision(
        self,
        collection_id: int,
        *,
        passages: bool = False,
        set_id: int | None = None,
        task: int | None = None,
    ) -> int:
        """Begin a new revision, inside a transaction; say what it changes, and which job makes it.
        Return its number.

        Raises NotReady where the collection is gone, and what check_here raises.
        """
        row = self.find(collection_id)
        if row is None:
            raise NotReady("The collection was deleted meanwhile.")
        check_here(row)
        revision = row.revision + 1
        self.change(
            collection_id,
            revision=revision,
            passages_revision=revision if passages else row.passages_revision,
        )
        self._db.update("triple_sets", {"revision": revision}, id=set_id)
        if task is not None:
            self._db.insert(
                "revisions", {"collection_id": collection_id, "revision": revision, "task": task}
            )
        return revision

    def sets(self, collection_id: int) -> list[SetRow]:
        """Its triple sets, oldest first."""
        sql = "SELECT * FROM triple_sets WHERE collection_id = ? ORDER BY id"
        return [from_row(SetRow, row) for row in self._db.rows(sql, [collection_id])]

    def find_set(self, collection_id: int, name: str | int | None) -> SetRow | None:
        """The triple set with this name or id, or None."""
        sets = self.sets(collection_id)
        return next((row for row in sets if name in (row.name, row.id)), None)

    def get_set(self, collection_id: int, name: str) -> SetRow:
        """The triple set called so. Raises Unknown with those that exist."""
        sets = {row.name: row for row in self.sets(collection_id)}
        if name not in sets:
            raise Unknown("triple set", name, list(sets) or ["none yet"])
        return sets[name]

    def ensure_set(
        self, collection_id: int, name: str, maker: str, task: int | None = None, **columns: object
    ) -> SetRow:
        """The triple set called so, created by a job if need be; the first of a collection becomes
        its active one. It gets these columns, also where it exists.
        """
        with self._db.transaction():
            if self.find_set(collection_id, name) is None:
                name_words("A triple set", name)
                row = {"collection_id": collection_id, "name": name, "maker": maker, "task": task}
                set_id = self._db.insert("triple_sets", {**row, "created": now(), **columns})
                self._db.update(
                    "collections", {"active_set_id": set_id}, id=collection_id, active_set_id=None
                )
            elif columns:
                self._db.update("triple_sets", columns, collection_id=collection_id, name=name)
            return self.get_set(collection_id, name)

    def _select(self, condition: str, *values: object) -> list[CollectionRow]:
        sql = f"SELECT * FROM collections WHERE {condition} ORDER BY name"
        return [from_row(CollectionRow, row) for row in self._db.rows(sql, values)]

    def _free_name(self, name: str) -> str:
        name = name_words("A collection", name)
        if self.find(name):
            raise BadInput(f"There is a collection {name!r} already. Choose another name.")
        return name


def same_cluster(first: str, second: str) -> bool:
    """Whether addresses, with commas between, are of one cluster: they have a node in common. A
    node that is added to the address, or taken out, makes no other cluster of it.
    """
    return not set(first.split(",")).isdisjoint(second.split(","))


def check_all_here(row: CollectionRow) -> None:
    """Raises NotReady for a collection that is in a cluster, of which only single rows are
    fetched.
    """
    if row.cluster:
        raise NotReady(
            f"This needs all of {row.name!r}, and it is in the cluster {row.cluster}. Do it in the"
            " workspace that it was pushed from."
        )


def check_here(row: CollectionRow) -> None:
    """Raises BadInput for a collection that is in a cluster, where it is not changed, and NotReady
    for one that has only the passages of imported runs.
    """
    check_complete(row)
    if row.cluster:
        raise BadInput(
            f"{row.name!r} is in the cluster {row.cluster}, where it is not changed. Change it in"
            " the workspace that it was pushed from, and push it again."
        )


def check_complete(row: CollectionRow) -> None:
    """Raises NotReady for a collection that has only the passages of imported runs."""
    if row.recorded:
        raise NotReady(
            f"{row.name!r} has only the passages of an imported run, so nothing is run or changed"
            " in it. Import the documents themselves as another collection, and ask there."
        )


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

    def find(self, collection_id: int | None, text: str) -> Question | None:
        """The question with these words, whatever their case and punctuation; the first of
        several.
        """
        condition = "collection_id = ? AND normal = ?"
        return next(iter(self._select(condition, collection_id, normalise_entity(text))), None)

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
        rows = self._db.rows(
            "SELECT q.*, (SELECT json_group_object(key, grade) FROM (SELECT key, grade FROM gold"
            ' WHERE question_id = q.id ORDER BY position)) AS "gold [JSON_TEXT]" FROM questions q'
            f" WHERE {condition} ORDER BY id",
            values,
        )
        return [
            Question(
                id=row["key"],
                question=row["question"],
                answers=tuple(row["answers"]),
                type=row["type"],
                hops=row["hops"],
                decomposition=tuple(Hop(**hop) for hop in row["decomposition"]),
            ).with_gold(row["gold"])
            for row in rows
        ]


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
