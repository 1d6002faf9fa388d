"""What a bundle brings is checked as what a person types is: refused in a sentence, or stored so
that every page can show it.
"""

from __future__ import annotations

import json
import resource
import shutil
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gear_app.errors import GearError
from gear_app.store.bundle import COPIED
from gear_app.views.share import pages
from tests.runs.test_bundle_import import contents
from tests.small import QUESTION
from tests.workspaces import filled, workspace

HOSTILE: dict[str, tuple[object, ...]] = {
    "TEXT": ("", "\x1b[2Jx\x00", "<script>", "x" * 200_001, "[1e999]", '{"a": NaN}', "null", "-1"),
    "INTEGER": (-1, 0, 10**6, 2**62),
    "REAL": (-1e300, float("inf"), -1.0, 1e16),
    "BLOB": (b"", b"\xff" * 40, None),
}
IN_EVENTS = ("\x1b\x00<b>", "x" * 50_000, -5, 0, 10**9, 1e300, float("nan"), None, [], {}, "\ud800")
Change = Callable[[sqlite3.Connection], object]


class Bundles:
    """A good bundle, copies of it with something changed, and a workspace to import them into."""

    def __init__(self, folder: Path) -> None:
        films = filled(folder)
        run = films.ask(QUESTION, "films", "gear").run
        self.good = films.runs.export_bundle(run, folder / "good.db").path
        (folder / "other").mkdir()
        self._copy, self.other = folder / "copy.db", workspace(folder / "other")
        with sqlite3.connect(self.good) as db:
            self.columns = [
                (table, str(name), str(type_))
                for table in COPIED
                if db.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone()
                for _, name, type_, *_ in db.execute(f"PRAGMA table_info({table})")
            ]
            self.events = [
                (position, json.loads(zlib.decompress(payload)))
                for position, payload in db.execute("SELECT position, payload FROM events")
            ]
        db.close()

    def changed(self, change: Change) -> Path:
        """A copy; as it was where the change breaks a constraint."""
        shutil.copy(self.good, self._copy)
        db = sqlite3.connect(self._copy)
        try:
            change(db)
            db.commit()
        except sqlite3.IntegrityError:
            db.rollback()
        finally:
            db.close()
        return self._copy

    def check(self, change: Change) -> None:
        """Import a changed copy: it is refused in one sentence, or every page shows it."""
        try:
            found = self.other.runs.import_bundle(self.changed(change), replay=False)
        except GearError as error:
            assert str(error) and "\n" not in str(error) and len(str(error)) < 600
            return
        for run_id in found.runs:
            pages.page(self.other, [run_id])
        self.other.collections.all()
        self.other.collections.questions(found.collection)
        for run in self.other.runs.recent(found.collection):
            self.other.store.db.execute("DELETE FROM runs WHERE id = ?", [run.id])
        self.other.collections.delete(found.collection)


@pytest.fixture(scope="module")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bundles]:
    made = Bundles(tmp_path_factory.mktemp("bundles"))
    yield made
    made.other.close()


@settings(max_examples=15)
@given(data=st.data())
def test_a_bundle_with_a_hostile_value_is_refused_or_can_be_shown(
    bundles: Bundles, data: st.DataObject
) -> None:
    table, name, type_ = data.draw(st.sampled_from(bundles.columns))
    value = data.draw(st.sampled_from(HOSTILE[type_]))
    bundles.check(lambda db: db.execute(f'UPDATE {table} SET "{name}" = ?', [value]))


@settings(max_examples=15)
@given(data=st.data())
def test_a_bundle_with_a_hostile_event_is_refused_or_can_be_shown(
    bundles: Bundles, data: st.DataObject
) -> None:
    position, event = data.draw(st.sampled_from(bundles.events))
    changed = json.loads(json.dumps(event))
    at: Any = changed
    while True:
        place = data.draw(st.sampled_from(list(at) if isinstance(at, dict) else range(len(at))))
        if not isinstance(at[place], dict | list) or not at[place] or data.draw(st.booleans()):
            break
        at = at[place]
    at[place] = data.draw(st.sampled_from(IN_EVENTS))
    payload = zlib.compress(json.dumps(changed).encode())
    bundles.check(
        lambda db: db.execute(
            "UPDATE events SET payload = ? WHERE position = ?", [payload, position]
        )
    )


