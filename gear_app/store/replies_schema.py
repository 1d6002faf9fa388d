"""The migration that makes room for what language models said."""

from __future__ import annotations

from sqlite_utils import Database

TABLE = """
CREATE TABLE model_replies (
    key BLOB PRIMARY KEY,                 -- of server, model, prompt and settings (asking.key_of)
    server TEXT NOT NULL,
    model TEXT NOT NULL,
    role TEXT NOT NULL,
    prompt_hash TEXT NOT NULL,            -- of the prompt's file
    reply TEXT NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    estimated INTEGER NOT NULL,           -- 1: the server did not count the tokens
    cut INTEGER NOT NULL,                 -- 1: it ended at the limit of tokens
    ms REAL NOT NULL,
    at TEXT NOT NULL
)
"""


def add_model_replies(db: Database) -> None:
    """Replies are kept from here on: before, no model was asked."""
    db.execute(TABLE)
