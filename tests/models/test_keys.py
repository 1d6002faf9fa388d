"""A key typed in a browser."""

from __future__ import annotations

import gc
import pickle
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from gear_app.core.errors import NotReady
from gear_app.models.errors import KeyEnded, ServerFailed
from gear_app.models.server import ENVIRONMENT, KEYS, KeyRing, Secret, Server, Spec, TypedKey
from gear_app.workspace.runs.request import RunRequest
from tests.models.conftest import AskingClient, Bench, Plain
from tests.models.server import KEY, ScriptedReply, ScriptedServer, chat_reply, error
from tests.models.test_models import graph
from tests.models.world import role_of
from tests.small import QUESTION
from tests.waiting import PATIENCE_S
from tests.workspaces import filled

URL = "http://localhost:1/v1"


def typed(base_url: str = URL, ring: KeyRing = KEYS, **session: Any) -> TypedKey:
    key = TypedKey(KEY, base_url, **session)
    ring.register(key)
    return key


def spec(key: TypedKey, base_url: str = "") -> Spec:
    return Spec(base_url or key.base_url, "tiny", key_from=key.id)


def received(ring: KeyRing, sender: KeyRing, now: float = 0.0) -> None:
    ring.receive(sender.line_for_worker(now))


def test_a_key_goes_to_the_server_it_was_typed_for_alone_and_ends_with_its_session() -> None:
    web, worker = KeyRing(), KeyRing()
    key = typed(ring=web)
    asked = spec(key)
    received(worker, web)
    there = worker.key_for(asked)
    assert there.reveal() == KEY and worker.key_for(asked) is there
    for other in ("http://localhost:1/v2", "http://evil.example/v1", " "):
        with pytest.raises(KeyEnded, match="browser session that has ended"):
            worker.key_for(spec(key, other))
    received(worker, web)
    assert there.reveal() == KEY
    del key
    gc.collect()
    received(worker, web)
    assert not there and there.reveal() == ""
    with pytest.raises(KeyEnded, match="type it again, then press Run or Extract again"):
        worker.key_for(asked)
    with pytest.raises(KeyEnded):
        KeyRing().key_for(asked)


def test_the_key_of_the_environment_goes_to_its_own_server_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", URL)
    assert KEYS.key_for(Spec(URL, "tiny", key_from=ENVIRONMENT)).reveal() == KEY
    for other in ("http://localhost:1/v2", "http://evil.example/v1"):
        with pytest.raises(NotReady, match="in the environment, where it is no more"):
            KEYS.key_for(Spec(other, "tiny", key_from=ENVIRONMENT))


def test_a_browser_may_be_away_for_a_while_and_no_longer() -> None:
    connected, ring = [True], KeyRing()
    key = typed(ring=ring, connected=lambda: connected[0], grace_s=120.0)
    other = typed(ring=ring)
    for now, state, held in (
        (0.0, False, True),
        (119.0, False, True),
        (120.0, True, True),  # it came back
        (240.0, False, True),
        (241.0, False, False),
    ):
        connected[0] = state
        assert (key.id.encode() in ring.line_for_worker(now), bool(key)) == (held, held)
    assert not key and "1234567890abcdef" not in repr(key) and other


@pytest.mark.parametrize("last", [b"", b'{"session x": ["http://a", "k'])
def test_a_run_waits_for_a_key_on_its_way_and_the_process_ends_with_its_pipe(last: bytes) -> None:
    web = KeyRing()
    key = typed(ring=web)
    script = f"""
import sys, time
from gear_app.models.server import KEYS
from gear_app.models.server import Spec
KEYS.receive_from(sys.stdin.buffer)
print("started", flush=True)
print(KEYS.key_for(Spec({URL!r}, "tiny", key_from={key.id!r})).reveal()[:7], flush=True)
time.sleep({PATIENCE_S})
"""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", script], **pipes) as worker:  # type: ignore[call-overload]
        assert worker.stdout.readline() == b"started\n"
        worker.stdin.write(web.line_for_worker(0.0))
        worker.stdin.flush()
        assert worker.stdout.readline().decode().strip() == KEY[:7]
        worker.stdin.write(last)  # all that a parent wrote that died meanwhile
        worker.stdin.close()
        assert worker.wait(PATIENCE_S / 2) == 0


def test_a_key_is_equal_to_itself_alone_and_shows_itself_to_nobody() -> None:
    one, two = typed(), typed()
    servers = [Server(**vars(spec(key)), key=KEYS.key_for(spec(key))) for key in (one, one, two)]
    assert servers[0] == servers[1] != servers[2] != Server(**vars(spec(one)), key=Secret(KEY))
    assert KEY not in f"{one!r} {one!s} {servers[0]!r} {one.id} {KEYS!r} {vars(KEYS)}"
    with pytest.raises((TypeError, AttributeError, pickle.PicklingError)):
        pickle.dumps(one)


def test_a_reply_that_comes_when_the_key_has_ended_is_not_looked_at_and_no_other_is_asked_for(
    bench: Bench,
) -> None:
    key, heard = typed(), list[str]()

    def reply(asked: dict[str, Any]) -> ScriptedReply:
        key.forget()
        return chat_reply(f"You sent {KEY}")

    server = bench.serve(reply)
    with closing(AskingClient(Server(server.base_url, "tiny", key=key))) as chat:
        requests = [Plain("read", "Say hello")]
        (outcome,) = chat.ask_all(requests, lambda _, reply: heard.append(reply.reply))
        assert isinstance(outcome, KeyEnded) and heard == []
        with pytest.raises(KeyEnded):
            chat.ask(requests[0])
    assert len(server.asked) == 1


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


def test_a_run_is_made_with_a_typed_key_and_fails_before_asking_where_it_ended(
    tmp_path: Path, keyed: ScriptedServer
) -> None:
    films, key = filled(tmp_path), typed(keyed.base_url)
    assert films.ask(QUESTION, "films", "sync_ge:bm25", reader="llm", model=spec(key)).ranking
    assert len(keyed.asked) == 1
    key.forget()
    with pytest.raises(KeyEnded):
        films.ask("Who studied law?", "films", "sync_ge:bm25", reader="llm", model=spec(key))
    failed = films.runs.recent()[0]
    assert failed.state == "failed" and "type it again, then press Run" in failed.message
    assert len(keyed.asked) == 1 and KEY not in str(films.runs.recent())


def test_only_who_typed_a_key_runs_a_run_again_with_it(
    tmp_path: Path, keyed: ScriptedServer
) -> None:
    films, mine, other = filled(tmp_path), typed(keyed.base_url), typed(keyed.base_url)
    run = films.runs.enqueue(RunRequest(QUESTION, "films", "gear", reader="llm", model=spec(mine)))
    for model in (None, Spec("https://other.example/v1", "tiny", key_from=other.id)):
        with pytest.raises(NotReady, match="was typed in a browser"):
            films.runs.again(run, model=model)
    again = films.runs.get(films.runs.again(run, model=spec(other)))
    assert again.key_from == other.id and again.model == films.runs.get(run).model
    assert issubclass(KeyEnded, NotReady) and issubclass(KeyEnded, ServerFailed)
