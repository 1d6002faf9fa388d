"""The migration that makes room for which model a run or a job asks, what may be spent, and what
was.
"""

from __future__ import annotations

from sqlite_utils import Database

_BOTH = (
    # JSON: the server and model that are asked (llm.server.Spec)
    "model TEXT NOT NULL DEFAULT ''",
    "key_from TEXT NOT NULL DEFAULT ''",  # where the key is to be had; never the key
    "budget INTEGER",  # tokens it may take; NULL: no limit
    "calls INTEGER NOT NULL DEFAULT 0",  # replies, those that were kept from before included
    "kept INTEGER NOT NULL DEFAULT 0",  # of these, kept from before: they cost nothing
    "unusable INTEGER NOT NULL DEFAULT 0",  # replies that could not be used, or not all of them
    "cost REAL DEFAULT 0",  # dollars; NULL: of some call the price is not known
    # tokens of replies that were not kept from before: what a budget counts
    "taken INTEGER NOT NULL DEFAULT 0",
)
_RUNS = (
    # JSON: answering, extraction on the way (runs.request.Options)
    "options TEXT NOT NULL DEFAULT '{}'",
    # JSON: the answers known when the run was made, with all aliases
    "answers TEXT NOT NULL DEFAULT '[]'",
)
_JOBS = (
    "input_tokens INTEGER NOT NULL DEFAULT 0",
    "output_tokens INTEGER NOT NULL DEFAULT 0",
    "finished TEXT",  # when it ended
)
_PRICES = """
CREATE TABLE prices (
    model TEXT PRIMARY KEY,               -- as its server calls it
    input REAL NOT NULL,                  -- dollars for a million tokens
    output REAL NOT NULL,
    at TEXT NOT NULL                      -- when it was written down
) WITHOUT ROWID
"""


def add_models_and_costs(db: Database) -> None:
    """Runs and jobs say from here on which model they ask and what it took; earlier ones asked
    none, or the environment's, which their versions name.
    """
    for table, columns in (("runs", (*_BOTH, *_RUNS)), ("jobs", (*_BOTH, *_JOBS))):
        for column in columns:
            db.execute(f"ALTER TABLE {table} ADD COLUMN {column}")
    # parts of a passage's reply that could not be used; the reply is in `reply`
    db.execute("ALTER TABLE extractions ADD COLUMN dropped INTEGER NOT NULL DEFAULT 0")
    db.execute(_PRICES)
