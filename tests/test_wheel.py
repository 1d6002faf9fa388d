"""The wheel: everything that is read at run time is in it, and the application opens from it."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.serving.real import serving

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built apart by what pyproject.toml names."""
    folder = tmp_path_factory.mktemp("wheel")
    build = ("wheel", "--no-deps", "--quiet", "--retries", "0", "--timeout", "15", "-w", folder)
    done = subprocess.run(
        [sys.executable, "-m", "pip", *build, ROOT], capture_output=True, text=True, check=False
    )
    if "hatchling" in done.stderr:
        pytest.skip("the wheel cannot be built: no package registry is reached")
    assert done.returncode == 0, done.stderr
    (file,) = folder.glob("gear_app-*.whl")
    return file


@pytest.fixture(scope="module")
def unpacked(wheel: Path) -> Path:
    folder = wheel.parent / "unpacked"
    zipfile.ZipFile(wheel).extractall(folder)
    return folder


def _files(folder: Path) -> set[str]:
    """What git would have of a folder, whatever was left there by running it."""
    return {
        str(file.relative_to(ROOT))
        for file in folder.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }


def test_every_file_of_the_package_and_of_the_data_is_in_it_and_none_besides(wheel: Path) -> None:
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert packed == _files(ROOT / "gear_app") | {
        f"gear_app/{one}" for one in _files(ROOT / "data")
    }


def test_the_application_opens_from_it(unpacked: Path, tmp_path: Path) -> None:
    where = "from gear_app.core import paths; print(paths.packaged_data('lessons'))"
    done = subprocess.run(
        [sys.executable, "-P", "-c", where],
        env=os.environ | {"PYTHONPATH": str(unpacked)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == str(unpacked / "gear_app" / "data" / "lessons")
    folder = tmp_path / "here"
    folder.mkdir()
    options = ("--workspace", str(tmp_path / "w.db"))
    variables = {"PYTHONPATH": str(unpacked), "GEAR_WORKER": "off"}
    with serving(folder, *options, environment=variables) as server:
        page = server.load_page()
    assert len(page) > 3 and not [
        one for one in page if one.delta.new_element.HasField("exception")
    ]
