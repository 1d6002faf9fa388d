"""A key typed in a browser: lent to who makes its session's runs and jobs, for one server, and not
a second longer.
"""

from __future__ import annotations

import gc
import json
import os
import pickle
import socket
import tempfile
import threading
import weakref
from contextlib import ExitStack, closing
from multiprocessing.connection import Client, Listener
from pathlib import Path
from typing import Any

import pytest

from gear_app.errors import NotReady
from gear_app.events import Failed
from gear_app.llm.client import ModelClient
from gear_app.llm.errors import KeyEnded, ServerFailed
from gear_app.llm.keys import LIMIT, KeyLender, KeyLoan, KeyRing
from gear_app.llm.request import Request
from gear_app.llm.server import Secret, Server, Spec
from gear_app.runs.request import RunRequest
from tests.llm.conftest import Bench
from tests.llm.server import KEY, ScriptedReply, ScriptedServer, chat_reply, error
from tests.llm.test_models import graph
from tests.llm.world import role_of
from tests.small import QUESTION
from tests.waiting import PATIENCE_S, until
from tests.workspaces import filled

URL = "http://localhost:1/v1"


class Browser:
    """A session that is there, or away; and a clock."""

    def __init__(self) -> None:
        self.there, self.now = True, 0.0

    def connected(self) -> bool:
        return self.there


@pytest.fixture(scope="module")
def browser() -> Browser:
    return Browser()


@pytest.fixture(scope="module")
def lender(browser: Browser) -> KeyLender:
    return KeyLender(lambda: browser.now)


@pytest.fixture
def lent(lender: KeyLender, browser: Browser) -> KeyLoan:
    browser.there, browser.now = True, 0.0
    return lender.lend(URL, Secret(KEY), browser.connected, 120.0)


def spec(lent: KeyLoan, base_url: str = URL) -> Spec:
    return Spec(base_url, "tiny", key_from=lent.key_from)


def test_a_key_is_lent_for_the_server_it_was_typed_for_alone(lent: KeyLoan) -> None:
    assert KeyRing().key_for(spec(lent)).reveal() == KEY
    for other in ("http://localhost:1/v2", "http://evil.example/v1", ""):
        with pytest.raises(KeyEnded, match="browser session that has ended"):
            KeyRing().key_for(spec(lent, other))


def test_a_key_goes_with_the_session_that_holds_it(lender: KeyLender, browser: Browser) -> None:
    held = lender.lend(URL, Secret(KEY), browser.connected, 120.0)
    asked = spec(held)
    keys = KeyRing()
    key = keys.key_for(asked)
    del held
    gc.collect()
    with pytest.raises(
        KeyEnded, match="Open Settings, type it again, then press Run or Extract again"
    ):
        KeyRing().key_for(asked)
    keys.refresh()
    assert key.ended and key.reveal() == ""
    with pytest.raises(KeyEnded):
        key.check()


def test_a_browser_may_be_away_for_a_while_and_no_longer(
    lender: KeyLender, lent: KeyLoan, browser: Browser
) -> None:
    browser.there = False
    browser.now = 119.0
    lender.refresh()
    assert KeyRing().key_for(spec(lent)).reveal() == KEY
    browser.there = True
    lender.refresh()  # it came back
    browser.there, browser.now = False, 230.0
    lender.refresh()
    assert KeyRing().key_for(spec(lent)).reveal() == KEY
    browser.now = 240.0
    lender.refresh()
    assert not lent and "1234567890abcdef" not in repr(vars(lent))
    with pytest.raises(KeyEnded):
        KeyRing().key_for(spec(lent))


def test_a_borrowed_key_that_is_still_lent_stays(lent: KeyLoan) -> None:
    keys = KeyRing()
    key = keys.key_for(spec(lent))
    keys.refresh()
    assert not key.ended and key.reveal() == KEY
    key.check()


def test_a_key_nobody_uses_any_more_is_not_remembered(lent: KeyLoan) -> None:
    keys = KeyRing()
    key = weakref.ref(keys.key_for(spec(lent)))
    gc.collect()
    assert key() is None


def test_a_server_with_the_same_key_of_another_session_is_another_server(
    lender: KeyLender, browser: Browser
) -> None:
    one, two = (lender.lend(URL, Secret(KEY), browser.connected, 120.0) for _ in range(2))
    keys = KeyRing()
    servers = [Server.of(spec(held), keys.key_for(spec(held))) for held in (one, one, two)]
    assert servers[0] == servers[1] != servers[2]
    assert servers[0] != Server.of(spec(one), Secret(KEY))


