"""Replies of language models that could be parsed: repeating a run or an extraction costs nothing.

Fits `llm.chat_model.ReplyCache`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from gear_app.llm.response import Reply
from gear_app.store.database import Database
from gear_app.store.rows import now

if TYPE_CHECKING:
    from gear_app.llm.chat_model import ReplyOrigin


class CacheSize(NamedTuple):
    """How many replies are kept, and how many bytes they have together."""

    replies: int
    bytes: int


class Replies:
    """A workspace's replies."""

    def __init__(self, db: Database) -> None:
        """Work on this connection."""
        self._db = db

    def get(self, key: bytes) -> Reply | None:
        """The reply kept under this key."""
        row = self._db.row(
            "SELECT reply, input_tokens, output_tokens, estimated, cut, ms FROM model_replies WHERE"
            " key = ?",
            [key],
        )
        if row is None:
            return None
        return Reply(
            row["reply"],
            row["input_tokens"],
            row["output_tokens"],
            row["ms"],
            bool(row["estimated"]),
            bool(row["cut"]),
        )

    def has(self, key: bytes) -> bool:
        """Whether a reply is kept under this key."""
        return bool(self._db.value("SELECT count(*) FROM model_replies WHERE key = ?", [key]))

    def put(self, key: bytes, reply: Reply, origin: ReplyOrigin) -> None:
        """Keep this one, in the place of any other."""
        self._db.execute(
            "INSERT OR REPLACE INTO model_replies (key, server, model, role, prompt_hash, reply,"
            " input_tokens, output_tokens, estimated, cut, ms, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?,"
            " ?, ?, ?, ?)",
            [
                key,
                origin.server,
                origin.model,
                origin.role,
                origin.prompt_hash,
                reply.text,
                reply.input_tokens,
                reply.output_tokens,
                int(reply.estimated),
                int(reply.cut),
                reply.ms,
                now(),
            ],
        )

    def size(self) -> CacheSize:
        """How many there are, and how large."""
        ((replies, bytes_),) = self._db.tuples(
            "SELECT count(*), coalesce(sum(length(CAST(reply AS BLOB))), 0) FROM model_replies"
        )
        return CacheSize(replies, bytes_)

    def forget(self) -> int:
        """Forget all replies; return how many there were. Runs keep theirs in their events."""
        return self._db.execute("DELETE FROM model_replies")


class StoredReplies:
    """A workspace's replies, on whichever thread asks (llm.chat_model.ReplyCache)."""

    def __init__(self, replies: Callable[[], Replies]) -> None:
        """`replies` gives those of the calling thread: a database connection is not shared."""
        self._replies = replies

    def get(self, key: bytes) -> Reply | None:
        """The reply stored under this key."""
        return self._replies().get(key)

    def put(self, key: bytes, reply: Reply, origin: ReplyOrigin) -> None:
        """Store this one, in the place of any other."""
        self._replies().put(key, reply, origin)
