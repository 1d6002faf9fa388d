"""A reader that replies from queues, for lessons and tests; and that of the lesson on GEAR's Table
6 (Bremen Cathedral).

The replies of the latter lie in data/walkthrough; data/README.md tells which are the paper's and
which are ours. They answer one question on one collection and nothing else.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from gear_app import prompts
from gear_app.errors import ModelFailed
from gear_app.events import Emit
from gear_app.llm.reply_parser import Parsed
from gear_app.paths import packaged_data
from gear_app.reader import TABLE_SIX, replies
from gear_app.reader.roles import ReaderRequest, Reply

FOLDER = "walkthrough"


class ScriptedReader:
    """Gives each role's replies in order; raises ModelFailed when none is left.

    `requests` lists what it was asked.
    """

    name = "scripted reader"

    def __init__(self, script: Iterable[object]) -> None:
        """Replies of all roles, told apart by their types: entities are a tuple, answers text."""
        self._replies: dict[type, deque[Any]] = {}
        for reply in script:
            self._replies.setdefault(type(reply), deque()).append(reply)
        self.requests: list[ReaderRequest[Any]] = []

    def ask(self, request: ReaderRequest[Reply], emit: Emit) -> Reply:
        """The next reply of the role, whatever the passages."""
        self.requests.append(request)
        waiting: deque[Reply] = self._replies.get(request.reply, deque())
        if not waiting:
            raise ModelFailed(
                f"The script has no reply left for '{request.role}'. It was asked:"
                f" {request.question}"
            )
        return waiting.popleft()


def table_six_reader() -> ScriptedReader:
    """A reader with the replies of Table 6, understood as a language model's are. Raises
    NotReady.
    """
    folder = packaged_data(FOLDER)
    documents = " ".join(row["text"] for row in _rows(folder / "corpus.jsonl"))
    prompt = prompts.text("read")
    parsers: Mapping[str, Callable[[str], Parsed[Any]]] = {
        "read": lambda reply: replies.read(prompt, documents, reply),
        "reason": replies.reason,
        "rewrite": replies.rewrite,
    }
    reader = ScriptedReader(
        parsers[row["role"]](row["reply"]).value for row in _rows(folder / "replies.jsonl")
    )
    reader.name = TABLE_SIX
    return reader


def _rows(path: Path) -> list[dict[str, str]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]
