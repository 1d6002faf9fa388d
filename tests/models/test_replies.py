"""Replies of language models: the form is forgiven, the content never added to."""

from __future__ import annotations

import json
import re
import time
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_app.core.types import (
    ExtractedTriple,
    Form,
    Passage,
    ProximalTriple,
    ReasoningChain,
    Style,
)
from gear_app.models import prompts
from gear_app.models.extractor.llm import PassageRequest
from gear_app.models.messages import MAX_REPLY, Request, Unparsed, read_reply, reply_text
from gear_app.models.reader.roles import (
    ACT,
    ANALYSE,
    ANSWER,
    CHAIN,
    CHOOSE_FACTS,
    DUAL_THOUGHTS,
    ENTITIES,
    READ,
    READ_GIST,
    REASON,
    REPORT,
    REWRITE,
    SUGGEST,
    SUMMARISE,
    THINK,
    VERIFY,
    ReaderRequest,
)
from gear_app.models.server import Server

FACT = ProximalTriple("a", "is", "b")
PASSAGE = Passage(1, "1", "Title", "Text")
REQUESTS: list[Request[Any]] = [
    ReaderRequest(READ, "q"),
    ReaderRequest(READ_GIST, "q", memory=(FACT,)),
    ReaderRequest(REASON, "q", memory=(FACT,)),
    ReaderRequest(REWRITE, "q", memory=(FACT,), reason="unknown"),
    ReaderRequest(ENTITIES, "Did Harbour Lights or Ada Quill win?"),
    ReaderRequest(CHOOSE_FACTS, "q", facts=[ExtractedTriple("a", "is", str(n)) for n in range(3)]),
    ReaderRequest(SUMMARISE, texts=[("t", "x")]),
    ReaderRequest(REPORT, facts=[ExtractedTriple("a", "is", "b")]),
    *(ReaderRequest(THINK, "q", style=style) for style in get_args(Style)),
    ReaderRequest(DUAL_THOUGHTS, "q"),
    *(ReaderRequest(ACT, "q", style=form) for form in get_args(Form)),
    ReaderRequest(ANALYSE, "q", query="q"),
    ReaderRequest(CHAIN, "q"),
    ReaderRequest(VERIFY, "q", chain=ReasoningChain(("a", "b"))),
    ReaderRequest(ANSWER, "q"),
    ReaderRequest(ANSWER, "q", [PASSAGE]),
    ReaderRequest(SUGGEST, passages=[PASSAGE]),
    *(PassageRequest(role, PASSAGE) for role in ("extraction", "entities")),
    PassageRequest("triples", PASSAGE, "[]"),
]
BY_TEMPLATE = {request.template: request for request in REQUESTS}
CASES = [
    json.loads(line)
    for line in Path(__file__).with_name("replies.jsonl").read_text(encoding="utf-8").splitlines()
]


def parsed(template: str, reply: str) -> tuple[Any, list[str]]:
    """A reply's value and dropped parts, as JSON has them."""
    value, dropped = BY_TEMPLATE[template].parse(reply)
    plain = asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
    plain = (
        {name: part for name, part in plain.items() if part} if isinstance(plain, dict) else plain
    )
    whole: tuple[Any, list[str]] = json.loads(json.dumps([plain, dropped]))
    return whole


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['prompt']}: {case['reply'][:40]}")
def test_replies_mean_what_the_table_says(case: dict[str, Any]) -> None:
    if "error" in case:
        with pytest.raises(Unparsed, match=re.escape(case["error"])):
            parsed(case["prompt"], case["reply"])
    else:
        expected = [case["value"], case.get("dropped", [])]
        assert list(parsed(case["prompt"], case["reply"])) == expected


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: request.template)
def test_a_prompt_names_all_fields_of_the_schema(request_: Request[Any]) -> None:
    schema = request_.model.schema_of()
    if schema is None:
        return
    assert "JSON" in request_.prompt.text  # or servers refuse `json_object`
    assert schema["additionalProperties"] is False
    for name in schema["required"]:
        assert f'"{name}"' in prompts.text(request_.template)


def test_the_prompts_example_is_no_fact_unless_the_documents_speak_of_it() -> None:
    """A small model repeats it."""
    reply = '("Antoni Gaudí", "was born in", "Reus")\n("a", "is", "b")'
    about = ReaderRequest(READ, "q", [Passage(1, "1", "Reus", "The town of Reus has a market.")])
    assert [t.subject for t in about.parse(reply).value.triples] == ["Antoni Gaudí", "a"]
    value, dropped = parsed("read", reply)
    assert [t["subject"] for t in value["triples"]] == ["a"]
    assert dropped == ["Antoni Gaudí, was born in, Reus"]
    for template, echo in (("read", reply[:42]), ("query_entities", '["The Planets"]')):
        with pytest.raises(Unparsed, match="nothing of use, only"):
            parsed(template, echo)
    vasa = (
        '{"named_entities": ["Vasa", "Sel"],'
        ' "triples": [["Vasa", "is a", "warship"], ["a", "is", "b"]]}'
    )
    assert parsed("extraction", vasa)[1] == ["Vasa", "Vasa, is a, warship"]


PIECES = "[ ] ( ) { } ⟨ ⟩ , : ; \" ' “ ” \\ \n - | . Ada Sel was 1951 null triples é".split(" ")
PLAIN = str.maketrans(dict.fromkeys("\\\"'“”` \n"))


@given(st.lists(st.sampled_from([*PIECES, " "]), max_size=60).map("".join))
def test_nothing_is_made_up(reply: str) -> None:
    """Every name is in the reply, but for quotes, escapes and spaces."""
    for template in ("triples", "entities"):
        try:
            value, _ = parsed(template, reply)
        except Unparsed:
            continue
        for names in value:
            for name in [names] if isinstance(names, str) else names:
                assert name.translate(PLAIN) in reply.translate(PLAIN)


@pytest.mark.parametrize("piece", ["[", '{"a":', "('a' 'b'", '("a", ', '"', "<think>", "Answer: "])
def test_a_model_that_repeats_itself_without_end_takes_little_time(piece: str) -> None:
    began = time.process_time()
    for template in ("extraction", "reason", "chain"):
        for start in ("", '{"triples": ['):
            try:
                parsed(template, start + piece * ((MAX_REPLY - 20) // len(piece)))
            except Unparsed:
                continue
    assert time.process_time() - began < 10


DRAFT, REPLY = "Let me think.", '{"answer": "Port Mira"}'
MESSAGES: list[dict[str, Any]] = [
    {"content": REPLY, "reasoning_content": DRAFT},
    {"content": [{"type": "reasoning", "text": DRAFT}, {"type": "output_text", "text": REPLY}]},
    {"content": [{"text": DRAFT, "thought": True}, REPLY]},
    {
        "content": [
            {"type": "thinking", "thinking": [{"type": "text", "text": DRAFT}]},
            {"type": "text", "text": REPLY},
        ]
    },
]


@pytest.mark.parametrize("message", MESSAGES)
def test_thinking_beside_the_reply_is_stored_and_no_reply(message: dict[str, Any]) -> None:
    body = json.dumps({"choices": [{"message": message}]})
    text = read_reply(body, ReaderRequest(ANSWER, "q"), Server("http://localhost/v1", "tiny")).reply
    assert DRAFT in text and reply_text(text) == REPLY