NOT_OURS = "its tables are not those of a workspace"
SETTING = "UPDATE runs SET config = json_set(config,"
OS = zlib.compress(b'{"kind":"Os"}')
# What a bundle may not bring, and what is said of it.
REFUSED: dict[str, tuple[str, str]] = {
    "fewer iterations than none": (
        "UPDATE collections SET max_iterations = -1",
        "max_iterations holds a number",
    ),
    "iterations without end": ("UPDATE collections SET max_iterations = 999", "limit of 999"),
    "time without end": ("UPDATE runs SET ms = 9e999", "runs.ms holds a number"),
    "a cost below nothing": ("UPDATE runs SET cost = -1e300", "runs.cost holds a number"),
    "a method of markup": ("UPDATE runs SET method = '<b>gear</b>'", "method: "),
    "a time that is none": ("UPDATE runs SET created = 'yesterday'", "created holds what is no"),
    "a key with NUL": (
        "UPDATE passages SET key = key || char(0) || 'x'",
        "passages holds text with NUL",
    ),
    "a name with controls": ("UPDATE collections SET name = char(27) || 'x'", "control character"),
    "a name without end": ("UPDATE collections SET name = printf('%.*c', 999, 'x')", "200 char"),
    "a revision to come": ("UPDATE passages SET added = 1000", "a revision that its collection"),
    "a question of a book": (
        "UPDATE runs SET question = replace(printf('%.*c', 100000, 'x'), 'x', 'word ')",
        "runs.question holds more than",
    ),
    "a question too long": (
        "UPDATE runs SET question = printf('%.*c', 3000, 'x')",
        "at most 2,000",
    ),
    "a message of megabytes": (
        "UPDATE runs SET message = printf('%.*c', 50000000, 'x')",
        "runs.message holds more than",
    ),
    "a trigger": (
        "CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM passages; END",
        NOT_OURS,
    ),
    "a view in place of a table": (
        "ALTER TABLE gold RENAME TO g; CREATE VIEW gold AS WITH RECURSIVE c(x) AS (SELECT 1 UNION"
        " ALL SELECT x + 1 FROM c) SELECT x AS question_id, x AS position, x AS key FROM c",
        NOT_OURS,
    ),
    "a trigger with a name of SQLite's own": (
        "PRAGMA writable_schema = ON; INSERT INTO sqlite_master (type, name, tbl_name, rootpage,"
        " sql) VALUES ('trigger', 'sqlite_stat_x', 'runs', 0, 'CREATE TRIGGER sqlite_stat_x AFTER"
        " UPDATE ON runs BEGIN DELETE FROM passages; END')",
        NOT_OURS,
    ),
    "a name with a blank that SQLite takes for a letter": (
        "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, 'heartbeat REAL',"
        " 'heartbeat\u00a0REAL') WHERE name = 'runs'",
        NOT_OURS,
    ),
    "a collection in a cluster of its maker": (
        "UPDATE collections SET cluster = 'http://127.0.0.1:9'",
        "is in a cluster",
    ),
    "an id of another collection": (
        "UPDATE passages SET collection_id = -1 WHERE id = 1",
        "belong to collections that are gone",
    ),
    "a huge id": (
        "UPDATE passages SET document_id = NULL, id = 9000000000000000000 WHERE id = 1",
        "no run as gear-app exports them",
    ),
    "words in place of a number": ("UPDATE passages SET start = 'many'", "start holds something"),
    "text that is none": ("UPDATE questions SET key = CAST(x'ff80' AS TEXT)", "damaged"),
    "a text with another's hash": (
        "UPDATE passages SET text = 'Lies.' WHERE id = 1",
        "not what was stored",
    ),
    "settings that are none": ("UPDATE runs SET config = '[1, 2]'", "none that gear-app makes"),
    "a beam as wide as the corpus": (
        f"{SETTING} '$.\"beam.width\"', 1000000)",
        "width must be at least 1 and at most 1000, not 1000000",
    ),
    "iterations of a run without end": (
        f"{SETTING} '$.max_iterations', 1000000000)",
        "max_iterations must be at least 1 and at most 50",
    ),
    "settings that are dear together": (
        f"{SETTING} '$.\"beam.width\"', 1000, '$.\"beam.neighbours\"', 10000)",
        "10,000,000 triples would be looked at",
    ),
    "a ranking without end": ("UPDATE runs SET k = 1000000000", "at least 1 and at most 10,000"),
    "options that are none": (
        """UPDATE runs SET options = '{"edits": [["os", [], 1]]}'""",
        "none that gear-app makes",
    ),
    "a path for an id": ("UPDATE runs SET id = '../../x'", "has no id of ours"),
    "a run that waits": ("UPDATE runs SET state = 'queued'", "has not ended"),
    "an event that is none": (
        f"UPDATE events SET payload = x'{OS.hex()}' WHERE position = 1",
        "cannot be read",
    ),
    "another program's file": ("PRAGMA application_id = 1", "belongs to another program"),
    "another version's file": ("PRAGMA user_version = 9999", "another version"),
    "events without end": (
        "WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)"
        " INSERT INTO events SELECT run, i, at_ms, schema, kind, iteration, payload FROM n,"
        " (SELECT * FROM events LIMIT 1)",
        "at most 50,000 are taken",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_nobody_could_ask_for_is_refused_soon_and_changes_nothing(
    bundles: Bundles, what: str
) -> None:
    statements, words = REFUSED[what]
    path = bundles.changed(lambda db: db.executescript(statements))
    here = contents(bundles.other)
    began, before = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(GearError, match=words):
        bundles.other.runs.import_bundle(path)
    assert time.process_time() - began < 5.0
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000  # kilobytes
    assert contents(bundles.other) == here
