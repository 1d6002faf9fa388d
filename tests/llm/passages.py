"""A server that knows the passages of `corpus_of`, and meets every tenth with a fault."""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from typing import Any

from tests.llm.server import ScriptedReply, chat_reply, error
from tests.waiting import PATIENCE_S

AT_ONCE = 8
FULL_AT = (0, 300, 700)  # at these requests, all wait until as many are under way as are allowed
CUT = '{"named_entities": ["Person", "Town"], "triples": [["Person", "was bo'
USELESS = "I am sorry, I cannot do that."
EMPTY = '{"named_entities": [], "triples": []}'
FAILED, GAVE_NONE = (7, 8), (9,)  # of the kinds below: these wait for somebody to try them again
WAIT = FAILED + GAVE_NONE
STALLING = 100  # a server that never replies costs the caller all its patience: that is met once
PASSAGE = re.compile(r"Person(\d+) was")


def number(asked: dict[str, Any]) -> int:
    """Which passage a prompt is about."""
    found: list[str] = PASSAGE.findall(asked["messages"][0]["content"])
    return int(found[0])


def graph(n: int) -> str:
    """The reply about a passage."""
    names = [f"Person{n}", f"Town{n % 7}"]
    return json.dumps({"named_entities": names, "triples": [[names[0], "was born in", names[1]]]})


def kind(n: int) -> int | None:
    """Which fault a passage meets; None for nine of ten."""
    return n // 10 % 10 if n % 10 == 3 else None


def fault(n: int) -> ScriptedReply:
    """Ten kinds; the first seven pass when they are asked about again, the others not until the
    server is `well`.
    """
    whole = chat_reply(graph(n))
    faults = (
        error(429, "Slow down.", retry_after="0.02"),
        error(500, "Oops."),
        ScriptedReply(b"", stalls=True) if n < STALLING else error(503, "Busy."),
        ScriptedReply(whole.body, breaks=True),
        ScriptedReply(whole.body[:40]),
        ScriptedReply(b"<html>Welcome</html>", kind="text/html"),
        ScriptedReply(whole.body.replace(b"Person", b"Pers\xffn")),
        chat_reply(CUT, finish="length"),
        chat_reply(USELESS),
        chat_reply(EMPTY),
    )
    return faults[n // 10 % 10]


class Faulty:
    """`asked` counts the requests about each passage, `good` the replies that were as they should
    be.
    """

    def __init__(self) -> None:
        self.asked: Counter[int] = Counter()
        self.good: Counter[int] = Counter()
        self.well = False
        self.full = 0  # how often as many were under way as are allowed, when all waited for that
        self._inside = 0
        self._waiting = False
        self._change = threading.Condition()

    def __call__(self, asked: dict[str, Any]) -> ScriptedReply:
        n = number(asked)
        with self._change:
            self._waiting |= self.asked.total() in FULL_AT
            self.asked[n] += 1
            met = kind(n)
            good = met is None or (self.well if met in WAIT else self.asked[n] > 1)
            self.good[n] += good
            self._wait()
        return chat_reply(graph(n)) if good else fault(n)

    def _wait(self) -> None:
        self._inside += 1
        if self._waiting and self._inside == AT_ONCE:
            self._waiting = False
            self.full += 1
        self._change.notify_all()
        self._change.wait_for(lambda: not self._waiting, timeout=PATIENCE_S)
        self._inside -= 1
