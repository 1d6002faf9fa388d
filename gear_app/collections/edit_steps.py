"""The steps of a triple set's history: each is a revision of the collection, kept with what it took
away and what came in its place, and can be taken back.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gear_app.corpus.provenance import source_of
from gear_app.errors import BadInput, Unknown
from gear_app.store import Store
from gear_app.store.edits import EditRow, TripleSwap
from gear_app.store.entities import NamedEntity
from gear_app.store.rows import CollectionRow, SetRow
from gear_app.text import count, cut, normalise_entity
from gear_app.types import Passage, Triple

MOST_WORDS = 1_000  # characters of a subject, a predicate or an object
SHOWN = 20  # changes of a step that are listed


class TripleDraft(NamedTuple):
    """A triple as somebody wrote it. `source` are words of its passage that state it, or ""."""

    subject: str
    predicate: str
    object: str
    source: str = ""


def written(passage: Passage, draft: TripleDraft) -> Triple:
    """The triple that somebody wrote for a passage. Raises BadInput."""
    subject = field("subject", draft.subject, named=True)
    predicate = field("predicate", draft.predicate)
    object_ = field("object", draft.object, named=True)
    words = f"{subject} {predicate} {object_}"
    span, closest = source_of(passage, draft.source.strip(), words)
    return Triple(0, passage.id, subject, predicate, object_, span, closest)


def field(what: str, text: str, *, named: bool = False) -> str:
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


class SetOfCollection(NamedTuple):
    """A triple set, and its collection."""

    collection: CollectionRow
    row: SetRow

    @property
    def id(self) -> int:
        """The set's."""
        return self.row.id


class EntityMoves(NamedTuple):
    """Passages that name an entity no longer, and those that name one from then on."""

    gone: set[NamedEntity]
    come: set[NamedEntity]


