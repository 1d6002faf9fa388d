"""What learners' and followers' browsers use: one page, its files, and four requests as JSON.

No Streamlit page runs for them. A learner's request carries her token in a header, which no page of
another site can make a browser send; what a request says is data, bounded before it is read.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from gear_app.classroom import phone, session
from gear_app.classroom.access import JOIN
from gear_app.classroom.open_classes import OPEN, ClassClosed, Presenter
from gear_app.classroom.phone import pointed_from
from gear_app.classroom.session import ClassSession
from gear_app.errors import BadInput
from gear_app.views import palette

FRONTEND = Path(__file__).parents[1] / "frontend"
LONGEST_BODY = 4_000  # bytes: a code, a nickname, an option; names that are pointed at
TOKEN = "x-learner"  # noqa: S105 - a header's name
FILES = (
    "join.js",
    "class.js",
    "dom.js",
    "follow.js",
    "following.js",
    "pointing.js",
    "presenter.js",
    "class.css",
    "presenter.css",
)
POINT = "/following/point"  # not public: the gate lets the operator through only
FRESH = {"Cache-Control": "no-store"}
Said = dict[str, Any]


def routes() -> list[Route]:
    """The routes, which stand before Streamlit's."""
    return [
        Route(JOIN, _file("join.html"), methods=["GET"]),
        *(Route(f"{JOIN}/{name}", _file(name), methods=["GET"]) for name in FILES),
        Route(f"{JOIN}/palette.css", _palette, methods=["GET"]),
        Route(f"{JOIN}/enter", _answered(_enter), methods=["POST"]),
        Route(f"{JOIN}/page", _answered(_page), methods=["GET"]),
        Route(f"{JOIN}/answer", _answered(_answer), methods=["POST"]),
        Route(f"{JOIN}/slide", _answered(_slide), methods=["GET"]),
        Route(POINT, _answered(_point), methods=["POST"]),
    ]


def _file(name: str) -> Callable[[Request], Awaitable[Response]]:
    async def handed_out(request: Request) -> Response:
        return FileResponse(FRONTEND / name, headers={"Cache-Control": "no-cache"})

    return handed_out


async def _palette(request: Request) -> Response:
    light, dark = (palette.css_variables(one) for one in (palette.LIGHT, palette.DARK))
    sheet = f"{light}\n@media (prefers-color-scheme: dark){{{dark}}}\n"
    return Response(sheet, media_type="text/css")


def _answered(handle: Callable[[Request, Said], Said]) -> Callable[[Request], Awaitable[Response]]:
    """A route that answers in JSON what is said in its address, or posted as a JSON object; what it
    refuses is told in a sentence, with status 400.
    """

    async def answered(request: Request) -> Response:
        try:
            posted = request.method == "POST"
            said = await _body(request) if posted else dict(request.query_params)
            return JSONResponse(handle(request, said), headers=FRESH)
        except BadInput as error:
            closed = isinstance(error, ClassClosed)
            return JSONResponse({"error": f"{error}.", "closed": closed}, 400, headers=FRESH)

    return answered


async def _body(request: Request) -> Said:
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LONGEST_BODY:
            raise BadInput("That is too much at once")
    try:
        said = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise BadInput("That is no JSON") from error
    if not isinstance(said, dict):
        raise BadInput("That is no JSON object")
    return said


def _enter(request: Request, said: Said) -> Said:
    come_from = request.client.host if request.client else ""
    token = request.headers.get(TOKEN, "")
    joined = OPEN.join(_text(said, "code"), _text(said, "nickname"), come_from, token)
    return {"token": joined.token, "nickname": joined.learner.nickname}


def _page(request: Request, said: Said) -> Said:
    asked = _text(said, "page")
    wanted = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 6 else None
    return _as_learner(request, _text(said, "code"), lambda one, number: one, wanted)


def _answer(request: Request, said: Said) -> Said:
    option, key = said.get("option"), _text(said, "key")
    if not isinstance(option, int) or isinstance(option, bool):
        raise BadInput("An answer is the number of an option")

    def answered(one: ClassSession, number: int) -> ClassSession:
        return session.answer(one, number, key, option)

    wanted = said.get("page")
    shown = wanted if isinstance(wanted, int) else None
    return _as_learner(request, _text(said, "code"), answered, shown)


def _as_learner(
    request: Request,
    code: str,
    change: Callable[[ClassSession, int], ClassSession],
    wanted: int | None,
) -> Said:
    one, number = OPEN.as_learner(code, request.headers.get(TOKEN, ""), change)
    return phone.page(one, number, wanted)


def _slide(request: Request, said: Said) -> Said:
    return OPEN.follow(_text(said, "code"))


def _point(request: Request, said: Said) -> Said:
    presenter = Presenter(_text(said, "code"), _text(said, "token"))
    OPEN.point(presenter, _text(said, "shown"), pointed_from(said))
    return {}


def _text(said: Said, name: str) -> str:
    value = said.get(name)
    return value if isinstance(value, str) else ""
