"""The workspace file. The only package that knows SQLite.

A `Store` belongs to the thread that opened it. What is written together is inside `with
store.transaction():`.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from gear_app.store.collections import Collections, Questions
from gear_app.store.database import Database
from gear_app.store.entities import Entities, Synonyms
from gear_app.store.evaluations import Evaluations, Labels
from gear_app.store.extractions import Extractions, Mentions
from gear_app.store.models import Embeddings, Prices, Replies
from gear_app.store.passages import Documents, Passages
from gear_app.store.runs import Events, Runs
from gear_app.store.tasks import Tasks
from gear_app.store.triples import Edits, Triples


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

    def transaction(self) -> AbstractContextManager[None]:
        """All or nothing."""
        return self.db.transaction()

    def close(self) -> None:
        """Close the connection."""
        self.db.close()


__all__ = ["Store"]
