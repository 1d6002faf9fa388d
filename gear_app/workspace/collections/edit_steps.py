"""The steps of a triple set's history: each is a revision of the collection, kept with what it took
away and what came in its place. The newest can be undone, then the one before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from gear_app.core.errors import BadInput
from gear_app.core.text import count, cut, normalise_entity
from gear_app.core.types import Passage, Triple
from gear_app.store import Store
from gear_app.store.edits import EditRow, TripleSwap
from gear_app.store.entities import NamedEntity
from gear_app.store.rows import CollectionRow, SetRow
from gear_app.workspace.corpus.provenance import source_of

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
    """Makes steps and undoes them; all inside a transaction."""

    def __init__(self, store: Store) -> None:
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
        store, old_triples = self._store, [change.before for change in changes if change.before]
        revision = self._begin(of)
        entity_moves = places or EntityMoves(set(), set())
        touched = {t.passage_id for c in changes for t in c if t is not None}
        passages = sorted(
            touched | {place.passage_id for place in entity_moves.gone | entity_moves.come}
        )
        before = store.entities.named_in(of.id, passages)
        ids = [triple.id for triple in old_triples]
        store.triples.retire(ids, revision)
        new_triples = [change.after for change in changes if change.after]
        new = iter(store.triples.put(of.collection.id, of.id, new_triples, revision))
        swaps = [
            TripleSwap(c.before.id if c.before else None, next(new) if c.after else None)
            for c in changes
        ]
        away = (store.triples.places(ids) | entity_moves.gone) - self._still_named(of, passages)
        now = store.entities.named_in(of.id, passages) | entity_moves.come
        row = EditRow(0, kind, entities, name, revision, " ".join(author.split()), "")
        number = store.edits.add(of.id, row, swaps)
        moves = EntityMoves(away & before, now - before)
        store.edits.note_entities(number, *moves)
        self._finish(of, swaps, moves)
        return self.described(of, store.edits.of(of.id, 1)[0])

    def _begin(self, set_: SetOfCollection) -> int:
        return self._store.collections.raise_revision(set_.collection.id, set_id=set_.id)

    def _finish(
        self, set_: SetOfCollection, swaps: Sequence[TripleSwap], moves: EntityMoves
    ) -> None:
        """Move the entities, and count the triples of the passages that changed."""
        self._store.entities.move(set_.id, *moves)
        ids = [id_ for swap in swaps for id_ in swap if id_ is not None]
        passages = {t.passage_id for t in self._store.triples.some(set_.id, ids, now=False)}
        numbers = self._store.triples.numbers(set_.id, sorted(passages))
        self._store.extractions.recount(set_.id, numbers)

    def described(self, of: SetOfCollection, row: EditRow) -> Edit:
        """A step with the first of its changes."""
        swaps = self._store.edits.swaps(row.number, SHOWN)
        ids = [id_ for swap in swaps for id_ in swap if id_ is not None]
        by_id = {t.id: t for t in self._store.triples.some(of.id, ids, now=False)}
        changes = tuple(
            TripleChange(by_id.get(swap.before or 0), by_id.get(swap.after or 0)) for swap in swaps
        )
        return Edit(row, changes, self._store.edits.size(row.number))

    def undo(self, of: SetOfCollection, number: int | None) -> Edit:
        """Take back what the newest step did, as far as it is still in the collection. With a
        number only if it is this step. Raises BadInput.
        """
        store, step = self._store, self._store.edits.last(of.id)
        if step is None:
            raise BadInput(f"There is nothing to undo in the triple set “{of.row.name}”.")
        if number not in (None, step.number):
            raise BadInput(f"Step {number} is not the last one any more: step {step.number} is.")
        revision, swaps = self._begin(of), store.edits.swaps(step.number)
        store.triples.retire([swap.after for swap in swaps if swap.after is not None], revision)
        store.triples.restore([swap.before for swap in swaps if swap.before is not None], revision)
        removed, added = store.edits.places(step.number)
        passages = sorted({place.passage_id for place in added})
        self._finish(of, swaps, EntityMoves(added - self._still_named(of, passages), removed))
        store.edits.mark_undone(step.number)
        return self.described(of, replace(step, undone=True))

    def _still_named(self, set_: SetOfCollection, passages: Sequence[int]) -> set[NamedEntity]:
        """The entities on the sides of the triples that passages have now."""
        left = self._store.triples.of_passages(set_.id, passages)
        return self._store.triples.places([triple.id for triple in left])

    def check_new(self, of: SetOfCollection, added: Sequence[Triple]) -> None:
        """Raise BadInput for a triple that its passage has already, or that is given twice."""
        existing = {
            triple_words(t)
            for t in self._store.triples.of_passages(of.id, sorted({t.passage_id for t in added}))
        }
        for triple in added:
            if triple_words(triple) in existing:
                raise BadInput(
                    f"The passage has this triple already: “{cut(triple.text, 120)}”. Change a"
                    " word, or leave it out."
                )
            existing.add(triple_words(triple))


def triple_words(triple: Triple) -> tuple[int, str, str, str]:
    """What tells a triple from others of its set: its passage and its words."""
    return triple.passage_id, *triple.words
