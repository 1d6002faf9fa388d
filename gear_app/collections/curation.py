"""Triples and entities corrected by hand: each change is one step of a triple set's history, kept
with who made it and when, and can be undone.

A step is a new revision of the collection, as an import is: runs of before keep seeing what they
saw. Only triples whose words are new get vectors, when a run next needs them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gear_app.connection import Connection
from gear_app.corpus.provenance import source_of
from gear_app.errors import BadInput, Unknown
from gear_app.extract.difference import TripleDifference, difference
from gear_app.store import Store
from gear_app.store.edits import EditRow, TripleSwap
from gear_app.store.entities import NamedEntity
from gear_app.store.rows import CollectionRow, RunInfo, SetRow
from gear_app.store.triples import TriplesSince
from gear_app.text import count, cut, normalise_entity
from gear_app.types import ExtractedTriple, Passage, Triple

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


@dataclass(frozen=True, slots=True)
class Edit:
    """A step with the first of its changes; `size` is how many there are."""

    row: EditRow
    changes: tuple[TripleChange, ...]
    size: int


class _Set(NamedTuple):
    """A triple set, and its collection."""

    collection: CollectionRow
    row: SetRow

    @property
    def id(self) -> int:
        return self.row.id


class _Places(NamedTuple):
    """Passages that name an entity no longer, and those that name one from then on."""

    gone: set[NamedEntity]
    come: set[NamedEntity]


class CurationService:
    """Changes by hand in a workspace's triple sets. A set that is not named is the active one."""

    def __init__(self, connection: Connection) -> None:
        """Nothing is opened yet."""
        self._connection = connection

    @property
    def _store(self) -> Store:
        return self._connection.store

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
            added = [_written(there, draft) for draft in drafts]
            self._check_new(of, added)
            return self._apply(of, "add", [TripleChange(None, one) for one in added], author)

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
            after = _written(passage, draft)
            if not draft.source:
                after = dataclasses.replace(after, span=before.span, closest=before.closest)
            if dataclasses.replace(after, id=before.id) == before:
                raise BadInput("Nothing was changed. Change a word, or leave the triple as it is.")
            if after.text != before.text or _words(after) != _words(before):
                self._check_new(of, [after])
            return self._apply(of, "edit", [TripleChange(before, after)], author)

    def delete(
        self, collection: str, ids: Sequence[int], triples: str | None = None, *, author: str = ""
    ) -> Edit:
        """Take triples out, as one step. Raises Unknown for one that is not there."""
        with self._store.transaction():
            of = self._set(collection, triples)
            gone = self._triples(of, ids)
            return self._apply(of, "delete", [TripleChange(one, None) for one in gone], author)

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
            of = self._set(collection, triples)
            ids = {self._entity(of, name): name for name in names}
            old = {normalise_entity(name) for name in names}
            changes = self._renamed(of, ids, old, into)
            moved = {place for id_ in ids for place in self._store.entities.places(of.id, id_)}
            new = self._store.entities.ensure(of.collection.id, into)
            if not changes and set(ids) <= {new}:
                raise BadInput(f"Every triple says “{into}” already. Choose another name.")
            places = _Places(
                {place for place in moved if place.entity_id != new},
                {NamedEntity(place.passage_id, new) for place in moved},
            )
            return self._apply(
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
            places = _Places(self._store.entities.places(of.id, id_), set())
            return self._apply(of, "delete", changes, author, places, entities=(name,))

    def undo(
        self,
        collection: str,
        number: int | None = None,
        triples: str | None = None,
        *,
        author: str = "",
    ) -> Edit:
        """Take a step back, by default the last one that stands; this is a step, too.

        Raises Unknown for no step of the set, BadInput where it was taken back already, or what it
        did was changed since: the message names the step that did so.
        """
        return self._turn(collection, number, triples, author, stands=False)

    def redo(
        self,
        collection: str,
        number: int | None = None,
        triples: str | None = None,
        *,
        author: str = "",
    ) -> Edit:
        """Do a step again that was taken back, by default the one that was taken back last. Raises
        as `undo` does.
        """
        return self._turn(collection, number, triples, author, stands=True)

    def _turn(
        self, collection: str, number: int | None, triples: str | None, author: str, *, stands: bool
    ) -> Edit:
        """Let a step stand, or not."""
        with self._store.transaction():
            of = self._set(collection, triples)
            step = self._step(of, number, stands=stands)
            swaps = self._store.edits.swaps(step.number)
            gone, come = self._store.edits.places(step.number)
            places = _Places(gone, come)
            if not stands:
                swaps = [TripleSwap(swap.after, swap.before) for swap in swaps]
                places = _Places(come, gone)
            away = {swap.before for swap in swaps if swap.before is not None}
            back = {swap.after for swap in swaps if swap.after is not None}
            self._check_turn(of, step, away, back)
            row = _row("redo" if stands else "undo", author, of=step.number)
            revision = self._begin(of)
            self._store.triples.retire(sorted(away), revision)
            self._store.triples.restore(sorted(back), revision)
            return self._finish(of, row, revision, swaps, places)

    def history(self, collection: str, triples: str | None = None, limit: int = 50) -> list[Edit]:
        """The steps of a set, the newest first; none for a collection without sets."""
        row = self._store.collections.get(collection)
        if triples is None and row.active_set_id is None:
            return []
        of = self._set(collection, triples)
        return [self._described(of, step) for step in self._store.edits.of(of.id)[:limit]]

    def set_name(self, collection: str, triples: str | None = None) -> str:
        """The name of the set that is meant. Raises BadInput where there is none."""
        return self._set(collection, triples).row.name

    def triple(self, collection: str, id_: int, triples: str | None = None) -> Triple:
        """A triple that is there now. Raises BadInput."""
        (found,) = self._triples(self._set(collection, triples), [id_])
        return found

    def naming(self, collection: str, name: str, triples: str | None = None) -> list[Triple]:
        """The triples that have this name on either side. Raises Unknown."""
        of = self._set(collection, triples)
        return self._store.triples.naming(of.id, self._entity(of, name))

    def difference(
        self,
        collection: str,
        passage: str,
        found: Sequence[ExtractedTriple],
        triples: str | None = None,
    ) -> TripleDifference:
        """How the triples of a passage, named by its key, differ from what an extractor finds."""
        of = self._set(collection, triples)
        there = self._passage(of.collection, passage)
        return difference(self._store.triples.of_passages(of.id, [there.id]), found)

    def since(self, run: RunInfo) -> TriplesSince:
        """How the triples differ from those that a run saw; nothing where its set is gone."""
        if run.set_id is None:
            return TriplesSince([], [])
        return self._store.triples.since(run.set_id, run.revision)

    def _renamed(
        self, of: _Set, ids: Iterable[int], old: set[str], into: str
    ) -> list[TripleChange]:
        """What a merge does to triples; of equal ones in a passage the first stays."""
        found = {t.id: t for id_ in ids for t in self._store.triples.naming(of.id, id_)}
        passages = sorted({t.passage_id for t in found.values()})
        there = {_words(t) for t in self._store.triples.of_passages(of.id, passages)}
        changes: list[TripleChange] = []
        for _, before in sorted(found.items()):
            subject, object_ = (
                into if normalise_entity(side) in old else side
                for side in (before.subject, before.object)
            )
            after = dataclasses.replace(before, id=0, subject=subject, object=object_)
            if _words(after) == _words(before):
                continue
            changes.append(TripleChange(before, None if _words(after) in there else after))
            there.add(_words(after))
        return changes

    def _apply(
        self,
        of: _Set,
        kind: str,
        changes: Sequence[TripleChange],
        author: str,
        places: _Places | None = None,
        *,
        entities: tuple[str, ...] = (),
        name: str = "",
    ) -> Edit:
        """Change the triples and keep the step, inside a transaction."""
        store, gone = self._store, [change.before for change in changes if change.before]
        revision = self._begin(of)
        asked = places or _Places(set(), set())
        touched = {t.passage_id for c in changes for t in c if t is not None}
        passages = sorted(touched | {place.passage_id for place in asked.gone | asked.come})
        before = store.entities.named_in(of.id, passages)
        ids = [one.id for one in gone]
        store.triples.retire(ids, revision)
        come = [change.after for change in changes if change.after]
        new = iter(store.triples.put(of.collection.id, of.id, come, revision))
        swaps = [
            TripleSwap(c.before.id if c.before else None, next(new) if c.after else None)
            for c in changes
        ]
        left = store.triples.of_passages(of.id, passages)
        still = store.triples.places([one.id for one in left])
        away = (store.triples.places(ids) | asked.gone) - still
        now = store.entities.named_in(of.id, passages) | asked.come
        row = _row(kind, author, entities=entities, name=name)
        return self._finish(of, row, revision, swaps, _Places(away & before, now - before))

    def _begin(self, of: _Set) -> int:
        return self._store.collections.raise_revision(of.collection.id, set_id=of.id)

    def _finish(
        self, of: _Set, row: EditRow, revision: int, swaps: Sequence[TripleSwap], places: _Places
    ) -> Edit:
        store = self._store
        number = store.edits.add(of.id, dataclasses.replace(row, revision=revision), swaps)
        store.entities.move(of.id, *places)
        store.edits.note_entities(number, *places)
        ids = [id_ for swap in swaps for id_ in swap if id_ is not None]
        passages = sorted({t.passage_id for t in store.triples.some(of.id, ids, now=False)})
        store.extractions.recount(of.id, store.triples.numbers(of.id, passages))
        return self._described(of, store.edits.of(of.id)[0])

    def _described(self, of: _Set, row: EditRow) -> Edit:
        swaps = self._store.edits.swaps(row.number, SHOWN)
        ids = [id_ for swap in swaps for id_ in swap if id_ is not None]
        by_id = {t.id: t for t in self._store.triples.some(of.id, ids, now=False)}
        changes = tuple(
            TripleChange(by_id.get(swap.before or 0), by_id.get(swap.after or 0)) for swap in swaps
        )
        return Edit(row, changes, self._store.edits.size(row.number))

    def _step(self, of: _Set, number: int | None, *, stands: bool) -> EditRow:
        """The step that is to stand, or no longer to stand; of an undo or a redo the one that it
        was of.
        """
        steps = self._store.edits.of(of.id)
        by_number = {one.number: one for one in steps}
        word = "redo" if stands else "undo"
        if number is None:
            order = [by_number[one.of or one.number] for one in steps]
            last = next((one for one in order if one.stands != stands), None)
            if last is None:
                raise BadInput(f"There is nothing to {word} in the triple set “{of.row.name}”.")
            return last
        if number not in by_number:
            raise Unknown("step", str(number), [one.number for one in steps[:10]])
        step = by_number[by_number[number].of or number]
        if step.stands == stands:
            already = "stands" if stands else "was undone"
            raise BadInput(f"Step {step.number} {already} already.")
        return step

    def _check_turn(self, of: _Set, step: EditRow, away: set[int], back: set[int]) -> None:
        """Raise BadInput where the triples of a step are not any more as it left them."""
        cannot = f"Step {step.number} cannot be {'undone' if step.stands else 'done again'}"
        there = {t.id for t in self._store.triples.some(of.id, sorted(away))}
        later = max((self._store.edits.last_of(id_) or 0 for id_ in away - there), default=0)
        if later > step.number:
            raise BadInput(f"{cannot}: {self._obstacle(of, later)}")
        returning = self._store.triples.some(of.id, sorted(back), now=False)
        passages = sorted({t.passage_id for t in returning})
        kept = {p for batch in _batches(passages) for p in self._store.passages.there(batch)}
        if away - there or any(t.passage_id not in kept for t in returning):
            raise BadInput(f"{cannot}: its passage is no longer in the collection.")
        now = self._store.triples.of_passages(of.id, passages)
        taken = {_words(t) for t in now if t.id not in away}
        if twice := next((t for t in returning if _words(t) in taken), None):
            raise BadInput(
                f"{cannot}: the passage has the triple “{cut(twice.text, 120)}” again. Delete that"
                " first."
            )

    def _obstacle(self, of: _Set, number: int) -> str:
        """Why a step cannot be turned after this one, and what to do first."""
        row = next(one for one in self._store.edits.of(of.id) if one.number == number)
        if row.kind == "undo":
            return f"step {row.of} was undone since. Do step {row.of} again first."
        number = row.of or number
        return f"step {number} changed the same triple afterwards. Undo step {number} first."

    def _check_new(self, of: _Set, added: Sequence[Triple]) -> None:
        """Raise BadInput for a triple that its passage has already, or that is given twice."""
        there = {
            _words(t)
            for t in self._store.triples.of_passages(of.id, sorted({t.passage_id for t in added}))
        }
        for one in added:
            if _words(one) in there:
                raise BadInput(
                    f"The passage has this triple already: “{cut(one.text, 120)}”. Change a word,"
                    " or leave it out."
                )
            there.add(_words(one))

    def _set(self, collection: str, name: str | None) -> _Set:
        row = self._store.collections.get(collection)
        sets = self._store.collections.sets(row.id)
        for one in sets:
            if one.name == name or (name is None and one.id == row.active_set_id):
                return _Set(row, one)
        if not sets:
            raise BadInput(
                f"“{collection}” has no triples yet. Extract or import some; they can be corrected"
                " then."
            )
        raise Unknown("triple set", name or "", [one.name for one in sets])

    def _passage(self, collection: CollectionRow, key: str) -> Passage:
        name = self._store.passages.aliases(collection.id).get(key, key)
        found = self._store.passages.by_key(collection.id, [name])
        if name not in found:
            raise Unknown("passage", key)
        return found[name]

    def _triples(self, of: _Set, ids: Sequence[int]) -> list[Triple]:
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

    def _entity(self, of: _Set, name: str) -> int:
        id_ = self._store.entities.find(of.collection.id, name)
        if id_ is None or not self._store.entities.places(of.id, id_):
            near = self._store.entities.search(of.id, name, 5)
            raise Unknown("entity", name, [one.name for one in near])
        return id_


def _row(
    kind: str,
    author: str,
    *,
    entities: tuple[str, ...] = (),
    name: str = "",
    of: int | None = None,
) -> EditRow:
    """A step that is about to be made."""
    return EditRow(0, kind, entities, name, of, 0, " ".join(author.split()), "")


def _words(triple: Triple) -> tuple[int, str, str, str]:
    return triple.passage_id, triple.subject, triple.predicate, triple.object


def _written(passage: Passage, draft: TripleDraft) -> Triple:
    """The triple that somebody wrote for a passage. Raises BadInput."""
    subject = _field("subject", draft.subject, named=True)
    predicate = _field("predicate", draft.predicate)
    object_ = _field("object", draft.object, named=True)
    words = f"{subject} {predicate} {object_}"
    span, closest = source_of(passage, draft.source.strip(), words)
    return Triple(0, passage.id, subject, predicate, object_, span, closest)


def _field(what: str, text: str, *, named: bool = False) -> str:
    """One field, on one line. `named`: it names an entity, so it has a letter or a digit."""
    words = " ".join(text.split())
    if not words:
        raise BadInput(f"The {what} is blank. Write one.")
    if named and not normalise_entity(words):
        raise BadInput(f"The {what} “{words}” has no letter and no digit. Write a name.")
    if len(words) > MOST_WORDS:
        raise BadInput(
            f"The {what} has {count(len(words), 'character')}; {MOST_WORDS:,} are the most."
        )
    return words


def _batches(ids: Sequence[int]) -> Iterable[Sequence[int]]:
    return (ids[start : start + 500] for start in range(0, len(ids), 500))
