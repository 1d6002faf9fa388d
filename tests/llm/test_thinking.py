"""What was thought aloud is told from the reply, in whatever form a server sends it."""

from __future__ import annotations

import time
from typing import Any

import pytest

from gear_app.llm.reply_parser import Unparsed, reply_text, triples
from gear_app.llm.thinking import parts_of, whole, without_thinking

DRAFT = 'A draft would be ["Port Mira", "was born in", "Ada"], but no.'
REPLY = '[["Ada", "was born in", "Port Mira"]]'
START = "<|start|>assistant"
FORMS = [
    f"{DRAFT}\n</think>\n\n{REPLY}",
    f"<think>{DRAFT}</think>{REPLY}",
    f"<think>\nOne <think> in another. </think>{DRAFT}</think>\n{REPLY}",
    f"<Thinking>\nFirst <reflection>{DRAFT}</reflection>\n</Thinking>\n{REPLY}",
    f"<reasoning>{DRAFT}</reasoning>\n<answer>\n{REPLY}\n</answer>",
    f"{DRAFT} So I reply.\n<answer>{REPLY}</answer>",
    f"<seed:think>{DRAFT}</seed:think>{REPLY}",
    f"<|thinking|>{DRAFT}</|thinking|>{REPLY}",
    f"<|THINK_START|>{DRAFT}<|THINK_END|>{REPLY}",
    f"[THINK]{DRAFT}[/THINK]{REPLY}",
    f"◁think▷{DRAFT}◁/think▷{REPLY}",
    f"<|START_THINKING|>{DRAFT}<|END_THINKING|><|START_RESPONSE|>{REPLY}<|END_RESPONSE|>",
    f"<|begin_of_thought|>{DRAFT}<|end_of_thought|>\n<|begin_of_solution|>{REPLY}",
    f"<|channel|>analysis<|message|>{DRAFT}<|end|>{START}<|channel|>final<|message|>{REPLY}",
    f"{START}<|channel|>analysis<|message|>{DRAFT}<|end|>{START}<|channel|>final"
    f" <|constrain|>json<|message|>{REPLY}<|return|>",
    f"<|channel>thought\n{DRAFT}<channel|>{REPLY}",
    f"analysisWe need facts. {DRAFT}assistantfinal{REPLY}",
    f"Thinking...\n{DRAFT}\n...done thinking.\n\n{REPLY}",
    f"Here is my thought process:\n{DRAFT}\nHere is my response:\n{REPLY}",
    f"Here are my steps:\n{DRAFT}\n[BEGIN FINAL RESPONSE]\n{REPLY}\n[END FINAL RESPONSE]",
    f'<details type="reasoning" done="true">\n{DRAFT}\n</details>\n{REPLY}',
]
UNENDED = ["<think>", "[THINK]", "<|channel|>analysis<|message|>", "<|START_THINKING|>"]
MESSAGES: list[dict[str, Any]] = [
    {"content": REPLY, "reasoning_content": DRAFT},
    {"content": REPLY, "reasoning": DRAFT, "reasoning_details": [{"text": DRAFT}]},
    {"content": REPLY, "thinking": DRAFT},
    {"content": REPLY, "reasoning": f"{DRAFT}</think> and more {DRAFT}"},
    {"content": [{"type": "thinking", "thinking": DRAFT}, {"type": "text", "text": REPLY}]},
    {"content": [{"type": "reasoning", "text": DRAFT}, {"type": "output_text", "text": REPLY}]},
    {"content": [{"text": DRAFT, "thought": True}, {"text": REPLY}]},
    {
        "content": [
            {"type": "thinking", "thinking": [{"type": "text", "text": DRAFT}]},
            {"type": "text", "text": REPLY},
        ]
    },
]


@pytest.mark.parametrize("form", FORMS)
def test_thinking_between_marks_is_no_reply(form: str) -> None:
    assert without_thinking(form) == REPLY
    assert triples(form).value == (("Ada", "was born in", "Port Mira"),)


@pytest.mark.parametrize("message", MESSAGES)
def test_thinking_beside_the_reply_is_kept_and_no_reply(message: dict[str, Any]) -> None:
    text = whole(*parts_of(message))
    assert DRAFT in text and reply_text(text) == REPLY


@pytest.mark.parametrize("mark", UNENDED)
def test_thinking_that_never_ends_is_told_from_an_empty_reply(mark: str) -> None:
    with pytest.raises(Unparsed, match="holds nothing but thinking"):
        reply_text(f"{mark}{DRAFT}")
    with pytest.raises(Unparsed, match="is empty"):
        reply_text(" \n")
    assert whole(*parts_of({"content": None, "reasoning": DRAFT})).startswith("<think>\nA draft")


@pytest.mark.parametrize(
    "reply",
    [
        '[["The model", "writes", "<think> and </think>"], ["It", "ends with", "</think>"]]',
        "I think so, on reflection.",
        "[thought]",
        "<p>yes</p>",
        "Answer: [Think] of it",
        "a <b and c> reason",
    ],
)
def test_a_reply_about_thinking_is_left_as_it_is(reply: str) -> None:
    assert without_thinking(reply) == reply


def test_a_model_that_repeats_itself_without_end_takes_no_time() -> None:
    began = time.process_time()
    for piece in (' "', "<think>", "<|", "</", "<|channel|>", "a_", "\n", "<|end|>", "<answer>"):
        without_thinking(piece * (400_000 // len(piece)))
    assert time.process_time() - began < 20
