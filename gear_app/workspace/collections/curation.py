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
            set_ = self._set(collection, triples)
            row = self._passage(set_.collection, passage)
            added = [written(row, draft) for draft in drafts]
            self._steps.check_new(set_, added)
            return self._steps.make(
                set_, "add", [TripleChange(None, triple) for triple in added], author
            )

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
            set_ = self._set(collection, triples)
            (before,) = self._triples(set_, [triple])
            passage = self._store.passages.get(before.passage_id)
            assert passage is not None
            after = written(passage, draft)
            if not draft.source:
                after = dataclasses.replace(after, span=before.span, closest=before.closest)
            if dataclasses.replace(after, id=before.id) == before:
                raise BadInput("Nothing was changed. Change a word, or leave the triple as it is.")
            if triple_words(after) != triple_words(before):
                self._steps.check_new(set_, [after])
            return self._steps.make(set_, "edit", [TripleChange(before, after)], author)

    def delete(
        self, collection: str, ids: Sequence[int], triples: str | None = None, *, author: str = ""
    ) -> Edit:
        """Take triples out, as one step. Raises Unknown for one that is not there."""
        with self._store.transaction():
            set_ = self._set(collection, triples)
            deleted = self._triples(set_, ids)
            return self._steps.make(
                set_, "delete", [TripleChange(triple, None) for triple in deleted], author
            )

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
            set_ = self._set(collection, triples)
            ids = {self._entity(set_, name): name for name in names}
            old = {normalise_entity(name) for name in names}
            changes = self._renamed(set_, ids, old, into)
            moved = {place for id_ in ids for place in self._store.entities.places(set_.id, id_)}
            new = self._store.entities.ensure(set_.collection.id, into)
            if not changes and set(ids) <= {new}:
                raise BadInput(f"Every triple says “{into}” already. Choose another name.")
            places = EntityMoves(
                {place for place in moved if place.entity_id != new},
                {NamedEntity(place.passage_id, new) for place in moved},
            )
            return self._steps.make(
                set_, "merge", changes, author, places, entities=tuple(ids.values()), name=into
            )

    def delete_entity(
        self, collection: str, name: str, triples: str | None = None, *, author: str = ""
    ) -> Edit:
        """Take out every triple that has this name on either side, as one step. Raises Unknown."""
        with self._store.transaction():
            set_ = self._set(collection, triples)
            id_ = self._entity(set_, name)
            deleted = self._store.triples.naming(set_.id, id_)
            changes = [TripleChange(triple, None) for triple in deleted]
            places = EntityMoves(self._store.entities.places(set_.id, id_), set())
            return self._steps.make(set_, "delete", changes, author, places, entities=(name,))

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
        set_ = self._set(collection, triples)
        return [self._steps.described(set_, step) for step in self._store.edits.of(set_.id, limit)]

    def set_name(self, collection: str, triples: str | None = None) -> str:
        """The name of the set that is meant. Raises BadInput where there is none."""
        return self._set(collection, triples).row.name

    def naming(self, collection: str, name: str, triples: str | None = None) -> list[Triple]:
        """The triples that have this name on either side. Raises Unknown."""
        set_ = self._set(collection, triples)
        return self._store.triples.naming(set_.id, self._entity(set_, name))

    def since(self, run: RunInfo) -> TriplesSince:
        """How the triples differ from those that a run saw; nothing where its set is gone."""
        if run.set_id is None:
            return TriplesSince([], [])
        return self._store.triples.since(run.set_id, run.revision)

    def _renamed(
        self, set_: SetOfCollection, ids: Iterable[int], old: set[str], into: str
    ) -> list[TripleChange]:
        """What a merge does to triples; of equal ones in a passage the first stays."""
        by_id = {t.id: t for id_ in ids for t in self._store.triples.naming(set_.id, id_)}
        passages = sorted({t.passage_id for t in by_id.values()})
        words = {triple_words(t) for t in self._store.triples.of_passages(set_.id, passages)}
        changes: list[TripleChange] = []
        for _, before in sorted(by_id.items()):
            subject, object_ = (
                into if normalise_entity(side) in old else side
                for side in (before.subject, before.object)
            )
            after = dataclasses.replace(before, id=0, subject=subject, object=object_)
            if triple_words(after) == triple_words(before):
                continue
            changes.append(TripleChange(before, None if triple_words(after) in words else after))
            words.add(triple_words(after))
        return changes

    def _set(self, collection: str, name: str | None) -> SetOfCollection:
        row = self._store.collections.get(collection)
        sets = self._store.collections.sets(row.id)
        for set_ in sets:
            if set_.name == name or (name is None and set_.id == row.active_set_id):
                return SetOfCollection(row, set_)
        if not sets:
            raise BadInput(
                f"“{collection}” has no triples yet. Extract or import some; they can be corrected"
                " then."
            )
        raise Unknown("triple set", name or "", [row.name for row in sets])

    def _passage(self, collection: CollectionRow, key: str) -> Passage:
        name = self._store.passages.aliases(collection.id, [key]).get(key, key)
        passages = self._store.passages.by_key(collection.id, [name])
        if name not in passages:
            raise Unknown("passage", key)
        return passages[name]

    def _triples(self, set_: SetOfCollection, ids: Sequence[int]) -> list[Triple]:
        unique = list(dict.fromkeys(ids))
        by_id = {t.id: t for t in self._store.triples.some(set_.id, unique)}
        missing = next((id_ for id_ in unique if id_ not in by_id), None)
        if missing is not None:
            raise BadInput(
                f"The triple {missing} is not in the set “{set_.row.name}”, or was changed"
                " meanwhile. Look at the triples again."
            )
        if not unique:
            raise BadInput("No triple was chosen. Choose one first.")
        return [by_id[id_] for id_ in unique]

    def _entity(self, set_: SetOfCollection, name: str) -> int:
        id_ = self._store.entities.find(set_.collection.id, name)
        if id_ is None or not self._store.entities.places(set_.id, id_):
            near = self._store.entities.search(set_.id, name, 5)
            raise Unknown("entity", name, [entity.name for entity in near])
        return id_
