"""The recipe of the environment (.ci/install.py): what it takes, leaves out and repairs, and that
the vectors made in it are the known ones.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import sys
import sysconfig
import tomllib
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from packaging.requirements import Requirement

from gear_app.embedders.cache import CachedEmbedder

ROOT = Path(__file__).parent.parent
VECTORS = Path(__file__).parent / "golden" / "minilm.json"
MARKED = '; platform_system == "Linux"'


def load() -> ModuleType:
    """.ci/install.py as a module; it is no package's."""
    spec = importlib.util.spec_from_file_location("install", ROOT / ".ci" / "install.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


install = load()
PINS: Mapping[str, str] = install.pinned((ROOT / "constraints.txt").read_text("utf-8"))
PLAIN = install.Build("torch-2.13.0+cpu.whl", ("filelock", "sympy>=1.13.3"))
CUDA = install.Build(
    "torch-2.13.0.whl",
    (
        "filelock",
        f"cuda-toolkit[cublas,cudart]==13.0.3{MARKED}",
        f"cuda-bindings<14,>=13.0.3{MARKED}",
        f"nvidia-cudnn-cu13==9.20.0.48{MARKED}",
        f"triton==3.7.1{MARKED}",
    ),
)


@pytest.fixture
def linux(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(install.sys, "platform", "linux")


# What is installed

BROUGHT = ("dev", "mcp", "opensearch", "ray")  # extras; those for frameworks are the frameworks'


def requirements(name: str) -> list[str]:
    """Of a package that is installed; the project's own as they are written down now."""
    if name != "gear-app":
        return importlib.metadata.requires(name) or []
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    return [*project["dependencies"], *(line for name in BROUGHT for line in extras[name])]


def asked_for(name: str, extras: frozenset[str], where: Mapping[str, str]) -> Iterator[Requirement]:
    for line in requirements(name):
        requirement = Requirement(line)
        marker = requirement.marker
        if not marker or any(marker.evaluate({**where, "extra": e}) for e in extras | {""}):
            yield requirement


@pytest.mark.parametrize("system", ["Linux", "Darwin"])
@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13", "3.14"])
def test_everything_that_is_asked_for_is_pinned(system: str, python: str) -> None:
    """pip is told to look for nothing else, so what is missing in the file would be missing."""
    where = {
        "platform_system": system,
        "sys_platform": system.lower(),
        "python_version": python,
        "python_full_version": f"{python}.1",
        "platform_machine": "x86_64" if system == "Linux" else "arm64",
    }
    waiting, seen = [("gear-app", frozenset[str]())], set()
    while waiting:
        name, extras = waiting.pop()
        try:
            asked = list(asked_for(name, extras, where))
        except importlib.metadata.PackageNotFoundError:
            continue  # of another platform, or left out
        for requirement in asked:
            found = install.canonical(requirement.name)
            if found == "pip":
                continue
            assert found in PINS, f"{name} asks for {found}"
            assert requirement.specifier.contains(PINS[found], prereleases=True), (name, found)
            if (found, frozenset(requirement.extras)) not in seen:
                seen.add((found, frozenset(requirement.extras)))
                waiting.append((found, frozenset(requirement.extras)))
    assert len(seen) > 90


def test_a_build_for_the_processor_takes_nothing_of_cuda(linux: None) -> None:
    assert PLAIN.cuda == {}
    assert PLAIN.is_known(PINS)
    assert install.libraries(PINS, PLAIN) == []


def test_a_build_for_cuda_takes_the_libraries_it_is_linked_with_and_no_more(linux: None) -> None:
    assert CUDA.cuda == {
        "cuda-toolkit": "==13.0.3",
        "cuda-bindings": "<14,>=13.0.3",
        "nvidia-cudnn-cu13": "==9.20.0.48",
        "triton": "==3.7.1",
    }
    assert CUDA.is_known(PINS)
    taken = install.libraries(PINS, CUDA)
    assert "nvidia-cublas" in taken and "nvidia-nccl-cu13" in taken and len(taken) == 13
    assert set(PINS) >= install.LEFT_OUT and not set(taken) & install.LEFT_OUT


def test_outside_of_linux_the_same_metadata_ask_for_nothing_of_cuda(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(install.sys, "platform", "darwin")
    assert CUDA.cuda == {} and install.libraries(PINS, CUDA) == []


@pytest.mark.parametrize("asked", ["nvidia-cudnn-cu12==9.1.0.70", "triton==3.6.0"])
def test_a_build_for_another_cuda_is_not_taken_for_the_pinned_one(linux: None, asked: str) -> None:
    other = install.Build("torch-2.13.0+cu126.whl", (f"{asked}{MARKED}",))
    assert not other.is_known(PINS)
    assert "constraints.txt was not written for this build" in install.announcement(other, False)


def test_the_rest_is_the_same_whatever_the_build() -> None:
    rest = install.others(PINS)
    assert "sympy" in rest and "sentence-transformers" in rest and "pytest" in rest
    assert not {"torch", "triton", "nvidia-cublas", "xllamacpp"} & set(rest)
    assert len(rest) + 1 + 13 + len(install.LEFT_OUT) + len(install.NOT_EVERYWHERE) == len(PINS)


def test_what_it_takes_is_said_before_it_is_taken(linux: None) -> None:
    plain, cuda = install.announcement(PLAIN, True), install.announcement(CUDA, True)
    assert "torch-2.13.0+cpu.whl, built for the processor alone" in plain
    assert "about 0.9 GB to download and 2.8 GB on disk" in plain and "CUDA" not in plain
    assert "torch-2.13.0.whl, built for CUDA" in cuda
    assert "about 3.0 GB to download and 6.0 GB on disk" in cuda
    assert "PIP_FIND_LINKS=FOLDER make clean install" in cuda


def test_the_page_on_installing_and_make_help_give_the_same_figures() -> None:
    page = (ROOT / "docs" / "installing-and-serving.md").read_text("utf-8")
    for size in (install.CPU, install.CUDA):
        assert f"{size.disk} GB" in page and f"{size.download} GB" in page
    assert f"{install.CPU.disk} or {install.CUDA.disk} GB" in (ROOT / "Makefile").read_text("utf-8")


# Asking pip


def wheel(folder: Path, version: str, *requires: str) -> None:
    """A wheel of torch with nothing in it but metadata."""
    info = f"torch-{version}.dist-info"
    lines = ["Metadata-Version: 2.1", "Name: torch", f"Version: {version}"]
    lines += [f"Requires-Dist: {one}" for one in requires]
    with zipfile.ZipFile(folder / f"torch-{version}-py3-none-any.whl", "w") as file:
        file.writestr(f"{info}/METADATA", "\n".join(lines) + "\n")
        file.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        file.writestr(f"{info}/RECORD", "")


@pytest.fixture
def links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which pip looks, and nowhere else."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    monkeypatch.setenv("PIP_DISABLE_PIP_VERSION_CHECK", "1")
    return tmp_path


def test_pip_says_which_build_it_takes_and_prefers_the_one_for_the_processor(links: Path) -> None:
    wheel(links, "2.13.0", f"triton==3.7.1{MARKED}")
    first = install.offered("2.13.0")
    assert first.name == "torch-2.13.0-py3-none-any.whl"
    assert [Requirement(line).name for line in first.requires] == ["triton"]
    wheel(links, "2.13.0+cpu", "filelock")
    assert install.offered("2.13.0") == ("torch-2.13.0+cpu-py3-none-any.whl", ("filelock",))


def test_where_pip_finds_no_torch_the_installation_ends(
    links: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="run the same again to go on"):
        install.offered("2.13.0")
    assert "No matching distribution found for torch==2.13.0" in capfd.readouterr().err


# Interrupted installations


def package(site: Path, name: str, *files: str) -> Path:
    """A folder of metadata with these files."""
    folder = site / f"{name}-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    for file in files:
        (folder / file).write_text("")
    return folder


def test_what_was_interrupted_is_forgotten_and_what_was_finished_stays(tmp_path: Path) -> None:
    whole = package(tmp_path, "whole", "INSTALLER", "RECORD")
    package(tmp_path, "unpacked", "RECORD")  # the wheel's own, before pip writes its
    package(tmp_path, "half")
    (tmp_path / "~ld").mkdir()
    (tmp_path / "~ld" / "code.py").write_text("")
    assert install.repair(tmp_path) == ["half", "unpacked"]
    assert list(tmp_path.iterdir()) == [whole]
    assert install.installed(tmp_path) == {"whole": "1.0"}


def test_only_what_is_not_there_is_asked_of_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[str, ...]] = []
    monkeypatch.setattr(install, "pip", lambda *arguments: calls.append(arguments))
    pins = {"a": "1", "b": "2", "c": "3"}
    install.fetch(["a", "b", "c"], pins, {"a": "1", "b": "1"})
    install.fetch(["a"], pins, {"a": "1"})
    assert calls == [("install", "--quiet", "--no-deps", "b==2", "c==3")]


# The environment of these tests


def recipe() -> str:
    """Which wheel of torch `make install` took for this environment; empty where another way was
    used.
    """
    ready = Path(sys.prefix) / ".ready"
    return ready.read_text("utf-8").strip() if ready.is_file() else ""


@pytest.mark.skipif(not recipe(), reason="this environment was not made by `make install`")
def test_the_environment_is_what_is_pinned_and_has_nothing_of_cuda_that_is_not_needed() -> None:
    site = Path(sysconfig.get_path("purelib"))
    there = install.installed(site)
    needed = install.libraries(PINS, install.present(site))
    assert {name: there.get(name) for name in ["torch", *needed, *install.others(PINS)]} == {
        name: PINS[name] for name in ["torch", *needed, *install.others(PINS)]
    }
    assert not {name for name in there if name.startswith(("nvidia-", "cuda-"))} - set(needed)
    assert "triton" not in there


@pytest.mark.models
def test_the_bundled_model_gives_the_known_vectors(minilm: CachedEmbedder) -> None:
    """Those of another build of torch, on another machine, within what rounding may change."""
    known: dict[str, Any] = json.loads(VECTORS.read_text("utf-8"))
    vectors = minilm.embed(list(known))
    assert vectors.shape == (len(known), 384)
    for text, vector in zip(known, vectors, strict=True):
        np.testing.assert_allclose(vector[: len(known[text])], known[text], rtol=0, atol=1e-5)
