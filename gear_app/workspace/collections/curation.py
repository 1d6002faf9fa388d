"""Triples and entities corrected by hand: each change is one step of a triple set's history, stored
with who made it and when. The newest step can be undone, then the one before it.

A step is a new revision of the collection, as an import is: runs of before keep seeing what they
saw. Only triples whose words are new get vectors, when a run next needs them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from gear_app.core.errors import BadInput, Unknown
from gear_app.core.text import count, cut, normalise_entity
from gear_app.core.types import Passage, Triple
from gear_app.store.rows import SetRow
from gear_app.store.triples import EditRow
from gear_app.workspace.connection import Service
from gear_app.workspace.corpus.provenance import source_of

MOST_WORDS = 1_000  # characters of a subject, a predicate or an object
SHOWN = 20  # changes of a step that are listed


class TripleDraft(NamedTuple):
    """A triple as somebody wrote it. `source` are words of its passage that state it, or ""."""

    subject: str
    predicate: str
    object: str
    source: str = ""


class TripleChange(NamedTuple):
    """A triple as it was, and as it is from then on; None where there is none."""

    before: Triple | None
    after: Triple | None


class Edit(NamedTuple):
    """A step with the first of its changes."""

    row: EditRow
    changes: tuple[TripleChange, ...]
    size: int  # the number of all changes


class CurationService(Service):
    """Changes by hand in a workspace's triple sets. A set that is not named is the active one."""

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
            set_ = self.set_row(collection, triples)
            row = self._passage(set_.collection_id, passage)
            added = [_written(row, draft) for draft in drafts]
            self._check_new(set_, added)
            changes = [TripleChange(None, triple) for triple in added]
            return self._step(set_, "add", changes, author)

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
            set_ = self.set_row(collection, triples)
            (before,) = self._triples(set_, [triple])
            (passage,) = self._store.passages.with_ids([before.passage_id]).values()
            after = _written(passage, draft)
            if not draft.source:
                after = replace(after, span=before.span, closest=before.closest)
            if replace(after, id=before.id) == before:
                raise BadInput("Nothing was changed. Change a word, or leave the triple as it is.")
            if _identity(after) != _identity(before):
                self._check_new(set_, [after])
            return self._step(set_, "edit", [TripleChange(before, after)], author)

    def delete(
        self,
        collection: str,
        ids: Sequence[int],
        triples: str | None = None,
        *,
        author: str = "",
        entities: Sequence[str] = (),
    ) -> Edit:
        """Take triples out, as one step, those of `entities`. Raises BadInput for one that is not
        there.
        """
        with self._store.transaction():
            set_ = self.set_row(collection, triples)
            changes = [TripleChange(triple, None) for triple in self._triples(set_, ids)]
            return self._step(set_, "delete", changes, author, entities)

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
        into = _field("new name", into, named=True)
        with self._store.transaction():
            set_ = self.set_row(collection, triples)
            naming = [t for name in names for t in self.naming(collection, name, triples)]
            changes = self._renamed(set_, naming, set(map(normalise_entity, names)), into)
            if not changes:
                raise BadInput(f"Every triple says “{into}” already. Choose another name.")
            return self._step(set_, "merge", changes, author, names, into)

    def delete_entity(
        self, collection: str, name: str, triples: str | None = None, *, author: str = ""
    ) -> Edit:
        """Take out every triple that has this name on either side, as one step. Raises Unknown."""
        ids = [triple.id for triple in self.naming(collection, name, triples)]
        return self.delete(collection, ids, triples, author=author, entities=[name])

    def undo(self, collection: str, triples: str | None = None, *, step: int | None = None) -> Edit:
        """Undo the newest step of a set that was not undone, as far as its passages are still in
        the collection; it stays in the history.

        Raises BadInput where there is none, or where it is not the `step` of this number.
        """
        with self._store.transaction():
            set_ = self.set_row(collection, triples)
            last = self._last(set_)
            if last is None:
                raise BadInput(f"There is nothing to undo in the triple set “{set_.name}”.")
            if step not in (None, last.number):
                raise BadInput(f"Step {step} is not the last one any more: step {last.number} is.")
            revision = self._store.collections.raise_revision(set_.collection_id, set_id=set_.id)
            undone = self._store.edits.undo(last, revision)
            self._store.extractions.recount(set_.id, revision)
            return self._described(undone)

    def last(self, collection: str, triples: str | None = None) -> Edit | None:
        """The step that would be undone."""
        last = self._last(self.set_row(collection, triples))
        return self._described(last) if last else None

    def _last(self, set_: SetRow) -> EditRow | None:
        return next((row for row in self._store.edits.of(set_.id) if not row.undone), None)

    def history(self, collection: str, triples: str | None = None, limit: int = 50) -> list[Edit]:
        """The steps of a set, the newest first."""
        steps = self._store.edits.of(self.set_row(collection, triples).id, limit)
        return list(map(self._described, steps))

    def set_row(self, collection: str, triples: str | None = None) -> SetRow:
        """The set that is meant. Raises Unknown, and BadInput where there is none."""
        collections = self._store.collections
        row = collections.get(collection)
        if not collections.sets(row.id):
            raise BadInput(
                f"“{collection}” has no triples yet. Extract or import some; they can be corrected"
                " then."
            )
        set_ = collections.find_set(row.id, triples or row.active_set_id)
        return set_ or collections.get_set(row.id, triples or "")

    def naming(self, collection: str, name: str, triples: str | None = None) -> list[Triple]:
        """The triples that have this name on either side. Raises Unknown."""
        set_ = self.set_row(collection, triples)
        id_ = self._store.entities.find(set_.collection_id, name)
        named = self._store.triples.naming(set_.id, id_) if id_ is not None else []
        if not named:
            near = self._store.entities.search(set_.id, name, 5)
            raise Unknown("entity", name, [entity.name for entity in near])
        return named

    def _step(
        self,
        set_: SetRow,
        kind: str,
        changes: Sequence[TripleChange],
        author: str,
        entities: Sequence[str] = (),
        name: str = "",
    ) -> Edit:
        stored = self._store.triples
        revision = self._store.collections.raise_revision(set_.collection_id, set_id=set_.id)
        stored.retire([before.id for before, _ in changes if before], revision)
        added = [
            replace(after, id=before.id if before else 0) for before, after in changes if after
        ]
        stored.add(set_.collection_id, set_.id, added, revision)
        self._store.extractions.recount(set_.id, revision)
        row = EditRow(
            set_id=set_.id,
            kind=kind,
            entities=tuple(entities),
            name=name,
            revision=revision,
            author=" ".join(author.split()),
        )
        return self._described(self._store.edits.add(row))

    def _described(self, row: EditRow) -> Edit:
        """A step with the first of its changes."""
        changes = [TripleChange(*change) for change in self._store.edits.changes(row)]
        return Edit(row, tuple(changes[:SHOWN]), len(changes))

    def _renamed(
        self, set_: SetRow, naming: Iterable[Triple], old: set[str], into: str
    ) -> list[TripleChange]:
        """Changes of a merge; of equal ones in a passage the first stays."""
        by_id = {triple.id: triple for triple in naming}
        passages = sorted({triple.passage_id for triple in by_id.values()})
        identities = set(map(_identity, self._store.triples.of_passages(set_.id, passages)))
        changes: list[TripleChange] = []
        for _, before in sorted(by_id.items()):
            subject, object_ = (
                into if normalise_entity(side) in old else side
                for side in (before.subject, before.object)
            )
            after = replace(before, id=0, subject=subject, object=object_)
            if _identity(after) != _identity(before):
                changes.append(
                    TripleChange(before, None if _identity(after) in identities else after)
                )
                identities.add(_identity(after))
        return changes

    def _passage(self, collection_id: int, key: str) -> Passage:
        name = self._store.passages.aliases(collection_id, [key]).get(key, key)
        passages = self._store.passages.by_key(collection_id, [name])
        if name not in passages:
            raise Unknown("passage", key)
        return passages[name]

    def _triples(self, set_: SetRow, ids: Sequence[int]) -> list[Triple]:
        triples = self._store.triples.with_ids(set_.id, ids)
        missing = sorted({*ids} - {triple.id for triple in triples})
        if missing:
            raise BadInput(
                f"The triple {missing[0]} is not in the set “{set_.name}”, or was changed"
                " meanwhile. Look at the triples again."
            )
        if not triples:
            raise BadInput("No triple was chosen. Choose one first.")
        return triples

    def _check_new(self, set_: SetRow, added: Sequence[Triple]) -> None:
        passages = sorted({triple.passage_id for triple in added})
        identities = set(map(_identity, self._store.triples.of_passages(set_.id, passages)))
        for triple in added:
            if _identity(triple) in identities:
                raise BadInput(
                    f"The passage has this triple already: “{cut(triple.text, 120)}”. Change a"
                    " word, or leave it out."
                )
            identities.add(_identity(triple))


def _written(passage: Passage, draft: TripleDraft) -> Triple:
    subject = _field("subject", draft.subject, named=True)
    predicate = _field("predicate", draft.predicate)
    object_ = _field("object", draft.object, named=True)
    words = f"{subject} {predicate} {object_}"
    span, closest = source_of(passage, draft.source.strip(), words)
    return Triple(0, passage.id, subject, predicate, object_, span, closest)


def _field(name: str, text: str, *, named: bool = False) -> str:
    """One field, on one line. `named`: it names an entity, so it has a letter or a digit."""
    words = " ".join(text.split())
    if not words:
        raise BadInput(f"The {name} is blank. Write one.")
    if named and not normalise_entity(words):
        raise BadInput(f"The {name} “{words}” has no letter and no digit. Write a name.")
    if len(words) > MOST_WORDS:
        raise BadInput(
            f"The {name} has {count(len(words), 'character')}; {MOST_WORDS:,} are the most."
        )
    return words


def _identity(triple: Triple) -> tuple[int, str, str, str]:
    """Identity of a triple within its set: its passage and its words."""
    return triple.passage_id, *triple.words
