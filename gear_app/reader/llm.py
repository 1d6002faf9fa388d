"""A language model as a reader: each request's prompt, the model's reply, and its parser.

A reply that cannot be used at all raises ModelFailed; parts that cannot are a Failed event.
"""

from __future__ import annotations

from collections.abc import Sequence

from gear_app.errors import ModelFailed
from gear_app.events import Emit
from gear_app.llm.chat_model import ChatModel, TypedRequest
from gear_app.prompts import hashes
from gear_app.reader.roles import ReaderRequest, Reply


class LlmReader:
    """Reads the passages' text and leaves their stored triples aside (reader.roles.Reader)."""

    def __init__(self, model: ChatModel) -> None:
        """Ask this model."""
        self._model = model
        self.name = model.server.model
        # With the name, what a run is made of.
        self.versions = {"server": model.server.base_url, "prompts": hashes()}

    def ask(self, request: ReaderRequest[Reply], emit: Emit) -> Reply:
        """The model's reply. Raises Unusable with the raw reply, CallFailed where none came."""
        return self._model.ask(_typed(request), emit)

    def ask_all(
        self, requests: Sequence[ReaderRequest[Reply]], emit: Emit
    ) -> list[Reply | ModelFailed]:
        """As `ask`, several at once; what failed stands in its place."""
        return self._model.ask_all([_typed(request) for request in requests], emit)


def _typed(request: ReaderRequest[Reply]) -> TypedRequest[Reply]:
    return TypedRequest(
        request.role, request.prompt(), request.parse, request.schema, request.whole
    )
