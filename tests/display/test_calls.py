from __future__ import annotations

import html
from typing import Any

import pytest

from gear_app.display import calls
from gear_app.trace.events import Called, Event, Failed, Ranked, Read, Retrieved, Started
from gear_app.trace.timeline import model_calls
from tests import factories

EVIL = "<script>alert(1)</script><img src=x onerror=alert(1)>"


def call(reply: str = "none", role: str = "read", **changes: Any) -> Called:
    facts: dict[str, Any] = {"input_tokens": 1000, "output_tokens": 20, "ms": 840.0, "cost": 0.25}
    return Called(role, "tiny", "0123", "The prompt.", reply, step=role, **facts | changes)


def run(*between: Event) -> list[Event]:
    """A run whose reading is as told."""
    found = factories.ranked(["clifton"])
    return [
        Started("q", "sync_ge"),
        Retrieved("q", "hybrid", found),
        *between,
        Ranked(found, iteration=0),
    ]


def test_a_failure_is_about_the_call_with_its_reply() -> None:
    batch = [call("bad", "answer"), call("good", "answer"), call("bad", "answer")]
    told = [Failed("answer", "first", "bad"), Failed("answer", "second", "bad")]
    found = model_calls([*batch, *told])
    assert [[one.message for one in asked.failures] for asked in found] == [
        ["first"],
        [],
        ["second"],
    ]


@pytest.mark.parametrize(
    "words", [EVIL, "x" * 100_000, "שלום (world) " * 900, "line\n\n  two\t" * 900, "</pre><b>"]
)
def test_prompt_and_reply_are_there_whole_and_are_text(words: str) -> None:
    (one,) = model_calls([Called(EVIL, EVIL, "0", words, words, 1, 1, 1.0)])
    drawn = calls.card(one)
    assert (
        drawn.count(f'<div class="gear-raw" dir="auto" tabindex="0">{html.escape(words)}</div>')
        == 2
    )
    assert "<script" not in drawn and "<img" not in drawn and "<b></" not in drawn


SILENT = "The model server at http://x/v1 answered 401: The account is closed."


def silent(role: str = "read", iteration: int = 1) -> Called:
    facts = {"input_tokens": 0, "output_tokens": 0, "ms": 0.0, "cost": 0.0}
    return call("", role, **facts, failed=SILENT, iteration=iteration)


def test_a_call_without_a_reply_is_shown_with_its_prompt_and_why_and_counts_as_none() -> None:
    events = run(call(), Read("sync", "q", ()), silent("reason"), Failed("reason", SILENT))
    assert calls.spent(events) == (
        "1 call of tiny · 1,000 + 20 tokens in + out · cost: $0.2500 ·"
        ' <b class="gear-short">1 reply not fully usable</b>'
    )
    drawn = calls.card(model_calls(events)[1])
    assert "The prompt." in drawn and "no reply</em>" in drawn and SILENT in drawn
    assert "0 + 0 tokens" not in drawn and "(empty)" not in drawn
    assert "1 reply not fully usable" in calls.spent(run(silent(), Failed("", SILENT)))
