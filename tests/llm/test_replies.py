"""What is understood of the replies to each role, and what is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gear_app.llm.reply_parser import Unparsed
from gear_app.prompts import text
from gear_app.reader import replies
from gear_app.types import (
    Action,
    Analysis,
    DualThoughts,
    ProximalTriple,
    Reading,
    Thinking,
    Verdict,
)

BORN = "Where was Ada Quill born?"


def read(reply: str, documents: str = "") -> Any:
    return replies.read(text("read"), documents, reply)


def test_read_keeps_the_order_and_names_no_stored_triple() -> None:
    found = read('("b", "is", "c")\n("a", "is", "b")\n("a", "is")')
    assert found.value == Reading((ProximalTriple("b", "is", "c"), ProximalTriple("a", "is", "b")))
    assert found.dropped == ('"a", "is"',)


def test_the_prompts_own_example_is_not_taken_for_a_fact_unless_the_documents_speak_of_it() -> None:
    """A small model repeats it."""
    example, own = '("Antoni Gaudí", "was born in", "Reus")', '("a", "is", "b")'
    assert read(f"{example}\n{own}") == (
        Reading((ProximalTriple("a", "is", "b"),)),
        ("Antoni Gaudí, Reus",),
    )
    assert len(read(f"{example}\n{own}", "The town of Reus has a market.").value.triples) == 2
    with pytest.raises(Unparsed, match="nothing of use, only"):
        read(example)
    with pytest.raises(Unparsed, match="nothing of use, only"):
        replies.query_entities(text("query_entities"), "Where was the spy born?", '["The Planets"]')


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("Answerable: Yes\nAnswer: 1929", Verdict(True, "", "1929")),
        (
            "Answerable: No\nWhy: nothing about\nhis birth.",
            Verdict(False, "nothing about his birth."),
        ),
        ("**Answerable:** Yes\n**Answer:** Port Mira", Verdict(True, "", "Port Mira")),
        ("# Your reply\n\n1. Answerable: no\n2. Why: unknown", Verdict(False, "unknown")),
        (
            'Answerable: Yes\nAnswer: "Port Mira"\nWhy: a chain',
            Verdict(True, "a chain", "Port Mira"),
        ),
        ('{"answerable": true, "answer": "1929"}', Verdict(True, "", "1929")),
        (
            "```\n{'answerable': 'No', 'why': 'unknown', 'answer': 'x'}\n```",
            Verdict(False, "unknown"),
        ),
        ("No. The facts are silent.", Verdict(False, "")),
        ("Yes.\nAnswer: Lorn", Verdict(True, "", "Lorn")),
    ],
)
def test_reason(reply: str, verdict: Verdict) -> None:
    assert replies.reason(reply).value == verdict


@pytest.mark.parametrize(
    ("reply", "query"),
    [
        (BORN, BORN),
        (f"Next question: {BORN}", BORN),
        (f"**Next Question:**\n{BORN}", BORN),
        (f'"{BORN}"', BORN),
        (f"The birthplace is missing.\n{BORN}\nI hope this helps.", BORN),
        (f'{{"next_question": "{BORN}"}}', BORN),
        (f"- {BORN}", BORN),
        ("birthplace of Quill", "birthplace of Quill"),
        ('Who made "Lorn"?', 'Who made "Lorn"?'),
        ("none", ""),
        ("Next question: none.", ""),
    ],
)
def test_rewrite(reply: str, query: str) -> None:
    assert replies.rewrite(reply).value.query == query


def test_query_entities_are_spelled_and_ordered_as_in_the_question() -> None:
    reply = '{"named_entities": ["ADA QUILL", "harbour lights", "United Kingdom", "Ada Quill"]}'
    found = replies.query_entities(
        text("query_entities"), "Did Harbour Lights or Ada Quill win?", reply
    )
    assert found.value == ("Harbour Lights", "Ada Quill", "United Kingdom")


@pytest.mark.parametrize(
    ("reply", "thinking"),
    [
        ("Ada Quill made it.", Thinking("Ada Quill made it.")),
        ("Thought 2: Ada Quill\nmade it.", Thinking("Ada Quill made it.")),
        ("The next thought is: (none)", Thinking("")),
        ("The answer is: Mira", Thinking("The answer is: Mira", True, "Mira")),
        ("The answer is not known.", Thinking("The answer is not known.")),
        ("So the answer is: Port Mira", Thinking("So the answer is: Port Mira", True, "Port Mira")),
        (
            "so the answer is:\n**Port Mira**",
            Thinking("so the answer is: **Port Mira", True, "Port Mira"),
        ),
        (
            "She was. So the answer is: Mira",
            Thinking("She was. So the answer is: Mira", True, "Mira"),
        ),
        (
            "She was\nSo the answer is: Mira",
            Thinking("She was So the answer is: Mira", True, "Mira"),
        ),
        (
            'One begins with "So the answer is:" then.',
            Thinking('One begins with "So the answer is:" then.'),
        ),
        ("none", Thinking("")),
    ],
)
def test_thought(reply: str, thinking: Thinking) -> None:
    assert replies.thought(reply).value == thinking


@pytest.mark.parametrize(
    ("reply", "thinking"),
    [
        (
            "Reasoning: She was\nborn there.\nFinal answer: Mira",
            Thinking("She was born there.", answer="Mira"),
        ),
        (
            "1. Brief reasoning: She was.\n2. **Final Answer**: Mira",
            Thinking("She was.", answer="Mira"),
        ),
        ("She was born in Mira.", Thinking("She was born in Mira.")),
        ("Final answer: Mira", Thinking("Mira", answer="Mira")),
    ],
)
def test_irgs(reply: str, thinking: Thinking) -> None:
    assert replies.irgs(reply).value == thinking


@pytest.mark.parametrize(
    ("reply", "both"),
    [
        ("Fast thought: a?\nSlow thought: b?", DualThoughts("a?", "b?")),
        ("**Fast Thought**: a?\n\n**Slow Thought**: b,\nand c?", DualThoughts("a?", "b, and c?")),
        ('- Fast: "a?"\n- Slow: "b?"', DualThoughts("a?", "b?")),
        ('{"fast_thought": "a?", "slow_thought": "b?"}', DualThoughts("a?", "b?")),
        ("Slow thought: b?", DualThoughts("", "b?")),
        (f"Fast thought: a?\nSlow thought: {'b ' * 600}", DualThoughts("a?", "")),
    ],
)
def test_thoughts(reply: str, both: DualThoughts) -> None:
    assert replies.thoughts(reply).value == both


@pytest.mark.parametrize(
    ("reply", "nodes"),
    [
        ("A → B → C → D", "A B C D"),
        ("Chain: A -> B => C --> D", "A B C D"),
        ("A ->\nB ->\nC", "A B C"),
        ("A\n→ B\n→ C", "A B C"),
        ("The chain:\n1. A -> **B** -> C\n2. X -> Y", "A B C"),
        ("A -> A -> B -> -> C", "A B C"),
        ('["A", "B", "C"]', "A B C"),
        ("none", ""),
    ],
)
def test_chain(reply: str, nodes: str) -> None:
    assert replies.chain(reply).value.nodes == tuple(nodes.split())


@pytest.mark.parametrize(
    ("reply", "indices"),
    [
        ('{"covered_doc_indices": [17, 3, 28]}', (17, 3, 28)),
        ("{'covered_doc_indices': (17, 3,)}", (17, 3)),
        ("```json\n[17, 3]\n```", (17, 3)),
        ("17, 3 and 28", (17, 3, 28)),
        ("Doc 17, Document 3", (17, 3)),
        ('{"covered_doc_indices": ["Doc 17", "#3"]}', (17, 3)),
        ('{"covered_doc_indices": "1, 2"}', (1, 2)),
        ('{"covered_doc_indices": [17, 3, 2', (17, 3)),
        ('{"covered_doc_indices": []}', ()),
        ("none", ()),
        ('{"covered_doc_indices": [17, 99, -3, 17]}', (17, 99, -3, 17)),
        ('{"covered_doc_indices": [1.5, 4, null]}', (4,)),
    ],
)
def test_verify_takes_the_numbers_as_they_are(reply: str, indices: tuple[int, ...]) -> None:
    """A number that names no document is the method's to ignore, and to tell."""
    assert replies.verify(reply).value.indices == indices


