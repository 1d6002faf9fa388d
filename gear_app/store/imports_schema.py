"""The table of imports: what each was asked to read, and how far it came."""

from __future__ import annotations

from sqlite_utils import Database


def add_imports(db: Database) -> None:
    """Imports are jobs; this is what they have beside other jobs."""
    db.execute("""
        CREATE TABLE imports (
            job_id INTEGER PRIMARY KEY REFERENCES jobs(id) ON DELETE CASCADE,
            name TEXT NOT NULL,           -- what is imported, for people
            origin TEXT NOT NULL,         -- JSON: a path, uploaded files, or a text
            folder TEXT NOT NULL,         -- its working folder, in <workspace>.imports
            extract INTEGER NOT NULL,     -- 1: triples are extracted afterwards
            made_collection INTEGER NOT NULL,  -- 1: the collection was made for it
            undone INTEGER NOT NULL DEFAULT 0,
            progress TEXT NOT NULL DEFAULT '{}',  -- JSON: what was stored, and at which revisions
            reports TEXT NOT NULL DEFAULT '[]'    -- JSON: what became of each file
        )
        """)
