"""What is damaged in a file is found, named without its words, and does not take for ever."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from gear_app.doctor import examine as examine_all
from gear_app.errors import StoreFailed
from gear_app.store import Store
from gear_app.store.damage import examine
from gear_app.workspace import Workspace
from tests.workspaces import filled

HARBOUR = "UPDATE passages SET text = ? WHERE key = 'harbour'"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A closed workspace with the small collection."""
    made = filled(tmp_path)
    made.imports.text("Title", "A document of some words.", "films")
    made.close()
    return made.path


def changed(path: Path, *statements: tuple[str, list[object]]) -> Store:
    """The workspace after somebody else's program was at it."""
    other = sqlite3.connect(path)
    for statement, values in statements:
        other.execute(statement, values)
    other.commit()
    other.close()
    return Store(path)


def test_a_sound_file_has_no_damage(path: Path) -> None:
    assert examine(Store(path).db, 60) == ((), True)


def test_text_that_is_no_text_is_told_without_its_words(path: Path) -> None:
    bad = b"A long passage about a secret. " * 1000 + b"\xff"
    store = changed(path, (HARBOUR.replace("?", "CAST(? AS TEXT)"), [bad]))
    with pytest.raises(StoreFailed) as error:
        store.passages.at(1, 10)
    assert "secret" not in str(error.value)
    assert str(error.value).startswith(f"{path} is damaged. gear-app doctor says more.")


def test_whatever_sqlite_says_is_cut(path: Path) -> None:
    with pytest.raises(StoreFailed) as error:
        Store(path).db.rows(f"SELECT {'secret_' * 100}")
    assert "no such column: secret_" in str(error.value) and len(str(error.value)) < 400


@pytest.mark.parametrize(
    ("statement", "values", "said"),
    [
        (HARBOUR, ["Other words."], "1 of passages are not what was stored (the first has id "),
        (
            HARBOUR.replace("?", "CAST(? AS TEXT)"),
            [b"\xff"],
            "1 of passages are not what was stored (the first has id ",
        ),
        (
            "UPDATE documents SET text = ?",
            ["Other words."],
            "1 of documents are not what was stored (the first has id 1)",
        ),
        (
            "UPDATE triples SET object = ? WHERE id > 3",
            ["something else"],
            "of triples are not what was stored (the first has id 4)",
        ),
        (
            "DELETE FROM passages WHERE key = ?",
            ["harbour"],
            "of triples belong to passages that are gone",
        ),
    ],
)
def test_each_kind_of_damage_is_found(
    path: Path, statement: str, values: list[object], said: str
) -> None:
    found = examine(changed(path, (statement, values)).db, 60)
    assert found.whole and any(said in sentence for sentence in found.damage), found.damage


def test_a_broken_structure_is_found(path: Path) -> None:
    store = Store(path)
    store.db.value("PRAGMA wal_checkpoint(TRUNCATE)")
    root = store.db.value("SELECT rootpage FROM sqlite_master WHERE name = 'triples_object'")
    size = store.db.value("PRAGMA page_size")
    store.close()
    with path.open("r+b") as file:
        file.seek((root - 1) * size + size // 2)
        file.write(b"\x00" * (size // 2))
    try:
        found = " ".join(examine(Store(path).db, 60).damage)
    except StoreFailed as error:
        found = str(error)
    assert "triples_object" in found or "is damaged" in found


def test_the_search_ends_when_its_time_is_up_and_says_so(path: Path) -> None:
    store = changed(path, (HARBOUR, ["Other words."]))
    rows = [
        (f"k{n}", "words " * 20, n.to_bytes(16, "big")) for n in range(20_000)
    ]  # wrong hashes all
    store.db.many(
        "INSERT INTO passages (collection_id, key, title, text, start, end, text_hash, added)"
        " VALUES (1, ?, '', ?, 0, 0, ?, 1)",
        rows,
    )
    assert examine(store.db, 0.0).whole is False
    assert store.collections.get("films").name == "films"  # the connection goes on as before
    assert examine(store.db, 60).whole is True


@pytest.mark.parametrize(
    ("seconds", "statement", "ok", "said"),
    [
        (20.0, "UPDATE passages SET key = key WHERE key = ?", True, "nothing"),
        (0.0, "UPDATE passages SET key = key WHERE key = ?", True, "nothing in 0 s"),
        (
            20.0,
            "UPDATE passages SET text = 'other' WHERE key = ?",
            False,
            "1 of passages are not what was stored (the first has id",
        ),
    ],
)
def test_the_doctor_looks_for_damage(
    path: Path,
    monkeypatch: pytest.MonkeyPatch,
    seconds: float,
    statement: str,
    ok: bool,
    said: str,
) -> None:
    monkeypatch.setattr("gear_app.doctor.DAMAGE_S", seconds)
    monkeypatch.setattr("gear_app.store.database.STEPS", 1)  # look at the clock all the time
    changed(path, (statement, ["harbour"])).close()
    [found] = [one for one in examine_all(Workspace(path)) if one.what == "damage"]
    assert found.ok is ok and found.found.startswith(said)
    assert ok or found.found.endswith("Restore a backup.")
