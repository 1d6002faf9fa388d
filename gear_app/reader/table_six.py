"""The language model of GEAR's Table 6 (Bremen Cathedral), reply by reply, for the lesson on it.

The replies lie in data/walkthrough; data/README.md tells which are the paper's and which are ours.
They answer one question on one collection and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from gear_app import prompts
from gear_app.paths import packaged_data
from gear_app.reader import TABLE_SIX, replies
from gear_app.reader.scripted import ScriptedReader

FOLDER = "walkthrough"


def table_six_reader() -> ScriptedReader:
    """A reader with those replies, understood as a language model's are. Raises NotReady."""
    folder = packaged_data(FOLDER)
    documents = " ".join(row["text"] for row in _rows(folder / "corpus.jsonl"))
    prompt = prompts.text("read")
    understood: Mapping[str, Callable[[str], Any]] = {
        "read": lambda reply: replies.read(prompt, documents, reply),
        "reason": replies.reason,
        "rewrite": replies.rewrite,
    }
    reader = ScriptedReader(
        understood[row["role"]](row["reply"]).value for row in _rows(folder / "replies.jsonl")
    )
    reader.name = TABLE_SIX
    return reader


def _rows(path: Path) -> list[dict[str, str]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]
