"""Collections, their revisions and their triple sets."""

from __future__ import annotations

from itertools import chain, count

from gear_app.core.errors import BadInput, NotReady, Unknown
from gear_app.core.text import name_words
from gear_app.store.database import StoreTable
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
        collection = self.find(name)
        if collection is None:
            names = [row.name for row in self.all()]
            raise Unknown("collection", name, names or ["none yet; import something"])
        return collection

    def create(self, name: str, **columns: object) -> CollectionRow:
        """A new, empty one. Raises BadInput where the name is taken or empty."""
        with self._db.transaction():
            name = self._free_name(name)
            self._db.insert("collections", {"name": name, "created": now(), **columns})
            return self.get(name)

    def create_recorded(self, name: str) -> CollectionRow:
        """A new collection for the passages of imported runs. Where the name is taken it has the
        first number behind it that makes it new. Raises BadInput for no name.
        """
        name = name_words("A collection", name)
        names = chain([name], (f"{name} ({number})" for number in count(2)))
        with self._db.transaction():
            free = next(name for name in names if not self.find(name))
            return self.create(free, recorded=True, revision=1)

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
        changed = ["revision", "passages_revision"] if passages else ["revision"]
        self.change(collection_id, **dict.fromkeys(changed, revision))
        self._db.update("triple_sets", {"revision": revision}, id=set_id)
        if task is not None:
            columns = {"collection_id": collection_id, "revision": revision, "task": task}
            self._db.insert("revisions", columns)
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
        set_ = self.find_set(collection_id, name)
        if set_ is None:
            names = [row.name for row in self.sets(collection_id)]
            raise Unknown("triple set", name, names or ["none yet"])
        return set_

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
                set_id = self._db.insert("triple_sets", {**row, "created": now()})
                self._db.update(
                    "collections", {"active_set_id": set_id}, id=collection_id, active_set_id=None
                )
            set_ = self.get_set(collection_id, name)
            if columns:
                self._db.update("triple_sets", columns, id=set_.id)
            return set_

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
