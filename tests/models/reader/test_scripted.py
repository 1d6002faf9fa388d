"""The scripted reader: queues by role, a memory of what was asked, a complaint when empty."""

from __future__ import annotations

from typing import Any

import pytest

from gear_app.core.errors import ModelFailed
from gear_app.core.types import (
    DualThoughts,
    ProximalTriple,
    Reading,
    ReasoningChain,
    Rewriting,
    Thinking,
    Verdict,
    Verification,
)
from gear_app.models.reader.roles import (
    AnswerRequest,
    ChainRequest,
    DualThoughtsRequest,
    EntitiesRequest,
    ReaderRequest,
    ReadRequest,
    ReasonRequest,
    RewriteRequest,
    ThinkRequest,
    VerifyRequest,
)
from gear_app.trace.events import ignore
from tests.scripted import ScriptedReader

CHAIN = ReasoningChain(("a", "b", "c"), (ProximalTriple("a", "b", "c"),))
CASES: list[tuple[ReaderRequest[Any], Any]] = [
    (ReadRequest([], [], "q", None), Reading(())),
    (ReasonRequest((), "q"), Verdict(False, "no")),
    (RewriteRequest((), "q", "no"), Rewriting("next")),
    (EntitiesRequest("q", {"ada"}), ("Ada", "Lorn")),
    (ThinkRequest([], [], "q", (), "tog"), Thinking("one")),
    (DualThoughtsRequest([], [], "q", ()), DualThoughts("fast", "slow", ())),
    (ChainRequest([], [], "q", ()), CHAIN),
    (VerifyRequest([], [], "q", CHAIN), Verification((2, 1))),
    (AnswerRequest([], [], "q"), "Lorn"),
]


def test_every_role_has_a_queue_of_its_own_and_the_script_ends_with_a_complaint() -> None:
    reader = ScriptedReader([reply for _, reply in CASES[::-1]])
    for request, reply in CASES:
        assert reader.ask(request, ignore) is reply
        complaint = rf"no reply left for '{request.role}'\. It was asked: q"
        with pytest.raises(ModelFailed, match=complaint):
            reader.ask(request, ignore)
    assert reader.requests == [request for request, _ in CASES for _ in range(2)]


def test_replies_come_in_order_and_empty_ones_are_replies() -> None:
    reader = ScriptedReader([("Ada",), "Lorn", (), ""])
    entities, answer = EntitiesRequest("q", ()), AnswerRequest([], [], "q")
    assert [reader.ask(entities, ignore) for _ in range(2)] == [("Ada",), ()]
    assert [reader.ask(answer, ignore) for _ in range(2)] == ["Lorn", ""]