def test_verify_tells_what_is_no_number() -> None:
    assert replies.verify('{"covered_doc_indices": [1.5, 4, "most"]}').dropped == ("1.5", '"most"')


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("Port Mira", "Port Mira"),
        ("Answer: **Port Mira**\nbecause", "Port Mira"),
        ('"No"', "No"),
        ("\n 1929 \n", "1929"),
    ],
)
def test_answer(reply: str, text: str) -> None:
    assert replies.answer(reply).value == text


@pytest.mark.parametrize(
    ("reply", "action", "dropped"),
    [
        ("<think>Hm.</think>\n<search> who? </search>", Action("Hm.", "who?"), ()),
        ("<think>a <search>b</search></think> c <search>d", Action("a b c", "d"), ()),
        ("Done. <answer>\nPort Mira\n</answer>", Action("Done.", answer="Port Mira"), ()),
        ("a <|begin_search_query|>b<|end_search_query|>", Action("a", "b"), ()),
        (r"So \boxed{\text{Port Mira}}.", Action("So", answer="Port Mira"), ()),
        ("I know nothing.", Action("I know nothing."), ()),
        ("<search></search>", Action(""), ()),
        ("<search>" + "who " * 400 + "</search>", Action(""), ()),
        (
            "<search>a</search><information>Made up.</information>",
            Action("", "a"),
            ("<information>Made up.</information>",),
        ),
    ],
)
def test_act(reply: str, action: Action, dropped: tuple[str, ...]) -> None:
    assert replies.act(reply) == (action, dropped)


@pytest.mark.parametrize("reply", ["**Final Information**\n\nBorn in\nMira.", "Born in Mira."])
def test_analyse(reply: str) -> None:
    assert replies.analyse(reply).value == Analysis("Born in Mira.")


@pytest.mark.parametrize(
    ("parse", "reply"),
    [
        (replies.act, " "),
        (replies.analyse, "<think>hm"),
        (replies.reason, "Perhaps."),
        (replies.reason, "Answerable: Yes/No"),
        (replies.reason, "Answerable: Yes\nAnswerable: No"),
        (replies.reason, '{"answerable": "maybe"}'),
        (replies.rewrite, "It is so.\nI think."),
        (replies.rewrite, "Where? " * 200),
        (replies.thought, "So the answer is:"),
        (replies.thought, "Ada " * 600),
        (replies.irgs, "x" * 2_500),
        (replies.thoughts, "What is missing?"),
        (replies.chain, "Ada Quill was born."),
        (replies.chain, "A -> A"),
        (replies.chain, " -> ".join(map(str, range(40)))),
        (replies.verify, "I think 17 and others."),
        (replies.answer, "**\n\n"),
        *(
            (parse, nothing)
            for nothing in ("", "<think>hm")
            for parse in (
                read,
                replies.reason,
                replies.rewrite,
                replies.thought,
                replies.irgs,
                replies.thoughts,
                replies.chain,
                replies.verify,
                replies.answer,
            )
        ),
    ],
)
def test_what_cannot_be_understood_is_told(parse: Callable[[str], Any], reply: str) -> None:
    with pytest.raises(Unparsed):
        parse(reply)
