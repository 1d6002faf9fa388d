"""`python -m tests.bench.results`, which is `make eval`: measure and write docs/results."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from gear_app.embedders import BUNDLED, VARIABLE, embedder_choice
from gear_app.embedders.local import MiniLM
from gear_app.errors import BadInput, GearError
from gear_app.evaluate.definition import variant
from tests.bench.results import benchmark, measured_sets, report
from tests.bench.results.measured_sets import MeasuredSet
from tests.bench.results.report import BASELINE, POOLED

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "results" / "methods.md"
EVERYDAY_PAGE = PAGE.with_name("everyday.md")


def main() -> int:
    """Measure the question sets that are present, or those named, and write the pages."""
    called = _parser().parse_args()
    shared = Path(os.environ.get("GEAR_SHARED_DATA", ROOT.parent / "shared" / "data"))
    try:
        methods = _methods(called.methods)
        _check_embedder()
    except GearError as error:
        _note(str(error))
        return 2
    wanted = benchmark.sets(shared, ROOT / "data", _names(called.set), methods)
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
    command = f"make eval ARGS={shlex.quote(' '.join(words))}" if words else "make eval"
    shown = methods or benchmark.METHODS
    if called.out or not words:
        names = set().union(*POOLED.values())
        everyday = [one for one in measured if one.name in names]
        others = [one for one in measured if one.name not in names]
        pages = {called.out: measured} if called.out else {PAGE: others, EVERYDAY_PAGE: everyday}
        for page, sets in pages.items():
            _write(page, sets, shown, command)
    else:
        sys.stdout.write(report.report(measured, shown, command, MiniLM.fingerprint))
    return 0


def _write(page: Path, sets: Sequence[MeasuredSet], methods: Sequence[str], command: str) -> None:
    """A page of these sets, with what the notes beside it say; none of no sets."""
    if not sets:
        return
    beside = page.with_name(f"{page.stem}-notes.md")
    notes = beside.read_text(encoding="utf-8") if beside.exists() else ""
    text = report.report(sets, methods, command, MiniLM.fingerprint, notes)
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(text, encoding="utf-8")
    _note(f"written: {page}")


def _check_embedder() -> None:
    """The page says by which vectors all was measured, and kept rows are those of one model."""
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
        help="the page to write, with what PAGE-notes.md beside it says of the figures;"
        " methods.md and everyday.md in docs/results when all is measured",
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
