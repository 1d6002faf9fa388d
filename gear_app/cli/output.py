"""Writing to standard output and standard error, and the JSON that scripts rely on (DESIGN §7)."""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import gear_app
from gear_app.analysis.answers import scored
from gear_app.errors import BadInput
from gear_app.events import to_row
from gear_app.workspace import Answer, JobInfo, RunInfo, Workspace

QUIET_S = 2.0
_CONTROLS = {code: None for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"}
_BEYOND_JSON = re.compile("[\x7f-\x9f]")  # controls that JSON does not escape


class Patience:
    """Lines about how it goes on standard error: one every two seconds, and none about what is
    quick.
    """

    def __init__(self) -> None:
        """The first two seconds begin."""
        self._last = time.monotonic()

    def __call__(self, text: str) -> None:
        """Say it if it is time to say something."""
        if time.monotonic() - self._last >= QUIET_S:
            self._last = time.monotonic()
            note(text)

    def job(self, job: JobInfo) -> None:
        """How a job goes."""
        left = "" if job.seconds_left is None else f", {job.seconds_left:,.0f} s left"
        self(f"{job.kind}: {job.done:,} of {job.total:,}, {job.rate:,.1f} a second{left}")

    def importing(self, job: JobInfo) -> None:
        """How an import goes: what is read, then how much is stored."""
        stored = f": {job.done:,} of {job.total:,} passages" if job.total else ""
        self(f"{job.message}{stored}")


def opened(called: argparse.Namespace) -> Workspace:
    """The workspace a command is about; one that is not there is made by commands that do so."""
    workspace = gear_app.open(called.workspace, create=called.creates)
    workspace.say = Patience()
    return workspace


def say(text: str = "") -> None:
    """A line of the result."""
    sys.stdout.write(plain(text) + "\n")


def note(text: str) -> None:
    """A line about how it goes, out of the way of the result."""
    sys.stderr.write(plain(text) + "\n")
    sys.stderr.flush()


def failed(why: str) -> int:
    """The exit status of a command whose result is printed: 1, and why on standard error, where a
    model failed it; 0 where `why` is empty.
    """
    if why:
        note(f"gear-app: {why}")
    return 1 if why else 0


def plain(text: str) -> str:
    """The text without control characters: what a document says must not steer the terminal."""
    return text.translate(_CONTROLS)


def as_json(value: object) -> None:
    """The result as JSON. Where standard output cannot take every character, they are escaped;
    nothing is lost.
    """
    unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    text = json.dumps(value, ensure_ascii=not unicode, indent=2)
    say(_BEYOND_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def shown(found: RunInfo | JobInfo) -> dict[str, Any]:
    """A run or a job for JSON: all but where its key is to be had, which is for this machine."""
    return {name: value for name, value in asdict(found).items() if name != "key_from"}


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Rows under a heading, columns aligned; numbers to the right."""
    text = [[plain(" ".join(str(cell).splitlines())) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(head, *text, strict=True)]
    right = [
        bool(rows) and all(isinstance(row[at], int | float) for row in rows)
        for at in range(len(head))
    ]
    for line in [list(head), *text]:
        cells = [
            c.rjust(w) if r else c.ljust(w) for c, w, r in zip(line, widths, right, strict=True)
        ]
        say("  ".join(cells).rstrip())


def answer(found: Answer) -> dict[str, Any]:
    """A run as `query --json` and `show --json` print it. `passage_id` is the passage's key.

    `answers` are there where the run wrote any: EM and F1 are null where no answer is known.
    """
    written = [
        {
            "source": a.source,
            "answer": a.answer,
            "em": a.em,
            "f1": a.f1,
            "passages": [p.key for p in a.passages],
        }
        for a in scored(found.events, found.known)
    ]
    return {
        "run": found.run,
        "question": found.question,
        "method": found.method,
        "config": dict(found.config),
        "ranking": [
            {"passage_id": line.key, "title": line.title, "rank": rank, "score": line.score}
            for rank, line in enumerate(found.ranking, start=1)
        ],
        "iterations": found.iterations,
        "tokens": {"input": found.spent.input_tokens, "output": found.spent.output_tokens},
        "calls": found.spent.calls,
        "kept": found.spent.kept,
        "unusable": found.spent.unusable,
        "cost": found.spent.cost,
        "ms": round(found.ms, 3),
        "loading_ms": round(found.loading_ms, 3),
        **({"answers": written, "known_answers": list(found.known)} if written else {}),
        "events": [to_row(event) for event in found.events],
    }


def settings(pairs: Sequence[str]) -> Mapping[str, str]:
    """`width=5` and the like, by name. Raises BadInput."""
    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not (name and equals):
            raise BadInput(f"--set takes NAME=VALUE, not {pair!r}")
        found[name.strip()] = value.strip()
    return found
