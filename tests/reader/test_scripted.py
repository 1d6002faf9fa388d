"""The scripted reader: queues by role, a memory of what was asked, a complaint when empty."""

from __future__ import annotations

import pytest

from gear_app.errors import ModelFailed
from gear_app.events import ignore
from gear_app.reader.scripted import ScriptedReader
from gear_app.types import ProximalTriple, Reading, Rewriting, Verdict


def test_replies_come_in_order_of_their_role_and_the_script_ends_with_a_complaint() -> None:
    first, second = Reading((ProximalTriple("a", "b", "c"),)), Reading(())
    reader = ScriptedReader([first, Verdict(False, "no"), second, Rewriting("next")])
    assert reader.read([], [], "q", None, ignore) is first
    assert reader.read([], [], "q", (), ignore) is second
    assert reader.reason((), "question", ignore).reason == "no"
    assert reader.rewrite((), "question", "no", ignore).query == "next"
    with pytest.raises(ModelFailed, match=r"no reply left for 'reason'\. It was asked: again"):
        reader.reason((), "again", ignore)
    assert reader.asked == [
        ("read", "q", None), ("read", "q", ()), ("reason", "question", ()), ("rewrite", "question", (), "no"),
        ("reason", "again", ()),
    ]  # fmt: skip