def test_a_web_application_that_has_ended_lends_nothing(tmp_path: Path) -> None:
    gone = Spec(URL, "tiny", key_from=f"session 0123 {tmp_path / 'gone'}")
    with pytest.raises(KeyEnded):
        KeyRing().key_for(gone)
    with pytest.raises(KeyEnded):
        KeyRing().key_for(Spec(URL, "tiny", key_from="session"))


def test_a_lender_that_is_slow_to_answer_ends_no_loan(
    lent: KeyLoan, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = KeyRing()
    with Listener() as busy:
        key = keys.key_for(spec(lent))
        lent.end()
        key.spec = Spec(URL, "tiny", key_from=f"session 1 {busy.address}")  # type: ignore[attr-defined]
        monkeypatch.setattr("gear_app.llm.keys.NEXT_ANSWER_S", 0.01)
        keys.refresh()
        assert not key.ended


@pytest.mark.skipif(os.name == "nt", reason="no Unix sockets")
def test_an_address_that_is_not_our_own_is_not_asked() -> None:
    """A workspace file can come from somebody else and name whatever it likes."""
    with tempfile.TemporaryDirectory() as folder:
        address = str(Path(folder) / "s")
        with Listener(address) as listener:
            asked: list[str] = []
            listener._listener._socket.settimeout(0.2)  # type: ignore[attr-defined]
            for mode in (0o755, 0o750, 0o701):
                Path(folder).chmod(mode)
                for named in (address, folder, "/etc/passwd", "\\\\evil.example\\pipe\\x", "\0"):
                    with pytest.raises(KeyEnded):
                        KeyRing().key_for(Spec(URL, "tiny", key_from=f"session 1 {named}"))
            with pytest.raises(TimeoutError):
                asked.append(str(listener.accept()))
            assert asked == []


def test_what_is_no_question_gets_no_key_and_ends_nothing(lent: KeyLoan) -> None:
    _, id_, address = lent.key_from.split(" ", 2)
    questions = [
        pickle.dumps({"id": id_, "server": URL}),
        b"",
        b"[]",
        b"\xff",
        json.dumps({"id": id_}).encode(),
        json.dumps({"id": [id_], "server": URL}).encode(),
        json.dumps({"id": "0" * 32, "server": URL}).encode(),
    ]
    for question in questions:
        with Client(address) as asking:
            asking.send_bytes(question)
            assert json.loads(asking.recv_bytes()) == {"key": ""}
    with Client(address) as asking:
        asking.send_bytes(b"x" * 10_000)  # longer than any question: the lender hangs up
        with pytest.raises((EOFError, OSError)):
            asking.recv_bytes()
    with Client(address):
        pass  # hangs up
    assert KeyRing().key_for(spec(lent)).reveal() == KEY


@pytest.mark.skipif(os.name == "nt", reason="no Unix sockets")
def test_no_caller_keeps_the_others_from_their_keys(
    lent: KeyLoan, caplog: pytest.LogCaptureFixture
) -> None:
    address = lent.key_from.split(" ", 2)[2]
    with Client(address) as asking:
        asking.send_bytes(b"[" * LIMIT)  # deeper than JSON is read
        assert json.loads(asking.recv_bytes()) == {"key": ""}
    with ExitStack() as callers:
        for sent in (b"", b"\0\0", b"\0\0\0\x09half"):
            caller = callers.enter_context(socket.socket(socket.AF_UNIX))
            caller.connect(address)
            caller.sendall(sent)
        assert KeyRing().key_for(spec(lent)).reveal() == KEY
        caller.settimeout(PATIENCE_S)
        assert caller.recv(1) == b""  # who sends half a question is hung up on
        assert KeyRing().key_for(spec(lent)).reveal() == KEY
    assert KEY not in caplog.text


@pytest.mark.skipif(os.name == "nt", reason="no Unix sockets")
def test_no_more_callers_are_answered_at_once_than_there_are_places(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gear_app.llm.keys.AT_ONCE", 2)
    monkeypatch.setattr("gear_app.llm.keys.QUESTION_S", 0.05)
    held = KeyLender(lambda: 0.0).lend(URL, Secret(KEY), browser.connected, 120.0)
    with ExitStack() as callers:
        for _ in range(6):
            callers.enter_context(Client(held.key_from.split(" ", 2)[2]))
        assert KeyRing().key_for(spec(held)).reveal() == KEY
        assert sum(thread.name == "lend a key" for thread in threading.enumerate()) <= 2


def test_a_thread_that_cannot_be_started_takes_no_place(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gear_app.llm.keys.AT_ONCE", 1)
    held = KeyLender(lambda: 0.0).lend(URL, Secret(KEY), browser.connected, 120.0)
    begin, refused = threading.Thread.start, []

    def start(thread: threading.Thread) -> None:
        if thread.name == "lend a key" and not refused:
            refused.append(thread)
            raise RuntimeError("can't start new thread")
        begin(thread)

    monkeypatch.setattr(threading.Thread, "start", start)
    with Client(held.key_from.split(" ", 2)[2]) as first, pytest.raises(EOFError):
        first.recv_bytes()
    assert refused and KeyRing().key_for(spec(held)).reveal() == KEY


def test_a_session_of_which_nothing_is_known_is_away_and_the_others_are_looked_after(
    lender: KeyLender, browser: Browser
) -> None:
    def unknown() -> bool:
        raise RuntimeError("nothing is known")

    browser.there, browser.now = True, 0.0
    one, other = (
        lender.lend(URL, Secret(KEY), unknown, 120.0),
        lender.lend(URL, Secret(KEY), browser.connected, 120.0),
    )
    lender.refresh()
    assert one
    browser.now = 121.0
    lender.refresh()
    assert not one and other


@pytest.mark.skipif(os.name == "nt", reason="no Unix sockets")
def test_a_lender_with_no_place_for_another_caller_is_not_waited_for_without_end(
    lent: KeyLoan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gear_app.llm.keys.NEXT_ANSWER_S", 0.01)
    keys = KeyRing()
    key = keys.key_for(spec(lent))
    with (
        tempfile.TemporaryDirectory() as folder,
        Listener(str(Path(folder) / "s"), backlog=0) as full,
    ):
        key.spec = Spec(URL, "tiny", key_from=f"session 1 {full.address}")  # type: ignore[attr-defined]
        with ExitStack() as callers, pytest.raises(BlockingIOError):
            while True:
                caller = callers.enter_context(socket.socket(socket.AF_UNIX))
                caller.setblocking(False)
                caller.connect(full.address)
            pytest.fail("it is full")
        keys.refresh()
        assert key


def test_a_loan_ends_when_its_lender_is_silent_for_ten_seconds(
    lent: KeyLoan,
) -> None:
    now = 0.0
    answers: list[str | None] = [KEY, None, KEY, None, None, None]
    keys = KeyRing(lambda: now, lambda spec, timeout_s: answers.pop(0))
    key = keys.key_for(spec(lent))
    for at, there in ((50.0, True), (59.0, True), (60.5, True), (70.0, True), (70.5, False)):
        now = at
        keys.refresh()
        assert bool(key) is there


def test_a_loan_shows_its_key_to_nobody(lent: KeyLoan) -> None:
    key = KeyRing().key_for(spec(lent))
    shown = (
        f"{lent!r} {lent!s} {vars(lent)} {key!r} {key!s} {Server.of(spec(lent), key)!r}"
        f" {lent.key_from}"
    )
    assert KEY not in shown
    for secret in (lent, key):
        with pytest.raises((TypeError, AttributeError, pickle.PicklingError)):
            pickle.dumps(secret)


# What a chat does with it


def test_a_reply_that_comes_when_the_loan_has_ended_is_not_looked_at_and_no_other_is_asked_for(
    bench: Bench, lent: KeyLoan
) -> None:
    keys, heard = KeyRing(), list[str]()
    key = keys.key_for(spec(lent))

    def reply(asked: dict[str, Any]) -> ScriptedReply:
        lent.end()
        keys.refresh()
        return chat_reply(f"You sent {KEY}")

    server = bench.serve(reply)
    with closing(ModelClient(Server(server.base_url, "tiny", key))) as chat:
        asked = chat.submit(Request("read", "Say hello"), lambda reply: heard.append(reply.text))
        assert isinstance(asked.result(10), KeyEnded) and heard == []
        with pytest.raises(KeyEnded):
            chat.ask(Request("read", "Say hello"))
    assert len(server.asked) == 1


# What runs and jobs do with it


@pytest.fixture
def keyed(bench: Bench) -> ScriptedServer:
    """A server that wants the key, reads, and knows the facts of `corpus_of`."""

    def reply(asked: dict[str, Any]) -> ScriptedReply:
        if server.headers[-1].get("authorization") != f"Bearer {KEY}":
            return error(401, "Who are you?")
        return (
            graph(asked)
            if role_of(asked) == "extraction"
            else chat_reply('("Ada Quill", "was born in", "Port Mira")')
        )

    server = bench.serve(reply)
    return server


def test_a_run_is_made_with_a_key_on_loan_and_fails_before_asking_where_it_ended(
    tmp_path: Path, lender: KeyLender, browser: Browser, keyed: ScriptedServer
) -> None:
    films = filled(tmp_path)
    held = lender.lend(keyed.base_url, Secret(KEY), browser.connected, 120.0)
    model = Spec(keyed.base_url, "tiny", key_from=held.key_from)
    assert films.ask(QUESTION, "films", "sync_ge:bm25", reader="llm", model=model).ranking
    assert len(keyed.asked) == 1
    held.end()
    with pytest.raises(KeyEnded):
        films.ask("Who studied law?", "films", "sync_ge:bm25", reader="llm", model=model)
    failed = films.runs.recent()[0]
    assert failed.state == "failed" and "type it again, then press Run" in failed.message
    assert len(keyed.asked) == 1 and KEY not in str(films.runs.recent())


def test_a_run_whose_key_ends_under_way_keeps_what_it_found_and_says_why(
    tmp_path: Path, lender: KeyLender, browser: Browser, keyed: ScriptedServer
) -> None:
    films = filled(tmp_path)
    held = lender.lend(keyed.base_url, Secret(KEY), browser.connected, 120.0)
    usual = keyed.reply

    def reply(asked: dict[str, Any]) -> ScriptedReply:
        if len(keyed.asked) == 2:
            held.end()
            films.models.keys.refresh()
        return usual(asked)

    keyed.reply = reply
    model = Spec(keyed.base_url, "tiny", key_from=held.key_from)
    answer = films.ask(QUESTION, "films", "gear:bm25", reader="llm", model=model)
    assert answer.ranking and len(keyed.asked) == 2
    (failed,) = [event for event in answer.events if isinstance(event, Failed)]
    assert "typed in a browser session that has ended" in failed.message


def test_the_key_does_not_stay_where_it_was_used(
    tmp_path: Path, lender: KeyLender, browser: Browser, keyed: ScriptedServer
) -> None:
    films = filled(tmp_path)
    held = lender.lend(keyed.base_url, Secret(KEY), browser.connected, 120.0)
    model = films.models.chat_model(Spec(keyed.base_url, "tiny", key_from=held.key_from))
    assert model.server.key.reveal() == KEY
    with films.connection.alive():  # as a worker is, whether it works or waits
        del held
        gc.collect()
        until(lambda: not model.server.key)
    assert model.server.key.reveal() == ""


def test_only_who_typed_a_key_runs_a_run_again_with_it(
    tmp_path: Path, lender: KeyLender, browser: Browser, keyed: ScriptedServer
) -> None:
    films = filled(tmp_path)
    mine, other = (
        lender.lend(keyed.base_url, Secret(KEY), browser.connected, 120.0) for _ in range(2)
    )
    run = films.runs.enqueue(
        RunRequest(
            QUESTION,
            "films",
            "gear",
            reader="llm",
            model=Spec(keyed.base_url, "tiny", key_from=mine.key_from),
        )
    )
    for model in (None, Spec("https://other.example/v1", "tiny", key_from=other.key_from)):
        with pytest.raises(NotReady, match="was typed in a browser"):
            films.runs.again(run, model=model)
    again = films.runs.again(run, model=Spec(keyed.base_url, "another", key_from=other.key_from))
    assert (
        films.runs.get(again).key_from == other.key_from
        and films.runs.get(again).model == films.runs.get(run).model
    )


def test_a_loan_that_ended_is_not_ready_and_no_other_call_will_do() -> None:
    assert issubclass(KeyEnded, NotReady) and issubclass(KeyEnded, ServerFailed)
    assert str(KeyEnded("why")) == "why" and KeyEnded("why").reply == ""
