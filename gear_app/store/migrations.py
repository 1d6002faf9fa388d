"""The schema, as numbered steps. Each runs once, in its own transaction; an older file stays readable for ever.

To change the schema add a function and put it at the end of MIGRATIONS; never edit one that has been released.

Rules that hold throughout: rows of passages and triples are added and retired, never changed. `added` and `retired`
are revisions of the collection: a row exists at revision r when added <= r and not retired <= r.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlite_utils import Database

from gear_app.store.schema import CONTENT, WORK


def _first(db: Database) -> None:
    """Everything the first release needs: content, triple sets, questions, runs and jobs."""
    for statement in (CONTENT + ";" + WORK).split(";\n"):
        db.execute(statement)


MIGRATIONS: tuple[Callable[[Database], None], ...] = (_first,)
