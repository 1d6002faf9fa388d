"""The workspace file. The only package that knows SQLite.

A `Store` belongs to the thread that opened it. What is written together is inside `with
store.transaction():`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from gear_app.core.types import Extraction, Passage, Triple
from gear_app.language.sources import with_sources
from gear_app.store.collections import Collections, Questions
from gear_app.store.database import Database
from gear_app.store.entities import Entities, Synonyms
from gear_app.store.evaluations import Evaluations, Labels
from gear_app.store.extractions import Extractions, Mentions, Shortfall
from gear_app.store.models import Embeddings, Prices, Replies
from gear_app.store.passages import Documents, Passages
from gear_app.store.runs import Events, Runs
from gear_app.store.tasks import Tasks
from gear_app.store.triples import Edits, Triples

REFUSED = "left out, as taken out or corrected by hand"  # of triples


class Store:
    """Everything that is kept, by what it is about."""

    def __init__(self, path: Path | str) -> None:
        """Open or create the file. Raises StoreFailed with one sentence that names it and the way
        out.
        """
        self.db = Database(path)
        self.collections = Collections(self.db)
        self.documents = Documents(self.db)
        self.passages = Passages(self.db)
        self.mentions = Mentions(self.db)
        self.triples = Triples(self.db)
        self.edits = Edits(self.db)
        self.entities = Entities(self.db)
        self.synonyms = Synonyms(self.db)
        self.extractions = Extractions(self.db)
        self.questions = Questions(self.db)
        self.embeddings = Embeddings(self.db)
        self.replies = Replies(self.db)
        self.prices = Prices(self.db)
        self.tasks = Tasks(self.db)
        self.runs = Runs(self.db, self.tasks)
        self.events = Events(self.db)
        self.evaluations = Evaluations(self.db)
        self.labels = Labels(self.db)

    def add_extractions(
        self,
        collection_id: int,
        set_id: int,
        extractions: Sequence[tuple[Passage, Extraction]],
        fingerprint: str,
        short: Mapping[int, Shortfall],
        task: int | None = None,
    ) -> int:
        """Store the extractions of passages, and mark these extracted, in one transaction. `short`:
        passages, by id, whose reply fell short; `task`: the job that makes the revision. Returns
        how many triples stay out because somebody took them out by hand.

        Nothing new gives no new revision: runs made before are not out of date.
        """
        with self.transaction():
            ids = [passage.id for passage, _ in extractions]
            stored = {(t.passage_id, *t.words) for t in self.triples.of_passages(set_id, ids)}
            refused = self.edits.refused(set_id, ids) - stored
            triples, names, left_out = list[Triple](), list[str](), 0
            for passage, extraction in extractions:
                # Each once, where it comes last, with the span that it came with first.
                last = {(passage.id, *t.words): t for t in reversed(extraction.triples)}
                left_out += len(last.keys() & refused)
                new = [
                    Triple(0, *words, t.span)
                    for words, t in reversed(last.items())
                    if words not in stored and words not in refused
                ]
                names += [*extraction.entities, *(x for t in new for x in (t.subject, t.object))]
                triples += with_sources(passage, new)
            revision = 0
            if triples:
                revision = self.collections.raise_revision(collection_id, set_id=set_id, task=task)
            self.triples.add(collection_id, set_id, triples, revision, names)
            self.extractions.mark_extracted(set_id, ids, fingerprint, short)
        return left_out

    def transaction(self) -> AbstractContextManager[None]:
        """All or nothing."""
        return self.db.transaction()

    def close(self) -> None:
        """Close the connection."""
        self.db.close()


__all__ = ["REFUSED", "Store"]
