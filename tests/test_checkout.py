"""The commit that runs and results record."""

from __future__ import annotations

import runpy
import shutil
import subprocess
from pathlib import Path

import pytest

from gear_app.core import paths

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(folder: Path, *arguments: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Somebody's repository with one commit."""
    git(tmp_path, "init")
    (tmp_path / "pyproject.toml").write_text("[project]")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "First")
    return tmp_path


def commit_of(root: Path) -> str:
    """The commit that a copy of the program at this place records."""
    package = root / "gear_app" / "core"
    package.mkdir(parents=True, exist_ok=True)
    copy = shutil.copy(paths.__file__, package / "paths.py")
    return str(runpy.run_path(str(copy))["commit"]())


def test_a_checkout_records_its_commit_and_whether_files_were_changed(repository: Path) -> None:
    assert commit_of(repository) == paths.UNKNOWN, "the repository does not track the program"
    git(repository, "add", ".")
    git(repository, "commit", "-m", "Second")
    clean = commit_of(repository)
    assert len(clean) >= 7 and not clean.endswith("+")
    (repository / "pyproject.toml").write_text("[changed]")
    assert commit_of(repository) == f"{clean}+"


@pytest.mark.parametrize("place", [".venv/lib/python3/site-packages", "vendored"])
def test_a_program_installed_inside_another_repository_records_no_commit(
    repository: Path, place: str
) -> None:
    (repository / ".gitignore").write_text(".venv")
    assert commit_of(repository / place) == paths.UNKNOWN
