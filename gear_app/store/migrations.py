"""The schema, as numbered steps. Each runs once, in its own transaction; an older file stays
readable for ever.

To change the schema add a function and put it at the end of MIGRATIONS; never edit one that has
been released.

Rules that hold throughout: rows of passages and triples are added and retired, never changed.
`added` and `retired` are revisions of the collection: a row exists at revision r when added <= r
and not retired <= r.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlite_utils import Database

from gear_app.store.models_schema import add_models_and_costs
from gear_app.store.replies_schema import add_model_replies
from gear_app.store.schema import CONTENT, WORK


def _first(db: Database) -> None:
    """Everything the first release needs: content, triple sets, questions, runs and jobs."""
    for statement in (CONTENT + ";" + WORK).split(";\n"):
        db.execute(statement)


def _second(db: Database) -> None:
    """Names that mean the same, which HippoRAG and GRIEVER need: made once, kept, and extended as
    names come in.

    Entities are deleted with their collection only, so they are not referenced: each would need an
    index for that.
    """
    db.execute("""
        CREATE TABLE synonyms (
            collection_id INTEGER NOT NULL REFERENCES collections(id) ON DELETE CASCADE,
            model_id INTEGER NOT NULL REFERENCES models(id),
            later_id INTEGER NOT NULL,    -- of entities; the greater id
            earlier_id INTEGER NOT NULL,
            cosine REAL NOT NULL,         -- of the two names' vectors, to 1e-6
            PRIMARY KEY (collection_id, model_id, later_id, earlier_id)
        ) WITHOUT ROWID
        """)
    db.execute("""
        CREATE TABLE compared (           -- how far the index of synonyms has come
            collection_id INTEGER NOT NULL REFERENCES collections(id) ON DELETE CASCADE,
            model_id INTEGER NOT NULL REFERENCES models(id),
            entity_id INTEGER NOT NULL,   -- the last that was compared with all before it
            PRIMARY KEY (collection_id, model_id)
        ) WITHOUT ROWID
        """)


def add_loading(db: Database) -> None:
    """A run's time is from here on without that of loading models and arrays, which is beside it;
    of earlier ones it is not known.
    """
    db.execute("ALTER TABLE runs ADD COLUMN loading_ms REAL")


MIGRATIONS: tuple[Callable[[Database], None], ...] = (
    _first,
    _second,
    add_model_replies,
    add_models_and_costs,
    add_loading,
)