class EditSteps:
    """Makes steps, and takes them back; all inside a transaction."""

    def __init__(self, store: Store) -> None:
        """Work on this thread's store."""
        self._store = store

    def make(
        self,
        of: SetOfCollection,
        kind: str,
        changes: Sequence[TripleChange],
        author: str,
        places: EntityMoves | None = None,
        *,
        entities: tuple[str, ...] = (),
        name: str = "",
    ) -> Edit:
        """Change the triples and keep the step. `places` are those that change beside those of the
        triples; `entities` and `name` say what was merged or deleted.
        """
        store, gone = self._store, [change.before for change in changes if change.before]
        revision = self._begin(of)
        asked = places or EntityMoves(set(), set())
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
        away = (store.triples.places(ids) | asked.gone) - self._still_named(of, passages)
        now = store.entities.named_in(of.id, passages) | asked.come
        row = _row(kind, author, entities=entities, name=name)
        return self._finish(of, row, revision, swaps, EntityMoves(away & before, now - before))

    def _begin(self, of: SetOfCollection) -> int:
        return self._store.collections.raise_revision(of.collection.id, set_id=of.id)

    def _finish(
        self,
        of: SetOfCollection,
        row: EditRow,
        revision: int,
        swaps: Sequence[TripleSwap],
        places: EntityMoves,
    ) -> Edit:
        store = self._store
        number = store.edits.add(of.id, dataclasses.replace(row, revision=revision), swaps)
        store.entities.move(of.id, *places)
        store.edits.note_entities(number, *places)
        ids = [id_ for swap in swaps for id_ in swap if id_ is not None]
        passages = sorted({t.passage_id for t in store.triples.some(of.id, ids, now=False)})
        store.extractions.recount(of.id, store.triples.numbers(of.id, passages))
        return self.described(of, store.edits.of(of.id)[0])

    def described(self, of: SetOfCollection, row: EditRow) -> Edit:
        """A step with the first of its changes."""
        swaps = self._store.edits.swaps(row.number, SHOWN)
        ids = [id_ for swap in swaps for id_ in swap if id_ is not None]
        by_id = {t.id: t for t in self._store.triples.some(of.id, ids, now=False)}
        changes = tuple(
            TripleChange(by_id.get(swap.before or 0), by_id.get(swap.after or 0)) for swap in swaps
        )
        return Edit(row, changes, self._store.edits.size(row.number))

    def turn(self, of: SetOfCollection, number: int | None, author: str, *, stands: bool) -> Edit:
        """Let a step stand, or not; without a number the last that does not, or does. Raises
        Unknown or BadInput.
        """
        step = self._step(of, number, stands=stands)
        swaps = self._store.edits.swaps(step.number)
        places = EntityMoves(*self._store.edits.places(step.number))
        if not stands:
            swaps = [TripleSwap(swap.after, swap.before) for swap in swaps]
            places = EntityMoves(places.come, places.gone)
        away = {swap.before for swap in swaps if swap.before is not None}
        back = {swap.after for swap in swaps if swap.after is not None}
        self._check_turn(of, step, away, back)
        row = _row("redo" if stands else "undo", author, of=step.number)
        revision = self._begin(of)
        self._store.triples.retire(sorted(away), revision)
        self._store.triples.restore(sorted(back), revision)
        # Another step may have named again what this one had brought.
        passages = sorted({place.passage_id for place in places.gone})
        gone = places.gone - self._still_named(of, passages)
        return self._finish(of, row, revision, swaps, EntityMoves(gone, places.come))

    def _still_named(self, of: SetOfCollection, passages: Sequence[int]) -> set[NamedEntity]:
        """The entities on the sides of the triples that passages have now."""
        left = self._store.triples.of_passages(of.id, passages)
        return self._store.triples.places([one.id for one in left])

    def _step(self, of: SetOfCollection, number: int | None, *, stands: bool) -> EditRow:
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

    def _check_turn(
        self, of: SetOfCollection, step: EditRow, away: set[int], back: set[int]
    ) -> None:
        """Raise BadInput where the triples of a step are not any more as it left them."""
        cannot = f"Step {step.number} cannot be {'undone' if step.stands else 'done again'}"
        there = {t.id for t in self._store.triples.some(of.id, sorted(away))}
        later = max((self._store.edits.last_of(id_) or 0 for id_ in away - there), default=0)
        if later > step.number:
            raise BadInput(f"{cannot}: {self._obstacle(of, later)}")
        returning = self._store.triples.some(of.id, sorted(back), now=False)
        passages = sorted({t.passage_id for t in returning})
        kept = self._store.passages.there(passages)
        if away - there or any(t.passage_id not in kept for t in returning):
            raise BadInput(f"{cannot}: its passage is no longer in the collection.")
        now = self._store.triples.of_passages(of.id, passages)
        taken = {triple_words(t) for t in now if t.id not in away}
        if twice := next((t for t in returning if triple_words(t) in taken), None):
            raise BadInput(
                f"{cannot}: the passage has the triple “{cut(twice.text, 120)}” again. Delete that"
                " first."
            )

    def _obstacle(self, of: SetOfCollection, number: int) -> str:
        """Why a step cannot be turned after this one, and what to do first."""
        row = next(one for one in self._store.edits.of(of.id) if one.number == number)
        if row.kind == "undo":
            return f"step {row.of} was undone since. Do step {row.of} again first."
        number = row.of or number
        return f"step {number} changed the same triple afterwards. Undo step {number} first."

    def check_new(self, of: SetOfCollection, added: Sequence[Triple]) -> None:
        """Raise BadInput for a triple that its passage has already, or that is given twice."""
        there = {
            triple_words(t)
            for t in self._store.triples.of_passages(of.id, sorted({t.passage_id for t in added}))
        }
        for one in added:
            if triple_words(one) in there:
                raise BadInput(
                    f"The passage has this triple already: “{cut(one.text, 120)}”. Change a word,"
                    " or leave it out."
                )
            there.add(triple_words(one))


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


def triple_words(triple: Triple) -> tuple[int, str, str, str]:
    """What tells a triple from others of its set: its passage and its words."""
    return triple.passage_id, *triple.words
