"""A browser has one secret, which the scripts of its pages cannot read."""

from __future__ import annotations

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from gear_app.app.app import answer
from gear_app.app.shared.visitors import BROWSER_COOKIE

PAGE = {"accept": "text/html,*/*;q=0.8"}


@pytest.fixture
def client() -> TestClient:
    routes = [
        Route("/words", lambda _: PlainTextResponse("words")),
        Route("/{page}", lambda _: HTMLResponse("a page")),
    ]
    return TestClient(
        Starlette(routes=routes, middleware=[Middleware(BaseHTTPMiddleware, dispatch=answer)])
    )


def test_the_first_page_brings_a_secret_and_later_ones_leave_it(client: TestClient) -> None:
    given = client.get("/explore", headers=PAGE).headers["set-cookie"]
    assert (
        given.startswith(f"{BROWSER_COOKIE}=") and "HttpOnly" in given and "SameSite=lax" in given
    )
    assert "set-cookie" not in client.get("/learn", headers=PAGE).headers
    other = TestClient(client.app)
    assert other.get("/explore", headers=PAGE).headers["set-cookie"] != given


@pytest.mark.parametrize(("path", "headers"), [("/words", PAGE), ("/explore", {"accept": "*/*"})])
def test_an_answer_that_is_no_page_brings_none(
    client: TestClient, path: str, headers: dict[str, str]
) -> None:
    assert "set-cookie" not in client.get(path, headers=headers).headers
