"""What is installed, found out without importing any of it."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from pathlib import Path

import pytest

from gear_app import environment


@pytest.fixture
def torch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A torch that is nothing but its metadata, and the only one to be found; its version.py."""
    info = tmp_path / "torch-9.9.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 9.9\n")
    (tmp_path / "torch").mkdir()
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    return tmp_path / "torch" / "version.py"


def test_a_build_for_cuda_is_told_from_one_for_the_processor(torch: Path) -> None:
    torch.write_text("__version__ = '9.9+cu130'\ncuda: Optional[str] = '13.0'\nhip = None\n")
    assert environment.torch_build() == "9.9, for CUDA 13.0, which is not used"
    torch.write_text("__version__ = '9.9+cpu'\ncuda: Optional[str] = None\nhip = None\n")
    assert environment.torch_build() == "9.9, for the processor alone"
    torch.unlink()
    assert environment.torch_build() == "9.9, for the processor alone"


def test_where_there_is_no_torch_that_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    with pytest.raises(importlib.metadata.PackageNotFoundError):
        environment.torch_build()


def test_the_weight_is_that_of_all_files_and_of_no_file_behind_a_link(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "deep").write_bytes(b"x" * 1000)
    (tmp_path / "top").write_bytes(b"x" * 24)
    (tmp_path / "link").symlink_to("top")  # weighs as much as the name it holds
    assert environment.weight(tmp_path) == 1000 + 24 + len("top")


def test_outside_of_a_virtual_environment_there_is_nothing_to_weigh(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)
    assert environment.weight() is None


def test_finding_out_imports_no_library_of_models() -> None:
    script = (
        "import sys; from gear_app import environment; environment.torch_build();"
        "print(sorted({'torch', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"
