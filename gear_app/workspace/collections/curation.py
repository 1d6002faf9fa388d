"""Triples and entities corrected by hand: each change is one step of a triple set's history, kept
with who made it and when. The newest step can be undone, then the one before it.

A step is a new revision of the collection, as an import is: runs of before keep seeing what they
saw. Only triples whose words are new get vectors, when a run next needs them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

from gear_app.core.errors import BadInput, Unknown
from gear_app.core.text import normalise_entity
from gear_app.core.types import Passage, Triple
from gear_app.store.entities import NamedEntity
from gear_app.store.rows import CollectionRow, RunInfo
from gear_app.store.triples import TriplesSince
from gear_app.workspace.collections.edit_steps import (
    Edit,
    EditSteps,
    EntityMoves,
    SetOfCollection,
    TripleChange,
    TripleDraft,
    field,
    triple_words,
    written,
)
from gear_app.workspace.connection import Service


class CurationService(Service):
    """Changes by hand in a workspace's triple sets. A set that is not named is the active one."""

    @property
    def _steps(self) -> EditSteps:
        return EditSteps(self._store)

    def add(
        self,
        collection: str,
        passage: str,
        drafts: Sequence[TripleDraft],
        triples: str | None = None,
        *,
        author: str = "",
    ) -> Edit:
        """Add triples to a passage, named by its key, as one step.

        Raises Unknown for a passage that is not there, BadInput for blank fields, a source that the
        passage does not have, and triples that it has already.
        """
        with self._store.transaction():
            of = self._set(collection, triples)
            there = self._passage(of.collection, passage)
            added = [written(there, draft) for draft in drafts]
            self._steps.check_new(of, added)
            return self._steps.make(of, "add", [TripleChange(None, one) for one in added], author)

    def edit(
        self,
        collection: str,
        triple: int,
        draft: TripleDraft,
        triples: str | None = None,
        *,
        author: str = "",
    ) -> Edit:
        """Give a triple, by its id, other words; its source stays unless the draft has one.

        Raises Unknown for a triple that is not there, and BadInput as `add` does.
        """
        with self._store.transaction():
            of = self._set(collection, triples)
            (before,) = self._triples(of, [triple])
            passage = self._store.passages.get(before.passage_id)
            assert passage is not None
            after = written(passage, draft)
            if not draft.source:
                after = dataclasses.replace(after, span=before.span, closest=before.closest)
            if dataclasses.replace(after, id=before.id) == before:
                raise BadInput("Nothing was changed. Change a word, or leave the triple as it is.")
            if triple_words(after) != triple_words(before):
                self._steps.check_new(of, [after])
            return self._steps.make(of, "edit", [TripleChange(before, after)], author)

    def delete(
        self, collection: str, ids: Sequence[int], triples: str | None = None, *, author: str = ""
    ) -> Edit:
        """Take triples out, as one step. Raises Unknown for one that is not there."""
        with self._store.transaction():
            of = self._set(collection, triples)
            gone = self._triples(of, ids)
            return self._steps.make(of, "delete", [TripleChange(one, None) for one in gone], author)

    def merge(
        self,
        collection: str,
        names: Sequence[str],
        into: str,
        triples: str | None = None,
        *,
        author: str = "",
    ) -> Edit:
        """Give every triple with one of these names the name `into` in its place, as one step; with
        one name this is renaming.

        A triple that its passage then has twice is taken out. Raises Unknown for a name that no
        triple has, BadInput for a blank one and where nothing would change.
        """
        into = field("new name", into, named=True)
        with self._store.transaction():
            of = self._set(collection, triples)
            ids = {self._entity(of, name): name for name in names}
            old = {normalise_entity(name) for name in names}
            changes = self._renamed(of, ids, old, into)
            moved = {place for id_ in ids for place in self._store.entities.places(of.id, id_)}
            new = self._store.entities.ensure(of.collection.id, into)
            if not changes and set(ids) <= {new}:
                raise BadInput(f"Every triple says “{into}” already. Choose another name.")
            places = EntityMoves(
                {place for place in moved if place.entity_id != new},
                {NamedEntity(place.passage_id, new) for place in moved},
            )
            return self._steps.make(
                of, "merge", changes, author, places, entities=tuple(ids.values()), name=into
            )

    def delete_entity(
        self, collection: str, name: str, triples: str | None = None, *, author: str = ""
    ) -> Edit:
        """Take out every triple that has this name on either side, as one step. Raises Unknown."""
        with self._store.transaction():
            of = self._set(collection, triples)
            id_ = self._entity(of, name)
            gone = self._store.triples.naming(of.id, id_)
            changes = [TripleChange(one, None) for one in gone]
            places = EntityMoves(self._store.entities.places(of.id, id_), set())
            return self._steps.make(of, "delete", changes, author, places, entities=(name,))

    def undo(self, collection: str, triples: str | None = None, *, step: int | None = None) -> Edit:
        """Undo the newest step of a set that was not undone; it stays in the history.

        Raises BadInput where there is none, or where it is not the `step` of this number.
        """
        with self._store.transaction():
            return self._steps.undo(self._set(collection, triples), step)

    def last_step(self, collection: str, triples: str | None = None) -> int | None:
        """The number of the step that would be undone."""
        last = self._store.edits.last(self._set(collection, triples).id)
        return last.number if last else None

    def history(self, collection: str, triples: str | None = None, limit: int = 50) -> list[Edit]:
        """The steps of a set, the newest first; none for a collection without sets."""
        row = self._store.collections.get(collection)
        if triples is None and row.active_set_id is None:
            return []
        of = self._set(collection, triples)
        return [self._steps.described(of, step) for step in self._store.edits.of(of.id, limit)]

    def set_name(self, collection: str, triples: str | None = None) -> str:
        """The name of the set that is meant. Raises BadInput where there is none."""
        return self._set(collection, triples).row.name

    def naming(self, collection: str, name: str, triples: str | None = None) -> list[Triple]:
        """The triples that have this name on either side. Raises Unknown."""
        of = self._set(collection, triples)
        return self._store.triples.naming(of.id, self._entity(of, name))

    def since(self, run: RunInfo) -> TriplesSince:
        """How the triples differ from those that a run saw; nothing where its set is gone."""
        if run.set_id is None:
            return TriplesSince([], [])
        return self._store.triples.since(run.set_id, run.revision)

    def _renamed(
        self, of: SetOfCollection, ids: Iterable[int], old: set[str], into: str
    ) -> list[TripleChange]:
        """What a merge does to triples; of equal ones in a passage the first stays."""
        found = {t.id: t for id_ in ids for t in self._store.triples.naming(of.id, id_)}
        passages = sorted({t.passage_id for t in found.values()})
        there = {triple_words(t) for t in self._store.triples.of_passages(of.id, passages)}
        changes: list[TripleChange] = []
        for _, before in sorted(found.items()):
            subject, object_ = (
                into if normalise_entity(side) in old else side
                for side in (before.subject, before.object)
            )
            after = dataclasses.replace(before, id=0, subject=subject, object=object_)
            if triple_words(after) == triple_words(before):
                continue
            changes.append(TripleChange(before, None if triple_words(after) in there else after))
            there.add(triple_words(after))
        return changes

    def _set(self, collection: str, name: str | None) -> SetOfCollection:
        row = self._store.collections.get(collection)
        sets = self._store.collections.sets(row.id)
        for one in sets:
            if one.name == name or (name is None and one.id == row.active_set_id):
                return SetOfCollection(row, one)
        if not sets:
            raise BadInput(
                f"“{collection}” has no triples yet. Extract or import some; they can be corrected"
                " then."
            )
        raise Unknown("triple set", name or "", [one.name for one in sets])

    def _passage(self, collection: CollectionRow, key: str) -> Passage:
        name = self._store.passages.aliases(collection.id, [key]).get(key, key)
        found = self._store.passages.by_key(collection.id, [name])
        if name not in found:
            raise Unknown("passage", key)
        return found[name]

    def _triples(self, of: SetOfCollection, ids: Sequence[int]) -> list[Triple]:
        wanted = list(dict.fromkeys(ids))
        found = {t.id: t for t in self._store.triples.some(of.id, wanted)}
        missing = next((id_ for id_ in wanted if id_ not in found), None)
        if missing is not None:
            raise BadInput(
                f"The triple {missing} is not in the set “{of.row.name}”, or was changed meanwhile."
                " Look at the triples again."
            )
        if not wanted:
            raise BadInput("No triple was chosen. Choose one first.")
        return [found[id_] for id_ in wanted]

    def _entity(self, of: SetOfCollection, name: str) -> int:
        id_ = self._store.entities.find(of.collection.id, name)
        if id_ is None or not self._store.entities.places(of.id, id_):
            near = self._store.entities.search(of.id, name, 5)
            raise Unknown("entity", name, [one.name for one in near])
        return id_
