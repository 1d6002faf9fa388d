"""`python -m tests.bench.results`, which is `make eval`: measure, and update docs/results."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from gear_app.core.errors import BadInput, GearError
from gear_app.evaluation.variants import variant
from gear_app.models.embedders import BUNDLED, VARIABLE, embedder_choice
from tests.bench.results import benchmark, measured_sets
from tests.bench.results.tables import BASELINE, RESULTS, tables, update

ROOT = Path(__file__).parents[3]
KEYS = {
    "methods": ["set", "triples", "method"],
    "links": ["set", "triples", "method"],
    "ablations": ["set", "triples", "family", "method"],
    "cases": ["question", "method"],
}


def main() -> int:
    """Measure the question sets that are present, or those named, and update the rows of the CSV
    files. Rows of other sets and methods stay as they are.
    """
    called = _parser().parse_args()
    folders = benchmark.folders()
    try:
        methods = _methods(called.methods)
        _check_embedder()
    except GearError as error:
        _note(str(error))
        return 2
    wanted = benchmark.sets(folders, _names(called.set), methods)
    if not wanted:
        _note(
            f"No such question sets in {folders[0].name}/. Say where they are: GEAR_SHARED_DATA=FOLDER"
            " make eval"
        )
        return 1
    called.folder.mkdir(parents=True, exist_ok=True)
    out = called.out or (called.folder if called.limit else RESULTS)
    out.mkdir(parents=True, exist_ok=True)
    measured = [
        measured_sets.measure_set(one, called.folder, _note, called.limit) for one in wanted
    ]
    for name, lines in tables(measured).items():
        update(out / f"{name}.csv", lines, KEYS[name])
    _note(f"updated: {out}")
    return 0


def _check_embedder() -> None:
    """The results are those of one embedding model."""
    if embedder_choice()[0] != BUNDLED:
        raise BadInput(
            f"The results are those of the bundled embedding model. Run this without {VARIABLE}."
        )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.results", description=main.__doc__)
    parser.add_argument(
        "--set",
        default="",
        help="folder names with commas between; all that are present by default",
    )
    parser.add_argument(
        "--methods",
        default="",
        help=f"instead of the planned ones, as in 'gear,gear width=5'; {BASELINE} is added",
    )
    parser.add_argument("--limit", type=int, help="only the first questions of each set")
    parser.add_argument(
        "--folder",
        type=Path,
        default=ROOT / "eval-workspace",
        help="where workspaces are kept",
    )
    parser.add_argument(
        "--out",
        type=Path,
        help="folder of the CSV files; default docs/results, or that of --folder with --limit",
    )
    return parser


def _methods(words: str) -> list[str]:
    methods = [" ".join(name.split()) for name in _names(words)]
    for name in methods:
        variant(name)
    return [BASELINE, *methods] if methods and BASELINE not in methods else methods


def _names(words: str) -> list[str]:
    return [name.strip() for name in words.split(",") if name.strip()]


def _note(text: str) -> None:
    sys.stderr.write(text + "\n")


if __name__ == "__main__":
    sys.exit(main())
