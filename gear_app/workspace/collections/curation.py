"""Triples and entities corrected by hand: each change is one step of a triple set's history, stored
with who made it and when. The newest step can be undone, then the one before it.

A step is a new revision of the collection, as an import is: runs of before keep seeing what they
saw. Only triples whose words are new get vectors, when a run next needs them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gear_app.core.errors import BadInput, Unknown
from gear_app.core.text import cut, normalise_entity
from gear_app.core.types import Passage, Triple
from gear_app.documents.items import NewTriple
from gear_app.language.sources import find_words, with_sources
from gear_app.store.rows import SetRow
from gear_app.store.triples import Change, EditRow
from gear_app.workspace.connection import Service


@dataclass(eq=False)
class Curation(Service):
    """Changes by hand in a triple set."""

    triple_set: SetRow

    def change(
        self,
        drafts: Sequence[tuple[int | None, NewTriple | None]],
        *,
        author: str = "",
        entities: Sequence[str] = (),
        name: str = "",
    ) -> EditRow:
        """Put a draft in the place of each triple, by its id, as one step. No id: it is added; no
        draft: the triple is taken out. A triple keeps its source where the draft has no sentence.

        `entities` are deleted, or get the `name`; then a triple that its passage has already is
        taken out. Raises Unknown, and BadInput for blank fields, a sentence that the passage does
        not have, triples that are not there or are there already, and where nothing would change.
        """
        with self._store.transaction():
            set_, stored = self.triple_set, self._store.triples
            by_id = {t.id: t for t in stored.with_ids(set_.id, [id_ for id_, _ in drafts if id_])}
            keys = [draft.passage_key for _, draft in drafts if draft]
            passages = self._store.passages.by_key(set_.collection_id, keys)
            present = stored.of_passages(set_.id, [passage.id for passage in passages.values()])
            identities = {_identity(triple) for triple in present if triple.id not in by_id}
            changes: list[Change] = []
            for id_, draft in drafts:
                before, after = by_id.get(id_ or 0), None
                if id_ and before is None:
                    raise BadInput(
                        f"The triple {id_} is not in the set “{set_.name}”, or was changed"
                        " meanwhile. Look at the triples again."
                    )
                if draft is not None:
                    if draft.passage_key not in passages:
                        raise Unknown("passage", draft.passage_key)
                    written = _written(passages[draft.passage_key], draft, before)
                    after = None if _identity(written) in identities else written
                    if after is None and not name:
                        raise BadInput(
                            f"The passage has this triple already: “{cut(written.text, 120)}”."
                            " Change a word, or leave it out."
                        )
                    identities.add(_identity(written))
                changes += [(before, after)] if before != after else []
            if not changes:
                raise BadInput("Nothing would change. Choose a triple, or write other words.")
            revision = self._store.collections.raise_revision(set_.collection_id, set_id=set_.id)
            stored.retire([before.id for before, _ in changes if before], revision)
            stored.add(set_.collection_id, set_.id, [new for _, new in changes if new], revision)
            self._store.extractions.recount(set_.id, revision)
            kinds = {"merge": name, "edit": all(map(all, changes)), "add": not by_id}
            return self._store.edits.add(
                set_id=set_.id,
                kind=next((kind for kind, applies in kinds.items() if applies), "delete"),
                entities=[*entities],
                name=name,
                revision=revision,
                author=" ".join(author.split()),
            )

    def merge(self, names: Sequence[str], into: str | None, *, author: str = "") -> EditRow:
        """Give every triple with one of these names the name `into` in its place, as one step; with
        one name this is renaming. A triple that its passage then has twice is taken out; None: all
        of them are. Raises Unknown for a name that no triple has, and as `change` does.
        """
        name = "" if into is None else _field("new name", into)
        old = set(map(normalise_entity, names))
        named = [t for entity in names for t in self.naming(entity)]
        passages = self._store.passages.with_ids(triple.passage_id for triple in named)
        drafts: dict[int | None, NewTriple | None] = {}
        for triple in named:
            subject, object_ = (
                name if normalise_entity(side) in old else side
                for side in (triple.subject, triple.object)
            )
            passage = passages[triple.passage_id]
            draft = NewTriple(passage.key, subject, triple.predicate, object_)
            drafts[triple.id] = draft if name else None
        return self.change(list(drafts.items()), author=author, entities=names, name=name)

    def undo(self, *, step: int | None = None) -> EditRow:
        """Undo the newest step of a set that was not undone, as far as its passages are still in
        the collection; it stays in the history.

        Raises BadInput where there is none, or where it is not the `step` of this number.
        """
        with self._store.transaction():
            set_, last = self.triple_set, self.last()
            if last is None:
                raise BadInput(f"There is nothing to undo in the triple set “{set_.name}”.")
            if step not in (None, last.number):
                raise BadInput(f"Step {step} is not the last one any more: step {last.number} is.")
            revision = self._store.collections.raise_revision(set_.collection_id, set_id=set_.id)
            undone = self._store.edits.undo(last, revision)
            self._store.extractions.recount(set_.id, revision)
            return undone

    def last(self) -> EditRow | None:
        """The step that would be undone."""
        return next(iter(self._store.edits.of(self.triple_set.id, 1, undone=False)), None)

    def history(self, limit: int = 50) -> list[EditRow]:
        """The steps of a set, the newest first."""
        return self._store.edits.of(self.triple_set.id, limit)

    def naming(self, name: str) -> list[Triple]:
        """The triples that have this name on either side. Raises Unknown."""
        set_ = self.triple_set
        id_ = self._store.entities.find(set_.collection_id, name)
        named = self._store.triples.naming(set_.id, id_)
        if not named:
            near = self._store.entities.search(set_.id, name, 5)
            raise Unknown("entity", name, list(near))
        return named


def _written(passage: Passage, draft: NewTriple, before: Triple | None) -> Triple:
    subject, object_ = _field("subject", draft.subject), _field("object", draft.object)
    words = subject, _field("predicate", draft.predicate), object_
    sentence = draft.sentence.strip()
    span, closest = find_words(passage.text, sentence), False
    if sentence and span is None:
        raise BadInput(
            f"The passage does not have the words “{cut(sentence, 80)}”. Copy its source from the"
            " passage, or leave it blank."
        )
    if before and not sentence:
        span, closest = before.span, before.closest
    id_ = before.id if before else 0
    (written,) = with_sources(passage, [Triple(id_, passage.id, *words, span, closest)])
    return written


def _field(name: str, text: str) -> str:
    """One field, on one line; but for a predicate it names an entity: it has a letter or digit."""
    words = " ".join(text.split())
    if not words:
        raise BadInput(f"The {name} is blank. Write one.")
    if name != "predicate" and not normalise_entity(words):
        raise BadInput(f"The {name} “{words}” has no letter and no digit. Write a name.")
    return words


def _identity(triple: Triple) -> tuple[int, str, str, str]:
    return triple.passage_id, *triple.words
