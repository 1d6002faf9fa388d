"""The key shows nowhere; servers and models that are none; patience and faults in words."""

from __future__ import annotations

import logging
import pickle
import re
import traceback
from typing import Any

import httpx2
import pytest

from gear_app.errors import BadInput
from gear_app.llm import response, transport
from gear_app.llm.errors import CallFailed
from gear_app.llm.request_pool import LoopThread
from gear_app.llm.response import Fault
from gear_app.llm.server import Patience, Secret, Server, Spec
from tests.llm.completion.asked import ASKED
from tests.llm.conftest import Bench
from tests.llm.server import KEY, ScriptedReply, chat_reply, error, in_turn


def test_the_key_shows_in_no_message_repr_log_or_reply(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    """The server repeats the key in every way it can."""
    caplog.set_level(logging.DEBUG)
    echoes = [
        error(400, f"Bad key {KEY}"),
        ScriptedReply(f"<html>{KEY}</html>".encode(), kind="text/html"),
        ScriptedReply(f'{{"error": {{"{KEY}": "{KEY}"}}}}'.encode(), 401),
        ScriptedReply(KEY.encode(), 302, {"Location": f"http://x/{KEY}"}),
        ScriptedReply(f'{{"choices": "{KEY}"}}'.encode()),
        error(500, f"Authorization: Bearer {KEY}"),
    ]
    shown = [caplog.text]
    for echo in echoes:
        chat = bench.chat(bench.serve(in_turn(echo)), retries=0)
        with pytest.raises(CallFailed) as caught:
            chat.ask(ASKED)
        shown += [
            str(caught.value),
            repr(caught.value),
            "".join(traceback.format_exception(caught.value)),
        ]
        shown += [repr(chat), repr(chat.server), f"{chat.server.key}", str(vars(chat))]
        inner = caught.value.__context__ or caught.value.__cause__
        assert inner is None
    chat = bench.chat(
        bench.serve(
            in_turn(
                chat_reply(f"the key is {KEY}"),
                ScriptedReply(f'{{"data": [{{"id": "{KEY}"}}]}}'.encode()),
            )
        )
    )
    shown += [chat.ask(ASKED).text, *chat.models(), caplog.text]
    assert len(shown) > 40 and all(KEY not in text for text in shown)
    assert "the key is [key]" in shown


def test_no_part_of_a_key_is_left_where_a_servers_words_are_cut(bench: Bench) -> None:
    words = "." * 284 + KEY + " is not known"
    for sent in (
        error(401, words),
        ScriptedReply(words.encode(), 401),
        ScriptedReply(words.encode()),
        ScriptedReply(b'{"a": "%b"}' % words.encode()),
    ):
        with pytest.raises(CallFailed) as caught:
            bench.chat(bench.serve(in_turn(sent)), retries=0).ask(ASKED)
        assert "…" in str(caught.value) and ".s" not in str(caught.value)


@pytest.mark.parametrize("key", ["gsk_ABCDEF0123456789zyxwvQWERTY", "a-key-of-another-form"])
def test_wherever_words_are_cut_the_key_is_left_out_of_them(key: str) -> None:
    for before in range(310):
        for gap in (" ", " " * 900):
            words = "." * before + gap + key + " is not known" + " " * 2000 + "here"
            for sent in (words, words.encode()):
                shown = Secret(key).redact_cut(repr(response.excerpt(sent)))
                left = shown.lstrip("'. ").rstrip("'")
                assert left in ("", "…") or (left.startswith("[key]") and left.endswith("…")), left


def test_keys_of_others_are_taken_out_too() -> None:
    for other in ("gsk_12345678", "sk-1234***89", "xai-abcd1234", "AIzaSy12-34"):
        assert Secret().redact(f"Not {other}, no") == "Not [key], no"


def test_a_key_cannot_be_pickled_and_equals_only_itself() -> None:
    with pytest.raises(TypeError, match="not written anywhere"):
        pickle.dumps(Server("http://localhost/v1", "tiny", Secret(KEY)))
    assert Secret(KEY) == Secret(f" {KEY}\n") != Secret("other")
    assert Secret("ab").redact("a cab with sk-1234***89") == "a cab with [key]"


@pytest.mark.parametrize(
    "bad",
    [
        {"base_url": "localhost:11434"},
        {"base_url": "file:///etc/passwd"},
        {"base_url": "http://"},
        {"base_url": f"https://me:{KEY}@example.com/v1"},
        {"base_url": f"https://example.com/v1?key={KEY}"},
        {"base_url": "http://[::1/v1"},
        {"model": " "},
        {"key": Secret(f"{KEY}\nX-Evil: 1")},
        {"key": Secret("ключ")},
        {"at_once": 0},
        {"max_tokens": 0},
        {"base_url": "http://☃.example/v1"},
        {"base_url": "http://a\x01b/v1"},
        {"base_url": "http://localhost/v1\n"},
        {"base_url": "http://localhost:99999/v1"},
        {"key": Secret('a"b')},
        {"key": Secret("a b")},
        {"key": Secret("a\\b")},
        {"key": Secret("a'b")},
    ],
)
def test_what_cannot_be_a_server_is_refused_without_repeating_it(bad: dict[str, Any]) -> None:
    with pytest.raises(BadInput) as caught:
        Server(**{"base_url": "http://localhost/v1", "model": "tiny", **bad})
    assert KEY not in str(caught.value)


def test_an_address_that_turns_out_to_be_none_is_a_fault() -> None:
    async def called() -> str:
        raise httpx2.InvalidURL("no address")

    loop = LoopThread()  # of its own: a browser test leaves one running on this thread
    found = loop.submit(
        transport.catch_faults(called(), Server("http://localhost/v1", "tiny"))
    ).result()
    loop.close()
    assert isinstance(found, Fault) and "no address" in found.message


@pytest.mark.parametrize(
    "stored",
    [
        '{"base_url": "http://localhost/v1", "model": "m", "extra": 1}',
        "[]",
        "no JSON",
        "null",
        "5",
        '"model"',
        "{}",
        '{"base_url": 5, "model": null}',
        '{"base_url": "http://localhost/v1"}',
        "[" * 100_000,
        '{"base_url": "http://localhost/v1", "model": "m", "at_once": true}',
    ],
)
def test_a_stored_model_that_is_none_is_told(stored: str) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        Spec.from_json(stored)


def test_a_stored_model_is_what_it_was() -> None:
    spec = Spec("http://localhost/v1", "m", 5, 2, True, "environment")
    assert (
        Spec.from_json(spec.to_json()) == spec
        and Spec.from_json(spec.to_json(), "environment") == spec
    )
    assert Spec.from_json('{"base_url": "a", "model": "m"}') == Spec("a", "m")


def test_patience_has_the_defaults_that_the_page_tells() -> None:
    patience = Patience()
    assert (patience.timeout_s, patience.retries, patience.failures, patience.longest_wait_s) == (
        120,
        5,
        3,
        60,
    )


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("[Errno -2] Name or service not known", "no server of this name is known"),
        ("[Errno 111] Connection refused", "no server answers at this address and port"),
        ("something else", "something else"),
    ],
)
def test_faults_of_the_network_are_told_in_words(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, said: str, words: str
) -> None:
    server = bench.serve(in_turn(chat_reply("")))

    async def broken(*_: object, **__: object) -> None:
        raise httpx2.ConnectError(said)

    monkeypatch.setattr(httpx2.AsyncClient, "send", broken)
    with pytest.raises(CallFailed, match=f"broke off: {re.escape(words)}"):
        bench.chat(server, retries=0).ask(ASKED)
