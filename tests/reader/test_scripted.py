"""The scripted reader: queues by role, a memory of what was asked, a complaint when empty."""

from __future__ import annotations

import pytest

from gear_app.errors import ModelFailed
from gear_app.events import ignore
from gear_app.reader.scripted import ScriptedReader
from gear_app.types import (
    DualThoughts,
    Passage,
    ProximalTriple,
    Reading,
    ReasoningChain,
    Rewriting,
    Thinking,
    Verdict,
    Verification,
)


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
        ("read", "q", None),
        ("read", "q", ()),
        ("reason", "question", ()),
        ("rewrite", "question", (), "no"),
        ("reason", "again", ()),
    ]


def test_the_roles_of_the_other_methods_have_queues_of_their_own() -> None:
    fact = ProximalTriple("a", "b", "c")
    thought, dual = Thinking("one"), DualThoughts("fast", "slow", (fact,))
    chain, verified = ReasoningChain(("a", "b", "c"), (fact,)), Verification((2, 1))
    reader = ScriptedReader([verified, chain, dual, thought, ("Ada", "Lorn"), (), "Lorn", ""])
    passages = [Passage(7, "p", "p", ""), Passage(5, "q", "q", "")]
    assert reader.named_entities("question", {"ada"}, ignore) == ("Ada", "Lorn")
    assert reader.named_entities("again", (), ignore) == ()  # nothing named is a reply too
    assert reader.think(passages, [], "question", (), "tog", ignore) is thought
    assert reader.dual_thoughts(passages, [], "question", (), ignore) is dual
    assert reader.chain(passages, [], "question", (fact,), ignore) is chain
    assert reader.verify(passages, [], "question", chain, ignore) is verified
    assert reader.answer(passages, [], "question", ignore) == "Lorn"
    assert reader.answer([], [], "question", ignore) == ""  # an answer of no words is one
    assert reader.asked == [
        ("named_entities", "question"),
        ("named_entities", "again"),
        ("think", "question", (), "tog"),
        ("dual_thoughts", "question", ()),
        ("chain", "question", (fact,)),
        ("verify", "question", chain, (7, 5)),
        ("answer", "question", (7, 5)),
        ("answer", "question", ()),
    ]
    for role, ask in {
        "named_entities": lambda: reader.named_entities("more", (), ignore),
        "think": lambda: reader.think([], [], "more", (thought,), "ircot", ignore),
        "dual_thoughts": lambda: reader.dual_thoughts([], [], "more", (dual,), ignore),
        "chain": lambda: reader.chain([], [], "more", (), ignore),
        "verify": lambda: reader.verify([], [], "more", chain, ignore),
        "answer": lambda: reader.answer([], [], "more", ignore),
    }.items():
        with pytest.raises(ModelFailed, match=rf"no reply left for '{role}'\. It was asked: more"):
            ask()
