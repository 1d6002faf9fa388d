"""Dify's external knowledge: its one route, `POST /retrieval`, answered from a workspace.

A collection is a knowledge base, its name the id. Who asks has to bring the token that Dify calls
API key. A score is a share of the best passage's, from 0 to 1, because methods score in units of
their own: a threshold of 0.5 leaves out what scores less than half of the first.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, Field, ValidationError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from gear_app.errors import BadInput, GearError, NotReady, Refused, Unknown
from gear_app.frameworks import APP
from gear_app.frameworks.search import FoundPassage, PassageSearch
from gear_app.workspace import Workspace

MOST_PASSAGES, MOST_BYTES = 50, 64_000
SHORTEST_TOKEN = 16
# Dify's own codes; the last two are ours, as it lets a service have.
NO_BEARER, WRONG_TOKEN, NO_COLLECTION, NOT_TAKEN, FAILED = 1001, 1002, 2001, 4001, 5001


class RetrievalSetting(BaseModel):
    """How many passages are wanted, and how good they have to be."""

    top_k: int = Field(ge=1, le=MOST_PASSAGES)
    score_threshold: float | None = 0.0


class RetrievalRequest(BaseModel):
    """What Dify sends."""

    knowledge_id: str
    query: str
    retrieval_setting: RetrievalSetting
    metadata_condition: dict[str, Any] | None = None


class Dify:
    """Answers Dify from the collections of a workspace, one question at a time."""

    def __init__(
        self, workspace: Workspace, token: str, method: str = "", *, app: str = APP
    ) -> None:
        """Raises BadInput for a token that could be guessed. `app` is where people open the
        application, `method` the one to ask by: "" is the collection's usual one.
        """
        if len(token) < SHORTEST_TOKEN:
            raise BadInput(f"The token needs {SHORTEST_TOKEN} characters or more.")
        self._workspace, self._token, self._method, self._app = workspace, token, method, app
        self._turn = threading.Lock()

    def application(self) -> Starlette:
        """What a server runs."""
        return Starlette(routes=[Route("/retrieval", self._answer, methods=["POST"])])

    async def _answer(self, request: Request) -> JSONResponse:
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not given:
            return _error(401, NO_BEARER, "The header Authorization has to be: Bearer API_KEY")
        if not secrets.compare_digest(given.strip().encode(), self._token.encode()):
            return _error(403, WRONG_TOKEN, "The API key is not this server's.")
        try:
            asked = RetrievalRequest.model_validate_json(await _body(request))
            return JSONResponse({"records": await run_in_threadpool(self._records, asked)})
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, first["loc"])) or "The request"
            return _error(400, NOT_TAKEN, f"{place}: {first['msg']}")
        except _NoCollection as error:
            return _error(404, NO_COLLECTION, str(error))
        except BadInput as error:
            return _error(400, NOT_TAKEN, str(error))
        except GearError as error:
            return _error(503 if isinstance(error, NotReady) else 500, FAILED, str(error))

    def _records(self, asked: RetrievalRequest) -> list[dict[str, Any]]:
        if (asked.metadata_condition or {}).get("conditions"):
            raise BadInput("Passages have no metadata to choose by. Leave metadata_condition out.")
        setting = asked.retrieval_setting
        with self._turn:
            try:
                search = PassageSearch(
                    self._workspace, asked.knowledge_id, self._method, app=self._app
                )
            except Unknown as error:
                raise _NoCollection(str(error)) from error
            found = search.ask(asked.query, setting.top_k)
        scored = zip(found, relative_scores(found), strict=True)
        return [
            {
                "content": one.text,
                "score": score,
                "title": one.title,
                "metadata": {**one.metadata, "collection": asked.knowledge_id},
            }
            for one, score in scored
            if score >= (setting.score_threshold or 0.0)
        ]


def relative_scores(found: Sequence[FoundPassage]) -> list[float]:
    """Each passage's score as a share of the best one's, from 0 to 1; without a positive score,
    1 / rank.
    """
    best = max((one.score for one in found), default=0.0)
    if best <= 0:
        return [1 / one.rank for one in found]
    return [max(0.0, one.score / best) for one in found]


class _NoCollection(BadInput):
    """A knowledge_id that no collection has."""


async def _body(request: Request) -> bytes:
    """Raises Refused where it is longer than any question."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MOST_BYTES:
            raise Refused(f"The request is longer than {MOST_BYTES:,} bytes.")
    return bytes(body)


def _error(status: int, code: int, message: str) -> JSONResponse:
    return JSONResponse({"error_code": code, "error_msg": message}, status)
