"""What a model replies about the passages of `corpus_of`."""

from __future__ import annotations

import json
import re
from typing import Any

USELESS = "I am sorry, I cannot do that."
EMPTY = '{"named_entities": [], "triples": []}'
PASSAGE = re.compile(r"Person(\d+) was")


def number(asked: dict[str, Any]) -> int:
    """Which passage a prompt is about."""
    found: list[str] = PASSAGE.findall(asked["messages"][0]["content"])
    return int(found[0])


def graph(n: int) -> str:
    """The reply about a passage."""
    names = [f"Person{n}", f"Town{n % 7}"]
    return json.dumps({"named_entities": names, "triples": [[names[0], "was born in", names[1]]]})
