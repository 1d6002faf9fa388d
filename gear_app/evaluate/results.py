"""`make eval`: measure the methods on the shared question sets and on the demo collection, and write docs/results.

Resumable: the rows of a method on a set are kept beside the workspace and used again while the code is the same.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

import gear_app
from gear_app.evaluate.experiment import Evaluation, Row, evaluate
from gear_app.evaluate.tables import Measured, losses, section
from gear_app.workspace import Workspace

METHODS = ("bm25", "dense", "hybrid", "naive_ge", "sync_ge", "gear")
Say = Callable[[str], None]


class Set(NamedTuple):
    """A question set, by the folder it lies in, and the triples to use: "local" extracts them."""

    folder: Path
    triples: str

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.name


SHARED = (
    ("musique_openie", "gpt-3.5-turbo-1106"),
    ("musique_openie", "local"),
    ("musique_migres", "local"),
    ("2wiki_migres", "local"),
    ("hotpot_migres", "local"),
    ("musique_train2hop", "local"),
    ("2wiki_train500", "local"),
)
DEMO = (("demo", "curated"), ("demo", "local"))


def sets(shared: Path, demo: Path, names: Sequence[str] = ()) -> list[Set]:
    """The sets that are present, in the order of the report; only those named, if any are."""
    all_sets = [Set(shared / name, triples) for name, triples in SHARED]
    all_sets += [Set(demo.parent / name, triples) for name, triples in DEMO]
    return [s for s in all_sets if s.folder.is_dir() and (not names or s.name in names)]


def measure(wanted: Set, folder: Path, methods: Sequence[str], say: Say) -> Measured:
    """Import and extract what is missing, then measure; each method's rows are kept in `folder`."""
    workspace = Workspace(folder / f"{wanted.name}.db")
    if wanted.name not in [collection.name for collection in workspace.collections()]:
        workspace.import_path(wanted.folder, wanted.name)
    if wanted.triples == "local":
        say(f"{wanted.name}: extracting with the local extractor")
        workspace.extract(wanted.name)
    if not all(_kept(folder, wanted, method) for method in methods):
        say(f"{wanted.name}, {wanted.triples}: warming up")  # so that nothing is encoded while it is timed
        evaluate(workspace, wanted.name, ["gear"], triples=wanted.triples)
    rows: list[Row] = []
    for method in methods:
        say(f"{wanted.name}, {wanted.triples}: {method}")
        rows += _kept(folder, wanted, method) or _measured(workspace, folder, wanted, method)
    collection = workspace.collection(wanted.name)
    triples = next(s.triples for s in collection.triple_sets if s.name == wanted.triples)
    evaluation = Evaluation(wanted.name, tuple(methods), tuple(rows))
    return Measured(wanted.name, wanted.triples, collection.passages, triples, collection.max_iterations, evaluation)


def report(measured: Sequence[Measured], command: str, embedder: str) -> str:
    """The page that is written to docs/results."""
    parts = [
        "# Retrieval methods without a language model\n",
        f"Made by `{command}` on {datetime.datetime.now(datetime.UTC).date()} at commit {_commit()}, gear_app "
        f"{gear_app.__version__}, embedding model `{embedder}`, local reader, local extractor unless another triple "
        "set is named. The question sets are described, with their sources and licences, in "
        "[sets.md](sets.md); every set holds only the passages of its own questions, so numbers are higher than on "
        "the full corpora of the papers and are for comparing methods with each other.\n",
        "R@k is the mean fraction of a question's gold passages among the first k of one run at k = 15, in percent; "
        "all@5 the share of questions with all of them; MRR the mean reciprocal rank of the first. *Misses removed* is "
        "the net share of the gold passages missed by `hybrid` that the method finds, pooled over the set, with a "
        "paired bootstrap interval of 95 % (2,000 samples of questions). A star marks a recall that differs from "
        "`hybrid`'s significantly by the same test. ms is the median of a question on the machine at hand, models "
        "loaded.\n",
    ]
    parts += [section(one) for one in measured]
    parts.append("## Where GEAR has less than hybrid at rank 5\n")
    parts += [f"{one.name}, {one.triple_set}:\n\n{losses(one, 'gear') or 'nowhere'}\n" for one in measured]
    return "\n".join(parts)


def _measured(workspace: Workspace, folder: Path, wanted: Set, method: str) -> list[Row]:
    rows = list(evaluate(workspace, wanted.name, [method], triples=wanted.triples).rows)
    kept = {"code": _code(), "rows": [asdict(row) for row in rows]}
    _file(folder, wanted, method).write_text(json.dumps(kept), encoding="utf-8")
    return rows


def _kept(folder: Path, wanted: Set, method: str) -> list[Row]:
    file = _file(folder, wanted, method)
    if not file.exists():
        return []
    kept = json.loads(file.read_text(encoding="utf-8"))
    if kept["code"] != _code():
        return []
    by_k = ("found", "recall", "all_recall")
    return [Row(**row | {name: {int(k): v for k, v in row[name].items()} for name in by_k}) for row in kept["rows"]]


def _file(folder: Path, wanted: Set, method: str) -> Path:
    return folder / f"{wanted.name}.{wanted.triples}.{method.replace(':', '-')}.json"


def _code() -> str:
    """A hash of everything a ranking depends on: rows measured by other code are not used again."""
    root = Path(gear_app.__file__).parent
    folders = ("", "extract", "index", "models", "reader", "retrievers", "steps", "ingest", "evaluate")
    files = [file for folder in folders for file in sorted((root / folder).glob("*.py"))]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


def _commit() -> str:
    """The commit, with a plus where files were changed since; "unknown" outside of a checkout."""
    root = Path(gear_app.__file__).parent
    try:
        done = subprocess.run(
            ["git", "describe", "--always", "--dirty=+"],  # noqa: S607
            cwd=root, capture_output=True, text=True, check=True,
        )  # fmt: skip
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return done.stdout.strip()
