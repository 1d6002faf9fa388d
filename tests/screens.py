"""What a person reads of a golden trace: the words of the pages, slides and terminals that tell it.

The files in `tests/golden/screens` hold them, a line each. `make golden` writes them anew, and the
difference is reviewed like code: it is what a user would see change.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path

from gear_app.core.overrides import settings
from gear_app.core.types import Passage
from gear_app.display.share_pages import StoredRun
from gear_app.methods import config_for
from gear_app.trace.events import Event, Started, from_row
from gear_app.trace.evidence import named_passages
from gear_app.trace.trace import RunTrace
from tests.display.compared import run
from tests.small import PASSAGES, QUESTION

GOLDEN = Path(__file__).parent / "golden"
FOLDER = GOLDEN / "screens"
GOLD = ("harbour", "quill")
NO_RUNS = ("reader", "extractor", "answers")  # traces that are no whole run
NAMES = sorted(file.stem for file in GOLDEN.glob("*.jsonl") if file.stem not in NO_RUNS)
INLINE = {"b", "strong", "em", "i", "span", "mark", "code", "a", "button", "sub", "sup", "ins"}
INLINE |= {"del", "abbr", "small", "text", "tspan", "td", "th", "dt", "dd", "label", "summary"}
UNREAD = {"style", "script", "title"}


def stored(name: str) -> StoredRun:
    """A golden trace as a finished run of the small collection, with its gold."""
    method = "ircot:hipporag" if name == "ircot-hipporag" else name
    config = settings(config_for(method))
    shown = tuple((setting, str(value)) for setting, value in config.items())
    rows = (GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    events: tuple[Event, ...] = (
        Started(QUESTION, method, shown, "local", iteration=0),
        *(from_row(json.loads(row)) for row in rows),
    )
    info = run(
        name,
        method,
        question=QUESTION,
        config=config,
        gold=GOLD,
        collection="films",
        answers=("Port Mira",),
        iterations=max(event.iteration for event in events),
    )
    passages = {number: Passage(number, *row) for number, row in enumerate(PASSAGES, start=1)}
    named = {id_: passages[id_] for id_ in named_passages(events)}
    titles = {key: title for key, title, _ in PASSAGES if key in GOLD}
    return StoredRun(info, RunTrace(events), named, titles, ("films.jsonl",))


def compare(lines: Sequence[str], name: str) -> None:
    """Hold lines against the file of this name; `make golden` writes it."""
    file = FOLDER / f"{name}.txt"
    told = "".join(f"{line}\n" for line in lines)
    if os.environ.get("GEAR_GOLDEN") == "write":
        FOLDER.mkdir(exist_ok=True)
        file.write_text(told, encoding="utf-8")
    assert told == file.read_text(encoding="utf-8"), "run `make golden` and review the difference"


def html_lines(html: str) -> list[str]:
    """The words of a piece of HTML, a block a line, cells of a row separated by bars."""
    reader = _Words()
    reader.feed(html)
    reader.close()
    return [" ".join(line.split()) for line in "".join(reader.words).split("\n") if line.strip()]


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self._unread = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._unread += tag in UNREAD
        self._separate(tag)

    def handle_endtag(self, tag: str) -> None:
        self._unread -= tag in UNREAD
        self._separate(tag)

    def handle_data(self, data: str) -> None:
        if not self._unread:
            self.words.append(data.replace("\n", " "))

    def _separate(self, tag: str) -> None:
        self.words.append(" | " if tag in ("td", "th", "dd") else " " if tag in INLINE else "\n")
