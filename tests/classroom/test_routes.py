"""A class over HTTP, in this process: thirty learners, and what the gate refuses them.

What stands behind the gate is here one answer for everything, as Streamlit has an answer for most
paths.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from gear_app.classroom import session
from gear_app.classroom.open_classes import OPEN
from gear_app.ui.classroom.routes import LONGEST_BODY, POINT, routes
from gear_app.ui.gate import COOKIE, PUBLIC, Gate
from tests.classroom.make import BEAMS, SHEETS

TOKEN = "the-operators"
INSIDE = "inside"


async def inside(request: Request) -> PlainTextResponse:
    return PlainTextResponse(INSIDE)


async def stream(socket: WebSocket) -> None:
    await socket.accept()
    await socket.close()


BEHIND = [
    *routes(),
    WebSocketRoute("/{path:path}", stream),
    Route("/{path:path}", inside, methods=["GET", "POST", "PUT", "DELETE"]),
]


@pytest.fixture
def client() -> Iterator[TestClient]:
    """A browser without the operator's cookie."""
    app = Starlette(routes=BEHIND, middleware=[Middleware(Gate, token=TOKEN)])
    yield TestClient(app, base_url="http://localhost", follow_redirects=False)


@pytest.fixture
def code() -> Iterator[str]:
    """A class that is at its first question."""
    opened = OPEN.open("Beams", SHEETS).code
    OPEN.change(opened, lambda one: session.turn_to(one, 1))
    yield opened
    OPEN.close(opened)


def test_public_is_what_learners_and_followers_need_and_no_more() -> None:
    ours = {route.path for route in routes()}
    assert ours - {POINT} | {"/_stcore/health"} == PUBLIC


def test_thirty_learners_join_predict_and_see_the_reveal(client: TestClient, code: str) -> None:
    def predict(number: int) -> str:
        named = {"code": code, "nickname": f"learner {number}"}
        token = str(client.post("/join/enter", json=named).json()["token"])
        said = {"code": code, "key": BEAMS.key, "option": number % 3}
        answered = client.post("/join/answer", json=said, headers={"X-Learner": token}).json()
        assert answered["task"]["answers"] == [number % 3]
        assert "right" not in answered["task"] and "counts" not in answered["task"]
        return token

    with ThreadPoolExecutor(8) as phones:
        tokens = list(phones.map(predict, range(30)))
    assert len({one.nickname for one in OPEN.get(code).learners}) == 30
    OPEN.change(code, lambda one: session.reveal(one, BEAMS.key))
    for token in tokens:
        headers = {"X-Learner": token}
        task = client.get(f"/join/page?code={code}", headers=headers).json()["task"]
        assert (task["right"], task["counts"]) == (2, [[10, 10, 10]])
        late = {"code": code, "key": BEAMS.key, "option": 0}
        refused = client.post("/join/answer", json=late, headers=headers)
        assert refused.status_code == 400 and "closed" in refused.json()["error"]


PATHS = (
    "/settings",
    "/collections",
    "/explore",
    "/class",
    "/_stcore/stream",
    "/_stcore/upload_file/a/b",
    "/_stcore/host-config",
    "/media/0.csv",
    "/component/x/index.html",
    "/static/index.html",
    "/join/",
    "/join/../settings",
    "/join/%2e%2e/settings",
    "/JOIN",
    "/join/page/x",
    "/join.html",
    POINT,
)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD"])
def test_whoever_is_not_the_operator_gets_nothing_else(
    client: TestClient, path: str, method: str
) -> None:
    for headers in (
        {},
        {"Cookie": f"{COOKIE}=guessed"},
        {"Cookie": f"{COOKIE}="},
        {"Cookie": f"{COOKIE}x={TOKEN}"},
        {"X-Forwarded-For": "127.0.0.1", "X-Learner": TOKEN},
    ):
        reply = client.request(method, path, headers=headers)
        assert reply.status_code == 403, path
        assert INSIDE not in reply.text


@pytest.mark.parametrize("path", ["/_stcore/stream", "/join", "/join/page", "/"])
def test_no_websocket_is_opened_but_the_operators(client: TestClient, path: str) -> None:
    with pytest.raises(WebSocketDisconnect), client.websocket_connect(path):
        pass
    with client.websocket_connect(path, headers={"Cookie": f"{COOKIE}={TOKEN}"}):
        pass


def test_the_operators_link_gives_the_cookie_and_leaves_the_address(client: TestClient) -> None:
    reply = client.get(f"/class?lesson=beams&operator={TOKEN}")
    assert (reply.status_code, reply.headers["location"]) == (303, "/class?lesson=beams")
    assert "httponly" in reply.headers["set-cookie"].lower()
    assert client.get("/settings").text == INSIDE  # the browser has it now
    client.cookies.clear()
    assert client.get("/settings?operator=guessed").status_code == 403
    assert client.get("/settings?operator=").status_code == 403


def test_a_learner_who_types_the_bare_address_comes_to_the_page_where_one_joins(
    client: TestClient,
) -> None:
    reply = client.get("/")
    assert (reply.status_code, reply.headers["location"]) == (303, "/join")
    assert "Join" in client.get("/join/class.js").text
    assert "prefers-color-scheme: dark" in client.get("/join/palette.css").text


def test_without_a_token_the_server_is_everybodys_as_ever() -> None:
    app = Starlette(routes=BEHIND, middleware=[Middleware(Gate, token="")])
    assert TestClient(app).get("/settings").text == INSIDE


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"[" * LONGEST_BODY, "JSON"),
        (b"x" * (LONGEST_BODY + 1), "too much"),
        (b"[]", "JSON object"),
        (b"{}", "No class is open"),
        (b'{"code": 7, "nickname": {}}', "No class is open"),
    ],
)
def test_what_is_no_request_is_refused_with_a_sentence(
    client: TestClient, body: bytes, reason: str
) -> None:
    reply = client.post("/join/enter", content=body)
    assert reply.status_code == 400 and reason in reply.json()["error"]


def test_a_learner_changes_nothing_but_her_own_answer(client: TestClient, code: str) -> None:
    mine, other = (OPEN.join(code, name) for name in ("otter", "wren"))
    before = OPEN.get(code)
    headers = {"X-Learner": mine.token}
    for said in (
        {"key": BEAMS.key, "option": True},
        {"key": BEAMS.key, "option": "0"},
        {"key": BEAMS.key, "option": 99},
        {"key": "beams/1", "option": 0},
    ):
        assert client.post("/join/answer", json={"code": code, **said}, headers=headers).is_error
    extra = {"number": other.learner.number, "locked": False, "revealed": True, "page": 0}
    said = {"code": code, "key": BEAMS.key, "option": 0, **extra}
    assert client.post("/join/answer", json=said).is_error  # without a token
    assert OPEN.get(code) == before
    assert client.post("/join/answer", json=said, headers=headers).is_success
    after = OPEN.get(code)
    assert after.ballot(BEAMS.key).latest == {mine.learner.number: 0}
    assert (after.locked, after.page, after.learners) == (True, 1, before.learners)
    assert not after.ballot(BEAMS.key).revealed


def test_who_was_in_a_class_is_told_that_it_is_closed_and_nobody_else(
    client: TestClient, code: str
) -> None:
    mine = OPEN.join(code, "otter")
    OPEN.close(code)
    path = f"/join/page?code={code}"
    reply = client.get(path, headers={"X-Learner": mine.token})
    assert reply.json() == {"error": "The class is closed.", "closed": True}
    assert client.get(path).json()["closed"] is False
