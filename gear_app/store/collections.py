"""Collections, their revisions and their triple sets."""

from __future__ import annotations

from typing import NamedTuple

from gear_app.core.bounds import name_words
from gear_app.core.errors import BadInput, NotReady, Unknown
from gear_app.store.database import StoreTable
from gear_app.store.rows import CollectionRow, SetRow, now

_COLLECTION = (
    "id, name, revision, passages_revision, active_set_id, max_iterations, created, cluster,"
    " index_name, passages_there, recorded"
)
_SET = "id, collection_id, name, maker, revision, created, index_name, triples_there"


class Placed(NamedTuple):
    """Place of a collection with a triple set ("": none): the cluster's addresses, the index, and
    how much that holds.
    """

    cluster: str
    index_name: str
    revision: int
    passages: int
    triple_set: str
    triples: int
    maker: str
    max_iterations: int | None


class Collections(StoreTable):
    """A workspace's collections."""

    def all(self) -> list[CollectionRow]:
        """By name."""
        return self._db.values(
            CollectionRow, f"SELECT {_COLLECTION} FROM collections ORDER BY name"
        )

    def find(self, name: str) -> CollectionRow | None:
        """The collection called so, or None."""
        return self._db.first(
            CollectionRow, f"SELECT {_COLLECTION} FROM collections WHERE name = ?", [name]
        )

    def get(self, name: str) -> CollectionRow:
        """The collection called so. Raises Unknown with those that exist."""
        collection = self.find(name)
        if collection is None:
            raise Unknown(
                "collection",
                name,
                [row.name for row in self.all()] or ["none yet; import something"],
            )
        return collection

    def by_id(self, id_: int | None) -> CollectionRow | None:
        """The collection with this id, or None."""
        return self._db.first(
            CollectionRow, f"SELECT {_COLLECTION} FROM collections WHERE id = ?", [id_]
        )

    def create(self, name: str) -> CollectionRow:
        """A new, empty one. Raises BadInput where the name is taken or empty."""
        name = name_words("A collection", name)
        with self._db.transaction():
            self._check_free(name)
            self._db.insert("collections", {"name": name, "created": now()})
            return self.get(name)

    def create_recorded(self, wanted: str) -> CollectionRow:
        """A new collection for the passages of imported runs. Where the wanted name is taken it has
        the first number behind it that makes it new. Raises BadInput for no name.
        """
        wanted = name = name_words("A collection", wanted)
        number = 1
        with self._db.transaction():
            while self.find(name):
                number += 1
                name = f"{wanted} ({number})"
            self.create(name)
            self._db.update("collections", {"recorded": 1, "revision": 1}, name=name)
            return self.get(name)

    def place(self, name: str, place: Placed) -> CollectionRow:
        """Note that a collection of this name is in a cluster, with a triple set, at a revision;
        one that is noted already is noted anew.

        Raises BadInput where the name is that of a collection in this file, or in another cluster.
        """
        with self._db.transaction():
            row = self.find(name) or self.create(name)
            same_place = same_cluster(row.cluster, place.cluster)
            if not same_place and (row.cluster or row.revision):
                raise BadInput(f"There is a collection {name!r} already. Rename it first.")
            revision = max(row.revision, place.revision)
            self._db.update(
                "collections",
                {
                    "cluster": place.cluster,
                    "index_name": place.index_name,
                    "passages_there": place.passages,
                    "revision": revision,
                    "passages_revision": revision,
                    "max_iterations": place.max_iterations,
                },
                id=row.id,
            )
            if place.triple_set:
                set_ = self.ensure_set(row.id, place.triple_set, place.maker)
                self._db.update(
                    "triple_sets",
                    {
                        "index_name": place.index_name,
                        "triples_there": place.triples,
                        "revision": revision,
                    },
                    id=set_.id,
                )
            return self.get(name)

    def rename(self, old: str, new: str) -> None:
        """Give it another name. Raises Unknown or BadInput."""
        with self._db.transaction():
            row, name = self.get(old), name_words("A collection", new)
            if name != old:
                self._check_free(name)
            self._db.update("collections", {"name": name}, id=row.id)

    def delete(self, name: str) -> None:
        """Remove it with its content, questions and jobs. Its runs stay readable: events carry
        their words. Imported runs go with their collection.
        """
        with self._db.transaction():
            row = self.get(name)
            condition = "collection_id = ? AND (kind <> 'run' OR ?)"
            self._db.execute(f"DELETE FROM tasks WHERE {condition}", [row.id, row.recorded])
            self._db.update("tasks", {"collection": row.name}, collection_id=row.id)
            self._db.delete("collections", id=row.id)

    def set_max_iterations(self, collection_id: int, limit: int | None) -> None:
        """The limit of multi-step methods here (GEAR App. B.1: 4, and 2 for two-hop sets)."""
        self._db.update("collections", {"max_iterations": limit}, id=collection_id)

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

        Raises NotReady where the collection is gone or has only the passages of imported runs, and
        BadInput where it is in a cluster.
        """
        row = self.by_id(collection_id)
        if row is not None:
            check_here(row)
            check_complete(row)
        if not self._db.execute(
            "UPDATE collections SET revision = revision + 1 WHERE id = ?", [collection_id]
        ):
            raise NotReady("The collection was deleted meanwhile.")
        revision = self._db.count("SELECT revision FROM collections WHERE id = ?", [collection_id])
        if passages:
            self._db.update("collections", {"passages_revision": revision}, id=collection_id)
        if set_id is not None:
            self._db.update("triple_sets", {"revision": revision}, id=set_id)
        if task is not None:
            row_ = {"collection_id": collection_id, "revision": revision, "task": task}
            self._db.insert("revisions", row_)
        return revision

    def sets(self, collection_id: int) -> list[SetRow]:
        """Its triple sets, oldest first."""
        return self._db.values(
            SetRow,
            f"SELECT {_SET} FROM triple_sets WHERE collection_id = ? ORDER BY id",
            [collection_id],
        )

    def find_set(self, collection_id: int, name: str) -> SetRow | None:
        """The triple set called so, or None."""
        return next((row for row in self.sets(collection_id) if row.name == name), None)

    def set_by_id(self, collection_id: int, set_id: int | None) -> SetRow | None:
        """The triple set of a collection with this id, or None."""
        return next((row for row in self.sets(collection_id) if row.id == set_id), None)

    def ensure_set(
        self, collection_id: int, name: str, maker: str, task: int | None = None
    ) -> SetRow:
        """The triple set called so, created by a job if need be; the first of a collection becomes
        its active one.
        """
        with self._db.transaction():
            triple_set = self.find_set(collection_id, name)
            if triple_set:
                return triple_set
            name_words("A triple set", name)
            set_ = SetRow(0, collection_id, name, maker, 0, now())
            row = {"collection_id": collection_id, "name": name, "maker": maker, "task": task}
            set_id = self._db.insert("triple_sets", {**row, "created": set_.created})
            self._db.execute(
                "UPDATE collections SET active_set_id = ? WHERE id = ? AND active_set_id IS NULL",
                [set_id, collection_id],
            )
            return set_._replace(id=set_id)

    def activate(self, collection_id: int, set_id: int) -> None:
        """Make a set the one that runs use unless told otherwise."""
        self._db.update("collections", {"active_set_id": set_id}, id=collection_id)

    def _check_free(self, name: str) -> None:
        if self.find(name):
            raise BadInput(f"There is a collection {name!r} already. Choose another name.")


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
    """Raises BadInput for a collection that is in a cluster: it is not changed from here."""
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
