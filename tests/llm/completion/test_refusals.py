"""What a server refuses is left out, and what one call found out the others know."""

from __future__ import annotations

from typing import Any

import pytest

from gear_app.llm.errors import CallFailed
from gear_app.llm.request import Request
from gear_app.llm.response import Reply
from tests.llm.completion.asked import STREAMED, as_it_is
from tests.llm.conftest import Bench
from tests.llm.server import ScriptedReply, chat_reply, error

SCHEMA = {"type": "object"}


def picky(*parts: str) -> Any:
    """Refuses requests that have one of these parts, in words that name them only where the part is
    a parameter.
    """

    def reply(asked: dict[str, Any]) -> ScriptedReply:
        wanted = asked.get("response_format", {}).get("type")
        for part in parts:
            if part in asked or part == wanted:
                use = " Use 'max_completion_tokens' instead." if part == "max_tokens" else ""
                return error(
                    400, f"Unsupported: '{'response_format' if part == wanted else part}'.{use}"
                )
        return chat_reply("{}")

    return reply


@pytest.mark.parametrize(
    ("parts", "left"),
    [
        ([], {"json_schema", "seed", "temperature", "max_tokens"}),
        (["json_schema"], {"json_object", "seed", "temperature", "max_tokens"}),
        (["json_schema", "json_object"], {"seed", "temperature", "max_tokens"}),
        (
            ["temperature", "max_tokens", "json_schema"],
            {"json_object", "seed", "max_completion_tokens"},
        ),
        (["seed"], {"json_schema", "temperature", "max_tokens"}),
    ],
)
def test_what_a_server_refuses_is_left_out_and_not_tried_again(
    bench: Bench, parts: list[str], left: set[str]
) -> None:
    server = bench.serve(picky(*parts))
    chat = bench.chat(server)
    asked = Request("verify", "Give JSON.", SCHEMA)
    assert chat.ask(asked).attempts == len(parts) + 1
    assert chat.ask(asked).attempts == 1
    sent = server.asked[-1]
    assert {*sent, sent.get("response_format", {}).get("type")} - {None, *STREAMED} == left | {
        "model",
        "messages",
    } | ({"response_format"} if "response_format" in sent else set())
    assert bench.clock.waits == []


@pytest.mark.parametrize(
    "words",
    [
        "max_tokens is too large: 2048. This model supports at most 1024 completion tokens.",
        "'max_tokens' or 'max_completion_tokens' is too large: 2048. This model's maximum context"
        " length is 2048 tokens and your request has 552 input tokens.",
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens"
        " (2952 in the messages, 2048 in the completion).",
        "max_new_tokens must be less than 1024",
    ],
)
def test_a_limit_that_a_model_does_not_have_is_told_at_once_with_what_sets_it(
    bench: Bench, words: str
) -> None:
    server = bench.serve(lambda asked: error(400, words))
    with pytest.raises(CallFailed, match="Allow a reply fewer tokens: --reply-tokens"):
        bench.chat(server).ask(Request("verify", "Give JSON.", SCHEMA))
    assert len(server.asked) == 1


def test_what_one_call_found_out_the_calls_behind_it_know(bench: Bench) -> None:
    server = bench.serve(picky("json_schema", "json_object"))
    found = dict(
        bench.chat(server, at_once=1).ask_all(
            [Request("verify", "Give JSON.", SCHEMA)] * 5, as_it_is
        )
    )
    assert all(isinstance(reply, Reply) for reply in found.values())
    assert len(server.asked) == 5 + 2


def test_a_prompt_that_is_refused_in_any_case_takes_nothing_from_the_others(bench: Bench) -> None:
    server = bench.serve(
        lambda asked: (
            error(400, "Too long.")
            if "long" in asked["messages"][0]["content"]
            else chat_reply("{}")
        )
    )
    chat = bench.chat(server)
    with pytest.raises(CallFailed, match="Too long"):
        chat.ask(Request("verify", "long", SCHEMA))
    chat.ask(Request("verify", "short", SCHEMA))
    assert server.asked[-1]["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "verify", "schema": SCHEMA, "strict": True},
    }
