"""Owners of runs and jobs: who is still there, whatever the clock says."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from gear_app.store import Store
from gear_app.store.processes import STALE_S, Lock, Owner, Owners

HOUR_S = 3600.0


@pytest.mark.parametrize("ahead_s", [-HOUR_S, 0.0, HOUR_S])
def test_an_owner_on_this_machine_is_there_as_long_as_its_lock(
    tmp_path: Path, ahead_s: float
) -> None:
    owner, owners = Owner.here("worker:"), Owners(tmp_path / "w.db")
    beats = [(owner.name, time.time() + ahead_s)]
    lock = Lock(tmp_path / "w.db", owner.token)
    assert lock.acquire() and owners.gone(beats) == []
    lock.release()
    assert owners.gone(beats) == [owner.name] and not list(tmp_path.iterdir())


def test_an_owner_on_another_machine_is_known_by_its_heartbeats(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, owners = "elsewhere:7:" + "a" * 16, Owners(tmp_path / "w.db")
    clock = 1000.0
    monkeypatch.setattr("gear_app.store.processes.time.monotonic", lambda: clock)
    assert owners.gone([(name, time.time() - STALE_S - 1)]) == [name]
    ahead = time.time() + HOUR_S
    assert owners.gone([(name, ahead)]) == []
    clock += STALE_S + 1
    assert owners.gone([(name, ahead + 1)]) == [], "its clock is wrong and it goes on"
    clock += STALE_S + 1
    assert owners.gone([(name, ahead + 1)]) == [name], "its clock is wrong and it stands still"
    lock = Lock(tmp_path / "w.db", "a" * 16)
    assert lock.acquire() and owners.gone([(name, 0.0)]) == [], "its lock is seen here"
    lock.release()


def test_a_name_that_no_process_gives_itself_opens_no_file(tmp_path: Path) -> None:
    (tmp_path / "other.lock").write_text("mine", encoding="utf-8")
    hostile = f"{Owner.here().machine}:7:../other"
    assert Owners(tmp_path / "w.db").gone([(hostile, 0.0), (None, None)]) == [hostile]
    assert (tmp_path / "other.lock").read_text(encoding="utf-8") == "mine"


def test_a_run_of_a_dead_owner_is_interrupted_and_one_of_a_living_is_not(store: Store) -> None:
    path = Path(store.db.path)
    owners = [Owner.here(), Owner.here()]
    locks = [Lock(path, owner.token) for owner in owners]
    assert all(lock.acquire() for lock in locks)
    for number, owner in enumerate(owners):
        store.db.execute(
            "INSERT INTO runs (id, question, method, config, reader, k, collection, revision, gold,"
            " state, created, owner, process, heartbeat) VALUES (?, 'q', 'bm25', '{}', 'local', 1,"
            " 'c', 0, '[]', 'running', '', '', ?, ?)",
            [str(number), owner.name, time.time() + HOUR_S],
        )
    locks[0].release()
    store.runs.interrupt_left()
    assert [store.runs.get(id_).state for id_ in ("0", "1")] == ["interrupted", "running"]
    locks[1].release()
