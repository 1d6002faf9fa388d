"""`python -m gear_app.evaluate`, which is `make eval`: measure and write docs/results."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from gear_app.evaluate import results
from gear_app.models.embedder import MiniLM

ROOT = Path(__file__).parents[2]


def main() -> int:
    """Measure the sets that are present, or those named, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m gear_app.evaluate", description=main.__doc__)
    parser.add_argument("sets", nargs="*", help="folder names; all that are present by default")
    parser.add_argument("--methods", default=",".join(results.METHODS), help="comma-separated; hybrid must be there")
    parser.add_argument(
        "--folder", type=Path, default=ROOT / "eval-workspace", help="where workspaces and rows are kept"
    )
    parser.add_argument(
        "--out", type=Path, help="the page to write (docs/results/methods.md when all sets are measured)"
    )
    called = parser.parse_args()
    shared = Path(os.environ.get("GEAR_SHARED_DATA", ROOT.parent / "shared" / "data"))
    wanted = results.sets(shared, ROOT / "data" / "demo", called.sets)
    if not wanted:
        sys.stderr.write(f"No question sets in {shared.name}/. Say where they are: GEAR_SHARED_DATA=FOLDER make eval\n")
        return 1
    called.folder.mkdir(exist_ok=True)
    methods = called.methods.split(",")
    measured = [results.measure(one, called.folder, methods, _say) for one in wanted]
    page = results.report(measured, "make eval", MiniLM.fingerprint)
    out = called.out or (None if called.sets else ROOT / "docs" / "results" / "methods.md")
    if out is None:
        sys.stdout.write(page)
    else:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(page, encoding="utf-8")
        _say(f"written: {out}")
    return 0


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")


if __name__ == "__main__":
    sys.exit(main())
