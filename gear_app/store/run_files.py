"""Run files of other programs that were brought to evaluations."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gear_app.store.database import Database
from gear_app.store.rows import now


class RunFile(NamedTuple):
    """A run file by its tag: its name, and by question the passages' keys with their scores, best
    first.
    """

    tag: str
    file: str
    rankings: Mapping[str, Sequence[tuple[str, float]]]


class RunFiles:
    """A workspace's run files, by evaluation."""

    def __init__(self, db: Database) -> None:
        """Work on this connection."""
        self._db = db

    def keep(self, evaluation: str, brought: RunFile) -> None:
        """Keep a file, in place of the one with this tag that was there."""
        rankings = zlib.compress(json.dumps(brought.rankings, ensure_ascii=False).encode())
        self._db.execute(
            "INSERT OR REPLACE INTO run_files (evaluation_id, tag, file, rankings, at)"
            " VALUES (?, ?, ?, ?, ?)",
            [evaluation, brought.tag, brought.file, rankings, now()],
        )

    def of(self, evaluation: str) -> list[RunFile]:
        """An evaluation's files, in the order they were brought."""
        found = self._db.tuples(
            "SELECT tag, file, rankings FROM run_files WHERE evaluation_id = ? ORDER BY at, tag",
            [evaluation],
        )
        return [RunFile(tag, file, _rankings(packed)) for tag, file, packed in found]

    def stamp(self, evaluation: str) -> tuple[tuple[str, str], ...]:
        """The tag of each file and when it was brought: what is shown of them changes with it."""
        found = self._db.tuples(
            "SELECT tag, at FROM run_files WHERE evaluation_id = ? ORDER BY at, tag", [evaluation]
        )
        return tuple((tag, at) for tag, at in found)

    def drop(self, evaluation: str, tag: str) -> None:
        """Forget a file."""
        self._db.execute(
            "DELETE FROM run_files WHERE evaluation_id = ? AND tag = ?", [evaluation, tag]
        )


def _rankings(packed: bytes) -> dict[str, list[tuple[str, float]]]:
    read = json.loads(zlib.decompress(packed))
    return {of: [(key, score) for key, score in ranking] for of, ranking in read.items()}
