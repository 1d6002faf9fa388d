"""What a measured row depends on, as hashes: a method's own code and settings, and what a
collection holds.

Only the modules that a method is made of count, so that a change of one method, or of the screen,
leaves the rows of the others valid. What cannot change a ranking is not counted: events, protocols,
and how a workspace keeps things; what it holds is.
"""

from __future__ import annotations

import ast
import dataclasses
import hashlib
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path

import gear_app
from gear_app.evaluate.variants import variant
from gear_app.index.embedded import EmbeddedIndex
from gear_app.models.embedder import HashingEmbedder
from gear_app.overrides import settings
from gear_app.reader.local import LocalReader
from gear_app.retrievers import build
from gear_app.workspace import Workspace

PACKAGE = Path(gear_app.__file__).parent
MEASURES = tuple(
    PACKAGE / "evaluate" / name for name in ("evaluation.py", "experiment.py", "metrics.py")
)
APART = (PACKAGE / "events", PACKAGE / "seams.py")


def of_method(words: str) -> str:
    """A hash of the code a method is made of and of its settings."""
    asked = variant(words)
    text = b"".join(file.read_bytes() for file in (*sorted(files(modules(words))), *MEASURES))
    return hashlib.sha256(text + repr((words, settings(asked.config))).encode()).hexdigest()[:16]


def of_content(workspace: Workspace, collection: str, triples: str) -> str:
    """A hash of a collection's passages, triples of one set, and questions."""
    store = workspace.store
    row = store.collections.get(collection)
    set_ = store.collections.find_set(row.id, triples)
    texts = store.passages.hashes(row.id, row.revision)
    texts += store.triples.hashes(set_.id, row.revision) if set_ else []
    questions = repr((row.max_iterations, workspace.questions(collection))).encode()
    return hashlib.sha256(b"".join(texts) + questions).hexdigest()[:16]


def modules(words: str) -> frozenset[str]:
    """The modules that a method's parts come from: it is built over nothing, and its parts are
    walked through.
    """
    asked, embedder = variant(words), HashingEmbedder()
    nothing = EmbeddedIndex([], [], embedder.embed([]), embedder.embed([]), embedder)
    return frozenset(
        _walk(build(asked.method, nothing, LocalReader(embedder), embedder, asked.config), set())
    )


def files(names: Collection[str]) -> frozenset[Path]:
    """The files of modules and of everything in this package that they import, but for what is kept
    apart.
    """
    found: set[Path] = set()
    waiting = [file for name in names if (file := _file(name))]
    while waiting:
        file = waiting.pop()
        if file not in found and not any(file.is_relative_to(apart) for apart in APART):
            found.add(file)
            waiting += _imports(file)
    return frozenset(found)


def _walk(part: object, seen: set[int]) -> Iterator[str]:
    module = getattr(part if callable(part) else type(part), "__module__", "") or ""
    if id(part) in seen or not module.startswith("gear_app"):
        return
    seen.add(id(part))
    yield module
    inner = (
        [getattr(part, f.name) for f in dataclasses.fields(part)]
        if dataclasses.is_dataclass(part)
        else []
    )
    for value in (*inner, *getattr(part, "__dict__", {}).values()):
        yield from _walk(value, seen)


@cache
def _imports(file: Path) -> tuple[Path, ...]:
    found: list[Path | None] = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            # `from package import name`: the name is a module of the package, or something in its
            # __init__.
            found += [
                _file(f"{node.module}.{alias.name}") or _file(node.module) for alias in node.names
            ]
        elif isinstance(node, ast.Import):
            found += [_file(alias.name) for alias in node.names]
    return tuple(file for file in found if file)


def _file(module: str) -> Path | None:
    first, *rest = module.split(".")
    if first != "gear_app":
        return None
    path = PACKAGE.joinpath(*rest)
    return next(
        (
            file
            for file in (path.with_suffix(".py"), path / "__init__.py")
            if rest and file.is_file()
        ),
        None,
    )
