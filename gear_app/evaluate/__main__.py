"""`python -m gear_app.evaluate`, which is `make eval`: measure and write docs/results."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from pathlib import Path

from gear_app.embedders import BUNDLED, VARIABLE, embedder_choice
from gear_app.embedders.local import MiniLM
from gear_app.errors import BadInput, GearError
from gear_app.evaluate import benchmark, measured_sets, report
from gear_app.evaluate.definition import variant
from gear_app.evaluate.report import BASELINE

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "results" / "methods.md"


def main() -> int:
    """Measure the question sets that are present, or those named, and write the page."""
    called = _parser().parse_args()
    shared = Path(os.environ.get("GEAR_SHARED_DATA", ROOT.parent / "shared" / "data"))
    try:
        methods = _methods(called.methods)
        _check_embedder()
    except GearError as error:
        _note(str(error))
        return 2
    wanted = benchmark.sets(shared, ROOT / "data" / "demo", _names(called.set), methods)
    if not wanted:
        _note(
            f"No such question sets in {shared.name}/. Say where they are: GEAR_SHARED_DATA=FOLDER"
            " make eval"
        )
        return 1
    called.folder.mkdir(parents=True, exist_ok=True)
    measured = [
        measured_sets.measure_set(one, called.folder, _note, called.limit) for one in wanted
    ]
    chosen = {"set": called.set, "methods": called.methods, "limit": called.limit}
    words = [f"--{name} {shlex.quote(str(value))}" for name, value in chosen.items() if value]
    out = called.out or (None if words else PAGE)
    command = f"make eval ARGS={shlex.quote(' '.join(words))}" if words else "make eval"
    beside = out and out.with_name(f"{out.stem}-notes.md")
    notes = beside.read_text(encoding="utf-8") if beside and beside.exists() else ""
    text = report.report(measured, methods or benchmark.METHODS, command, MiniLM.fingerprint, notes)
    if out is None:
        sys.stdout.write(text)
    else:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text, encoding="utf-8")
        _note(f"written: {out}")
    return 0


def _check_embedder() -> None:
    """The page says by which vectors all was measured, and kept rows are those of one model."""
    if embedder_choice()[0] != BUNDLED:
        raise BadInput(
            f"The results are those of the bundled embedding model. Run this without {VARIABLE}."
        )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m gear_app.evaluate", description=main.__doc__)
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
        help="the page to write, with what PAGE-notes.md beside it says of the figures;"
        " docs/results/methods.md when all is measured",
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
