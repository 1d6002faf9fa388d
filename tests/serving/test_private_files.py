"""What is kept is for its owner alone, whatever the umask, through a whole life of a workspace."""

from __future__ import annotations

from pathlib import Path

import gear_app
from gear_app.workspace.runs.request import RunRequest
from tests.serving.real import serving
from tests.small import QUESTION
from tests.waiting import until
from tests.workspaces import pack


def modes(folder: Path) -> dict[str, str]:
    """The access bits of a folder and everything in it."""
    found = [folder, *folder.rglob("*")]
    return {str(path.relative_to(folder)): f"{path.stat().st_mode & 0o777:o}" for path in found}


def test_workspace_log_lock_and_cache_are_for_their_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "data" / "gear-app" / "w.db"
    pack(tmp_path / "pack")
    with serving(tmp_path, "--workspace", str(path), umask=0) as server:
        server.load_page()
        made = gear_app.open(path)
        made.imports.do(tmp_path / "pack", "films")
        run = made.runs.enqueue(RunRequest(QUESTION, "films", "gear"))
        until(lambda: made.runs.get(run).state == "done")
        found = modes(path.parent)
        made.close()
    path.unlink()
    assert {".", "w.db", "w.db-wal", "w.db-shm", "w.db.lock", "w.db.log", "w.db.cache"} <= set(
        found
    )
    assert any(name.endswith(".npy") for name in found)
    expected = {name: "700" if (path.parent / name).is_dir() else "600" for name in found}
    assert found == expected
