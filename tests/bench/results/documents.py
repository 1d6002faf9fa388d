"""`python -m tests.bench.results.documents`: what methods find where passages are parts of longer
documents, and update docs/results/documents.csv.

The packs of everyday text have a document for every passage; what people bring are longer ones. So
the passages of a pack, in their order and each with its title above it, are put together into
documents that are read, cut and extracted as uploads are. A question's gold are the parts that have
most of the words of its gold passages.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gear_app.core.protocols import Embedder
from gear_app.core.text import tokenise
from gear_app.evaluation.definition import KS
from gear_app.models.embedders.local import MiniLM
from gear_app.trace.metrics import found_at
from gear_app.workspace.workspace import Workspace
from tests.bench.results.benchmark import EVERYDAY, HELD_OUT, OTHER, folders
from tests.bench.results.misses_removed import misses_removed_interval
from tests.bench.results.tables import BASELINE, RESULTS, Line, interval, update

METHODS = ("hybrid", "chain", "gear", "gear:chain")
GROUPS = {"everyday": EVERYDAY, "other genres": OTHER, "held-out genres": HELD_OUT}
TOGETHER = 6  # passages of a document
FORMS = {
    "headings marked": ("md", "# {document}\n\n", "## {title}\n\n{text}"),
    "lines alone": ("txt", "", "{title}\n\n{text}"),
    "no titles": ("txt", "", "{text}"),
}
Row = Mapping[str, str]  # of a pack's corpus: id, title, text


def documents(rows: Sequence[Row], form: str) -> dict[str, str]:
    """The files that a pack's passages are put together to, by name."""
    ending, head, part = FORMS[form]
    files = {}
    for start in range(0, len(rows), TOGETHER):
        name = f"papers {start // TOGETHER + 1}"
        parts = [part.format(**row) for row in rows[start : start + TOGETHER]]
        files[f"{name}.{ending}"] = head.format(document=name.capitalize()) + "\n\n".join(parts)
    return files


def gold_parts(rows: Sequence[Row], parts: Mapping[str, str]) -> dict[str, str]:
    """For each passage of a pack the key of the part of a document (`parts`: texts by key) that has
    most of its words; of equal ones the one with the fewest words, then the first.
    """
    words = {key: frozenset(tokenise(text)) for key, text in parts.items()}
    found = {}
    for row in rows:
        own = frozenset(tokenise(row["text"]))
        found[str(row["id"])] = max(
            words, key=lambda key: (len(own & words[key]), -len(words[key]))
        )
    return found


class Found(NamedTuple):
    """(n,) gold parts of n questions, and (n, KS) of them that each method found."""

    gold: NDArray[np.int64]
    by_method: Mapping[str, NDArray[np.int64]]


def measure(pack: Path, form: str, methods: Sequence[str], embedder: Embedder) -> Found:
    """What methods find for the questions of a pack that is bound in this form into documents: a
    collection for the time being, with triples that are extracted from these.
    """
    rows, questions = (_lines(pack / f"{name}.jsonl") for name in ("corpus", "questions"))
    found: dict[str, list[list[int]]] = {method: [] for method in methods}
    gold = []
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder, "documents")
        files.mkdir()
        for name, text in documents(rows, form).items():
            (files / name).write_text(text, encoding="utf-8")
        workspace = Workspace(Path(folder, "workspace.db"), embedder=embedder)
        workspace.imports.do(files, "documents")
        workspace.jobs.extract("documents")
        stored = workspace.collections["documents"].every_passage()
        parts = gold_parts(rows, {one.key: one.indexed for one in stored})
        for question in questions:
            keys = sorted({parts[id_] for id_ in question["supporting_ids"]})
            gold.append(len(keys))
            for method in methods:
                ranking = workspace.ask(question["question"], "documents", method).ranking
                ranked = [one.key for one in ranking]
                found[method].append([found_at(ranked, keys, k) for k in KS])
        workspace.close()
    return Found(np.array(gold), {name: np.array(rows) for name, rows in found.items()})


def rows(group: str, form: str, some: Sequence[Found]) -> Iterator[Line]:
    """A row for each method and cut-off, of all packs of a group together."""
    gold = np.concatenate([one.gold for one in some]).tolist()
    by_method = {
        method: np.concatenate([one.by_method[method] for one in some]).T.tolist()
        for method in some[0].by_method
    }
    for method, found in by_method.items():
        for k, counts, base in zip(KS, found, by_method[BASELINE], strict=True):
            removed = None if method == BASELINE else misses_removed_interval(counts, base, gold)
            line: Line = {"packs": group, "form": form, "method": method, "k": k}
            yield line | {"found": sum(counts), "gold": sum(gold)} | interval("removed", removed)


def main() -> int:
    """Measure the packs of everyday text that are present, bound into documents, and update the
    table. Some packs are read from the folder that GEAR_SHARED_DATA names.
    """
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.results.documents", description=main.__doc__
    )
    parser.add_argument("--out", type=Path, default=RESULTS / "documents.csv")
    called = parser.parse_args()
    embedder = MiniLM()
    for group, names in GROUPS.items():
        packs = [folder / name for name in names for folder in folders()]
        present = [pack for pack in packs if pack.is_dir()]
        for form in FORMS if present else ():
            sys.stderr.write(f"{group}, {form}\n")
            some = [measure(pack, form, METHODS, embedder) for pack in present]
            update(called.out, list(rows(group, form, some)), ["packs", "form", "method", "k"])
    sys.stderr.write(f"updated: {called.out}\n")
    return 0


def _lines(file: Path) -> list[Any]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line]


if __name__ == "__main__":
    sys.exit(main())
